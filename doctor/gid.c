/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/gid.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "doctor/file.h"

#define PATH_SIZE 1400

int gid_read(const struct node *node, const struct device *device, unsigned port, int index,
	     struct gid *ret_gid)
{
	cleanup_fd dir = -1;
	struct gid gid = {0};
	struct in6_addr address;
	char path[PATH_SIZE];
	char line[64];
	int len = snprintf(path, sizeof(path), "%s/infiniband/%s/ports/%u", device->path,
			   device->ibdev, port);

	if (len < 0 || (size_t)len >= sizeof(path))
		return -1;
	dir = file_open_dir(node->root, path);
	(void)snprintf(path, sizeof(path), "gids/%d", index);
	if (dir < 0 || file_line(dir, path, line, sizeof(line)) < 0 ||
	    inet_pton(AF_INET6, line, &address) != 1)
		return -1;
	gid.empty = IN6_IS_ADDR_UNSPECIFIED(&address);
	gid.ipv4 = IN6_IS_ADDR_V4MAPPED(&address);
	gid.link_local = IN6_IS_ADDR_LINKLOCAL(&address);
	(void)inet_ntop(AF_INET6, &address, gid.text, sizeof(gid.text));
	/* Reading the attributes of an empty entry is EINVAL (ib_core, sysfs.c). */
	(void)snprintf(path, sizeof(path), "gid_attrs/types/%d", index);
	gid.v2 = file_line(dir, path, line, sizeof(line)) > 0 && strcmp(line, "RoCE v2") == 0;
	(void)snprintf(path, sizeof(path), "gid_attrs/ndevs/%d", index);
	if (file_line(dir, path, gid.netdev, sizeof(gid.netdev)) < 0)
		gid.netdev[0] = '\0';
	*ret_gid = gid;
	return 0;
}
