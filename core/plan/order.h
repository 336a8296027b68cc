/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices are the container's, in the order that it is to know them by. No I/O. */
#ifndef OCI_RDMA_ORDER_H
#define OCI_RDMA_ORDER_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/warning.h"
#include "core/node/device.h"
#include "core/spec/claims.h"

/*
 * Sorts devices in place: first as the claims name them, then the rest by name, numbers compared as
 * numbers. A claim without a device is dropped with a warning.
 */
int order_devices(struct arena *arena, const struct claims *claims, struct devices *devices,
		  struct warnings *warnings, struct err *err);

#endif
