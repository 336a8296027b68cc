/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/cleanup.h"

#define WHAT "/etc/nccl.conf of the container"

int rootfs_open(int bundle, const char *path, struct err *err)
{
	cleanup_fd root = -1;

	if (!path || !path[0])
		return err_set(err, "config.json: root.path is empty");
	root = openat(bundle, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return err_sys(err, errno, "root.path %s", path);
	/* Measured: a hook that believed a root of "/" wrote the node's own /etc/nccl.conf. */
	if (fs_is_own_root(root))
		return err_set(err, "root.path %s is the node's own root: refused", path);
	return take_fd(&root);
}

/*
 * What a link of the image leads to inside of it. Our copy of it is readable by everybody, so that
 * must be no secret: NCCL runs as any user. -ENOENT for all else.
 */
static int follow_link(int root)
{
	cleanup_fd path = fs_open(root, IMAGE_NCCL_CONF, O_PATH, RESOLVE_IN_ROOT);
	struct stat st;
	int fd;

	if (path < 0 || fstat(path, &st) < 0 || !(st.st_mode & S_IROTH))
		return -ENOENT;
	fd = fs_reopen_regular(path);
	return fd < 0 ? -ENOENT : fd;
}

static int open_nccl_conf(int root)
{
	cleanup_fd path = fs_open(root, IMAGE_NCCL_CONF, O_PATH | O_NOFOLLOW, RESOLVE_IN_ROOT);
	int fd;

	if (path < 0)
		return path;
	fd = fs_reopen_regular(path);
	return fd == -ELOOP ? follow_link(root) : fd;
}

int image_read_nccl_conf(struct arena *arena, int root, struct fs_text *ret_text, struct err *err)
{
	cleanup_fd fd = open_nccl_conf(root);
	struct fs_text text = {.bytes = arena_strdup(arena, "")};

	if (!text.bytes)
		return err_memory(err);
	if (fd == -EINVAL)
		return err_set(err, WHAT " is not a regular file, and is not changed");
	if (fd < 0 && fd != -ENOENT)
		return err_sys(err, -fd, WHAT);
	if (fd >= 0 && fs_read(arena, fd, IMAGE_NCCL_CONF_MAX, WHAT, &text, err) < 0)
		return -1;
	if (memchr(text.bytes, 0, text.len))
		return err_set(err, WHAT " contains a NUL character, and is not changed");
	*ret_text = text;
	return 0;
}

/* line ends with a newline, which the file's last one may lack. */
static bool is_line(const char *at, size_t len, const char *line)
{
	size_t bare = strlen(line) - strlen("\n");

	return len - (len && at[len - 1] == '\n') == bare && memcmp(at, line, bare) == 0;
}

/* With its newline */
static size_t line_length(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? (size_t)(newline + 1 - at) : (size_t)(end - at);
}

void image_strip_blocks(struct fs_text *text)
{
	const char *end = text->bytes + text->len;
	const char *kept = text->bytes; /* from here on, unless an end of a block comes */
	char *out = text->bytes;
	bool open = false;
	size_t len;

	for (const char *at = text->bytes; at < end; at += len) {
		len = line_length(at, end);
		if (is_line(at, len, IMAGE_BLOCK_BEGIN)) {
			memmove(out, kept, (size_t)(at - kept));
			out += at - kept;
			kept = at + len;
			open = true;
		} else if (open && is_line(at, len, IMAGE_BLOCK_END)) {
			kept = at + len;
			open = false;
		}
	}
	memmove(out, kept, (size_t)(end - kept));
	out += end - kept;
	*out = '\0';
	text->len = (size_t)(out - text->bytes);
}

const char *image_value(const struct fs_text *text, const char *name, size_t *ret_len)
{
	const char *end = text->bytes + text->len;
	size_t name_len = strlen(name);
	size_t len;

	for (const char *at = text->bytes; at < end; at += len) {
		len = line_length(at, end);
		if (len <= name_len || memcmp(at, name, name_len) != 0 || at[name_len] != '=')
			continue;
		*ret_len = len - name_len - 1 - (at[len - 1] == '\n');
		return at + name_len + 1;
	}
	return NULL;
}
