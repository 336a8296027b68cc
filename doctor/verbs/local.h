/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what this machine can try by itself: registration, transfers between its ports. */
#ifndef OCI_RDMA_VERBS_LOCAL_H
#define OCI_RDMA_VERBS_LOCAL_H

#include "doctor/verbs/setup.h"

/* All return -1 without memory only. */

/* Registration with each device; sets setup->bytes */
int local_registration(struct verbs_setup *setup);

/* Transfers within each device, and between each two */
int local_loopback(struct verbs_setup *setup);
int local_pairs(struct verbs_setup *setup);

#endif
