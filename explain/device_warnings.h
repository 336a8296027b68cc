/* SPDX-License-Identifier: Apache-2.0 */
/* What is reported about a container's devices although no plan depends on it */
#pragma once

#include "core/container/container.h"
#include "explain/claims.h"

/*
 * Says which device plugin ordered each device (device->source), by what the environment claims,
 * and warns of claims that are wrong. Returns 0, or -1 without memory; below as well.
 */
int devices_label(struct container *container, const struct claims *claims);

/* What about the devices' ports stands in the way of RDMA, although they are allocated */
int ports_warn(struct container *container);
