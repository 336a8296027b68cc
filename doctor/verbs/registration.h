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
	size_t most;    /* 0: none */
	size_t refused; /* 0: REGISTRATION_MAX passed */
	int errnum;
};

/* Needs 4 MiB. */
int registration_probe(const struct verbs *verbs, const struct verbs_device *device,
		       struct registration *ret_registration, struct trouble *trouble);

/* verbs_check reports missing devices. */
int verbs_register_gpus(struct findings *findings, const struct doctor *doctor,
			const struct cuda_memory *memory, int n);
