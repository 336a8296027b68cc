/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/process/process.h"
#include "hook/hook.h"

#define CMDLINE_SIZE_MAX (128 * 1024)

const char *caller_bundle(struct arena *arena, pid_t pid)
{
	cleanup_fd proc = process_open_proc(pid);
	cleanup_fd fd = proc < 0 ? -1 : fs_open(proc, "cmdline", O_RDONLY, RESOLVE_BENEATH);
	struct fs_text text;
	struct err ignored;
	bool next = false;

	if (fd < 0 || fs_read(arena, fd, CMDLINE_SIZE_MAX, "cmdline", &text, &ignored) < 0)
		return NULL;
	for (const char *arg = text.bytes; arg < text.bytes + text.len; arg += strlen(arg) + 1) {
		if (next)
			return arg;
		if (text_starts_with(arg, "--bundle="))
			return arg + strlen("--bundle=");
		next = strcmp(arg, "--bundle") == 0 || strcmp(arg, "-b") == 0;
	}
	return NULL;
}

bool caller_is_crun(pid_t pid)
{
	cleanup_fd proc = process_open_proc(pid);
	char name[16]; /* TASK_COMM_LEN, with the newline in place of the NUL */

	/* crun-wasm, crun-vm and krun are links to it. */
	return proc >= 0 && fs_read_line(proc, "comm", name, sizeof(name)) > 0 &&
	       (text_starts_with(name, "crun") || text_starts_with(name, "krun"));
}
