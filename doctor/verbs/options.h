/* SPDX-License-Identifier: Apache-2.0 */
/* How RDMA is to be tried: what the command line says of it. */
#ifndef OCI_RDMA_VERBS_OPTIONS_H
#define OCI_RDMA_VERBS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor/finding.h"

#define VERBS_PORT 18516 /* TCP; nobody's by IANA, next to what ib_write_bw takes */

struct verbs_options {
	const char *device;  /* "mlx5_6" or "mlx5_6:1"; NULL: all */
	bool pair;           /* also between each pair of devices, both ways */
	bool listen;         /* serve others, in the place of transfers of our own */
	const char *connect; /* to a doctor that listens at this host; NULL: no */
	const char *address; /* listen on this one; NULL: on all */
	const char *token;   /* that both sides have to know; NULL: none */
	unsigned port;       /* TCP port of listen and connect; 0: VERBS_PORT */
	unsigned clients;    /* listen: end after so many; 0: at SIGINT or SIGTERM */
	bool exec;           /* process 1 has a higher memlock limit than this one */
	size_t bytes;        /* of a message; 0: 1 MiB. Less is taken under a low memlock limit */
	size_t register_max; /* registers up to this much; 0: 256 MiB, less than which is too little
				for NCCL */

	/* Called before what may take over a second, with a line to show; or NULL */
	void (*progress)(void *context, const char *line);
	/* Called with each finding of a transfer with another pod when it is made, as a server may
	 * run for days; it is in the list as well. Or NULL */
	void (*found)(void *context, const struct finding *finding);
	void *context; /* of both */
};

#endif
