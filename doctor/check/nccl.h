/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the check of NCCL's values share: nccl.c, nccl_hca.c, nccl_exec.c */
#ifndef OCI_RDMA_DOCTOR_CHECK_NCCL_H
#define OCI_RDMA_DOCTOR_CHECK_NCCL_H

#include "doctor/check/check.h"
#include "doctor/nccl/list.h"
#include "doctor/nccl/settings.h"
#include "doctor/target/netdevs.h"

struct nccl_context {
	const struct doctor *doctor;
	struct findings *findings;
	struct nccl_settings settings;
	struct netdevs netdevs;
	struct devices devices; /* the target's, with ports and GIDs */
};

/* Each returns 0, or -1 without memory. */
int nccl_check_hca(const struct nccl_context *context);
int nccl_check_gid_index(const struct nccl_context *context);
int nccl_check_exec(const struct nccl_context *context);

/* The device's interface, as its GID table tells it to every network namespace */
void nccl_name_interface(const struct doctor *doctor, struct device *device);

#endif
