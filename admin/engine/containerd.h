/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#include "admin/engine/toml.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define CONTAINERD_CONFIG "etc/containerd/config.toml"

struct containerd_handler {
	const char *name;
	const char *file;   /* the last to set what it runs */
	const char *type;   /* runtime_type; "": not set */
	const char *binary; /* BinaryName; "": runc */
	const char **pod_annotations;
	size_t n_pod_annotations;
	struct toml_items entries; /* its keys (.table is "") and its options' */
};

struct containerd {
	const char *file;
	int version;                 /* of the importing file; 0: not set */
	const char *plugin_file;     /* the last with the plugin's table, or NULL */
	int plugin_version;          /* of that file */
	const char *default_runtime; /* "runc" if not set */
	const char *default_file;    /* that sets it */
	struct containerd_handler *handler;
	size_t n_handlers;
	size_t handlers_room;
};

/* A file's text, or that of `containerd config dump`. */
int containerd_read_text(struct arena *arena, const char *what, const struct fs_text *text,
			 struct containerd *ret_containerd, struct err *err);

/* Reads a file below root and its `imports`; later values win. Returns -ENOENT with err set, or -1,
 * also without a file imported by name (containerd does not start). */
int containerd_read(struct arena *arena, int root, const char *path,
		    struct containerd *ret_containerd, struct err *err);

/* The newest known: containerd 2.3, 2.4 */
#define CONTAINERD_VERSION_KNOWN 4

/* The handlers' plugin: version 2 (containerd 1.3 to 1.7; also read by 2.x), 3 (2.0) or later; NULL
 * below 2 */
const char *containerd_plugin(int version);

/* Base name of BinaryName; "runc" without one */
const char *containerd_runtime_name(const struct containerd_handler *handler);

/* The file whose plugin table replaces the handler's, or NULL: in containerd 1.x
 * (services/server/config, mergeConfig: "Replace entire sections"), or a file of another version in
 * a version 3 configuration (2.x). From version 4 files are migrated first
 * (LoadConfigWithPlugins). */
const char *containerd_replaced_by(const struct containerd *containerd,
				   const struct containerd_handler *handler);
