/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/runtime.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/process/process.h"

#define CMDLINE_SIZE_MAX (128 * 1024)
#define ENVIRON_SIZE_MAX (1024 * 1024)

/* A file of /proc/<pid> of which each string ends in a NUL. False if it cannot be read */
static bool read_strings(struct arena *arena, pid_t pid, const char *name, size_t max,
			 struct fs_text *ret_text)
{
	cleanup_fd proc = process_open_proc(pid);
	cleanup_fd fd = proc < 0 ? -1 : fs_open(proc, name, O_RDONLY, RESOLVE_BENEATH);
	struct err ignored;

	return fd >= 0 && fs_read(arena, fd, max, name, ret_text, &ignored) == 0;
}

bool runtime_bundle_argument(pid_t pid, char *path, size_t size)
{
	cleanup_arena arena = {0};
	struct fs_text text;
	bool next = false;

	if (!read_strings(&arena, pid, "cmdline", CMDLINE_SIZE_MAX, &text))
		return false;
	for (const char *arg = text.bytes; arg < text.bytes + text.len; arg += strlen(arg) + 1) {
		size_t prefix = strlen("--bundle=");
		bool joined = strncmp(arg, "--bundle=", prefix) == 0;

		if (next || joined) {
			const char *value = next ? arg : arg + prefix;

			(void)snprintf(path, size, "%s", value);
			return strlen(value) < size;
		}
		next = strcmp(arg, "--bundle") == 0 || strcmp(arg, "-b") == 0;
	}
	return false;
}

bool runtime_has_variable(pid_t pid, const char *name)
{
	cleanup_arena arena = {0};
	struct fs_text text;
	size_t len = strlen(name);

	if (!read_strings(&arena, pid, "environ", ENVIRON_SIZE_MAX, &text))
		return false;
	for (const char *at = text.bytes; at < text.bytes + text.len; at += strlen(at) + 1) {
		if (strncmp(at, name, len) == 0 && at[len] == '=')
			return true;
	}
	return false;
}

bool runtime_is_crun(pid_t pid)
{
	cleanup_fd proc = process_open_proc(pid);
	char name[16]; /* TASK_COMM_LEN, with the newline in place of the NUL */

	/* crun-wasm, crun-vm and krun are links to it. */
	return proc >= 0 && fs_read_line(proc, "comm", name, sizeof(name)) > 0 &&
	       (text_starts_with(name, "crun") || text_starts_with(name, "krun"));
}
