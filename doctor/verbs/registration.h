/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that ibv_reg_mr takes */
#pragma once

#include <stddef.h>

#include "doctor/cuda/cuda.h"
#include "doctor/doctor.h"
#include "doctor/verbs/device.h"
#include "doctor/verbs/trouble.h"

/* How much memory ibv_reg_mr takes, found by trying: RLIMIT_MEMLOCK says one
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

/* Registers the memory of n GPUs with each device that opens. Adds nothing where
 * verbs_check says why there is no device. -1: out of memory only */
int verbs_register_gpus(struct findings *findings, const struct doctor *doctor,
			const struct cuda_memory *memory, int n);
