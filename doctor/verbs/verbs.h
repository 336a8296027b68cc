/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA by trying it: opens the devices through libibverbs, registers memory, and transfers data to
 * another pod. */
#ifndef OCI_RDMA_DOCTOR_VERBS_H
#define OCI_RDMA_DOCTOR_VERBS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "doctor/cuda/cuda.h"
#include "doctor/doctor.h"
#include "doctor/finding.h"
#include "doctor/verbs/device.h"
#include "doctor/verbs/trouble.h"
#include "lib/limits.h"

/* Adds what it finds. exec: process 1 has a higher memlock limit. -1: out of memory only */
int verbs_check(struct findings *findings, const struct doctor *doctor, bool exec);

/* Registers the memory of n GPUs with each device that opens (registration.c). Adds nothing where
 * verbs_check says why there is no device. -1: out of memory only */
int verbs_register_gpus(struct findings *findings, const struct doctor *doctor,
			const struct cuda_memory *memory, int n);

/* ---- what its parts share ---- */

struct verbs_setup {
	const struct verbs *verbs;
	const struct doctor *doctor;
	bool exec;
	struct findings *findings;
	struct verbs_devices *devices;
	size_t bytes; /* of a message: what fits below the memlock limit */
};

/* How much memory ibv_reg_mr takes, found by trying (registration.c): RLIMIT_MEMLOCK says one
 * thing, CAP_IPC_LOCK, user namespaces and what is pinned already say another. */
#define REGISTRATION_MAX ((size_t)256 << 20) /* NCCL needs more than less */

struct registration {
	size_t most;    /* the largest that passed; 0: none */
	size_t refused; /* the smallest that did not; 0: REGISTRATION_MAX passed */
	int errnum;     /* why */
};

/* Needs 4 MiB of memory. -1: it could not be tried; *trouble says why. */
int registration_probe(const struct verbs *verbs, const struct verbs_device *device,
		       struct registration *ret_registration, struct trouble *trouble);

/* Transfers with a doctor in another pod (pods.c). They add findings; -1 without memory only. */
int pods_connect(struct verbs_setup *setup);
int pods_listen(struct verbs_setup *setup);

#endif
