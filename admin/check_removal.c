/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/check_removal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "admin/engine/containerd.h"
#include "admin/engine/crio.h"
#include "admin/engine/docker.h"
#include "admin/engine/engine.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/policy/runtimes.h"
#include "lib/files.h"

struct check {
	struct arena *arena;
	int root;
	size_t n; /* lines printed */
};

__attribute__((format(printf, 2, 3))) static void say(struct check *check, const char *format, ...)
{
	char line[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text_make_printable(line);
	fprintf(stderr, ADMIN_NAME ": %s\n", line);
	check->n++;
}

static void say_unread(struct check *check, const struct err *why)
{
	check->arena->failed |= why->errnum == ENOMEM;
	say(check, "%s: correct the file first: it is not known whether it names the shim",
	    why->text);
}

static void check_crio(struct check *check)
{
	struct crio crio;
	struct err why;

	if (crio_read(check->arena, check->root, &crio, &why) < 0) {
		say_unread(check, &why);
		return;
	}
	for (size_t i = 0; i < crio.n_problems; i++)
		say(check, "%s: correct the file first", crio.problem[i]);
	for (size_t i = 0; i < crio.n_handlers; i++) {
		const struct crio_handler *handler = &crio.handler[i];

		if (!is_shim_name(handler->runtime_path))
			continue;
		if (crio.default_runtime && strcmp(crio.default_runtime, handler->name) == 0)
			say(check,
			    "%s: handler %s is CRI-O's default (%s), and CRI-O does not start "
			    "without its program: set another default_runtime first",
			    handler->file, handler->name, crio.default_file);
		else if (!text_starts_with(handler->file, "/" CRIO_OWN_DROPIN))
			say(check,
			    "%s: handler %s runs %s: remove the handler first, then run systemctl "
			    "restart crio",
			    handler->file, handler->name, handler->runtime_path);
	}
}

static void check_containerd(struct check *check)
{
	struct containerd containerd = {0};
	struct err why;

	if (containerd_read(check->arena, check->root, CONTAINERD_CONFIG, &containerd, &why) == -1)
		say_unread(check, &why);
	for (size_t i = 0; i < containerd.n_handlers; i++) {
		const struct containerd_handler *handler = &containerd.handler[i];

		if (is_shim_name(handler->binary))
			say(check,
			    "%s: handler %.64s runs %.128s: remove the handler first, then run "
			    "systemctl restart containerd",
			    handler->file, handler->name, handler->binary);
	}
}

static void check_docker(struct check *check)
{
	struct docker docker = {0};
	struct fs_text text;
	struct err why;
	int status =
		tree_read(check->arena, check->root, DOCKER_CONFIG, ENGINE_FILE_SIZE_MAX, &text);

	if (status == -ENOENT)
		return;
	if (status < 0)
		err_sys(&why, -status, "/" DOCKER_CONFIG);
	if (status < 0 || docker_read_text(check->arena, &text, &docker, &why) < 0)
		say_unread(check, &why);
	for (size_t i = 0; i < docker.n_runtimes; i++) {
		if (is_shim_name(docker.runtime[i].path))
			say(check,
			    "/" DOCKER_CONFIG ": a runtime is %.128s: remove that runtime first, "
			    "then run: systemctl reload docker",
			    docker.runtime[i].path);
	}
}

int check_removal(const struct options *options)
{
	cleanup_arena arena = {0};
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct check check = {.arena = &arena, .root = root};
	struct runtimes ignored;

	if (root >= 0) {
		check_crio(&check);
		check_containerd(&check);
		check_docker(&check);
		if (runtimes_read(&arena, root, &ignored, &err) < 0) /* for leave_runtimes() */
			say(&check, "%s: correct the file first", err.text);
	}
	if (root >= 0 && err_of_arena(&arena, &err) == 0)
		return check.n ? 1 : 0;
	fprintf(stderr, ADMIN_NAME ": %s\n", err.text);
	return 1;
}
