/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/admin.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/fs.h"
#include "core/base/names.h"

/* status: negative if problem says why */
static int tell(const struct engines *engines, const char *file, const char *note, int status,
		const struct err *problem, struct err *err)
{
	struct engine_result result = {.file = file, .note = note};

	if (status < 0) {
		result.problem = arena_strdup(engines->arena, problem->text);
		if (!result.problem)
			return err_memory(err);
	}
	return engines->take(engines->context, &result, err);
}

/* ---- CRI-O ---- */

/* What cannot be read of its configuration is the doctor's. */
static int check_crio(const struct engines *engines, struct err *err)
{
	for (size_t i = 0; i < engines->crio->n_handlers; i++) {
		const struct crio_handler *handler = &engines->crio->handler[i];
		struct handler_verdict verdict;

		if (!names_shim(handler->runtime_path))
			continue;
		handler_judge_crio(engines->arena, engines->root, engines->crio, handler,
				   engines->config, &verdict);
		if (tell(engines, handler->file, "", verdict.fault ? -1 : 0, &verdict.why, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- containerd ---- */

/* Which containerd runs is not in its files: with another it is right, and nothing is refused. */
static const char *describe(const struct engines *engines, const struct containerd *containerd,
			    const struct containerd_handler *handler, const char *by)
{
	if (!by)
		return "";
	return arena_printf(engines->arena,
			    " (but %s, which is imported, %s: its tables take the place of these, "
			    "and handler %s is none: append it there)",
			    by,
			    containerd->version == 3 ? "has another version"
						     : "comes later; in containerd 1.x",
			    handler->name);
}

static int check_containerd_handler(const struct engines *engines,
				    const struct containerd *containerd,
				    const struct containerd_handler *handler, struct err *err)
{
	struct handler_verdict verdict;
	const char *note;

	handler_judge_containerd(engines->arena, engines->root, containerd, handler,
				 engines->config, &verdict);
	note = describe(engines, containerd, handler, verdict.replaced_by);
	if (!note)
		return err_memory(err);
	return tell(engines, handler->file, note, verdict.fault ? -1 : 0, &verdict.why, err);
}

/* A configuration that cannot be read says nothing: containerd would not run. */
static int check_containerd(const struct engines *engines, struct err *err)
{
	struct containerd containerd;
	struct err problem;

	if (containerd_read(engines->arena, engines->root, CONTAINERD_CONFIG, &containerd,
			    &problem) < 0)
		return problem.memory ? err_memory(err) : 0;
	for (size_t i = 0; i < containerd.n_handlers && engines->config; i++) {
		const struct containerd_handler *handler = &containerd.handler[i];

		if (names_shim(handler->binary) &&
		    check_containerd_handler(engines, &containerd, handler, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- Docker ---- */

#define DOCKER_FILE "/" DOCKER_CONFIG

/* A default that has no entry (daemon/runtime_unix.go, setupRuntimes; `dockerd --validate` accepts
 * it), by a name of ours: it was taken away, or not yet put there. Another of that kind is not our
 * business. */
static int check_docker_default(const struct engines *engines, const struct docker *docker,
				struct err *err)
{
	const char *name = docker->default_runtime;
	struct err problem;
	int status;

	if (docker_find_runtime(docker, name) || !names_handler(name))
		return 0;
	status = err_set(&problem,
			 DOCKER_FILE ": default-runtime %.64s is not among its runtimes, so that "
				     "Docker does not start: add that runtime, or name another",
			 name);
	return tell(engines, DOCKER_FILE, "", status, &problem, err);
}

static int check_docker_runtime(const struct engines *engines, const struct docker *docker,
				const struct docker_runtime *runtime, struct err *err)
{
	bool is_default = strcmp(docker->default_runtime, runtime->name) == 0;
	const char *note = is_default ? " (the default: without the shim no container starts)" : "";
	struct err problem;
	int status = handler_check_docker(engines->arena, engines->root, runtime, engines->config,
					  &problem);

	return tell(engines, DOCKER_FILE, note, status, &problem, err);
}

/* A file that cannot be read, and speaks of us, was cut off when it was given our entry. */
static int check_docker(const struct engines *engines, struct err *err)
{
	struct docker docker;
	struct fs_text text;
	struct err problem;
	int status = tree_read(engines->arena, engines->root, DOCKER_CONFIG, DOCKER_FILE_SIZE_MAX,
			       &text);

	if (status < 0)
		return status == -ENOMEM ? err_memory(err) : 0;
	status = docker_read_text(engines->arena, &text, &docker, &problem);
	if (status < 0 && problem.memory)
		return err_memory(err);
	if (status < 0)
		return strstr(text.bytes, SHIM_NAME)
			       ? tell(engines, DOCKER_FILE, "", status, &problem, err)
			       : 0;
	for (size_t i = 0; i < docker.n_runtimes && engines->config; i++) {
		if (names_shim(docker.runtime[i].path) &&
		    check_docker_runtime(engines, &docker, &docker.runtime[i], err) < 0)
			return -1;
	}
	return check_docker_default(engines, &docker, err);
}

int check_engines(const struct engines *engines, struct err *err)
{
	if (check_crio(engines, err) < 0 || check_containerd(engines, err) < 0)
		return -1;
	return check_docker(engines, err);
}
