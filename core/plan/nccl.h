/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's variables. The rest (DMA-BUF, algorithms, channels) NCCL chooses better itself. */
#pragma once

#include "core/plan/planning.h"

void nccl_rdma_settings(const struct planning *p);
void nccl_tcp_settings(const struct planning *p);

/* front and "net1,net2", or NULL after a warning */
const char *interface_list(const struct planning *p, const char *variable, const char *front);

/* Adds a variable unless value is NULL or longer than CONFIG_VALUE_MAX. A value in the environment
 * or image's nccl.conf stays, with a warning if it differs. */
void setting_add(const struct planning *p, enum setting_scope scope, const char *name,
		 const char *value);
