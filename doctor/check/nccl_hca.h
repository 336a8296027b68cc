/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/node/node.h"
#include "doctor/doctor.h"
#include "doctor/nccl/nccl_settings.h"
#include "doctor/target/netdevs.h"
#include "lib/finding.h"

struct nccl_context {
	const struct doctor *doctor;
	struct findings *findings;
	struct nccl_settings settings;
	struct netdevs netdevs;
	struct devices devices; /* the target's, with ports and GIDs */
};

int nccl_check_hca(const struct nccl_context *context);
int nccl_check_gid_index(const struct nccl_context *context);

/* From the GID table, readable in every network namespace */
void nccl_name_interface(const struct doctor *doctor, struct device *device);
