/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of transfers with another pod: this side asks (connect), or serves who asks (listen). */
#ifndef OCI_RDMA_VERBS_REMOTE_H
#define OCI_RDMA_VERBS_REMOTE_H

#include "doctor/verbs/setup.h"

/* Both return -1 without memory only. */
int remote_connect(struct verbs_setup *setup);
int remote_listen(struct verbs_setup *setup);

#endif
