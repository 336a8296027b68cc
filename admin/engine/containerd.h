/* SPDX-License-Identifier: Apache-2.0 */
/* How containerd is configured, as far as a handler with the shim depends on it */
#pragma once

#include <stddef.h>

#include "admin/engine/toml.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define CONTAINERD_CONFIG "etc/containerd/config.toml"

struct containerd_handler {
	const char *name;
	const char *file;   /* the last that speaks of what it runs */
	const char *type;   /* runtime_type; "": not set */
	const char *binary; /* BinaryName; "": runc */
	const char **pod_annotations;
	size_t n_pod_annotations;
	struct toml_items entries; /* all of its keys (.table is ""), and those of its options */
};

struct containerd {
	const char *file;
	int version;                 /* of the file that imports the others; 0: not set */
	const char *plugin_file;     /* the last that has a table of the plugin; NULL */
	int plugin_version;          /* of that file */
	const char *default_runtime; /* "runc" where nothing is said */
	const char *default_file;    /* that names it */
	struct containerd_handler *handler;
	size_t n_handlers;
	size_t handlers_room;
};

/* One text: a file's, or what `containerd config dump` prints. Returns 0 or -1. */
int containerd_read_text(struct arena *arena, const char *what, const struct fs_text *text,
			 struct containerd *ret_containerd, struct err *err);

/*
 * A file below root, and those of its `imports`, as containerd reads them: a later value replaces
 * an earlier one. Returns 0; -ENOENT, with *err set, if there is no such file; or -1, also where a
 * file is missing that is imported by its name: containerd does not start then.
 */
int containerd_read(struct arena *arena, int root, const char *path,
		    struct containerd *ret_containerd, struct err *err);

/* The newest version of a configuration that is known here: that of containerd 2.3 and 2.4 */
#define CONTAINERD_VERSION_KNOWN 4

/*
 * What a configuration of that version calls the plugin that has the handlers: 2 (containerd 1.3 to
 * 1.7; 2.x also reads it), or 3 (2.0) and above; NULL below 2.
 */
const char *containerd_plugin(int version);

/* What a handler runs: its BinaryName without the directory; "runc" where it has none. */
const char *containerd_runtime_name(const struct containerd_handler *handler);

/*
 * The file whose table of the plugin takes the place of the one that has the handler: in containerd
 * 1.x (services/server/config, mergeConfig: "Replace entire sections"), or in a configuration of
 * version 3, which 2.x alone reads and merges, where that file has another version. From version 4
 * on each file is migrated before it is merged (LoadConfigWithPlugins). NULL: none.
 */
const char *containerd_replaced_by(const struct containerd *containerd,
				   const struct containerd_handler *handler);
