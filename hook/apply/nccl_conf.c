/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/apply/nccl_conf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/replace.h"

#define NAME "nccl.conf"

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
	return fd < 0 ? err_sys(err, -fd, "/etc of the container") : fd;
}

/* What the file says without any block of ours, and with this one behind it. NULL without memory */
static const char *compose(struct arena *arena, const struct fs_text *present, const char *lines)
{
	struct fs_text own = {.bytes = arena_strdup(arena, present->bytes), .len = present->len};
	const char *space;

	if (!own.bytes)
		return NULL;
	image_strip_blocks(&own);
	if (!lines[0])
		return own.bytes;
	space = own.len && own.bytes[own.len - 1] != '\n' ? "\n" : "";
	return arena_printf(arena, "%s%s" IMAGE_BLOCK_BEGIN "%s" IMAGE_BLOCK_END, own.bytes, space,
			    lines);
}

static int write_text(int etc, const char *text, const struct nccl_conf_owner *owner, bool is_new,
		      struct err *err)
{
	/* No fsync: a container's root does not outlive a crash of its node. */
	return replace_file(etc,
			    &(struct replacement){
				    .name = NAME,
				    .bytes = text,
				    .len = strlen(text),
				    .uid = owner->uid,
				    .gid = owner->gid,
				    .mode = 0644,
				    .attributes = -1,
				    .is_new = is_new,
			    },
			    "/etc/nccl.conf of the container", err);
}

int nccl_conf_clear(int root, struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd etc = open_etc(root, false, NULL, err);
	struct fs_text present;
	struct stat st;
	const char *text;

	if (etc == -ENOENT)
		return 0;
	if (etc < 0 || image_read_nccl_conf(&arena, root, &present, err) < 0)
		return -1;
	text = compose(&arena, &present, "");
	if (!text)
		return err_memory(err);
	if (strcmp(text, present.bytes) == 0)
		return 0;
	if (fstatat(etc, NAME, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(err, errno, "/etc/nccl.conf of the container");
	return write_text(etc, text, &(struct nccl_conf_owner){st.st_uid, st.st_gid}, false, err);
}

int nccl_conf_write(int root, const char *lines, const struct nccl_conf_owner *owner,
		    bool *ret_changed, struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd etc = -1;
	struct fs_text present;
	const char *text;

	*ret_changed = false;
	etc = open_etc(root, lines[0] != '\0', owner, err);
	if (etc == -ENOENT)
		return 0;
	if (etc < 0 || image_read_nccl_conf(&arena, root, &present, err) < 0)
		return -1;
	text = compose(&arena, &present, lines);
	if (!text)
		return err_memory(err);
	if (strcmp(text, present.bytes) == 0)
		return 0;
	if (write_text(etc, text, owner, present.len == 0, err) < 0)
		return -1;
	*ret_changed = true;
	return 0;
}
