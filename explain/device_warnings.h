/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/container/container.h"
#include "explain/claims.h"

/* Sets device->source from the claims, and warns about wrong ones. Returns 0, or -1 without memory,
 * as does ports_warn(). */
int devices_label(struct container *container, const struct claims *claims);

/* Warns about ports that cannot do RDMA. */
int ports_warn(struct container *container);
