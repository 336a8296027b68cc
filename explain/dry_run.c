/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/dry_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/apply/spec_edit.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "explain/bundle.h"
#include "explain/entry_points.h"
#include "explain/explain.h"
#include "explain/from_record.h"
#include "explain/plan_json.h"
#include "explain/plan_text.h"
#include "lib/limits.h"
#include "lib/pinned.h"

struct first {
	struct limits limits;
	const char *pinned; /* or NULL */
};

/* Unknown if the pid is no longer the container's */
static struct first read_first(struct arena *arena, int root, const struct bundle *bundle)
{
	const char *path = arena_printf(arena, "/proc/%" PRId64 "/limits", bundle->pid);
	struct first first = {0};
	struct pinned pinned;

	if (!path || !bundle_has_process(arena, root, bundle))
		return first;
	first.limits = limits_read(arena, root, path);
	pinned = pinned_container(arena, root, bundle->pid);
	if (pinned.cgroup && pinned_sum(root, &pinned, 1) == 0)
		first.pinned = pinned_text(arena, root, &pinned);
	return first;
}

static int open_by_id(struct container *container, const struct options *options, const char *id,
		      const char **ret_path, struct first *ret_first, struct err *err)
{
	cleanup_fd sysroot = tree_open_root(options->sysroot, err);
	struct bundle bundle;
	char *path;
	int dir;

	if (sysroot < 0 || bundle_find(&container->arena, sysroot, id, &bundle, err) < 0)
		return -1;
	if (!bundle.config && bundle.not_believed)
		return err_set(err,
			       "container %s: %s is not trusted, because users other than root "
			       "could have written it: if you trust it, give its directory",
			       bundle.id, bundle.not_believed);
	if (!bundle.config)
		return err_set(err,
			       "container %s: its config.json was not found: give the directory of "
			       "its bundle",
			       bundle.id);
	path = arena_strndup(&container->arena, bundle.config,
			     (size_t)(text_base_name(bundle.config) - bundle.config) - 1);
	if (!path)
		return err_memory(err);
	dir = tree_open_dir(sysroot, path);
	if (dir < 0)
		return err_sys(err, -dir, "bundle %s", path);
	container->id = bundle.id;
	*ret_first = read_first(&container->arena, sysroot, &bundle);
	container->bundle = dir;
	*ret_path = path;
	return 0;
}

static int open_bundle(struct container *container, const struct options *options, const char *name,
		       const char **ret_path, struct first *ret_first, struct err *err)
{
	int dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0 && errno == ENOENT && !strchr(name, '/'))
		return open_by_id(container, options, name, ret_path, ret_first, err);
	if (dir < 0)
		return err_sys(err, errno, "bundle %s", name);
	container->bundle = dir;
	*ret_path = name;
	return 0;
}

/* Engines set a cgroup path or annotations; `crun spec` neither. */
static int check_engine(const struct container *container, struct err *err)
{
	const struct spec *spec = &container->spec;

	if (spec->cgroups_path || spec->n_annotations || spec->n_devices)
		return 0;
	return err_set(err,
		       "%s: no engine's config.json: it has no linux.cgroupsPath, annotations or "
		       "devices; give a container's bundle, or its id",
		       container->what);
}

static int recall_by_path(struct container *container, const struct options *options,
			  const char *path, struct err *err)
{
	cleanup_fd sysroot = tree_open_root(options->sysroot, err);
	const char *config = arena_printf(&container->arena, "%s/config.json", path);
	const struct recall what = {
		.sysroot = sysroot,
		.recorded = strcmp(options->sysroot, "/") != 0,
		.config = config,
		.id = container->id ? container->id : text_base_name(path),
	};

	if (sysroot < 0)
		return -1;
	return config ? apply_record(container, &what, err) : err_memory(err);
}

static int explain_bundle(struct container *container, const struct options *options,
			  const char *name, enum rdma_mode *ret_mode, struct first *ret_first,
			  struct err *err)
{
	const char *path = name;

	if (open_bundle(container, options, name, &path, ret_first, err) < 0 ||
	    container_read_spec(container, container->bundle, path, "config.json", err) < 0 ||
	    check_engine(container, err) < 0 || recall_by_path(container, options, path, err) < 0 ||
	    container_explain(container, options, ret_mode, err) < 0)
		return -1;
	if (!container->record)
		apply_recorded_decision(container);
	return 0;
}

static int print_spec(struct container *container, struct err *err)
{
	struct fs_text text = container->text;

	if (plan_gives(&container->plan) &&
	    spec_edit(&container->arena, &container->text, &container->spec, &container->plan, NULL,
		      &text, err) < 0)
		return -1;
	return fwrite(text.bytes, 1, text.len, stdout) == text.len ? 0 : -1;
}

static int print_text(struct container *container, const struct options *options,
		      enum rdma_mode mode, struct err *err)
{
	cleanup_fd sysroot = tree_open_root(options->sysroot, err);
	bool recorded = strcmp(options->sysroot, "/") != 0;
	unsigned ways;

	if (sysroot < 0 || ways_find(&container->arena, sysroot, recorded, &ways, err) < 0)
		return -1;
	return report_text(stdout, container, mode, ways);
}

static int print_as(struct container *container, const struct options *options, enum rdma_mode mode,
		    enum dry_run_format format, struct err *err)
{
	const char *lines;

	switch (format) {
	case FORMAT_TEXT:
		return print_text(container, options, mode, err);
	case FORMAT_JSON:
		return report_json(stdout, container, mode);
	case FORMAT_SPEC:
		return print_spec(container, err);
	case FORMAT_NCCL:
		lines = plan_nccl_lines(&container->arena, &container->plan);
		return lines && fputs(lines, stdout) >= 0 ? 0 : -1;
	}
	return -1;
}

static void print_first(const struct plan *plan, const struct first *first)
{
	const struct limits *limits = &first->limits;
	char text[LIMITS_TEXT_SIZE];

	if (!limits->known)
		return;
	printf("\nit has RLIMIT_MEMLOCK %s in its first process (%s)%s\n",
	       limits_text(limits->soft, text), limits->where,
	       limits->soft < plan->memlock ? ": created without what it would get now" : "");
	if (first->pinned)
		printf("it pins %s\n", first->pinned);
}

int dry_run(const struct options *options, enum dry_run_format format, const char *bundle)
{
	cleanup_container container = CONTAINER_NONE;
	struct first first = {0};
	enum rdma_mode mode;
	struct err err;
	bool failed;

	if (explain_bundle(&container, options, bundle, &mode, &first, &err) < 0) {
		/* Only root reads runtimes' states, bundles and our records. */
		fprintf(stderr, "oci-rdma-hook: %s%s\n",
			geteuid() != 0 && (err.errnum == EACCES ||
					   (!strchr(bundle, '/') && !container.what))
				? "run it as root: "
				: "",
			err.text);
		return 1;
	}
	err_set(&err, "cannot write the report");
	failed = print_as(&container, options, mode, format, &err) < 0;
	if (format == FORMAT_TEXT)
		print_first(&container.plan, &first);
	if (fflush(stdout) != 0 || failed) {
		fprintf(stderr, "oci-rdma-hook: %s\n", err.text);
		return 1;
	}
	return 0;
}
