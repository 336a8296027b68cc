/* SPDX-License-Identifier: Apache-2.0 */
/* They select the role (hook/main.c) */
#pragma once

#include <stdbool.h>

#include "core/base/text.h"

#define HOOK_NAME "oci-rdma-hook"
/* "-crun" or "-runc" may follow. */
#define SHIM_NAME "oci-rdma-runtime"
/* Environment variable: how many shims the call has passed */
#define SHIM_ROUNDS "OCI_RDMA_RUNTIME_ROUNDS"
#define NRI_NAME "oci-rdma-nri"
#define ADMIN_NAME "oci-rdma-admin"

static inline bool is_shim_name(const char *path)
{
	return text_starts_with(text_base_name(path), SHIM_NAME);
}
