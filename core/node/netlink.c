/* SPDX-License-Identifier: Apache-2.0 */
#include "core/node/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

/* The kernel sends dumps in messages of at most 32 KiB (net/netlink/af_netlink.c, NETLINK_DUMP). */
#define MESSAGE_MAX 32768

typedef void on_message(void *context, const struct nlmsghdr *message);

static int open_netlink(int protocol)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	struct timeval patience = {.tv_usec = 500000};

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0) {
		int errnum = errno;

		(void)close(fd);
		return -errnum;
	}
	return fd;
}

/*
 * The message at an offset of a datagram; NULL at its end. Not by NLMSG_OK and NLMSG_NEXT: where
 * the last length is no multiple of 4 they step behind the end.
 */
static const struct nlmsghdr *message_at(const char *datagram, size_t len, size_t at)
{
	const struct nlmsghdr *message = (const struct nlmsghdr *)(datagram + at);

	if (at > len || len - at < sizeof(*message) || message->nlmsg_len < sizeof(*message) ||
	    message->nlmsg_len > len - at)
		return NULL;
	return message;
}

/* The same for attributes: of a message, or of what an attribute holds */
static const struct rtattr *attribute_in(const void *bytes, size_t len, size_t at)
{
	const struct rtattr *attribute = (const struct rtattr *)((const char *)bytes + at);

	if (at > len || len - at < sizeof(*attribute) || attribute->rta_len < sizeof(*attribute) ||
	    attribute->rta_len > len - at)
		return NULL;
	return attribute;
}

static const struct rtattr *attribute_at(const struct nlmsghdr *message, size_t at)
{
	return attribute_in(message, message->nlmsg_len, at);
}

/* Returns 1 if more datagrams are to come, 0 at the end, or -errno. */
static int take_apart(const char *datagram, size_t len, on_message *each, void *context)
{
	const struct nlmsghdr *message;
	bool more = false;

	for (size_t at = 0; (message = message_at(datagram, len, at));
	     at += NLMSG_ALIGN(message->nlmsg_len)) {
		if (message->nlmsg_type == NLMSG_DONE)
			return 0;
		if (message->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *error = NLMSG_DATA(message);

			return message->nlmsg_len < NLMSG_LENGTH(sizeof(*error)) || error->error > 0
				       ? -EBADMSG
				       : error->error;
		}
		each(context, message);
		more = (message->nlmsg_flags & NLM_F_MULTI) != 0;
	}
	return more;
}

/*
 * One datagram of the answer. A process with CAP_NET_ADMIN in the pod's namespace may send to our
 * socket, too (netlink_sendmsg in net/netlink/af_netlink.c): only the kernel, port 0, is heard.
 */
static int receive(int fd, on_message *each, void *context)
{
	/* A caller's stack may be small. */
	_Alignas(struct nlmsghdr) static char datagram[MESSAGE_MAX];
	struct sockaddr_nl sender = {0};
	socklen_t size = sizeof(sender);
	ssize_t n = recvfrom(fd, datagram, sizeof(datagram), 0, (struct sockaddr *)&sender, &size);

	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	if (sender.nl_pid != 0)
		return 1;
	return take_apart(datagram, (size_t)n, each, context);
}

static int ask(int protocol, const struct nlmsghdr *request, on_message *each, void *context)
{
	cleanup_fd fd = open_netlink(protocol);
	int status;

	if (fd < 0)
		return fd;
	if (send(fd, request, request->nlmsg_len, 0) < 0)
		return -errno;
	do
		status = receive(fd, each, context);
	while (status > 0);
	return status;
}

/* ---- interfaces ---- */

struct links {
	netlink_each *each;
	void *context;
};

/* A string attribute, or NULL if it does not end */
static const char *text_of(const struct rtattr *attribute)
{
	const char *text = RTA_DATA(attribute);

	return memchr(text, 0, RTA_PAYLOAD(attribute)) ? text : NULL;
}

/* IFLA_LINKINFO of a slave says of what its master is (net/core/rtnetlink.c, rtnl_link_fill). */
static bool is_slave_of_bond(const struct rtattr *info)
{
	const struct rtattr *attribute;

	for (size_t at = 0; (attribute = attribute_in(RTA_DATA(info), RTA_PAYLOAD(info), at));
	     at += RTA_ALIGN(attribute->rta_len)) {
		const char *kind = text_of(attribute);

		if (attribute->rta_type == IFLA_INFO_SLAVE_KIND && kind &&
		    strcmp(kind, "bond") == 0)
			return true;
	}
	return false;
}

static void on_link(void *context, const struct nlmsghdr *message)
{
	const struct links *links = context;
	const struct rtattr *attribute;
	struct netlink_link link = {0};
	int master = 0;
	bool bonded = false;

	if (message->nlmsg_type != RTM_NEWLINK ||
	    message->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifinfomsg)))
		return;
	link.index = ((const struct ifinfomsg *)NLMSG_DATA(message))->ifi_index;
	for (size_t at = NLMSG_SPACE(sizeof(struct ifinfomsg));
	     (attribute = attribute_at(message, at)); at += RTA_ALIGN(attribute->rta_len)) {
		if (attribute->rta_type == IFLA_IFNAME)
			link.name = text_of(attribute);
		else if (attribute->rta_type == IFLA_PARENT_DEV_NAME)
			link.parent = text_of(attribute);
		else if (attribute->rta_type == IFLA_MASTER &&
			 RTA_PAYLOAD(attribute) >= sizeof(master))
			memcpy(&master, RTA_DATA(attribute), sizeof(master));
		else if (attribute->rta_type == IFLA_LINKINFO)
			bonded = is_slave_of_bond(attribute);
	}
	link.bond = bonded ? master : 0;
	if (link.name && text_is_netdev_name(link.name))
		links->each(links->context, &link);
}

int netlink_take_links(const char *datagram, size_t len, netlink_each *each, void *context)
{
	struct links links = {.each = each, .context = context};

	return take_apart(datagram, len, on_link, &links);
}

int netlink_each_link(netlink_each *each, void *context)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
	} request = {
		.header = {.nlmsg_len = sizeof(request),
			   .nlmsg_type = RTM_GETLINK,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.info = {.ifi_family = AF_UNSPEC},
	};
	struct links links = {.each = each, .context = context};

	return ask(NETLINK_ROUTE, &request.header, on_link, &links);
}

/* ---- RDMA ---- */

static void on_system(void *context, const struct nlmsghdr *message)
{
	enum rdma_mode *mode = context;
	const struct rtattr *attribute;

	for (size_t at = NLMSG_HDRLEN; (attribute = attribute_at(message, at));
	     at += RTA_ALIGN(attribute->rta_len)) {
		if (attribute->rta_type == RDMA_NLDEV_SYS_ATTR_NETNS_MODE &&
		    RTA_PAYLOAD(attribute) >= 1)
			*mode = *(const unsigned char *)RTA_DATA(attribute) ? RDMA_MODE_SHARED
									    : RDMA_MODE_EXCLUSIVE;
	}
}

int netlink_take_rdma_mode(const char *datagram, size_t len, enum rdma_mode *mode)
{
	return take_apart(datagram, len, on_system, mode);
}

enum rdma_mode netlink_rdma_mode(void)
{
	struct nlmsghdr request = {
		.nlmsg_len = sizeof(request),
		.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET),
		.nlmsg_flags = NLM_F_REQUEST,
	};
	enum rdma_mode mode = RDMA_MODE_UNKNOWN;

	/* Without ib_core there is nobody to ask, and no RDMA. */
	if (ask(NETLINK_RDMA, &request, on_system, &mode) < 0)
		return RDMA_MODE_UNKNOWN;
	return mode;
}

enum rdma_mode node_rdma_mode(const struct node *node)
{
	char line[8];

	if (!node->recorded)
		return netlink_rdma_mode();
	if (fs_read_line(node->root, "sys/module/ib_core/parameters/netns_mode", line,
			 sizeof(line)) < 0)
		return RDMA_MODE_UNKNOWN;
	return line[0] == 'Y' ? RDMA_MODE_SHARED : RDMA_MODE_EXCLUSIVE;
}
