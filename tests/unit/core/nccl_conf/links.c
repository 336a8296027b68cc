/* SPDX-License-Identifier: Apache-2.0 */
/* The file or /etc is a link: nothing outside the root changes. */
#include "suite.h"

static const struct file_link_case {
	const char *name;
	const char *target;
} file_link_cases[] = {
	{"link: the file, absolute, to the host's", "%/nccl.conf"},
	{"link: the file, absolute, to a new name on the host", "%/new.conf"},
	{"link: the file, by '..', to the host's", "../../../../../../../..%/nccl.conf"},
	{"link: the file, to another of the image, whose text stays", "real.conf"},
	{"link: the file, to nothing", "absent.conf"},
	{"link: the file, to a directory", "/"},
	{"link: the file, to /proc", "/proc/self/root%/nccl.conf"},
};

UNIT_ROWS(file_link_cases)
{
	WITH_DIR(root);
	cleanup_victim victim = victim_make();
	const char *text;

	unit_write(root.fd, "etc/real.conf", "A=1\n", 0644);
	assert_int_equal(symlinkat(target_of(&arena, row->target, &victim), root.fd, CONF), 0);
	must_change(root.fd, LINES);
	must_be_untouched(&victim);
	assert_string_equal(unit_read(&arena, root.fd, "etc/real.conf"), "A=1\n");
	assert_true(S_ISREG(unit_stat(root.fd, CONF).st_mode));
	text = unit_read(&arena, root.fd, CONF);
	/* The image must not read the host's files. */
	check_reading(text, strcmp(row->target, "real.conf") == 0 ? "A=1\n" : "", LINES);
	assert_null(strstr(text, "HOST_SECRET"));
	must_not_change(root.fd, LINES);
}

/* Like a dry run, which never opened /etc */
UNIT_TEST("link: /etc, to the host's: its nccl.conf is not read")
{
	WITH_DIR(root);
	cleanup_victim victim = victim_make();
	struct fs_text text;

	assert_int_equal(symlinkat(target_of(&arena, "%", &victim), root.fd, "etc"), 0);
	assert_int_equal(nccl_conf_read(&arena, root.fd, &text, &err), 0);
	assert_string_equal(text.bytes, "");
}

UNIT_TEST("link: the file, stays where there is nothing to say")
{
	WITH_DIR(root);
	cleanup_victim victim = victim_make();
	const char *target = target_of(&arena, "%/nccl.conf", &victim);

	unit_write(root.fd, "etc/hosts", "", 0644);
	assert_int_equal(symlinkat(target, root.fd, CONF), 0);
	must_not_change(root.fd, "");
	assert_true(S_ISLNK(unit_stat(root.fd, CONF).st_mode));
	must_be_untouched(&victim);
}

UNIT_TEST("link: a hard link's other name keeps its text")
{
	WITH_DIR(root);

	unit_write(root.fd, "etc/other", "A=1\n", 0600);
	assert_int_equal(linkat(root.fd, "etc/other", root.fd, CONF, 0), 0);
	must_change(root.fd, LINES);
	assert_string_equal(unit_read(&arena, root.fd, "etc/other"), "A=1\n");
	assert_int_equal(unit_stat(root.fd, "etc/other").st_mode & 07777, 0600);
	check_reading(unit_read(&arena, root.fd, CONF), "A=1\n", LINES);
}

static const struct etc_link_case {
	const char *name;
	const char *target;
	const char *etc; /* target below the root; NULL: nowhere, an error */
} etc_link_cases[] = {
	{"link: /etc, relative", "real/etc", "real/etc"},
	{"link: /etc, absolute, begins at the container's root", "/real/etc", "real/etc"},
	{"link: /etc, '..' ends at the container's root", "../../../../../real/etc", "real/etc"},
	{"link: /etc, over another link", "over", "real/etc"},
	{"link: /etc, to a directory of the host", "%", NULL},
	{"link: /etc, by '..' to a directory of the host", "../../../../../..%", NULL},
	{"link: /etc, to nothing", "absent", NULL},
	{"link: /etc, to itself", "etc", NULL},
	{"link: /etc, to a file", "real/file", NULL},
};

UNIT_ROWS(etc_link_cases)
{
	WITH_DIR(root);
	cleanup_victim victim = victim_make();

	unit_write(root.fd, "real/etc/nccl.conf", "A=1\n", 0644);
	unit_write(root.fd, "real/file", "", 0644);
	assert_int_equal(symlinkat("/real/etc", root.fd, "over"), 0);
	assert_int_equal(symlinkat(target_of(&arena, row->target, &victim), root.fd, "etc"), 0);
	if (row->etc) {
		must_change(root.fd, LINES);
		check_reading(
			unit_read(&arena, root.fd, arena_printf(&arena, "%s/nccl.conf", row->etc)),
			"A=1\n", LINES);
		assert_int_equal(unit_entries(root.fd, row->etc), 1);
	} else {
		must_fail(root.fd, "/etc of the container");
		assert_int_equal(unit_entries(root.fd, "real/etc"), 1);
	}
	assert_true(S_ISLNK(unit_stat(root.fd, "etc").st_mode));
	must_be_untouched(&victim);
	assert_int_equal(unit_entries(root.fd, "."), 3);
}

/* Resolved below the container's root, not the host's */
UNIT_TEST("link: the file, is cleared as what it is")
{
	WITH_DIR(root);

	unit_write(root.fd, "etc/hosts", "", 0644);
	must_change(root.fd, LINES);
	assert_int_equal(renameat(root.fd, CONF, root.fd, "etc/only-in-the-image"), 0);
	assert_int_equal(symlinkat("/etc/only-in-the-image", root.fd, CONF), 0);
	assert_int_equal(clear_conf(root.fd, &err), 0);
	assert_true(S_ISREG(unit_stat(root.fd, CONF).st_mode));
	assert_int_equal(unit_stat(root.fd, CONF).st_size, 0);
}
