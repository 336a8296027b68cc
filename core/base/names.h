/* SPDX-License-Identifier: Apache-2.0 */
/* The names under which the executable is called, which decide what it is (hook/main.c) */
#pragma once

#include <stdbool.h>

#include "core/base/text.h"

#define HOOK_NAME "oci-rdma-hook"
/* Also with "-crun" or "-runc" behind it, for that runtime */
#define SHIM_NAME "oci-rdma-runtime"
/* In the environment of a runtime that the shim starts: how many shims the call has passed */
#define SHIM_ROUNDS "OCI_RDMA_RUNTIME_ROUNDS"
/* Programs of their own (nri/main.c, admin/main.c) */
#define NRI_NAME "oci-rdma-nri"
#define ADMIN_NAME "oci-rdma-admin"

static inline bool is_shim_name(const char *path)
{
	return text_starts_with(text_base_name(path), SHIM_NAME);
}
