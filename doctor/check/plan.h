/* SPDX-License-Identifier: Apache-2.0 */
/* What oci-rdma-hook decides on the target, where its config.json was found */
#ifndef OCI_RDMA_DOCTOR_CHECK_PLAN_H
#define OCI_RDMA_DOCTOR_CHECK_PLAN_H

#include "core/container/container.h"
#include "doctor/doctor.h"

/* As --dry-run makes it. Returns 1, 0 if there is no config.json to make it from, or -1 with the
 * reason for which none can be made. */
int plan_of_target(const struct doctor *doctor, struct container *container, struct err *err);

/*
 * What to do about a target that lacks what a plan gives: from its decision, or the reason that
 * there is none. In the arena; NULL without memory, and where the plan grants what it lacks.
 */
const char *plan_remedy(struct arena *arena, int status, const struct container *container,
			const struct err *err);

#endif
