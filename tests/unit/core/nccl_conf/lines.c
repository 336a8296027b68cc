/* SPDX-License-Identifier: Apache-2.0 */
/* The image's lines stay and win, whatever blocks of ours it contains. */
#include "suite.h"

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* ---- what an image's file says stays ---- */

static const struct image_case {
	const char *name;
	const char *image; /* NULL: no file */
} image_cases[] = {
	{"image: no file", NULL},
	{"image: an empty file", ""},
	{"image: one line", "NCCL_DEBUG=INFO\n"},
	{"image: no newline at its end", "NCCL_DEBUG=INFO"},
	{"image: empty lines around", "\n\nNCCL_DEBUG=INFO\n\n\n"},
	{"image: comments, with '=' and without", "# ours\n# A=1\nNCCL_DEBUG=INFO\n#B=2"},
	{"image: carriage returns", "NCCL_DEBUG=INFO\r\nA=1\r\n"},
	{"image: lines without '='", "NCCL_DEBUG\n  \nA = 1\n=x\n"},
	{"image: what we would say, said otherwise: it comes first",
	 "NCCL_IB_HCA==mlx5_0\nNCCL_SOCKET_IFNAME=eth1\n"},
	{"image: '#' behind a value", "A=1 # one\n"},
	{"image: no text at all", "\x01\x02\xff\xfe\n\x7f"},
	{"image: a line like our begin", "# oci-rdma-hook begin\n# oci-rdma-hook end x\nA=1\n"},
	{"image: our end alone", "A=1\n# oci-rdma-hook end\nB=2\n"},
	{"image: a percent sign", "A=%s%n%d\n"},
};

/* With a file that is not ours */
static void make_image(int root, const struct image_case *row)
{
	unit_write(root, "etc/hosts", "127.0.0.1 x\n", 0644);
	if (row->image)
		unit_write(root, CONF, row->image, 0640);
}

/* Our lines follow the image's; a second run adds nothing. Returns the text. */
static const char *must_say(struct arena *arena, int root, const char *image, const char *lines)
{
	const char *text = unit_read(arena, root, CONF);

	assert_non_null(text);
	assert_memory_equal(text, image, strlen(image));
	check_reading(text, image, lines);
	must_not_change(root, lines);
	assert_string_equal(unit_read(arena, root, CONF), text);
	return text;
}

/* A run with other values replaces ours, keeping the image's. */
UNIT_ROWS_AS("first, and replaced: ", image_cases)
{
	WITH_DIR(root);
	const char *image = row->image ? row->image : "";
	const char *first;

	make_image(root.fd, row);
	must_change(root.fd, LINES);
	first = must_say(&arena, root.fd, image, LINES);
	assert_has(first, "\n" LINES);
	must_change(root.fd, OTHER_LINES);
	assert_null(strstr(must_say(&arena, root.fd, image, OTHER_LINES), "mlx5_6,mlx5_7"));
	/* Nothing piles up. */
	must_change(root.fd, LINES);
	assert_string_equal(unit_read(&arena, root.fd, CONF), first);
	assert_int_equal(unit_entries(root.fd, "etc"), 2);
	assert_string_equal(unit_read(&arena, root.fd, "etc/hosts"), "127.0.0.1 x\n");
}

UNIT_ROWS_AS("taken away: ", image_cases)
{
	WITH_DIR(root);
	const char *image = row->image ? row->image : "";

	make_image(root.fd, row);
	must_not_change(root.fd, "");
	assert_int_equal(unit_stat(root.fd, CONF).st_mode != 0, row->image != NULL);
	must_change(root.fd, LINES);
	must_change(root.fd, "");
	/* At most the newline that the last line lacked */
	assert_true(strlen(must_say(&arena, root.fd, image, "")) <= strlen(image) + 1);
}

/* Without our block: creates and rewrites nothing. */
static void must_clear_nothing(int root)
{
	const struct stat before = unit_stat(root, CONF);
	struct err err = {0};

	assert_int_equal(clear_conf(root, &err), 0);
	assert_true(unit_stat(root, CONF).st_ino == before.st_ino);
	assert_true(unit_stat(root, CONF).st_mode == before.st_mode);
}

UNIT_ROWS_AS("cleared: ", image_cases)
{
	WITH_DIR(root);
	const char *image = row->image ? row->image : "";
	const char *text;

	must_clear_nothing(root.fd);
	make_image(root.fd, row);
	must_clear_nothing(root.fd);
	must_change(root.fd, LINES);
	assert_int_equal(clear_conf(root.fd, &err), 0);
	text = unit_read(&arena, root.fd, CONF);
	assert_memory_equal(text, image, strlen(image));
	check_reading(text, image, "");
	assert_null(strstr(text, LINES));
	must_clear_nothing(root.fd);
	assert_int_equal(unit_entries(root.fd, "etc"), 2);
}

/* ---- blocks of ours that an image brings ---- */

/* '@': a block of ours with old values; '<', '>': only its beginning or end */
static const struct old_block_case {
	const char *name;
	const char *image;
	const char *meant; /* the image's own part */
} old_block_cases[] = {
	{"old block: alone", "@", ""},
	{"old block: before the image's lines", "@A=1\n", "A=1\n"},
	{"old block: between them", "A=1\n@B=2\n", "A=1\nB=2\n"},
	{"old block: between them, no newline at the end", "A=1\n@B=2", "A=1\nB=2"},
	{"old block: two, apart", "A=1\n@B=2\n@C=3\n", "A=1\nB=2\nC=3\n"},
	{"old block: three", "@A=1\n@@", "A=1\n"},
	{"old block: a begin without its end keeps the lines behind it", "A=1\n<B=2\n",
	 "A=1\nB=2\n"},
	{"old block: a begin without its end, then a block", "A=1\n<B=2\n@C=3\n",
	 "A=1\nB=2\nC=3\n"},
	{"old block: an end without its begin", "A=1\n>B=2\n@", "A=1\nB=2\n"},
};

/* Cut from a first run's output */
static void learn_block(struct arena *arena, const char **begin, const char **end)
{
	cleanup_unit_dir root = unit_dir_make();
	const char *text;
	const char *lines;

	must_change(root.fd, LINES);
	text = unit_read(arena, root.fd, CONF);
	lines = strstr(text, LINES);
	assert_non_null(lines);
	*begin = arena_strndup(arena, text, (size_t)(lines - text));
	*end = arena_strdup(arena, lines + strlen(LINES));
}

static const char *expand(struct arena *arena, const char *image)
{
	const char *begin;
	const char *end;
	const char *text = "";

	learn_block(arena, &begin, &end);
	for (; *image; image++) {
		if (*image == '@')
			text = arena_printf(arena, "%s%sNCCL_IB_HCA==old\n%s", text, begin, end);
		else if (*image == '<' || *image == '>')
			text = arena_printf(arena, "%s%s", text, *image == '<' ? begin : end);
		else
			text = arena_printf(arena, "%s%c", text, *image);
	}
	return text;
}

UNIT_ROWS(old_block_cases)
{
	WITH_DIR(root);
	const char *begin;
	const char *end;
	const char *text;

	learn_block(&arena, &begin, &end);
	unit_write(root.fd, CONF, expand(&arena, row->image), 0644);
	must_change(root.fd, LINES);
	text = unit_read(&arena, root.fd, CONF);
	check_reading(text, row->meant, LINES);
	assert_null(strstr(text, "=old"));
	assert_int_equal(count(text, begin), 1);
	must_not_change(root.fd, LINES);
	assert_string_equal(unit_read(&arena, root.fd, CONF), text);
}

/* NCCL before 2.24 has no comments: a '=' in ours would make a variable. */
UNIT_TEST("block: its comments are no variables for an old NCCL")
{
	cleanup_arena arena = {0};
	const char *begin;
	const char *end;

	learn_block(&arena, &begin, &end);
	assert_int_equal(begin[0], '#');
	assert_int_equal(end[0], '#');
	assert_null(strchr(begin, '='));
	assert_null(strchr(end, '='));
	assert_int_equal(count(begin, "\n"), 1);
	assert_int_equal(count(end, "\n"), 1);
}
