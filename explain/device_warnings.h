/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/container/container.h"
#include "explain/claims.h"

/* Sets device->source from claims, and warns about wrong ones */
int devices_label(struct container *container, const struct claims *claims);

int ports_warn(struct container *container);
