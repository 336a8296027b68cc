/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the devices themselves have to be asked for, which a sick one does not answer for a minute
 * (mlx5_core's command timeout): in a child.
 */
#ifndef OCI_RDMA_DOCTOR_ANSWERS_H
#define OCI_RDMA_DOCTOR_ANSWERS_H

#include "core/base/err.h"
#include "doctor/doctor.h"
#include "doctor/topology/spot.h"

/*
 * Fills in firmware and ports of the HCAs, which are the devices in their order; .complete becomes
 * false if not all is said in time. Returns 0, or -1 without memory or child.
 */
int answers_read(struct doctor *doctor, const struct devices *devices, struct topology *topology,
		 struct err *err);

#endif
