/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's variables. It chooses the rest better itself. */
#pragma once

#include "core/plan/planning.h"

void nccl_rdma_settings(const struct planning *p);
void nccl_tcp_settings(const struct planning *p);

/* front and "net1,net2", or NULL after a warning */
const char *interface_list(const struct planning *p, const char *variable, const char *front);

/* Adds a variable unless value is NULL or above CONFIG_VALUE_MAX. The environment's or image's
 * value stays, with a warning if different. */
void setting_add(const struct planning *p, enum setting_scope scope, const char *name,
		 const char *value);
