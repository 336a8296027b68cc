/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/check_engines.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "admin/containerd_handler.h"
#include "admin/crio_handler.h"
#include "admin/engine/containerd.h"
#include "admin/engine/crio.h"
#include "admin/engine/docker.h"
#include "admin/engine/engine.h"
#include "admin/installation/handler.h"
#include "admin/results.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/policy/policy.h"
#include "lib/files.h"

/* The doctor reports unreadable files. */
static void check_crio_handlers(struct results *results, int root, const struct crio *crio)
{
	for (size_t i = 0; i < crio->n_handlers; i++) {
		const struct crio_handler *handler = &crio->handler[i];
		struct handler_verdict verdict;

		if (!is_shim_name(handler->runtime_path))
			continue;
		handler_judge_crio(&results->arena, root, crio, handler, &verdict);
		results_add(results, handler->file, "", verdict.fault ? &verdict.why : NULL, NULL);
	}
}

/* The files do not show which containerd runs: a note, no error. */
static const char *describe(struct arena *arena, const struct containerd *containerd,
			    const struct containerd_handler *handler, const char *by)
{
	return arena_printf(arena,
			    " (but %s, which is imported, %s: its tables take the place of these, "
			    "and handler %s is none: append it there)",
			    by,
			    containerd->version == 3 ? "has another version"
						     : "comes later; in containerd 1.x",
			    handler->name);
}

/* containerd does not start with an unreadable configuration. */
static void check_containerd_handlers(struct results *results, int root,
				      const struct config *config)
{
	struct containerd containerd;
	struct err unread;

	if (containerd_read(&results->arena, root, CONTAINERD_CONFIG, &containerd, &unread) < 0) {
		results->arena.failed |= unread.errnum == ENOMEM;
		return;
	}
	for (size_t i = 0; i < containerd.n_handlers; i++) {
		const struct containerd_handler *handler = &containerd.handler[i];
		struct handler_verdict verdict;
		const char *note = "";

		if (!is_shim_name(handler->binary))
			continue;
		handler_judge_containerd(&results->arena, root, &containerd, handler, config,
					 &verdict);
		if (verdict.replaced_by)
			note = describe(&results->arena, &containerd, handler, verdict.replaced_by);
		results_add(results, handler->file, note, verdict.fault ? &verdict.why : NULL,
			    NULL);
	}
}

#define DOCKER_FILE "/" DOCKER_CONFIG

/* Docker's default has our name, but no entry: removed, or not added yet
 * (daemon/runtime_unix.go, setupRuntimes; `dockerd --validate` accepts it). */
static void check_docker_default(struct results *results, const struct docker *docker)
{
	const char *name = docker->default_runtime;
	struct err problem;

	if (docker_find_runtime(docker, name) || !names_handler(name))
		return;
	err_set(&problem,
		DOCKER_FILE ": default-runtime %.64s is not among its runtimes, so that "
			    "Docker does not start: add that runtime, or name another",
		name);
	results_add(results, DOCKER_FILE, "", &problem, NULL);
}

/* If an unreadable file names us, it was cut off when our entry was added. */
static void check_docker(struct results *results, int root)
{
	struct docker docker;
	struct fs_text text;
	struct err problem;
	int status = tree_read(&results->arena, root, DOCKER_CONFIG, ENGINE_FILE_SIZE_MAX, &text);

	results->arena.failed |= status == -ENOMEM;
	if (status < 0)
		return;
	if (docker_read_text(&results->arena, &text, &docker, &problem) < 0) {
		results->arena.failed |= problem.errnum == ENOMEM;
		if (strstr(text.bytes, SHIM_NAME))
			results_add(results, DOCKER_FILE, "", &problem, NULL);
		return;
	}
	for (size_t i = 0; i < docker.n_runtimes; i++) {
		const struct docker_runtime *runtime = &docker.runtime[i];
		bool is_default = strcmp(docker.default_runtime, runtime->name) == 0;

		if (!is_shim_name(runtime->path))
			continue;
		status = handler_check_docker(&results->arena, root, runtime, &problem);
		results_add(results, DOCKER_FILE,
			    is_default ? " (the default: without the shim no container starts)"
				       : "",
			    status < 0 ? &problem : NULL, NULL);
	}
	check_docker_default(results, &docker);
}

void check_engines(struct results *results, int root, const struct crio *crio,
		   const struct config *config)
{
	check_crio_handlers(results, root, crio);
	if (config)
		check_containerd_handlers(results, root, config);
	check_docker(results, root);
}
