/* SPDX-License-Identifier: Apache-2.0 */

#include "admin/installation/handler.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "admin/engine/containerd.h"
#include "admin/engine/crio.h"
#include "admin/engine/docker.h"
#include "admin/engine/program.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/policy/runtimes.h"
#include "core/spec/spec.h"
#include "lib/files.h"

const char *handler_runtime_name(const char *shim)
{
	const char *name = runtimes_named(text_base_name(shim));

	return name ? name : "";
}

int handler_check_name(const char *shim, const char *usual, const char *other, struct err *err)
{
	const char *name = handler_runtime_name(shim);

	if (shim[0] != '/' || text_has_control(shim) || strpbrk(shim, "\"\\"))
		return err_set(err, "%.128s is not an absolute path of the shim", shim);
	if (!text_is_device_name(name))
		return err_set(
			err,
			"%.128s does not tell which runtime the shim is to run: give …/" SHIM_NAME
			"-%s or …/" SHIM_NAME "-%s",
			shim, usual, other);
	return 0;
}

/* CRI-O needs conmon only for these. */
static bool wants_conmon(const struct crio_handler *handler)
{
	return !handler->runtime_type[0] || strcmp(handler->runtime_type, "oci") == 0;
}

int handler_check_monitor(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err)
{
	const char *path = crio->conmon[0] ? crio->conmon : handler->monitor_path;

	if (!wants_conmon(handler))
		return 0;
	if (!path[0]) {
		if (program_find(arena, root, "conmon"))
			return 0;
		return err_set(
			err,
			"%s: handler %s has no monitor_path, and there is no conmon in "
			"CRI-O's PATH (" PROGRAM_PATH
			"), so that CRI-O does not start: set monitor_path to the path of conmon",
			handler->file, handler->name);
	}
	if (program_exists(root, path))
		return 0;
	return err_set(err,
		       "%s: handler %s: monitor_path %.128s is not an executable file, so that "
		       "CRI-O does not start: set it to the path of conmon",
		       handler->file, handler->name, path);
}

/* *ret_taken: or NULL. Returns -1 if unknown. */
static int find_taken(struct arena *arena, int root, const char *shim, const char **ret_taken,
		      struct err *err)
{
	struct runtimes runtimes;
	const char **path;

	if (runtimes_read(arena, root, &runtimes, err) < 0)
		return -1;
	path = runtimes_to_try(arena, &runtimes, text_base_name(shim));
	if (!path)
		return err_memory(err);
	while (*path && !program_exists(root, *path))
		path++;
	*ret_taken = *path;
	return 0;
}

/* What CRI-O's own handler of that name runs, or NULL */
static const char *find_own(struct arena *arena, int root, const struct crio *crio,
			    const char *name)
{
	const struct crio_handler *own = crio_find_handler(crio, name);

	if (own && own->runtime_path[0])
		return is_shim_name(own->runtime_path) ? NULL : own->runtime_path;
	return program_find(arena, root, name);
}

int handler_check_runtime(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err)
{
	const char *name = handler_runtime_name(handler->runtime_path);
	const char *own = name[0] ? find_own(arena, root, crio, name) : NULL;
	const char *taken;

	if (find_taken(arena, root, handler->runtime_path, &taken, err) < 0)
		return -1;
	if (!taken)
		return err_set(err,
			       "%s: handler %s: the shim %.128s finds no %s to run: write the path "
			       "of one into /" RUNTIMES_PATH,
			       handler->file, handler->name, handler->runtime_path,
			       name[0] ? name : "runtime");
	if (!own || program_is_same(root, own, taken))
		return 0;
	return err_set(err,
		       "%s: handler %s: the shim runs %.128s, but CRI-O's own handler %s runs "
		       "%.128s: write that path into /" RUNTIMES_PATH,
		       handler->file, handler->name, taken, name, own);
}

/* Without a path CRI-O looks in PATH. Returns 0 or -errno. */
static int find_program(struct arena *arena, int root, const struct crio_handler *handler)
{
	if (handler->runtime_path[0])
		return tree_check_executable(root, handler->runtime_path);
	return program_find(arena, root, handler->name) ? 0 : -ENOENT;
}

void handler_judge_crio(struct arena *arena, int root, const struct crio *crio,
			const struct crio_handler *handler, struct handler_verdict *ret_verdict)
{
	struct handler_verdict verdict = {0};

	if (find_program(arena, root, handler) < 0) {
		verdict.fault = HANDLER_NO_PROGRAM;
		err_set(&verdict.why,
			"%s: handler %s: %.256s is not an executable file, so that CRI-O "
			"leaves the handler "
			"out: install it first",
			handler->file, handler->name, handler->runtime_path);
	} else if (handler_check_monitor(arena, root, crio, handler, &verdict.why) < 0) {
		verdict.fault = HANDLER_NO_MONITOR;
	} else if (is_shim_name(handler->runtime_path) &&
		   handler_check_runtime(arena, root, crio, handler, &verdict.why) < 0) {
		verdict.fault = HANDLER_OTHER_RUNTIME;
	}
	*ret_verdict = verdict;
}

static int check_shim(struct arena *arena, int root, const char *say, const char *shim,
		      const char **ret_taken, struct err *err)
{
	const char *name = handler_runtime_name(shim);

	if (!say)
		return err_memory(err);
	if (!program_exists(root, shim))
		return err_set(err,
			       "%s %.256s is not an executable file, so that nothing starts with "
			       "it: install it "
			       "first",
			       say, shim);
	if (!program_is_called(root, shim, HOOK_NAME) && !program_is_called(root, shim, SHIM_NAME))
		return err_set(err,
			       "%s %.256s leads to another program than " HOOK_NAME
			       ": install it again",
			       say, shim);
	if (find_taken(arena, root, shim, ret_taken, err) < 0)
		return -1;
	if (*ret_taken)
		return 0;
	return err_set(err,
		       "%s %.128s: the shim finds no %s to run: write the path of one into "
		       "/" RUNTIMES_PATH,
		       say, shim, name[0] ? name : "runtime");
}

/* "" without handler or path */
static const char *find_containerd_own(const struct containerd *containerd, const char *name)
{
	for (size_t i = 0; i < containerd->n_handlers; i++) {
		const struct containerd_handler *handler = &containerd->handler[i];

		if (handler->binary[0] == '/' && !is_shim_name(handler->binary) &&
		    strcmp(containerd_runtime_name(handler), name) == 0)
			return handler->binary;
	}
	return "";
}

/* containerd passes annotations matching a pattern (path.Match; internal/cri/util,
 * PassThroughAnnotations): '*' stops at '/'. */
static bool passes_annotations(const struct containerd_handler *handler)
{
	static const char *const patterns[] = {SPEC_ANNOTATION_PREFIX "*", "*/*",
					       SPEC_ANNOTATION_PREFIX "inject"};

	for (size_t i = 0; i < handler->n_pod_annotations; i++) {
		for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++) {
			if (strcmp(handler->pod_annotations[i], patterns[k]) == 0)
				return true;
		}
	}
	return false;
}

int handler_check_containerd(struct arena *arena, int root,
			     const struct containerd_handler *handler, const char *own,
			     const struct config *config, struct err *err)
{
	const char *say =
		arena_printf(arena, "%s: handler %s: BinaryName", handler->file, handler->name);
	const char *taken = NULL;

	if (check_shim(arena, root, say, handler->binary, &taken, err) < 0)
		return -1;
	if (own[0] && !program_is_same(root, own, taken))
		return err_set(err,
			       "%s: handler %s: the shim runs %.128s, but containerd's own handler "
			       "runs %.128s: write that path into /" RUNTIMES_PATH,
			       handler->file, handler->name, taken, own);
	if (config->opt_in == OPT_IN_ANNOTATION && !passes_annotations(handler))
		return err_set(err,
			       "%s: handler %s passes no annotation of its pods to the runtime, so "
			       "that no pod can ask for RDMA: add pod_annotations = "
			       "[\"" SPEC_ANNOTATION_PREFIX "*\"]",
			       handler->file, handler->name);
	return 0;
}

void handler_judge_containerd(struct arena *arena, int root, const struct containerd *containerd,
			      const struct containerd_handler *handler, const struct config *config,
			      struct handler_verdict *ret_verdict)
{
	const char *own = find_containerd_own(containerd, handler_runtime_name(handler->binary));
	struct handler_verdict verdict = {.replaced_by =
						  containerd_replaced_by(containerd, handler)};

	if (handler_check_containerd(arena, root, handler, own, config, &verdict.why) < 0)
		verdict.fault = HANDLER_WRONG;
	*ret_verdict = verdict;
}

int handler_check_docker(struct arena *arena, int root, const struct docker_runtime *runtime,
			 struct err *err)
{
	const char *say =
		arena_printf(arena, "/" DOCKER_CONFIG ": runtime %.64s: path", runtime->name);
	/* Docker looks up bare names in PATH. */
	const char *found =
		strchr(runtime->path, '/') ? NULL : program_find(arena, root, runtime->path);
	const char *taken = NULL;

	return check_shim(arena, root, say, found ? found : runtime->path, &taken, err);
}
