/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/apply/nccl_conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/replace.h"

#define NAME "nccl.conf"
#define FILE_SIZE_MAX (1024 * 1024)

/* No '=' in a comment: NCCL before 2.24 knows no comments and skips only lines without one. */
#define BLOCK_BEGIN "# oci-rdma-hook begin: written at each start of this container\n"
#define BLOCK_END "# oci-rdma-hook end\n"

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

static int make_etc(int root, const struct nccl_conf_owner *owner)
{
	cleanup_fd fd = -1;

	if (mkdirat(root, "etc", 0755) < 0)
		return -errno;
	fd = fs_open(root, "etc", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (fd < 0)
		return fd;
	if (fchown(fd, owner->uid, owner->gid) < 0 || fchmod(fd, 0755) < 0)
		return -errno;
	return take_fd(&fd);
}

/* -ENOENT if there is none and none is to be made. */
static int open_etc(int root, bool make, const struct nccl_conf_owner *owner, struct err *err)
{
	int fd = fs_open(root, "etc", O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (fd == -ENOENT && !make)
		return fd;
	if (fd == -ENOENT)
		fd = make_etc(root, owner);
	if (fd == -ENOSYS)
		return err_set(err, "this kernel has no openat2 (Linux 5.6): /etc/nccl.conf of the "
				    "container cannot be written safely");
	if (fd < 0)
		return err_sys(err, -fd, "/etc of the container");
	return fd;
}

/* The file's text; "" where there is none, or a symbolic link, which is not the image's own file.
 */
static int read_present(struct arena *arena, int etc, struct fs_text *ret_text, struct err *err)
{
	cleanup_fd fd = fs_open_regular(etc, NAME);

	*ret_text = (struct fs_text){.bytes = arena_strdup(arena, ""), .len = 0};
	if (!ret_text->bytes)
		return err_memory(err);
	if (fd == -ENOENT || fd == -ELOOP)
		return 0;
	if (fd == -EINVAL)
		return err_set(err,
			       "/etc/nccl.conf of the container is not a regular file: left alone");
	if (fd < 0)
		return err_sys(err, -fd, "/etc/nccl.conf of the container");
	return fs_read(arena, fd, FILE_SIZE_MAX, "/etc/nccl.conf of the container", ret_text, err);
}

/* The line, which ends with a newline that the file's last one may lack. *ret_behind: behind it */
static const char *find_line(const char *text, const char *line, const char **ret_behind)
{
	size_t len = strlen(line) - strlen("\n");

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (strncmp(at, line, len) == 0 && (at[len] == '\n' || at[len] == '\0')) {
			*ret_behind = at + len + (at[len] == '\n');
			return at;
		}
	}
	return NULL;
}

/*
 * The next part of the file that is not ours: from text up to *ret_end. Returns where to go on
 * behind our block, or NULL at the end. An image that was committed from a container may hold
 * blocks of ours, and an edited one a block without its end.
 */
static const char *next_part(const char *text, const char **ret_end)
{
	const char *body = NULL;
	const char *behind = NULL;
	const char *begin = find_line(text, BLOCK_BEGIN, &body);
	const char *another = body ? find_line(body, BLOCK_BEGIN, &behind) : NULL;
	const char *end = body ? find_line(body, BLOCK_END, &behind) : NULL;

	*ret_end = begin ? begin : text + strlen(text);
	return !end || (another && another < end) ? body : behind;
}

/* What the file says without any block of ours, and with this one behind it. NULL without memory */
static char *compose(struct arena *arena, const char *present, const char *lines)
{
	struct arena_text out = {.arena = arena};
	char last = '\n';
	const char *end;

	for (const char *part = present; part;) {
		const char *next = next_part(part, &end);

		arena_append(&out, "%.*s", (int)(end - part), part);
		if (end > part)
			last = end[-1];
		part = next;
	}
	if (lines[0])
		arena_append(&out, "%s" BLOCK_BEGIN "%s" BLOCK_END, last == '\n' ? "" : "\n",
			     lines);
	return out.failed ? NULL : out.text;
}

int nccl_conf_write(int root, const char *lines, const struct nccl_conf_owner *owner,
		    bool *ret_changed, struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd etc = -1;
	struct fs_text present;
	char *text;

	*ret_changed = false;
	etc = open_etc(root, lines[0] != '\0', owner, err);
	if (etc == -ENOENT)
		return 0;
	if (etc < 0 || read_present(&arena, etc, &present, err) < 0)
		return -1;
	/* C strings below: a file with a NUL is none that NCCL would read to its end either. */
	if (memchr(present.bytes, 0, present.len))
		return err_set(err, "/etc/nccl.conf of the container holds a NUL: left alone");
	text = compose(&arena, present.bytes, lines);
	if (!text)
		return err_memory(err);
	if (strcmp(text, present.bytes) == 0)
		return 0;
	/* No fsync: a container's root does not outlive a crash of its node. */
	if (replace_file(etc,
			 &(struct replacement){
				 .name = NAME,
				 .bytes = text,
				 .len = strlen(text),
				 .uid = owner->uid,
				 .gid = owner->gid,
				 .mode = 0644,
				 .attributes = -1,
			 },
			 "/etc/nccl.conf of the container", err) < 0)
		return -1;
	*ret_changed = true;
	return 0;
}
