/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/record_name.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

/* The longest front of path that is there; *len becomes its length, 0 for where path begins. */
static int open_front(const char *path, size_t *len)
{
	static char front[PATH_MAX];

	for (;;) {
		const char *begin = path[0] == '/' ? "/" : ".";
		int fd;

		memcpy(front, path, *len);
		front[*len] = '\0';
		fd = open(*len ? front : begin, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 || *len == 0)
			return fd;
		while (*len > 0 && path[*len - 1] != '/')
			(*len)--;
		while (*len > 0 && path[*len - 1] == '/')
			(*len)--;
	}
}

/* Puts the components of rest behind path. Returns 0, or -1 if it does not fit. */
static int append(char *path, size_t size, const char *rest)
{
	size_t used = strlen(path);

	if (used == 1) /* "/" */
		used = 0;
	while (*rest) {
		size_t len = strcspn(rest, "/");
		bool nothing = len == 0 || (len == 1 && rest[0] == '.');

		if (!nothing && used + len + 2 > size)
			return -1;
		if (!nothing)
			used += (size_t)sprintf(path + used, "/%.*s", (int)len, rest);
		rest += len + (rest[len] == '/');
	}
	return 0;
}

/*
 * The directory that --root leads to, which may be said in several ways. A runtime makes it when it
 * first needs it: what is not there yet is taken as it is said.
 */
static int resolve(const char *root, char *path, size_t size)
{
	size_t len = strlen(root);
	cleanup_fd fd = -1;

	if (len >= PATH_MAX)
		return -1;
	fd = open_front(root, &len);
	if (fd < 0 || fs_path_of(fd, path, size) < 0)
		return -1;
	return append(path, size, root + len);
}

/* Runtimes allow no '/' in an id; nor do we. */
static bool is_id(const char *id)
{
	return id[0] && !strchr(id, '/');
}

int record_name(const struct record_key *key, struct record_name *ret_name)
{
	static char path[PATH_MAX];
	const char *root = text_base_name(key->runtime);
	int len;

	if (!is_id(key->id))
		return -1;
	if (key->root[0])
		root = resolve(key->root, path, sizeof(path)) == 0 ? path : key->root;
	len = snprintf(ret_name->text, sizeof(ret_name->text), "%s@%016" PRIx64 ".json", key->id,
		       text_hash(root));
	return len < (int)sizeof(ret_name->text) ? 0 : -1;
}

int record_old_name(const struct record_key *key, struct record_name *ret_name)
{
	int len = snprintf(ret_name->text, sizeof(ret_name->text), "%s.json", key->id);

	return is_id(key->id) && len < (int)sizeof(ret_name->text) ? 0 : -1;
}
