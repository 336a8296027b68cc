/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/caller.h"

#include <fcntl.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/process/process.h"

#define CMDLINE_SIZE_MAX (128 * 1024)

/* Empty if unreadable */
static struct fs_text read_arguments(struct arena *arena, pid_t pid)
{
	cleanup_fd proc = process_open_proc(pid);
	cleanup_fd fd = proc < 0 ? -1 : fs_open(proc, "cmdline", O_RDONLY, RESOLVE_BENEATH);
	static char none[1];
	struct fs_text text = {.bytes = none};
	struct err ignored;

	if (fd >= 0)
		(void)fs_read(arena, fd, CMDLINE_SIZE_MAX, "cmdline", &text, &ignored);
	return text;
}

const char *caller_bundle(struct arena *arena, pid_t pid)
{
	struct fs_text text = read_arguments(arena, pid);
	bool next = false;

	for (const char *arg = text.bytes; arg < text.bytes + text.len; arg += strlen(arg) + 1) {
		if (next)
			return arg;
		if (text_starts_with(arg, "--bundle="))
			return arg + strlen("--bundle=");
		next = strcmp(arg, "--bundle") == 0 || strcmp(arg, "-b") == 0;
	}
	return NULL;
}

/* Not comm: that of crun's memory copy (cloned_binary.c) is "5" before Linux 6.14 (fs/exec.c,
 * begin_new_exec). */
bool caller_is_crun(struct arena *arena, pid_t pid)
{
	const char *name = text_base_name(read_arguments(arena, pid).bytes);

	/* crun-wasm, crun-vm and krun are links to it. */
	return text_starts_with(name, "crun") || text_starts_with(name, "krun");
}
