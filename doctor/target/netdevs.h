/* SPDX-License-Identifier: Apache-2.0 */
/* The network interfaces that the target sees */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/node/node.h"
#include "doctor/target/target.h"

struct netdev {
	const char *name;
	int mtu; /* 0: not known */
};

struct netdevs {
	struct netdev *item;
	size_t n;
	size_t room;
	const char *path; /* where they were read; NULL: they could not be */
};

/* Names from the target's /proc/PID/net/dev, which shows its own network namespace; MTUs by a
 * socket in it, so that this process must be one that may change its namespace (a check's). In a
 * recorded tree from /sys/class/net/NAME/mtu. */
int netdevs_read(struct arena *arena, const struct node *node, const struct target *target,
		 struct netdevs *ret_netdevs, struct err *err);

/* The interface of that name, or NULL */
const struct netdev *netdevs_find(const struct netdevs *netdevs, const char *name);
