/* SPDX-License-Identifier: Apache-2.0 */
/* What runtimes and engines leave on the node about a container: read, never asked. */
#ifndef OCI_RDMA_DOCTOR_CONTAINER_STATE_H
#define OCI_RDMA_DOCTOR_CONTAINER_STATE_H

#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct container_state {
	const char *id;       /* in full */
	int64_t pid;          /* of its first process; 0: not known */
	const char *pid_path; /* where that stood */
	const char *config;   /* path of its config.json; NULL: not found */
};

/*
 * id: in full, or a beginning that only one container has. Looked for in the states of crun
 * (/run/crun/ID/status, also /run/user/UID/crun) and runc (/run/runc/ID/state.json), then in the
 * storage of podman and CRI-O (/run/containers/storage/DRIVER-containers/ID/userdata).
 */
int container_state_find(struct arena *arena, int root, const char *id,
			 struct container_state *ret_state, struct err *err);

#endif
