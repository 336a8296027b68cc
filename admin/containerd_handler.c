/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/containerd_handler.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "admin/crio_handler.h"
#include "admin/engine/containerd.h"
#include "admin/engine/toml.h"
#include "admin/installation/handler.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/command_line.h"
#include "core/policy/policy.h"
#include "core/spec/spec.h"

struct rendering {
	struct arena *arena;
	int root;
	const char *shim;
	struct containerd containerd;
	const struct containerd_handler *own; /* containerd's, for this runtime */
	const char *plugin;                   /* in config.toml */
	bool is_default;
	struct config config;
};

static int read_containerd(struct rendering *r, const char *printed, struct err *err)
{
	struct fs_text text;

	if (read_printed(r->arena, printed, &text, err) < 0 ||
	    containerd_read_text(r->arena, printed, &text, &r->containerd, err) < 0)
		return -1;
	if (!containerd_plugin(r->containerd.version))
		return err_set(err,
			       "%s: has no \"version\" of at least 2: give the output of "
			       "`containerd config dump`",
			       printed);
	if (!r->containerd.n_handlers)
		return err_set(err,
			       "%s: has no handlers of %s or %s: take the CRI plugin out of "
			       "disabled_plugins, if it is there",
			       printed, containerd_plugin(2), containerd_plugin(3));
	return 0;
}

/* containerd 2.x prints its newest version, but a version 2 file needs its own plugin name. */
static int find_plugin(struct rendering *r, struct err *err)
{
	struct containerd file = {.version = r->containerd.version};
	int status = containerd_read(r->arena, r->root, CONTAINERD_CONFIG, &file, err);

	if (status < 0 && status != -ENOENT)
		return -1;
	r->plugin = containerd_plugin(file.version);
	if (r->plugin)
		return 0;
	return err_set(
		err,
		"%s: has no \"version\" of at least 2: create it with `containerd config default`",
		file.file);
}

static const struct containerd_handler *find_handler(const struct rendering *r, const char *name)
{
	for (size_t i = 0; i < r->containerd.n_handlers; i++) {
		if (strcmp(r->containerd.handler[i].name, name) == 0)
			return &r->containerd.handler[i];
	}
	return NULL;
}

#define RUNC_TYPE "io.containerd.runc.v2"

/* gVisor and Kata have other types, without BinaryName. */
static bool runs(const struct containerd_handler *handler, const char *runtime)
{
	return (!handler->type[0] || strcmp(handler->type, RUNC_TYPE) == 0) &&
	       strcmp(containerd_runtime_name(handler), runtime) == 0;
}

static const struct containerd_handler *
find_running(const struct rendering *r, const struct containerd_handler *usual, const char *runtime)
{
	if (runs(usual, runtime))
		return usual;
	for (size_t i = 0; i < r->containerd.n_handlers; i++) {
		if (runs(&r->containerd.handler[i], runtime))
			return &r->containerd.handler[i];
	}
	return NULL;
}

/* crun and runc replace each other. */
static int find_own_containerd(struct rendering *r, struct err *err)
{
	const char *runtime = handler_runtime_name(r->shim);
	const char *other = strcmp(runtime, "crun") == 0   ? "runc"
			    : strcmp(runtime, "runc") == 0 ? "crun"
							   : runtime;
	const struct containerd_handler *usual = find_handler(r, r->containerd.default_runtime);

	if (!usual)
		return err_set(err, "%s: the default handler %s has no table", r->containerd.file,
			       r->containerd.default_runtime);
	r->own = find_running(r, usual, runtime);
	r->is_default = r->own == usual;
	if (!r->own)
		r->own = find_running(r, usual, other);
	if (r->own)
		return 0;
	if (!runs(usual, containerd_runtime_name(usual)))
		return err_set(err,
			       "%s: no handler of type " RUNC_TYPE " runs %s, and the default, %s, "
			       "is of type %s: add a handler of type " RUNC_TYPE " to containerd's "
			       "configuration first",
			       r->containerd.file, runtime, usual->name, usual->type);
	return err_set(err,
		       "%s: no handler of type " RUNC_TYPE " runs %s; the default, %s, runs %s: "
		       "give as SHIM …/" SHIM_NAME "-%s, a link to the shim",
		       r->containerd.file, runtime, usual->name, containerd_runtime_name(usual),
		       containerd_runtime_name(usual));
}

static int check_rendered(const struct rendering *r, struct err *err)
{
	static const char *pass[] = {SPEC_ANNOTATION_PREFIX "*"};
	const struct containerd_handler handler = {
		.name = "rdma",
		.file = r->containerd.file,
		.binary = r->shim,
		.pod_annotations = pass,
		.n_pod_annotations = 1,
	};

	return handler_check_containerd(r->arena, r->root, &handler,
					r->own->binary[0] == '/' ? r->own->binary : "", &r->config,
					err);
}

/* Skip what we set, subtables and defaults: other versions may lack the key. */
static bool is_left_out(const struct toml_item *entry)
{
	static const char *const nothing[] = {"= \"\"", "= ''", "= []", "= 0", "= false"};

	if (strcmp(entry->key, entry->table[0] ? "BinaryName" : "pod_annotations") == 0 ||
	    (!entry->table[0] && strcmp(entry->key, "options") == 0))
		return true;
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		if (text_ends_with(entry->spelled, nothing[i]))
			return true;
	}
	return false;
}

static void print_entries(const struct containerd_handler *own, const char *table)
{
	for (size_t i = 0; i < own->entries.n; i++) {
		if (strcmp(own->entries.item[i].table, table) == 0 &&
		    !is_left_out(&own->entries.item[i]))
			printf("%s\n", own->entries.item[i].spelled);
	}
}

static void print_annotations(const struct containerd_handler *own)
{
	printf("pod_annotations = [");
	for (size_t i = 0; i < own->n_pod_annotations; i++) {
		if (strcmp(own->pod_annotations[i], SPEC_ANNOTATION_PREFIX "*") != 0)
			printf("'%s', ", own->pod_annotations[i]);
	}
	printf("'" SPEC_ANNOTATION_PREFIX "*']\n");
}

static void print_containerd_tables(const struct rendering *r)
{
	const char *runtime = handler_runtime_name(r->shim);
	char name[64];

	snprintf(name, sizeof(name), "rdma%s%.32s", r->is_default ? "" : "-",
		 r->is_default ? "" : runtime);
	printf("\n"
	       "# Rendered by: oci-rdma-admin --containerd-handler %s\n"
	       "#\n"
	       "# For pods with `runtimeClassName: %s`. Every setting but BinaryName "
	       "and pod_annotations is copied from the handler %s:\n"
	       "# render this again when that handler changes. Takes effect with `systemctl "
	       "restart containerd`; running containers go on.\n",
	       r->shim, name, r->own->name);
	printf("[plugins.'%s'.containerd.runtimes.%s]\n", r->plugin, name);
	if (!r->own->type[0])
		printf("runtime_type = '" RUNC_TYPE "'\n");
	print_entries(r->own, "");
	print_annotations(r->own);
	printf("[plugins.'%s'.containerd.runtimes.%s.options]\n", r->plugin, name);
	print_entries(r->own, "options");
	printf("BinaryName = '%s'\n", r->shim);
}

static int render_tables(struct rendering *r, const struct options *options, const char *printed,
			 struct err *err)
{
	if (handler_check_name(r->shim, "runc", "crun", err) < 0 ||
	    read_containerd(r, printed, err) < 0 || find_plugin(r, err) < 0 ||
	    find_own_containerd(r, err) < 0 ||
	    config_load(r->arena, r->root, options->config, &r->config, err) < 0)
		return -1;
	return check_rendered(r, err);
}

int containerd_handler(const struct options *options, const char *shim, const char *printed)
{
	cleanup_arena arena = {0};
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct rendering r = {.arena = &arena, .root = root, .shim = shim};

	if (root < 0 || render_tables(&r, options, printed, &err) < 0) {
		fprintf(stderr, ADMIN_NAME ": no handler is rendered: %s\n", err.text);
		return 1;
	}
	print_containerd_tables(&r);
	if (r.containerd.version > CONTAINERD_VERSION_KNOWN)
		fprintf(stderr,
			ADMIN_NAME ": %s: version %d is newer than %d, the newest that is "
				   "known here: compare the handlers in `containerd config "
				   "dump` before you restart containerd\n",
			printed, r.containerd.version, CONTAINERD_VERSION_KNOWN);
	return !command_line_printed(ADMIN_NAME);
}
