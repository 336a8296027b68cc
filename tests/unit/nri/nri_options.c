/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's command line, and where it looks for the runtime's socket */
#include <getopt.h>
#include <sys/un.h>

#include "nri/nri_options.h"
#include "tests/unit/unit.h"

#define GO_ON (-1)
#define SIZE sizeof(((struct sockaddr_un *)0)->sun_path)
#define BYTES_50 "/23456789012345678901234567890123456789012345678 0"
#define BYTES_100 BYTES_50 BYTES_50

/* The exit status, or GO_ON with *ret_options; the cli tests check stderr. */
static int parse(const char *const *words, struct nri_options *ret_options)
{
	char *argv[9] = {(char *)"oci-rdma-nri"};
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	optind = 0; /* getopt(3): start again */
	return nri_options_parse(argc, argv, ret_options);
}

static const struct command_line {
	const char *name;
	const char *words[8];
	int status;
} command_lines[] = {
	{"--check with --metrics", {"--check", "--metrics", "/m"}, 2},
	{"--instance of 17 letters", {"--instance", "abcdefghijklmnopq"}, 2},
	{"--instance of 16 letters", {"--instance", "abcdefghijklmnop"}, GO_ON},
	{"--instance that leads elsewhere", {"--instance", "../a"}, 2},
	{"--instance with --check", {"--instance", "a", "--check"}, 2},
	{"--instance with --serve-metrics",
	 {"--serve-metrics", "9465", "--metrics", "/m", "--instance", "a"},
	 2},
	{"--serve-metrics without a file", {"--serve-metrics", "9465"}, 2},
	{"--serve-metrics with --check",
	 {"--serve-metrics", "9465", "--metrics", "/m", "--check"},
	 2},
	{"port 0", {"--serve-metrics", "0", "--metrics", "/m"}, 2},
	{"port 1", {"--serve-metrics", "1", "--metrics", "/m"}, GO_ON},
	{"a port with a zero in front", {"--serve-metrics", "010", "--metrics", "/m"}, GO_ON},
	{"port 65535", {"--serve-metrics", "65535", "--metrics", "/m"}, GO_ON},
	{"port 65536", {"--serve-metrics", "65536", "--metrics", "/m"}, 2},
	{"a port that is none", {"--serve-metrics", "http", "--metrics", "/m"}, 2},
	{"a negative port", {"--serve-metrics", "-1", "--metrics", "/m"}, 2},
	{"a port with a sign", {"--serve-metrics", "+80", "--metrics", "/m"}, 2},
	{"a port behind a space", {"--serve-metrics", " 80", "--metrics", "/m"}, 2},
	{"a port and more", {"--serve-metrics", "9465x", "--metrics", "/m"}, 2},
	{"no port", {"--serve-metrics", "", "--metrics", "/m"}, 2},
	{"an operand", {"x"}, 2},
	{"an operand behind an option", {"--check", "x"}, 2},
	{"an unknown option", {"--unknown"}, 2},
	{"a socket of 107 bytes", {"--socket", BYTES_100 "1234567"}, GO_ON},
	{"a socket of 108 bytes", {"--socket", BYTES_100 "12345678"}, 2},
	{"a socket without a name", {"--socket", ""}, 2},
	{"a sysroot that leaves the socket 107 bytes",
	 {"--sysroot", BYTES_50 "/23456789012345678901234567890123456"},
	 GO_ON},
	{"a sysroot that leaves it 108 bytes",
	 {"--sysroot", BYTES_50 "/234567890123456789012345678901234567"},
	 2},
};

UNIT_ROWS_AS("nri options: ", command_lines)
{
	struct nri_options options;

	assert_int_equal(parse(row->words, &options), row->status);
}

UNIT_TEST("nri options: each has its place")
{
	static const char *const all[] = {"--socket",   "/s", "--metrics", "/m",
					  "--instance", "a",  NULL};
	static const char *const check[] = {"--check", "--sysroot", "/x", NULL};
	static const char *const scrape[] = {"--serve-metrics", "65535", "--metrics", "/m", NULL};
	struct nri_options options;

	assert_int_equal(parse(all, &options), GO_ON);
	assert_string_equal(options.socket, "/s");
	assert_string_equal(options.metrics, "/m");
	assert_string_equal(options.instance, "a");
	assert_string_equal(options.node.sysroot, "/");
	assert_false(options.check || options.alive);
	assert_int_equal(parse(check, &options), GO_ON);
	assert_string_equal(options.node.sysroot, "/x");
	assert_null(options.socket);
	assert_null(options.metrics);
	assert_null(options.instance);
	assert_int_equal(options.port, 0);
	assert_true(options.check && !options.alive);
	assert_int_equal(parse(scrape, &options), GO_ON);
	assert_int_equal(options.port, 65535);
}

/* In any order: a failing probe while nobody is connected would kill the plugin. */
UNIT_TEST("nri options: --check-alive in any order")
{
	static const char *const lines[][4] = {{"--check-alive", NULL},
					       {"--check-alive", "--check", NULL},
					       {"--check", "--check-alive", NULL},
					       {"--check-alive", "--socket", "/s", NULL}};
	struct nri_options options;

	for (size_t i = 0; i < LENGTH(lines); i++) {
		assert_int_equal(parse(lines[i], &options), GO_ON);
		assert_true(options.check && options.alive);
	}
}

static const struct socket_case {
	const char *name;
	const char *sysroot;
	const char *socket;
	const char *want;
} sockets[] = {
	{"the node's", "/", NULL, "/var/run/nri/nri.sock"},
	{"below a sysroot", "/x", NULL, "/x/var/run/nri/nri.sock"},
	{"below a sysroot with a slash", "/x/", NULL, "/x/var/run/nri/nri.sock"},
	{"below no sysroot", &"/"[1], NULL, "/var/run/nri/nri.sock"},
	{"a socket that is given is below none", "/x", "/s", "/s"},
};

UNIT_ROWS_AS("nri socket: ", sockets)
{
	const struct nri_options options = {.node.sysroot = row->sysroot, .socket = row->socket};
	char path[SIZE];

	assert_int_equal(nri_options_socket(&options, path, sizeof(path)), 0);
	assert_string_equal(path, row->want);
}
