/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/target/netdevs.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "core/base/fs.h"
#include "core/node/node.h"
#include "doctor/target/target.h"
#include "lib/files.h"

#define NET_DEV_MAX (1024 * 1024)

/* negative: recorded tree */
static int mtu_of(const struct node *node, int fd, const char *name)
{
	struct ifreq request = {0};
	char path[64];
	char line[16];

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	snprintf(path, sizeof(path), "sys/class/net/%.16s/mtu", name);
	if (fd >= 0)
		return ioctl(fd, SIOCGIFMTU, &request) == 0 ? request.ifr_mtu : 0;
	return node->recorded && tree_read_line(node->root, path, line, sizeof(line)) > 0
		       ? (int)strtol(line, NULL, 10)
		       : 0;
}

/* "  eth0: 1234 …", below two lines of heading */
static int add_line(struct arena *arena, char *line, struct netdevs *netdevs)
{
	char *colon = strchr(line, ':');
	struct netdev *netdev;

	if (!colon || strchr(line, '|'))
		return 0;
	*colon = '\0';
	netdev = arena_push(arena, netdevs->item, netdevs->n, netdevs->room);
	if (!netdev)
		return -1;
	*netdev = (struct netdev){.name = line + strspn(line, " ")};
	return 0;
}

int netdevs_read(struct arena *arena, const struct node *node, const struct target *target,
		 struct netdevs *ret_netdevs, struct err *err)
{
	cleanup_fd fd = -1;
	struct netdevs netdevs = {0};
	struct fs_text text;
	char *line;

	*ret_netdevs = netdevs;
	if (target_read(arena, target, "net/dev", NET_DEV_MAX, &text) < 0)
		return 0;
	netdevs.path = arena_printf(arena, "%s/net/dev", target->proc_path);
	while ((line = strsep(&text.bytes, "\n"))) {
		if (add_line(arena, line, &netdevs) < 0)
			return err_memory(err);
	}
	if (!node->recorded && target_enter_network(target) == 0)
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (size_t i = 0; i < netdevs.n; i++)
		netdevs.item[i].mtu = mtu_of(node, fd, netdevs.item[i].name);
	*ret_netdevs = netdevs;
	return netdevs.path ? 0 : err_memory(err);
}

const struct netdev *netdevs_find(const struct netdevs *netdevs, const char *name)
{
	for (size_t i = 0; i < netdevs->n; i++) {
		if (strcmp(netdevs->item[i].name, name) == 0)
			return &netdevs->item[i];
	}
	return NULL;
}
