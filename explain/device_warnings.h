/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/container/container.h"
#include "explain/claims.h"

/* Sets device->source from the claims; warns about wrong ones. Like ports_warn(), fails only
 * without memory. */
int devices_label(struct container *container, const struct claims *claims);

/* Warns about ports that cannot do RDMA. */
int ports_warn(struct container *container);
