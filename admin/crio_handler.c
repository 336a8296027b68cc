/* SPDX-License-Identifier: Apache-2.0 */

#include "admin/crio_handler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "admin/engine/crio.h"
#include "admin/engine/engine.h"
#include "admin/engine/program.h"
#include "admin/engine/toml.h"
#include "admin/installation/handler.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/command_line.h"

struct rendering {
	struct arena *arena;
	int root;
	const char *shim;
	const char *printed;
	struct crio crio;
	struct crio_handler own;
};

int read_printed(struct arena *arena, const char *printed, struct fs_text *ret_text,
		 struct err *err)
{
	cleanup_fd fd =
		strcmp(printed, "-") == 0 ? dup(STDIN_FILENO) : open(printed, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, errno, "%s", printed);
	return fs_read(arena, fd, ENGINE_FILE_SIZE_MAX, printed, ret_text, err);
}

static int read_crio(struct rendering *r, struct err *err)
{
	struct fs_text text;

	if (!r->printed)
		return crio_read(r->arena, r->root, &r->crio, err);
	if (read_printed(r->arena, r->printed, &text, err) < 0)
		return -1;
	return crio_read_text(r->arena, r->printed, &text, &r->crio, err);
}

/* A handler in no file is built in: program and conmon from PATH. */
static int find_own_crio(struct rendering *r, struct err *err)
{
	const char *name = handler_runtime_name(r->shim);
	const struct crio_handler *found = crio_find_handler(&r->crio, name);

	if (r->crio.n_problems)
		return err_set(err, "%s", r->crio.problem[0]);
	if (!r->crio.installed)
		return err_set(err, "CRI-O is not installed here: there is neither /etc/crio nor "
				    "/usr/bin/crio");
	r->own.name = name;
	r->own.file = r->printed ? r->printed : "/" CRIO_DIR;
	if (found)
		r->own = *found;
	return 0;
}

static int check_own(const struct rendering *r, struct err *err)
{
	const struct crio_handler *own = &r->own;

	if (strcmp(own->runtime_type, "vm") == 0)
		return err_set(err,
			       "%s: handler %s: the shim cannot run in front of a runtime for "
			       "virtual machines",
			       own->file, own->name);
	if (own->inherits)
		return err_set(
			err,
			"%s: handler %s: with inherit_default_runtime, CRI-O would run the default "
			"runtime in place of the shim: write a table of its own for %s",
			own->file, own->name, own->name);
	return handler_check_monitor(r->arena, r->root, &r->crio, own, err);
}

static int check_shim_path(const struct rendering *r, struct err *err)
{
	struct crio_handler handler = r->own;

	handler.runtime_path = r->shim;
	if (!program_exists(r->root, r->shim))
		return err_set(err, "%.256s is not an executable file: install it first", r->shim);
	return handler_check_runtime(r->arena, r->root, &r->crio, &handler, err);
}

static bool is_replaced(const struct toml_item *entry)
{
	static const char *const keys[] = {"runtime_path", "platform_runtime_paths",
					   "inherit_default_runtime", "runtime_config_path", NULL};
	const char *name = entry->table[0] ? entry->table : entry->key;

	for (const char *const *key = keys; *key; key++) {
		if (strcmp(name, *key) == 0)
			return true;
	}
	return false;
}

static void print_drop_in(const struct rendering *r)
{
	const struct crio_handler *own = &r->own;
	const char *runtime = handler_runtime_name(r->shim);
	bool is_crun = strcmp(runtime, "crun") == 0;
	const char *table = "";
	char name[64];

	snprintf(name, sizeof(name), "rdma%s%.32s", is_crun ? "" : "-", is_crun ? "" : runtime);
	printf("# Rendered by: oci-rdma-admin --crio-handler %s\n"
	       "#\n"
	       "# A handler for pods with `runtimeClassName: %s`. Every setting but "
	       "runtime_path is copied from the handler %s\n"
	       "# (%s), with which CRI-O is known to start: render this file again when that "
	       "handler changes.\n"
	       "# Takes effect with `systemctl restart crio`; running containers go on, and "
	       "keep their runtime.\n"
	       "# Do not make this handler the default: if the program were missing, CRI-O "
	       "would not start.\n",
	       r->shim, name, own->name, own->file);
	printf("[crio.runtime.runtimes.%s]\nruntime_path = \"%s\"\n", name, r->shim);
	if (!own->entries.n)
		printf("runtime_type = \"oci\"\nruntime_root = \"/run/%s\"\n", own->name);
	/* Keys before subtables */
	for (int below = 0; below < 2; below++) {
		for (size_t i = 0; i < own->entries.n; i++) {
			const struct toml_item *entry = &own->entries.item[i];

			if ((entry->table[0] != '\0') != below || is_replaced(entry))
				continue;
			if (strcmp(table, entry->table) != 0)
				printf("[crio.runtime.runtimes.%s.%s]\n", name, entry->table);
			table = entry->table;
			printf("%s\n", entry->spelled);
		}
	}
}

static int render_drop_in(struct rendering *r, struct err *err)
{
	if (handler_check_name(r->shim, "crun", "runc", err) < 0)
		return -1;
	if (read_crio(r, err) < 0 || find_own_crio(r, err) < 0 || check_own(r, err) < 0)
		return -1;
	return check_shim_path(r, err);
}

int crio_handler(const struct options *options, const char *shim, const char *printed)
{
	cleanup_arena arena = {0};
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct rendering r = {
		.arena = &arena,
		.root = root,
		.shim = shim,
		.printed = printed,
		.own = {.runtime_path = "", .runtime_type = "", .monitor_path = ""},
	};

	if (root < 0 || render_drop_in(&r, &err) < 0) {
		fprintf(stderr, ADMIN_NAME ": no handler is printed: %s\n", err.text);
		return 1;
	}
	print_drop_in(&r);
	return !command_line_printed(ADMIN_NAME);
}
