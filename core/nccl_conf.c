/* SPDX-License-Identifier: Apache-2.0 */
#include "core/nccl_conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/replace.h"
#include "core/base/text.h"

#define NAME "nccl.conf"
#define WHAT "/" NCCL_CONF " of the container"

/* Our copy is world-readable (NCCL runs as any user): a link's target must be. */
static int open_conf(int root)
{
	cleanup_fd path = fs_open(root, NCCL_CONF, O_PATH | O_NOFOLLOW, RESOLVE_IN_ROOT);
	cleanup_fd target = -1;
	struct stat st;
	int fd = path < 0 ? path : fs_reopen_regular(path);

	if (path < 0 || fd != -ELOOP)
		return fd;
	target = fs_open(root, NCCL_CONF, O_PATH, RESOLVE_IN_ROOT);
	if (target < 0 || fstat(target, &st) < 0 || !(st.st_mode & S_IROTH))
		return -ENOENT;
	fd = fs_reopen_regular(target);
	return fd < 0 ? -ENOENT : fd;
}

int nccl_conf_read(struct arena *arena, int root, struct fs_text *ret_text, struct err *err)
{
	cleanup_fd fd = open_conf(root);
	struct fs_text text = {.bytes = arena_strdup(arena, "")};

	if (!text.bytes)
		return err_memory(err);
	if (fd == -EINVAL)
		return err_set(err, WHAT " is not a regular file, and is not changed");
	if (fd < 0 && fd != -ENOENT)
		return err_sys(err, -fd, WHAT);
	if (fd >= 0 && fs_read(arena, fd, NCCL_CONF_MAX, WHAT, &text, err) < 0)
		return -1;
	if (memchr(text.bytes, 0, text.len))
		return err_set(err, WHAT " contains a NUL character, and is not changed");
	*ret_text = text;
	return 0;
}

/* The last line may lack its newline. */
static bool is_line(const char *at, size_t len, const char *line)
{
	size_t bare = strlen(line) - strlen("\n");

	return len - (len && at[len - 1] == '\n') == bare && memcmp(at, line, bare) == 0;
}

static size_t line_length(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? (size_t)(newline + 1 - at) : (size_t)(end - at);
}

void nccl_conf_remove_block(struct fs_text *text)
{
	const char *end = text->bytes + text->len;
	char *block = NULL; /* an open block in the output */
	char *out = text->bytes;
	size_t len;

	for (const char *at = text->bytes; at < end; at += len) {
		len = line_length(at, end);
		if (is_line(at, len, NCCL_CONF_BEGIN)) {
			block = out;
		} else if (block && is_line(at, len, NCCL_CONF_END)) {
			out = block;
			block = NULL;
		} else {
			memmove(out, at, len);
			out += len;
		}
	}
	*out = '\0';
	text->len = (size_t)(out - text->bytes);
}

const char *nccl_conf_value(const struct fs_text *text, const char *name, size_t *ret_len)
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

/* No engine writes "..". */
static bool covers(const char *destination)
{
	static const char *const parts[] = {"etc", NAME};
	const char *at = destination;

	for (size_t n = 0;; at += strlen(parts[n++])) {
		while (*at == '/' || (*at == '.' && strchr("/", at[1])))
			at++;
		if (!*at)
			return n > 0;
		if (n == sizeof(parts) / sizeof(parts[0]) || !text_starts_with(at, parts[n]) ||
		    !strchr("/", at[strlen(parts[n])]))
			return false;
	}
}

const char *nccl_conf_mount(const struct spec *spec)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		if (covers(spec->mounts[i]))
			return spec->mounts[i];
	}
	return NULL;
}

/* owner: of a new /etc; NULL: make none */
static int open_etc(int root, const struct stat *owner)
{
	cleanup_fd fd = fs_open(root, "etc", O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (fd != -ENOENT || !owner)
		return steal_fd(&fd);
	if (mkdirat(root, "etc", 0755) < 0)
		return -errno;
	fd = fs_open(root, "etc", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (fd >= 0 && (fchown(fd, owner->st_uid, owner->st_gid) < 0 || fchmod(fd, 0755) < 0))
		return -errno;
	return steal_fd(&fd);
}

static const char *compose(struct arena *arena, const struct fs_text *present, const char *lines)
{
	struct fs_text own = {.bytes = arena_strdup(arena, present->bytes), .len = present->len};

	if (!own.bytes)
		return NULL;
	nccl_conf_remove_block(&own);
	return !lines[0]
		       ? own.bytes
		       : arena_printf(arena, "%s%s" NCCL_CONF_BEGIN "%s" NCCL_CONF_END, own.bytes,
				      own.len && own.bytes[own.len - 1] != '\n' ? "\n" : "", lines);
}

int nccl_conf_write(int root, const char *lines, bool *ret_changed, struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd etc = -1;
	struct fs_text present = {0};
	struct stat owner;
	/* No sync: the root does not survive a crash. */
	struct replacement file = {.name = NAME, .mode = 0644, .owner = &owner};

	*ret_changed = false;
	if (fstat(root, &owner) < 0)
		return err_sys(err, errno, "the root directory of the container");
	etc = open_etc(root, lines[0] ? &owner : NULL);
	if (etc == -ENOENT && !lines[0])
		return 0;
	if (etc < 0)
		return err_sys(err, -etc, "/etc of the container");
	if (nccl_conf_read(&arena, root, &present, err) < 0)
		return -1;
	file.bytes = compose(&arena, &present, lines);
	if (!file.bytes)
		return err_memory(err);
	if (strcmp(file.bytes, present.bytes) == 0)
		return 0;
	file.len = strlen(file.bytes);
	if (replace_file(etc, &file, WHAT, err) < 0)
		return -1;
	*ret_changed = true;
	return 0;
}

void rccl_conf_link(int root)
{
	cleanup_fd etc = fs_open(root, "etc", O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (etc >= 0)
		(void)!symlinkat(NAME, etc, "rccl.conf");
}
