/* SPDX-License-Identifier: Apache-2.0 */
/* RLIMIT_MEMLOCK of a process, for the checks that tell of it */
#ifndef OCI_RDMA_DOCTOR_CHECK_MEMLOCK_H
#define OCI_RDMA_DOCTOR_CHECK_MEMLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/process/process.h"
#include "doctor/doctor.h"

/*
 * True if the target is no container's first process, and that one has a higher soft limit: a hook
 * reaches the first process, and no runtime lets it reach an exec.
 */
bool limits_of_first_are_higher(const struct doctor *doctor, uint64_t soft);

#endif
