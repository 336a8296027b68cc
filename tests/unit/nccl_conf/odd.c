/* SPDX-License-Identifier: Apache-2.0 */
/* /etc/nccl.conf below a root that belongs to somebody else */
#include "tests/unit/unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "hook/apply/nccl_conf.h"

#define CONF "etc/nccl.conf"
#define LINES "NCCL_IB_HCA==mlx5_6,mlx5_7\nNCCL_SOCKET_IFNAME==eth0\n"
#define OTHER_LINES "NCCL_IB_HCA==mlx5_10\n"
#define SETTINGS_MAX 32

/* ---- calls ---- */

static int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	(void)closedir(dir);
	return n;
}

/* Writes as the one who runs this. A FIFO that blocks is killed by the alarm. */
static int write_conf(int root, const char *lines, bool *ret_changed, struct err *err)
{
	struct nccl_conf_owner owner = {geteuid(), getegid()};
	int before = open_descriptors();
	int status;

	*err = (struct err){0};
	(void)alarm(5);
	status = nccl_conf_write(root, lines, &owner, ret_changed, err);
	(void)alarm(0);
	assert_int_equal(open_descriptors(), before);
	return status;
}

static void must_change(int root, const char *lines)
{
	struct err err;
	bool changed = false;
	int status = write_conf(root, lines, &changed, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	assert_true(changed);
}

static void must_not_change(int root, const char *lines)
{
	ino_t inode = unit_stat(root, CONF).st_ino;
	struct err err;
	bool changed = true;
	int status = write_conf(root, lines, &changed, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	assert_false(changed);
	assert_true(unit_stat(root, CONF).st_ino == inode);
}

static void must_fail(int root, const char *reason)
{
	struct err err;
	bool changed = true;

	assert_int_equal(write_conf(root, LINES, &changed, &err), -1);
	assert_has(err.text, reason);
	assert_has(err.text, "etc");
	assert_one_line(&err);
	assert_false(changed);
}

/* No temporary file stays behind: etc holds so many entries. */
static void must_hold(int root, const char *path, int entries)
{
	int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fdopendir(fd);
	int n = -2; /* . and .. */

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	(void)closedir(dir);
	assert_int_equal(n, entries);
}

/* ---- as NCCL reads it ---- */

/*
 * NCCL's src/misc/param.cc, setEnvFile: each line is split at its first '=', a line without one is
 * nothing; setenv(…, 0), so that the first of a name holds. Since 2.24 a '#' in column 0 is a
 * comment; before, such a line was a variable like any other.
 */
struct settings {
	const char *name[SETTINGS_MAX];
	const char *value[SETTINGS_MAX];
	size_t n;
};

static void nccl_set(struct settings *settings, const char *name, const char *value)
{
	for (size_t i = 0; i < settings->n; i++) {
		if (strcmp(settings->name[i], name) == 0)
			return;
	}
	assert_true(settings->n < SETTINGS_MAX);
	settings->name[settings->n] = name;
	settings->value[settings->n++] = value;
}

static void nccl_read(struct arena *arena, const char *text, bool comments,
		      struct settings *settings)
{
	char *copy = arena_strdup(arena, text);

	for (char *line; (line = strsep(&copy, "\n"));) {
		char *equals = strchr(line, '=');

		if (!equals || (comments && line[0] == '#'))
			continue;
		*equals = '\0';
		nccl_set(settings, line, equals + 1);
	}
}

static const char *render(struct arena *arena, const struct settings *settings)
{
	const char *text = "";

	for (size_t i = 0; i < settings->n; i++)
		text = arena_printf(arena, "%s[%s]=[%s];", text, settings->name[i],
				    settings->value[i]);
	return text;
}

/* The file says what the image said, and then what these lines say. */
static void check_reading(const char *text, const char *image, const char *lines)
{
	for (int comments = 0; comments < 2; comments++) {
		cleanup_arena arena = {0};
		struct settings want = {.n = 0};
		struct settings got = {.n = 0};

		nccl_read(&arena, image, comments, &want);
		nccl_read(&arena, lines, comments, &want);
		nccl_read(&arena, text, comments, &got);
		assert_string_equal(render(&arena, &got), render(&arena, &want));
	}
}

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
	{"image: only a newline", "\n"},
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

static void an_images_lines_stay_first(void **state)
{
	const struct image_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	const char *image = row->image ? row->image : "";
	const char *text;

	unit_write(root.fd, "etc/hosts", "127.0.0.1 x\n", 0644);
	if (row->image)
		unit_write(root.fd, CONF, row->image, 0640);
	must_change(root.fd, LINES);
	text = unit_read(&arena, root.fd, CONF);
	assert_non_null(text);
	assert_memory_equal(text, image, strlen(image));
	check_reading(text, image, LINES);
	assert_has(text, "\n" LINES);
	must_not_change(root.fd, LINES);
	assert_string_equal(unit_read(&arena, root.fd, CONF), text);
	must_hold(root.fd, "etc", 2);
	assert_string_equal(unit_read(&arena, root.fd, "etc/hosts"), "127.0.0.1 x\n");
}

/* A later run with other values replaces ours and keeps the image's. */
static void our_block_is_replaced_not_doubled(void **state)
{
	const struct image_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	const char *image = row->image ? row->image : "";
	const char *first;
	const char *text;

	unit_write(root.fd, "etc/hosts", "", 0644);
	if (row->image)
		unit_write(root.fd, CONF, row->image, 0644);
	must_change(root.fd, LINES);
	first = unit_read(&arena, root.fd, CONF);
	must_change(root.fd, OTHER_LINES);
	text = unit_read(&arena, root.fd, CONF);
	assert_memory_equal(text, image, strlen(image));
	check_reading(text, image, OTHER_LINES);
	assert_null(strstr(text, "mlx5_6,mlx5_7"));
	must_not_change(root.fd, OTHER_LINES);
	/* And back: nothing has piled up. */
	must_change(root.fd, LINES);
	assert_string_equal(unit_read(&arena, root.fd, CONF), first);
}

static void no_lines_take_our_block_away(void **state)
{
	const struct image_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	const char *image = row->image ? row->image : "";
	const char *text;

	unit_write(root.fd, "etc/hosts", "", 0644);
	if (row->image)
		unit_write(root.fd, CONF, row->image, 0644);
	must_not_change(root.fd, "");
	assert_int_equal(unit_stat(root.fd, CONF).st_mode != 0, row->image != NULL);
	must_change(root.fd, LINES);
	must_change(root.fd, "");
	text = unit_read(&arena, root.fd, CONF);
	check_reading(text, image, "");
	assert_memory_equal(text, image, strlen(image));
	/* At most the newline that the image's last line lacked. */
	assert_true(strlen(text) <= strlen(image) + 1);
	must_not_change(root.fd, "");
}

/* ---- blocks of ours that an image brings ---- */

/* Where '@' stands, a block of ours with old values; '<' its begin alone, '>' its end alone */
static const struct old_block_case {
	const char *name;
	const char *image;
	const char *meant; /* what of it is the image's own */
} old_block_cases[] = {
	{"old block: alone", "@", ""},
	{"old block: behind the image's lines", "A=1\n@", "A=1\n"},
	{"old block: before the image's lines", "@A=1\n", "A=1\n"},
	{"old block: between them", "A=1\n@B=2\n", "A=1\nB=2\n"},
	{"old block: between them, no newline at the end", "A=1\n@B=2", "A=1\nB=2"},
	{"old block: two, behind each other", "@@", ""},
	{"old block: two, apart", "A=1\n@B=2\n@C=3\n", "A=1\nB=2\nC=3\n"},
	{"old block: three", "@A=1\n@@", "A=1\n"},
	{"old block: a begin without its end keeps the lines behind it", "A=1\n<B=2\n",
	 "A=1\nB=2\n"},
	{"old block: a begin without its end, then a block", "A=1\n<B=2\n@C=3\n",
	 "A=1\nB=2\nC=3\n"},
	{"old block: an end without its begin", "A=1\n>B=2\n@", "A=1\nB=2\n"},
};

/* Begin and end, cut out of what a first run writes */
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

static void old_blocks_do_not_win(void **state)
{
	const struct old_block_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
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

/* Before 2.24 NCCL knows no comment: a '=' in ours would be a variable. */
static void our_comments_are_no_variables(void **state)
{
	cleanup_arena arena = {0};
	const char *begin;
	const char *end;

	(void)state;
	learn_block(&arena, &begin, &end);
	assert_int_equal(begin[0], '#');
	assert_int_equal(end[0], '#');
	assert_null(strchr(begin, '='));
	assert_null(strchr(end, '='));
	assert_int_equal(count(begin, "\n"), 1);
	assert_int_equal(count(end, "\n"), 1);
}

/* ---- links ---- */

static const char victim_text[] = "HOST_SECRET=1\n";

/* A directory beside the root, where links of the image lead: nothing in it may change. */
struct victim {
	struct unit_dir dir;
	struct stat before;
};

static struct victim victim_make(void)
{
	struct victim victim = {.dir = unit_dir_make()};

	unit_write(victim.dir.fd, "nccl.conf", victim_text, 0600);
	victim.before = unit_stat(victim.dir.fd, "nccl.conf");
	return victim;
}

static void victim_remove(struct victim *victim)
{
	unit_dir_remove(&victim->dir);
}

#define cleanup_victim __attribute__((cleanup(victim_remove))) struct victim

static void must_be_untouched(struct victim *victim)
{
	cleanup_arena arena = {0};
	struct stat now = unit_stat(victim->dir.fd, "nccl.conf");

	assert_true(now.st_ino == victim->before.st_ino);
	assert_int_equal(now.st_mode, victim->before.st_mode);
	assert_int_equal(now.st_uid, victim->before.st_uid);
	assert_true(now.st_mtim.tv_sec == victim->before.st_mtim.tv_sec &&
		    now.st_mtim.tv_nsec == victim->before.st_mtim.tv_nsec);
	assert_string_equal(unit_read(&arena, victim->dir.fd, "nccl.conf"), victim_text);
	must_hold(victim->dir.fd, ".", 1);
}

/* In the targets '%' stands for the victim's directory. */
static const char *target_of(struct arena *arena, const char *target, const struct victim *victim)
{
	const char *percent = strchr(target, '%');

	if (!percent)
		return target;
	return arena_printf(arena, "%.*s%s%s", (int)(percent - target), target, victim->dir.path,
			    percent + 1);
}

static const struct file_link_case {
	const char *name;
	const char *target;
} file_link_cases[] = {
	{"link: the file, absolute, to the host's", "%/nccl.conf"},
	{"link: the file, absolute, to a new name on the host", "%/new.conf"},
	{"link: the file, by '..', to the host's", "../../../../../../../..%/nccl.conf"},
	{"link: the file, to another of the image", "real.conf"},
	{"link: the file, to nothing", "absent.conf"},
	{"link: the file, to itself", "nccl.conf"},
	{"link: the file, to a directory", "/"},
	{"link: the file, to /proc", "/proc/self/root%/nccl.conf"},
};

static void a_link_is_replaced_not_followed(void **state)
{
	const struct file_link_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_victim victim = victim_make();
	cleanup_arena arena = {0};
	const char *text;

	unit_write(root.fd, "etc/real.conf", "A=1\n", 0644);
	assert_int_equal(symlinkat(target_of(&arena, row->target, &victim), root.fd, CONF), 0);
	must_change(root.fd, LINES);
	must_be_untouched(&victim);
	assert_string_equal(unit_read(&arena, root.fd, "etc/real.conf"), "A=1\n");
	assert_true(S_ISREG(unit_stat(root.fd, CONF).st_mode));
	text = unit_read(&arena, root.fd, CONF);
	/* What the link showed is not the image's own file, and the host's are not its to read. */
	check_reading(text, "", LINES);
	assert_null(strstr(text, "HOST_SECRET"));
	must_not_change(root.fd, LINES);
}

static void a_link_stays_where_there_is_nothing_to_say(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_victim victim = victim_make();
	cleanup_arena arena = {0};
	const char *target = target_of(&arena, "%/nccl.conf", &victim);

	(void)state;
	unit_write(root.fd, "etc/hosts", "", 0644);
	assert_int_equal(symlinkat(target, root.fd, CONF), 0);
	must_not_change(root.fd, "");
	assert_true(S_ISLNK(unit_stat(root.fd, CONF).st_mode));
	must_be_untouched(&victim);
}

static void a_hard_links_other_name_keeps_its_text(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};

	(void)state;
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
	const char *etc; /* where it leads, below the root; NULL: nowhere, which is an error */
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

static void links_lead_nowhere_outside(void **state)
{
	const struct etc_link_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_victim victim = victim_make();
	cleanup_arena arena = {0};

	unit_write(root.fd, "real/etc/hosts", "", 0644);
	unit_write(root.fd, "real/file", "", 0644);
	assert_int_equal(symlinkat("/real/etc", root.fd, "over"), 0);
	assert_int_equal(symlinkat(target_of(&arena, row->target, &victim), root.fd, "etc"), 0);
	if (row->etc) {
		must_change(root.fd, LINES);
		check_reading(
			unit_read(&arena, root.fd, arena_printf(&arena, "%s/nccl.conf", row->etc)),
			"", LINES);
		must_hold(root.fd, row->etc, 2);
	} else {
		must_fail(root.fd, "/etc of the container");
		must_hold(root.fd, "real/etc", 1);
	}
	assert_true(S_ISLNK(unit_stat(root.fd, "etc").st_mode));
	must_be_untouched(&victim);
	must_hold(root.fd, ".", 3);
}

/* ---- what is no file ---- */

static int put_fifo(int root)
{
	return mkfifoat(root, CONF, 0644);
}

static int put_directory(int root)
{
	return mkdirat(root, CONF, 0755);
}

static int put_socket(int root)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int status;

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", root,
		       CONF);
	status = bind(fd, (struct sockaddr *)&address, sizeof(address));
	(void)close(fd);
	return status;
}

static int put_device(int root)
{
	return mknodat(root, CONF, S_IFCHR | 0666, makedev(1, 3));
}

static int put_nul(int root)
{
	int fd = openat(root, CONF, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t n = write(fd, "A=1\n\0B=2\n", 9);

	(void)close(fd);
	return n == 9 ? 0 : -1;
}

static const struct odd_case {
	const char *name;
	int (*put)(int root);
	const char *reason;
} odd_cases[] = {
	{"odd: a FIFO is left alone, and does not block", put_fifo, "not a regular file"},
	{"odd: a directory is left alone", put_directory, "not a regular file"},
	{"odd: a socket is left alone", put_socket, "not a regular file"},
	{"odd: a file with a NUL is left alone", put_nul, "holds a NUL"},
};
static const struct odd_case odd_device = {"odd: a device is left alone", put_device,
					   "not a regular file"};

static void odd_things_are_left_alone(void **state)
{
	const struct odd_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	struct stat before;
	struct stat after;

	unit_write(root.fd, "etc/hosts", "", 0644);
	assert_int_equal(row->put(root.fd), 0);
	before = unit_stat(root.fd, CONF);
	assert_true(before.st_mode != 0);
	must_fail(root.fd, row->reason);
	after = unit_stat(root.fd, CONF);
	assert_true(before.st_ino == after.st_ino);
	assert_int_equal(before.st_mode, after.st_mode);
	must_hold(root.fd, "etc", 2);
}

static void etc_that_is_a_file_is_an_error(void **state)
{
	cleanup_unit_dir root = unit_dir_make();

	(void)state;
	unit_write(root.fd, "etc", "x", 0644);
	must_fail(root.fd, "Not a directory");
	must_hold(root.fd, ".", 1);
}

static void the_size_is_bounded(void **state)
{
	const size_t max = 1024 * 1024;

	(void)state;
	for (size_t size = max; size <= max + 1; size++) {
		cleanup_unit_dir root = unit_dir_make();
		cleanup_arena arena = {0};
		char *text = arena_alloc(&arena, size + 1);

		memset(text, '\n', size);
		unit_write(root.fd, CONF, text, 0644);
		if (size <= max) {
			must_change(root.fd, LINES);
			continue;
		}
		must_fail(root.fd, "larger than 1048576 bytes");
		assert_int_equal(unit_stat(root.fd, CONF).st_size, size);
	}
}

/* ---- temporary files ---- */

/* The name that a run killed half-way leaves */
#define TEMPORARY "etc/.nccl.conf.oci-rdma-hook"

static int stale_file(int root, const struct victim *victim)
{
	(void)victim;
	unit_write(root, TEMPORARY, "half a li", 0600);
	return 0;
}

static int stale_link(int root, const struct victim *victim)
{
	cleanup_arena arena = {0};

	return symlinkat(target_of(&arena, "%/nccl.conf", victim), root, TEMPORARY);
}

static int stale_fifo(int root, const struct victim *victim)
{
	(void)victim;
	return mkfifoat(root, TEMPORARY, 0600);
}

static const struct stale_case {
	const char *name;
	int (*put)(int root, const struct victim *victim);
} stale_cases[] = {
	{"stale: a temporary file", stale_file},
	{"stale: a link in its place is not followed", stale_link},
	{"stale: a FIFO in its place", stale_fifo},
};

static void what_a_killed_run_left_is_taken_away(void **state)
{
	const struct stale_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	cleanup_victim victim = victim_make();
	cleanup_arena arena = {0};

	unit_write(root.fd, CONF, "A=1\n", 0644);
	assert_int_equal(row->put(root.fd, &victim), 0);
	must_change(root.fd, LINES);
	check_reading(unit_read(&arena, root.fd, CONF), "A=1\n", LINES);
	assert_true(S_ISREG(unit_stat(root.fd, CONF).st_mode));
	must_hold(root.fd, "etc", 1);
	must_be_untouched(&victim);
}

static void a_directory_in_its_place_is_an_error(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};

	(void)state;
	unit_write(root.fd, CONF, "A=1\n", 0644);
	unit_write(root.fd, TEMPORARY "/x", "", 0644);
	must_fail(root.fd, "/etc");
	assert_string_equal(unit_read(&arena, root.fd, CONF), "A=1\n");
}

/* A full disk, as the file size limit makes it */
static void what_cannot_be_written_changes_nothing(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_arena arena = {0};
	struct rlimit before;
	struct rlimit none;
	struct err err;
	bool changed = true;
	int status;

	(void)state;
	unit_write(root.fd, CONF, "A=1\n", 0644);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){.rlim_cur = 8, .rlim_max = before.rlim_max};
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	status = write_conf(root.fd, LINES, &changed, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(status, -1);
	assert_has(err.text, "File too large");
	assert_has(err.text, "/etc/nccl.conf of the container");
	assert_false(changed);
	assert_string_equal(unit_read(&arena, root.fd, CONF), "A=1\n");
	must_hold(root.fd, "etc", 1);
}

/* ---- /etc, modes and owners ---- */

static const struct umask_case {
	const char *name;
	mode_t mask;
} umask_cases[] = {
	{"mode: umask 0", 0},
	{"mode: umask 077", 077},
	{"mode: umask 022", 022},
};

static void modes_do_not_depend_on_the_umask(void **state)
{
	const struct umask_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();
	mode_t before = umask(row->mask);

	must_change(root.fd, LINES);
	(void)umask(before);
	assert_int_equal(unit_stat(root.fd, "etc").st_mode, S_IFDIR | 0755);
	assert_int_equal(unit_stat(root.fd, CONF).st_mode, S_IFREG | 0644);
}

static const struct mode_case {
	const char *name;
	mode_t mode;
} mode_cases[] = {
	{"mode: an image's 0600 becomes readable", 0600},
	{"mode: an image's 0400 becomes readable", 0400},
	{"mode: an image's 0666 is closed", 0666},
	{"mode: an image's set-id bits go", 06755},
};

static void the_file_is_0644(void **state)
{
	const struct mode_case *row = *state;
	cleanup_unit_dir root = unit_dir_make();

	unit_write(root.fd, CONF, "A=1\n", row->mode);
	must_change(root.fd, LINES);
	assert_int_equal(unit_stat(root.fd, CONF).st_mode, S_IFREG | 0644);
}

static void etc_is_made_only_if_needed(void **state)
{
	cleanup_unit_dir root = unit_dir_make();

	(void)state;
	must_not_change(root.fd, "");
	must_hold(root.fd, ".", 0);
	must_change(root.fd, LINES);
	must_hold(root.fd, ".", 1);
	must_hold(root.fd, "etc", 1);
}

static void an_images_etc_keeps_its_mode(void **state)
{
	cleanup_unit_dir root = unit_dir_make();

	(void)state;
	unit_write(root.fd, "etc/hosts", "", 0644);
	assert_int_equal(fchmodat(root.fd, "etc", 0700, 0), 0);
	must_change(root.fd, LINES);
	assert_int_equal(unit_stat(root.fd, "etc").st_mode, S_IFDIR | 0700);
}

static void check_owner(int root, const char *path, uid_t uid, gid_t gid)
{
	struct stat st = unit_stat(root, path);

	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_gid, gid);
}

/* In a user namespace the container's root is another id of the host. */
static void what_is_made_belongs_to_the_containers_root(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	struct nccl_conf_owner owner = {100000, 200000};
	struct nccl_conf_owner other = {300000, 400000};
	struct err err = {0};
	bool changed;

	(void)state;
	assert_int_equal(nccl_conf_write(root.fd, LINES, &owner, &changed, &err), 0);
	check_owner(root.fd, "etc", 100000, 200000);
	check_owner(root.fd, CONF, 100000, 200000);
	assert_int_equal(nccl_conf_write(root.fd, OTHER_LINES, &other, &changed, &err), 0);
	check_owner(root.fd, CONF, 300000, 400000);
	check_owner(root.fd, "etc", 100000, 200000);
	check_owner(root.fd, ".", geteuid(), getegid());
}

/* ---- the root itself ---- */

static const struct root_case {
	const char *name;
	const char *path;  /* '%' is the bundle */
	const char *error; /* NULL: it is opened */
} root_cases[] = {
	{"root: below the bundle", "rootfs", NULL},
	{"root: absolute", "%/rootfs", NULL},
	{"root: over a link", "link", NULL},
	{"root: empty", "", "root.path is empty"},
	{"root: missing", NULL, "root.path is empty"},
	{"root: the node's own", "/", "root.path / is the node's own root: refused"},
	{"root: the node's own, by '..'", "/../tmp/..", "is the node's own root: refused"},
	{"root: the node's own, over a link", "host", "is the node's own root: refused"},
	{"root: the node's own, over /proc", "/proc/1/root/proc/self/root", "root.path"},
	{"root: absent", "absent", "root.path absent: No such file or directory"},
	{"root: a file", "file", "root.path file: Not a directory"},
};

static void the_root_is_the_containers(void **state)
{
	const struct root_case *row = *state;
	cleanup_unit_dir bundle = unit_dir_make();
	cleanup_arena arena = {0};
	const char *path = row->path;
	struct err err = {0};
	struct stat st;
	int root;

	unit_write(bundle.fd, "rootfs/x", "", 0644);
	unit_write(bundle.fd, "file", "", 0644);
	assert_int_equal(symlinkat("rootfs", bundle.fd, "link"), 0);
	assert_int_equal(symlinkat("/", bundle.fd, "host"), 0);
	if (path && path[0] == '%')
		path = arena_printf(&arena, "%s%s", bundle.path, path + 1);
	root = rootfs_open(bundle.fd, path, &err);
	if (row->error) {
		assert_int_equal(root, -1);
		assert_has(err.text, row->error);
		return;
	}
	assert_true(root >= 0);
	assert_int_equal(fstat(root, &st), 0);
	assert_true(st.st_ino == unit_stat(bundle.fd, "rootfs").st_ino);
	assert_true(fcntl(root, F_GETFD) & FD_CLOEXEC);
	(void)close(root);
}

/* ---- a kernel before 5.6 ---- */

/* From here on this process has no openat2. */
static bool forget_openat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = LENGTH(code), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int write_without_openat2(int root)
{
	struct nccl_conf_owner owner = {geteuid(), getegid()};
	struct err err = {0};
	bool changed = false;

	if (!forget_openat2())
		return 2;
	if (nccl_conf_write(root, LINES, &owner, &changed, &err) != -1 || changed)
		return 3;
	return strstr(err.text, "this kernel has no openat2 (Linux 5.6)") ? 0 : 4;
}

/* Without it nothing keeps a look-up below the root: refused, not tried in another way. */
static void without_openat2_nothing_is_written(void **state)
{
	cleanup_unit_dir root = unit_dir_make();
	int status = -1;
	pid_t child;

	(void)state;
	unit_write(root.fd, "etc/hosts", "", 0644);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(write_without_openat2(root.fd));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	must_hold(root.fd, "etc", 1);
}

static void add_image_tests(struct unit_suite *suite)
{
	UNIT_TABLE_AS(suite, "first: ", an_images_lines_stay_first, image_cases);
	UNIT_TABLE_AS(suite, "replaced: ", our_block_is_replaced_not_doubled, image_cases);
	UNIT_TABLE_AS(suite, "taken away: ", no_lines_take_our_block_away, image_cases);
	UNIT_TABLE(suite, old_blocks_do_not_win, old_block_cases);
	unit_add(suite, "block: its comments are no variables for an old NCCL",
		 our_comments_are_no_variables, NULL);
}

static void add_link_tests(struct unit_suite *suite)
{
	UNIT_TABLE(suite, a_link_is_replaced_not_followed, file_link_cases);
	unit_add(suite, "link: the file, stays where there is nothing to say",
		 a_link_stays_where_there_is_nothing_to_say, NULL);
	unit_add(suite, "link: a hard link's other name keeps its text",
		 a_hard_links_other_name_keeps_its_text, NULL);
	UNIT_TABLE(suite, links_lead_nowhere_outside, etc_link_cases);
	unit_add(suite, "openat2: without it nothing is written",
		 without_openat2_nothing_is_written, NULL);
}

static void add_file_tests(struct unit_suite *suite)
{
	UNIT_TABLE(suite, odd_things_are_left_alone, odd_cases);
	unit_add_for_root(suite, odd_device.name, odd_things_are_left_alone, &odd_device);
	unit_add(suite, "odd: /etc that is a file is an error", etc_that_is_a_file_is_an_error,
		 NULL);
	unit_add(suite, "odd: 1 MiB is read, one byte more is left alone", the_size_is_bounded,
		 NULL);
	UNIT_TABLE(suite, what_a_killed_run_left_is_taken_away, stale_cases);
	unit_add(suite, "stale: a directory in its place is an error",
		 a_directory_in_its_place_is_an_error, NULL);
	unit_add(suite, "full: what cannot be written changes nothing",
		 what_cannot_be_written_changes_nothing, NULL);
}

int main(void)
{
	static struct unit_suite suite;

	add_image_tests(&suite);
	add_link_tests(&suite);
	add_file_tests(&suite);
	UNIT_TABLE(&suite, modes_do_not_depend_on_the_umask, umask_cases);
	UNIT_TABLE(&suite, the_file_is_0644, mode_cases);
	unit_add(&suite, "etc: is made only if there is something to say",
		 etc_is_made_only_if_needed, NULL);
	unit_add(&suite, "etc: an image's own keeps its mode", an_images_etc_keeps_its_mode, NULL);
	unit_add_for_root(&suite,
			  "owner: the container's root, of the file and of an etc that is made",
			  what_is_made_belongs_to_the_containers_root, NULL);
	UNIT_TABLE(&suite, the_root_is_the_containers, root_cases);
	return unit_run(&suite, "nccl_conf");
}
