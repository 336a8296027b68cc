/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's variables. What is not here is left to NCCL on purpose: it chooses DMA-BUF, algorithms and
 * channels better than a value that was right on one node once. */
#pragma once

#include "core/plan/planning.h"

void nccl_rdma_settings(const struct planning *p);
void nccl_tcp_settings(const struct planning *p);

/* "net1,net2" with front before it, or NULL with a warning that the variable is not set */
const char *interface_list(const struct planning *p, const char *variable, const char *front);

/* Adds a variable to plan->settings, unless value is NULL, or longer than CONFIG_VALUE_MAX. What
 * the container's environment or its image's nccl.conf sets stays, with a warning if it differs. */
void setting_add(const struct planning *p, enum setting_scope scope, const char *name,
		 const char *value);
