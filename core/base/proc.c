/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/proc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define NAME 2
/* 52 fields, of 20 digits at most, and a name of 15 bytes, a kernel worker's of 63 */
#define SIZE_OF_STAT 2048

uint64_t process_stat_field(const char *text, int field)
{
	const char *at = strrchr(text, ')');

	for (int passed = NAME; at && passed < field; passed++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t process_stat_read(int dir, const char *path, int field)
{
	cleanup_fd fd = fs_open(dir, path, O_RDONLY, dir == AT_FDCWD ? 0 : RESOLVE_IN_ROOT);
	static char text[SIZE_OF_STAT]; /* a caller's stack may be small */
	size_t len = 0;
	ssize_t n = 1;

	/* Without memory: a failure would say that it is another process. */
	while (fd >= 0 && n > 0 && len < sizeof(text) - 1) {
		n = read(fd, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	text[len] = '\0';
	return n == 0 ? process_stat_field(text, field) : 0;
}

/* ---- /proc/PID/cgroup ---- */

/* Whether the id is that of a podman pod, whose cgroup is above those of its containers (podman's
 * libpod/runtime_pod_linux.go). from: where the text begins */
static bool is_pods(const char *from, const char *id)
{
	static const struct {
		const char *before;
		const char *behind;
	} names[] = {{"/libpod_parent/", "/libpod-"}, {"libpod_pod_", ".slice/"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i].before);

		if ((size_t)(id - from) >= len && memcmp(id - len, names[i].before, len) == 0 &&
		    text_starts_with(id + CGROUP_ID_LENGTH, names[i].behind))
			return true;
	}
	return false;
}

const char *cgroup_find_id(const char *from, const char *to)
{
	for (const char *at = from; at < to;) {
		size_t len = strspn(at, "0123456789abcdef");

		if (len == CGROUP_ID_LENGTH && at + len <= to && !is_pods(from, at))
			return at;
		at += len + 1;
	}
	return NULL;
}

/*
 * Whether an earlier part of that path has a container's id. A container whose cgroups are writable
 * can make one of any name, but only below its own.
 */
static bool is_below_another(const char *cgroups, const char *at)
{
	const char *line = at;
	const char *part = at;

	while (line > cgroups && line[-1] != '\n')
		line--;
	while (part > line && part[-1] != '/')
		part--;
	return cgroup_find_id(line, part) != NULL;
}

bool cgroup_names(const char *cgroups, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = cgroups; (at = strstr(at, name)); at++) {
		const char *end = at + len;

		if (at > cgroups && strchr("/-", at[-1]) &&
		    (strchr("/\n", *end) || text_starts_with(end, ".scope")) &&
		    !is_below_another(cgroups, at))
			return true;
	}
	return false;
}
