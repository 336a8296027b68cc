/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime that the shim starts: by its own name, the list, and what exists */
#include "tests/unit/unit.h"

#include "core/policy/runtimes.h"

/* ---- the file ---- */

static const struct file_case {
	const char *name;
	const char *text;
	const char *paths; /* joined; NULL: an error */
	const char *error;
} file_cases[] = {
	{"runtimes: a path a line", "/a/crun\n/b/runc\n", "/a/crun,/b/runc,", NULL},
	{"runtimes: no line break at the end", "/a/crun", "/a/crun,", NULL},
	{"runtimes: comments and empty lines", "# x\n\n/a/crun\n \t\n  # /b/runc\n", "/a/crun,",
	 NULL},
	{"runtimes: blanks around", " \t/a/crun\t \r\n", "/a/crun,", NULL},
	{"runtimes: blanks within", "/a b/crun\n", "/a b/crun,", NULL},
	{"runtimes: nothing", "", "", NULL},
	{"runtimes: comments alone", "# /a/crun\n", "", NULL},
	{"runtimes: a relative path", "/a/crun\n\ncrun\n", NULL, "runtimes: line 3: 'crun' is not"},
	{"runtimes: a control character", "/a/\001crun\n", NULL,
	 "runtimes: line 1: '/a/?crun' is not"},
	{"runtimes: a comment behind a path stays a part of it", "/a/crun # x\n", "/a/crun # x,",
	 NULL},
};

static const char *joined(struct arena *arena, const struct runtimes *runtimes)
{
	const char *all = "";

	for (size_t i = 0; i < runtimes->n; i++)
		all = arena_printf(arena, "%s%s,", all, runtimes->path[i]);
	return all;
}

UNIT_ROWS(file_cases)
{
	WITH_ARENA;
	cleanup_unit_dir root = unit_dir_make();
	struct runtimes runtimes;
	int status;

	unit_write(root.fd, RUNTIMES_PATH, row->text, 0644);
	status = runtimes_read(&arena, root.fd, &runtimes, &err);
	assert_int_equal(status, row->paths ? 0 : -1);
	if (row->paths) {
		assert_non_null(runtimes.path);
		assert_string_equal(joined(&arena, &runtimes), row->paths);
	} else {
		assert_non_null(strstr(err.text, row->error));
		assert_int_equal(runtimes.n, 0);
	}
}

UNIT_TEST("runtimes: no file is no error, and differs from an empty one")
{
	WITH_ARENA;
	cleanup_unit_dir root = unit_dir_make();
	struct runtimes runtimes = {.n = 7};

	assert_int_equal(runtimes_read(&arena, root.fd, &runtimes, &err), 0);
	assert_null(runtimes.path);
	assert_int_equal(runtimes.n, 0);
}

/* ---- what is tried ---- */

#define LISTED_MAX 4
#define NO_FILE "-"

static const struct runtimes_case {
	const char *name;
	const char *called;
	const char *listed[LISTED_MAX];
	const char *installed[LISTED_MAX]; /* executables */
	const char *found;                 /* NULL: none */
} runtimes_cases[] = {
	{"runtimes: the first of the list", "oci-rdma-runtime", LIST("/a/crun", "/a/runc"),
	 LIST("/a/crun", "/a/runc"), "/a/crun"},
	{"runtimes: the first that can be run", "oci-rdma-runtime", LIST("/a/crun", "/a/runc"),
	 LIST("/a/runc"), "/a/runc"},
	{"runtimes: none that is not listed", "oci-rdma-runtime", LIST("/a/crun"),
	 LIST("/usr/bin/crun"), NULL},
	{"runtimes: an empty list", "oci-rdma-runtime", LIST(0), LIST("/usr/bin/crun"), NULL},
	{"runtimes: no list: crun, wherever it is", "oci-rdma-runtime", LIST(NO_FILE),
	 LIST("/usr/bin/runc", "/usr/local/sbin/crun"), "/usr/local/sbin/crun"},
	{"runtimes: no list and no crun: runc", "oci-rdma-runtime", LIST(NO_FILE),
	 LIST("/usr/sbin/runc"), "/usr/sbin/runc"},
	{"runtimes: no list: CRI-O's own first", "oci-rdma-runtime", LIST(NO_FILE),
	 LIST("/usr/bin/crun", "/usr/libexec/crio/crun"), "/usr/libexec/crio/crun"},
	{"runtimes: no list, by name: no other", "oci-rdma-runtime-runc", LIST(NO_FILE),
	 LIST("/usr/bin/crun"), NULL},
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

static bool is_installed(const struct runtimes_case *row, const char *path)
{
	for (size_t i = 0; i < LISTED_MAX && row->installed[i]; i++) {
		if (strcmp(row->installed[i], path) == 0)
			return true;
	}
	return false;
}

UNIT_ROWS(runtimes_cases)
{
	cleanup_arena arena = {0};
	struct runtimes runtimes = {.path = (const char **)row->listed};
	const char **path;

	if (row->listed[0] && strcmp(row->listed[0], NO_FILE) == 0)
		runtimes.path = NULL;
	while (runtimes.path && runtimes.n < LISTED_MAX && row->listed[runtimes.n])
		runtimes.n++;
	path = runtimes_to_try(&arena, &runtimes, row->called);
	assert_non_null(path);
	while (*path && !is_installed(row, *path))
		path++;
	if (row->found)
		assert_string_equal(*path, row->found);
	else
		assert_null(*path);
}

int main(void)
{
	return unit_main("runtimes");
}
