/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of one trial of the verbs devices share. */
#ifndef OCI_RDMA_VERBS_SETUP_H
#define OCI_RDMA_VERBS_SETUP_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/finding.h"
#include "doctor/verbs/device.h"
#include "doctor/verbs/trouble.h"

/* How RDMA is to be tried: what the command line says of it */
struct verbs_options {
	const char *device;  /* "mlx5_6" or "mlx5_6:1"; NULL: all */
	bool listen;         /* serve one other doctor, in the place of transfers of our own */
	const char *connect; /* to a doctor that listens at this host; NULL: no */
	const char *address; /* listen on this one; NULL: on all */
	unsigned port;       /* TCP port of listen and connect; 0: REMOTE_PORT */
	bool exec;           /* process 1 has a higher memlock limit than this one */

	/* Called with each finding of a transfer with another pod when it is made; or NULL */
	void (*found)(void *context, const struct finding *finding);
	void *context;
};

struct verbs_setup {
	const struct verbs *verbs;
	const struct verbs_options *options;
	struct findings *findings;
	struct verbs_devices *devices;
	size_t bytes; /* of a message: what fits below the memlock limit */
};

/*
 * Loads the library and opens the devices. Returns 1, 0 if there is nothing to go on with (a
 * finding says why), or -1.
 */
int setup_open(struct findings *findings, const struct verbs_options *options, struct verbs *verbs,
	       struct verbs_devices *devices);

/* What to do about a trouble, also by what is known of this process. errnum: of ibv_reg_mr */
const char *setup_remedy(const struct verbs_setup *setup, const struct trouble *trouble);
const char *setup_register_remedy(const struct verbs_setup *setup, int errnum);

/* Each adds findings; -1 without memory only. */

/* The devices, and devices that should be there (inventory.c) */
int inventory_find(struct verbs_setup *setup);

/* Transfers with a doctor in another pod (pods.c) */
int pods_connect(struct verbs_setup *setup);
int pods_listen(struct verbs_setup *setup);

#endif
