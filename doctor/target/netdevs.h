/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/node/node.h"
#include "doctor/target/target.h"

struct netdev {
	const char *name;
	int mtu; /* 0: unknown */
};

struct netdevs {
	struct netdev *item;
	size_t n;
	size_t room;
	const char *path; /* source; NULL: unreadable */
};

/* Names from /proc/PID/net/dev, MTUs by a socket in its namespace: only in a check's process.
 * Recorded: /sys/class/net/NAME/mtu */
int netdevs_read(struct arena *arena, const struct node *node, const struct target *target,
		 struct netdevs *ret_netdevs, struct err *err);

const struct netdev *netdevs_find(const struct netdevs *netdevs, const char *name);
