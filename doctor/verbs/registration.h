/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the limit by trying: RLIMIT_MEMLOCK, CAP_IPC_LOCK, user namespaces and pinned memory
 * interact. */
#pragma once

#include <stddef.h>

#include "doctor/cuda/cuda.h"
#include "doctor/doctor.h"
#include "doctor/verbs/device.h"
#include "doctor/verbs/trouble.h"

#define REGISTRATION_MAX ((size_t)256 << 20) /* NCCL needs at least this */

struct registration {
	size_t most;    /* largest that passed; 0: none */
	size_t refused; /* smallest refused; 0: REGISTRATION_MAX passed */
	int errnum;     /* why */
};

/* Needs 4 MiB. Returns -1 with *trouble if it cannot try. */
int registration_probe(const struct verbs *verbs, const struct verbs_device *device,
		       struct registration *ret_registration, struct trouble *trouble);

/* For n GPUs and each open device; verbs_check reports missing ones. */
int verbs_register_gpus(struct findings *findings, const struct doctor *doctor,
			const struct cuda_memory *memory, int n);
