/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RDMA by trying it, from where we run: the devices by libibverbs, the GPUs by the CUDA driver, and
 * the memory of those by both. Unlike the checks it takes the time that it takes.
 */
#ifndef OCI_RDMA_DOCTOR_TRIAL_H
#define OCI_RDMA_DOCTOR_TRIAL_H

#include "core/base/err.h"
#include "doctor/doctor.h"
#include "doctor/finding.h"

/* Adds findings. Returns 0, or -1 without memory or child. */
int trial_run(const struct doctor *doctor, struct findings *findings, struct err *err);

#endif
