/* SPDX-License-Identifier: Apache-2.0 */
/* Which runtime the shim starts: by its own name, the config's list, and what can be run. */
#include "tests/unit/unit.h"

#include "core/policy/policy.h"

#define LISTED_MAX 4

static const struct runtimes_case {
	const char *name;
	const char *called;
	const char *listed[LISTED_MAX];
	const char *installed[LISTED_MAX]; /* what can be run */
	const char *found;                 /* NULL: none */
} runtimes_cases[] = {
	{"runtimes: the first of the list", "oci-rdma-runtime", LIST("/a/crun", "/a/runc"),
	 LIST("/a/crun", "/a/runc"), "/a/crun"},
	{"runtimes: the first that can be run", "oci-rdma-runtime", LIST("/a/crun", "/a/runc"),
	 LIST("/a/runc"), "/a/runc"},
	{"runtimes: none that is not listed", "oci-rdma-runtime", LIST("/a/crun"),
	 LIST("/usr/bin/crun"), NULL},
	{"runtimes: an empty list", "oci-rdma-runtime", LIST(0), LIST("/usr/bin/crun"), NULL},
	{"runtimes: by name", "oci-rdma-runtime-runc", LIST("/a/crun", "/a/runc"),
	 LIST("/a/crun", "/a/runc"), "/a/runc"},
	{"runtimes: the second of that name", "oci-rdma-runtime-runc", LIST("/a/runc", "/b/runc"),
	 LIST("/b/runc"), "/b/runc"},
	{"runtimes: by the whole name", "oci-rdma-runtime-runc",
	 LIST("/a/runc-1", "/a/my-runc", "/runc/x"), LIST("/a/runc-1", "/a/my-runc", "/runc/x"),
	 NULL},
	{"runtimes: by name, CRI-O's own before the distribution's", "oci-rdma-runtime-crun",
	 LIST("/a/runc"), LIST("/a/runc", "/usr/bin/crun", "/usr/libexec/crio/crun"),
	 "/usr/libexec/crio/crun"},
	{"runtimes: by name, in /usr/bin", "oci-rdma-runtime-crun", LIST(0),
	 LIST("/usr/sbin/crun", "/usr/bin/crun"), "/usr/bin/crun"},
	{"runtimes: by name, in /usr/sbin", "oci-rdma-runtime-runc", LIST(0),
	 LIST("/usr/local/bin/runc", "/usr/sbin/runc"), "/usr/sbin/runc"},
	{"runtimes: by name, in /usr/local/bin", "oci-rdma-runtime-runc", LIST(0),
	 LIST("/usr/local/sbin/runc", "/usr/local/bin/runc"), "/usr/local/bin/runc"},
	{"runtimes: by name, in /usr/local/sbin", "oci-rdma-runtime-runc", LIST(0),
	 LIST("/usr/local/sbin/runc"), "/usr/local/sbin/runc"},
	{"runtimes: by name, the list before what is installed", "oci-rdma-runtime-runc",
	 LIST("/a/runc"), LIST("/usr/bin/runc", "/a/runc"), "/a/runc"},
	{"runtimes: by name, never another one", "oci-rdma-runtime-runc", LIST("/a/crun"),
	 LIST("/a/crun", "/usr/bin/crun"), NULL},
	{"runtimes: another program's name says nothing", "oci-rdma-hook-runc", LIST("/a/crun"),
	 LIST("/a/crun", "/usr/bin/runc"), "/a/crun"},
};

static bool is_installed(void *context, const char *path)
{
	const struct runtimes_case *row = context;

	for (size_t i = 0; i < LISTED_MAX && row->installed[i]; i++) {
		if (strcmp(row->installed[i], path) == 0)
			return true;
	}
	return false;
}

UNIT_ROWS(runtimes_cases)
{
	cleanup_arena arena = {0};
	struct config config = {.runtimes = (const char **)row->listed};
	const char *found;

	while (config.n_runtimes < LISTED_MAX && row->listed[config.n_runtimes])
		config.n_runtimes++;
	found = runtimes_find(&arena, &config, row->called, is_installed, (void *)row);
	if (row->found)
		assert_string_equal(found, row->found);
	else
		assert_null(found);
}

int main(void)
{
	return unit_main("runtimes");
}
