/* SPDX-License-Identifier: Apache-2.0 */
#include "node/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cleanup.h"

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

/* One datagram of the answer. Returns 1 if more are to come, 0 at the end, or -errno. */
static int receive(int fd, on_message *each, void *context)
{
	_Alignas(struct nlmsghdr) char buffer[MESSAGE_MAX];
	ssize_t n = recv(fd, buffer, sizeof(buffer), 0);
	unsigned len = n > 0 ? (unsigned)n : 0;
	const struct nlmsghdr *message = (const struct nlmsghdr *)buffer;
	bool more = false;

	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	for (; NLMSG_OK(message, len); message = NLMSG_NEXT(message, len)) {
		if (message->nlmsg_type == NLMSG_DONE)
			return 0;
		if (message->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *error = NLMSG_DATA(message);

			return message->nlmsg_len < NLMSG_LENGTH(sizeof(*error)) ? -EBADMSG
										 : error->error;
		}
		each(context, message);
		more = (message->nlmsg_flags & NLM_F_MULTI) != 0;
	}
	return more;
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
	void (*each)(void *context, const char *name, const char *parent);
	void *context;
};

/* A string attribute, or NULL if it does not end */
static const char *text_of(const struct rtattr *attribute)
{
	const char *text = RTA_DATA(attribute);

	return memchr(text, 0, RTA_PAYLOAD(attribute)) ? text : NULL;
}

static void on_link(void *context, const struct nlmsghdr *message)
{
	const struct links *links = context;
	const struct ifinfomsg *info = NLMSG_DATA(message);
	const struct rtattr *attribute;
	const char *name = NULL;
	const char *parent = NULL;
	unsigned len;

	if (message->nlmsg_type != RTM_NEWLINK || message->nlmsg_len < NLMSG_LENGTH(sizeof(*info)))
		return;
	len = message->nlmsg_len - (unsigned)NLMSG_LENGTH(sizeof(*info));
	for (attribute = IFLA_RTA(info); RTA_OK(attribute, len);
	     attribute = RTA_NEXT(attribute, len)) {
		if (attribute->rta_type == IFLA_IFNAME)
			name = text_of(attribute);
		else if (attribute->rta_type == IFLA_PARENT_DEV_NAME)
			parent = text_of(attribute);
	}
	if (name && parent)
		links->each(links->context, name, parent);
}

int netlink_each_link(void (*each)(void *context, const char *name, const char *parent),
		      void *context)
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
	const struct rtattr *attribute = NLMSG_DATA(message);
	unsigned len = message->nlmsg_len - (unsigned)NLMSG_LENGTH(0);

	for (; RTA_OK(attribute, len); attribute = RTA_NEXT(attribute, len)) {
		if (attribute->rta_type == RDMA_NLDEV_SYS_ATTR_NETNS_MODE &&
		    RTA_PAYLOAD(attribute) >= 1)
			*mode = *(const unsigned char *)RTA_DATA(attribute) ? RDMA_MODE_SHARED
									    : RDMA_MODE_EXCLUSIVE;
	}
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
