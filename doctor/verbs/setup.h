/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of one verbs check share. */
#ifndef OCI_RDMA_VERBS_RUN_H
#define OCI_RDMA_VERBS_RUN_H

#include "doctor/verbs/device.h"
#include "doctor/verbs/transfer.h"
#include "doctor/verbs/verbs.h"

struct run {
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
int run_open(struct findings *findings, const struct verbs_options *options, struct verbs *verbs,
	     struct verbs_devices *devices);

/* Shows a line, if anybody looks */
void run_progress(const struct run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* All return -1 without memory only. */

/* doctor/verbs/inventory.c: a device, its ports, and devices that should be there */
int found_devices(struct run *run);

/* doctor/verbs/local.c: registration of each device; sets run->bytes. Transfers on this machine */
int local_registration(struct run *run);
int local_loopback(struct run *run);
int local_pairs(struct run *run);

/* doctor/verbs/remote.c */
int remote_connect(struct run *run);
int remote_listen(struct run *run);

/* "1.2 GB/s (9.6 Gb/s), writes of 1 MiB; latency 1.62 us median, 2.01 us 99th percentile" */
#define RUN_RESULT_SIZE 256
const char *run_result_text(const struct transfer_result *result, char text[RUN_RESULT_SIZE]);

#endif
