/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/apply/spec_edit.h"
#include "core/base/fs.h"
#include "core/base/replace.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/deadline.h"
#include "core/plan/reasons.h"
#include "core/process/memlock.h"
#include "core/process/process.h"
#include "core/report/log.h"
#include "hook/edit.h"
#include "hook/shim/container_state.h"

/* Keeps owner, mode and attributes of fd, the file as read. sync: survives a crash. */
static int write_edited(int dir, const char *name, int fd, const char *what, bool sync,
			const struct fs_text *text, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", what);
	return replace_file(dir,
			    &(struct replacement){
				    .name = name,
				    .bytes = text->bytes,
				    .len = text->len,
				    .mode = st.st_mode & 07777U,
				    .owner = &st,
				    .attributes = &fd,
				    .sync = sync,
			    },
			    what, err);
}

static int open_parent_of(struct arena *arena, const char *file, const char **ret_parent,
			  struct err *err)
{
	char *copy = arena_strdup(arena, file);
	int fd;

	if (!copy)
		return err_memory(err);
	*ret_parent = dirname(copy);
	fd = open(*ret_parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_sys(err, errno, "%s", file) : fd;
}

void serve_create(struct shim *shim)
{
	struct container *container = &shim->container;
	struct outcome *outcome = &shim->outcome;
	struct err *err = &outcome->err;
	const char *path = shim->args.bundle ? shim->args.bundle : ".";
	/* crun's --config is relative to the caller's directory (src/create.c). */
	const char *config = shim->args.config ? shim->args.config : "config.json";
	const char *name = text_base_name(config);
	int dir = container->bundle = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd other = -1;
	int status = dir < 0 ? err_sys(err, errno, "bundle %s", path) : 0;
	struct fs_text edited;

	if (status == 0 && strcmp(config, "config.json") != 0)
		status = dir = other = open_parent_of(&container->arena, config, &path, err);
	if (status >= 0)
		status = container_read_spec(container, dir, path, name, err);
	if (status == 0)
		status = container_find(container, &shim->options, err);
	if (status > 0) {
		container->lacking = own_lacks_capabilities(container->config.capabilities);
		status = edit_config_json(container, outcome, &edited);
	}
	/* Unchanged: another shim in front has added it. */
	if (status > 0 && outcome->changed) {
		status =
			write_edited(dir, name, container->fd, container->what, true, &edited, err);
		outcome->changed = status == 0;
	}
	outcome_decide(container, status, outcome);
	deadline_set_must_fail(outcome->must_fail);
	outcome_log(container, outcome);
}

static int plan_environment(struct container *container, const struct spec *process,
			    struct err *err)
{
	const struct spec *created = &container->spec;
	struct arena *arena = &container->arena;
	struct setting *settings = arena_alloc(arena, created->n_env * sizeof(*settings));
	size_t n = 0;

	if (!settings)
		return err_memory(err);
	for (size_t i = 0; i < created->n_env; i++) {
		const char *entry = created->env[i];
		const char *value = strchr(entry, '=');

		/* Environments usually match entry by entry. */
		if (!value || (i < process->n_env && strcmp(entry, process->env[i]) == 0))
			continue;
		settings[n].value = value + 1;
		settings[n].name = arena_strndup(arena, entry, (size_t)(value - entry));
		if (!settings[n].name)
			return err_memory(err);
		if (config_knows_variable(&container->config, settings[n].name))
			n++;
	}
	container->plan.settings = settings;
	container->plan.n_settings = n;
	return 0;
}

/* Those a main process passes on, under any user */
static uint64_t capabilities_of_all_sets(const struct spec *spec)
{
	uint64_t all = UINT64_MAX;

	for (int set = 0; set < SPEC_CAPABILITY_SETS; set++)
		all &= spec->capabilities[set];
	return all;
}

/* Runtimes fail to set a capability that their bounding set lacks. */
static int leave_out_withheld(struct shim *shim, const struct spec *process, struct err *err)
{
	struct plan *plan = &shim->container.plan;
	const struct json_node *listed = json_find(process->process, "capabilities");
	uint64_t lacking =
		own_lacks_capabilities(plan->granted & ~capabilities_of_all_sets(process));
	const char *text;

	/* If absent, the container's apply. */
	if (!lacking || !listed || listed->type == JSON_NULL)
		return 0;
	text = withheld_reason(&shim->container.arena, lacking);
	if (!text)
		return err_memory(err);
	if (shim->container.config.fail_on_error)
		return err_set(err, "%s", text);
	log_failure(&shim->container, text, shim->outcome.entry_point);
	plan->granted &= ~lacking;
	return 0;
}

static int edit_process(struct shim *shim, struct err *err)
{
	struct container *container = &shim->container;
	struct plan *plan = &container->plan;
	struct arena *arena = &container->arena;
	const char *path = shim->args.process;
	const char *name = text_base_name(path);
	const char *parent;
	cleanup_fd dir = open_parent_of(arena, path, &parent, err);
	cleanup_fd fd = -1;
	struct fs_text text;
	struct fs_text edited;
	struct rlimit64 inherited;
	struct spec process;

	if (dir < 0)
		return -1;
	fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (fd < 0)
		return err_sys(err, -fd, "%s", path);
	if (fs_read_regular(arena, fd, SPEC_SIZE_MAX, path, &text, err) < 0 ||
	    spec_parse_process(arena, path, text.bytes, text.len, &process, err) < 0)
		return -1;
	/* runc then takes the container's, crun its caller's. */
	if (!json_first(json_find(process.process, "rlimits"))) {
		if (plan->memlock && memlock_raise_own(plan->memlock, err) < 0)
			return -1;
		plan->memlock = 0;
	}
	if (inherited_memlock(&inherited, err) < 0 || leave_out_withheld(shim, &process, err) < 0 ||
	    plan_environment(container, &process, err) < 0 ||
	    spec_edit(arena, &text, &process, plan, &inherited, &edited, err) < 0)
		return -1;
	/* No sync: the file only lives until this exec. */
	if (edited.bytes == text.bytes)
		return 0;
	return write_edited(dir, name, fd, path, false, &edited, err);
}

static int exec_as_created(struct shim *shim, struct err *err)
{
	struct container *container = &shim->container;
	const struct spec *created = &container->spec;
	int found = created_read_process(container, &shim->args, err);
	struct err ignored;

	if (found <= 0)
		return found;
	/* For our variables and capabilities; else the defaults. */
	if (container_load_config(container, &shim->options, &ignored) == 0)
		deadline_set_must_fail(container_names_device(container) &&
				       container->config.fail_on_error);
	else
		container->config = config_defaults();
	/* Only the engine and we set the container's limits. */
	container->plan = (struct plan){
		.memlock = created->has_memlock ? created->memlock_soft : 0,
		.granted = container->config.capabilities & capabilities_of_all_sets(created),
	};
	if (shim->args.process)
		return edit_process(shim, err);
	/* The runtime takes our edited spec, but its caller's limit. */
	return container->plan.memlock ? memlock_raise_own(container->plan.memlock, err) : 0;
}

void serve_exec(struct shim *shim)
{
	struct container *container = &shim->container;

	if (exec_as_created(shim, &shim->outcome.err) == 0)
		return;
	shim->outcome.options = NULL; /* the creation's stays true */
	outcome_set_failed(container, container_names_device(container), &shim->outcome);
	outcome_log(container, &shim->outcome);
}
