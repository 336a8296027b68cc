/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink answers taken apart. What the kernel really sends is tested in tests/vm. */
#include "tests/unit/unit.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include "core/node/netlink.h"

struct answer {
	_Alignas(struct nlmsghdr) char bytes[512];
	size_t len;
};

static void put(struct answer *answer, const void *bytes, size_t len)
{
	assert_true(answer->len + len <= sizeof(answer->bytes));
	memcpy(answer->bytes + answer->len, bytes, len);
	answer->len += len;
}

/* Behind the last message; its length grows with each attribute. */
static size_t begin(struct answer *answer, unsigned type, unsigned flags, const void *body,
		    size_t len)
{
	size_t at = answer->len;
	struct nlmsghdr header = {.nlmsg_len = (unsigned)NLMSG_LENGTH(len),
				  .nlmsg_type = (unsigned short)type,
				  .nlmsg_flags = (unsigned short)flags};

	put(answer, &header, sizeof(header));
	put(answer, body, len);
	return at;
}

static void attribute(struct answer *answer, size_t message, unsigned type, const void *value,
		      size_t len)
{
	struct rtattr head = {(unsigned short)RTA_LENGTH(len), (unsigned short)type};
	struct nlmsghdr *header = (struct nlmsghdr *)(answer->bytes + message);

	put(answer, &head, sizeof(head));
	put(answer, value, len);
	put(answer, "\0\0\0", RTA_ALIGN(len) - len);
	header->nlmsg_len = (unsigned)(answer->len - message);
}

static size_t link_named(struct answer *answer, const char *name, size_t len, const char *parent)
{
	static const struct ifinfomsg info = {.ifi_index = 2};
	size_t at = begin(answer, RTM_NEWLINK, NLM_F_MULTI, &info, sizeof(info));

	attribute(answer, at, IFLA_IFNAME, name, len);
	attribute(answer, at, IFLA_PARENT_DEV_NAME, parent, strlen(parent) + 1);
	return at;
}

/* "net1=0000:3b:02.6 …", "net1=0000:3b:02.6@5" in the bond 5; of the answer in memory of its exact
 * size */
struct heard {
	struct arena arena;
	const char *text;
};

static void on_link(void *context, const struct netlink_link *link)
{
	struct heard *heard = context;

	heard->text = arena_printf(&heard->arena, "%s%s=%s", heard->text, link->name,
				   link->parent ? link->parent : "");
	if (link->bond)
		heard->text = arena_printf(&heard->arena, "%s@%d", heard->text, link->bond);
	heard->text = arena_printf(&heard->arena, "%s ", heard->text);
}

static void assert_links(const struct answer *answer, int status, const char *links)
{
	struct heard heard = {.text = ""};
	char *exact = unit_exact(answer->bytes, answer->len);

	assert_int_equal(netlink_take_links(exact, answer->len, on_link, &heard), status);
	assert_string_equal(heard.text, links);
	arena_free(&heard.arena);
	free(exact);
}

UNIT_TEST("links: each with its parent, to the end of the dump")
{
	struct answer answer = {.len = 0};

	(void)link_named(&answer, "net1", 5, "0000:3b:02.6");
	(void)link_named(&answer, "net2", 5, "mlx5_core.sf.4");
	assert_links(&answer, 1, "net1=0000:3b:02.6 net2=mlx5_core.sf.4 ");
	(void)begin(&answer, NLMSG_DONE, 0, "\0\0\0", 4);
	assert_links(&answer, 0, "net1=0000:3b:02.6 net2=mlx5_core.sf.4 ");
}

/* What a slave is in, by IFLA_LINKINFO: a bridge or VRF has none of the port's addresses. */
UNIT_TEST("links: a bond is told from other masters")
{
	static const int master = 5;
	static const char *const kinds[] = {"bond", "bridge", "bonding", ""};
	struct answer answer = {.len = 0};

	for (size_t i = 0; i < LENGTH(kinds); i++) {
		struct answer info = {.len = 0};
		struct nlmsghdr none = {0};
		size_t at = link_named(&answer, "net1", 5, "mlx5_core.sf.4");

		put(&info, &none, sizeof(none));
		attribute(&info, 0, IFLA_INFO_SLAVE_KIND, kinds[i], strlen(kinds[i]) + (i != 3));
		attribute(&answer, at, IFLA_MASTER, &master, sizeof(master));
		attribute(&answer, at, IFLA_LINKINFO, info.bytes + sizeof(none),
			  info.len - sizeof(none));
	}
	assert_links(&answer, 1,
		     "net1=mlx5_core.sf.4@5 net1=mlx5_core.sf.4 net1=mlx5_core.sf.4 "
		     "net1=mlx5_core.sf.4 ");
}

UNIT_TEST("links: names that NCCL's lists cannot hold are left out")
{
	static const char *const names[] = {"",   "a,b",           "a=b",
					    "^a", "a\nNCCL_NET=x", "sixteen-letters-"};
	struct answer answer = {.len = 0};

	for (size_t i = 0; i < LENGTH(names); i++)
		(void)link_named(&answer, names[i], strlen(names[i]) + 1, "0000:3b:02.6");
	(void)link_named(&answer, "open", 4, "0000:3b:02.6");
	assert_links(&answer, 1, "");
}

/* Whoever steps by the length alone, rounded up to 4, is behind the end then. */
UNIT_TEST("links: an odd length at the end is not stepped over")
{
	struct answer answer = {.len = 0};
	struct nlmsghdr *last = (struct nlmsghdr *)answer.bytes;

	(void)link_named(&answer, "net1", 5, "0000:3b:02.6");
	answer.len -= 3;
	last->nlmsg_len = (unsigned)answer.len;
	assert_links(&answer, 1, "net1=0000:3b:02.6 ");
}

UNIT_TEST("links: lengths that lie are not believed")
{
	struct answer answer = {.len = 0};
	struct nlmsghdr *first = (struct nlmsghdr *)answer.bytes;

	(void)link_named(&answer, "net1", 5, "0000:3b:02.6");
	for (unsigned len = 0; len < 600; len++) {
		char *exact = unit_exact(answer.bytes, answer.len);
		struct heard heard = {.text = ""};

		((struct nlmsghdr *)exact)->nlmsg_len = len;
		assert_true(netlink_take_links(exact, answer.len, on_link, &heard) <= 1);
		/* Its last three bytes are padding. */
		if (len + 3 < first->nlmsg_len || len > first->nlmsg_len)
			assert_null(strstr(heard.text, "0000:3b:02.6"));
		arena_free(&heard.arena);
		free(exact);
	}
}

UNIT_TEST("errors: the kernel's negative number, and never a positive one")
{
	static const int numbers[] = {-22, 0, 5};
	static const int wants[] = {-22, 0, -EBADMSG};

	for (size_t i = 0; i < LENGTH(numbers); i++) {
		struct nlmsgerr error = {.error = numbers[i]};
		struct answer answer = {.len = 0};

		(void)begin(&answer, NLMSG_ERROR, 0, &error, sizeof(error));
		assert_links(&answer, wants[i], "");
	}
}

UNIT_TEST("RDMA: the mode of network namespaces")
{
	static const unsigned char modes[] = {1, 0};

	for (size_t i = 0; i < LENGTH(modes); i++) {
		struct answer answer = {.len = 0};
		size_t at = begin(&answer, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET),
				  0, "", 0);
		enum rdma_mode mode = RDMA_MODE_UNKNOWN;

		attribute(&answer, at, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, "", 0);
		assert_int_equal(netlink_take_rdma_mode(answer.bytes, answer.len, &mode), 0);
		assert_int_equal(mode, RDMA_MODE_UNKNOWN);
		attribute(&answer, at, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, &modes[i], 1);
		assert_int_equal(netlink_take_rdma_mode(answer.bytes, answer.len, &mode), 0);
		assert_int_equal(mode, modes[i] ? RDMA_MODE_SHARED : RDMA_MODE_EXCLUSIVE);
	}
}

/* Who has CAP_NET_ADMIN in the namespace may send to the port of whoever asks the kernel there: the
 * process' own number, for its first socket. */
static void send_forged(pid_t port)
{
	struct answer answer = {.len = 0};
	struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_pid = (unsigned)port};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	(void)link_named(&answer, "forged", 7, "0000:3b:02.6");
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		(void)sendto(fd, answer.bytes, answer.len, 0, (struct sockaddr *)&to, sizeof(to));
}

UNIT_TEST_FOR_ROOT("links: a message that another process sent is not heard")
{
	struct heard heard = {.text = ""};
	pid_t self = getpid();
	pid_t forger = unit_fork();

	if (forger == 0)
		send_forged(self);
	for (int i = 0; i < 2000 && !strstr(heard.text, "forged"); i++) {
		heard.text = "";
		(void)netlink_each_link(on_link, &heard);
	}
	(void)kill(forger, SIGKILL);
	(void)waitpid(forger, NULL, 0);
	assert_null(strstr(heard.text, "forged"));
	arena_free(&heard.arena);
}

int main(void)
{
	return unit_main("netlink");
}
