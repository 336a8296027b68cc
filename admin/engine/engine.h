/* SPDX-License-Identifier: Apache-2.0 */
/* How CRI-O, containerd and Docker are configured, and where their programs are. */
#ifndef OCI_RDMA_ENGINE_H
#define OCI_RDMA_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "admin/engine/toml.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/base/text.h"

#define ENGINE_FILE_SIZE_MAX (1024 * 1024)

/* The shim's handlers and runtimes, as config/ and --crio-handler call them: "rdma", and
 * "rdma-RUNTIME" for another runtime than the engine's default one */
static inline bool names_handler(const char *name)
{
	return strcmp(name, "rdma") == 0 || text_starts_with(name, "rdma-");
}

/* ---- CRI-O, as far as a container's RDMA depends on it (crio.c) ---- */

#define CRIO_DIR "etc/crio"
#define CRIO_DROPINS CRIO_DIR "/crio.conf.d"
#define CRIO_STORAGE "/var/lib/containers/storage"

struct crio_handler {
	const char *name;
	const char *runtime_path;  /* "" if it is looked for in PATH by the handler's name */
	const char *runtime_type;  /* "": oci */
	const char *monitor_path;  /* "": conmon in PATH */
	bool inherits;             /* takes the default's path, whatever it says itself */
	struct toml_items entries; /* all of its keys; .table: the one below its own */
	const char *file;          /* that has its table */
};

struct crio_list {
	const char **item; /* ends with NULL */
	size_t n;
	const char *file; /* NULL: not set */
};

struct crio {
	bool installed;
	const char *default_runtime; /* NULL: not set */
	const char *default_file;
	const char
		*conmon; /* every handler's monitor_path, whatever the handler says; "": not set */
	const char *storage; /* [crio] root: where its containers are kept */
	struct crio_handler *handler;
	size_t n_handlers;
	size_t handlers_room;
	struct crio_list ulimits;
	struct crio_list hooks_dirs; /* or its default; .item is NULL without a CRI-O */
	const char **problem;        /* a line for each file that could not be read */
	size_t n_problems;
	size_t problems_room;
};

/*
 * /etc/crio/crio.conf, then /etc/crio/crio.conf.d in the order of the names (pkg/config/config.go,
 * UpdateFromPath), hidden ones too. A later value replaces an earlier one, lists are not joined,
 * and the table of a handler replaces that handler whole. Returns 0, or -1 without memory.
 */
int crio_read(struct arena *arena, int root, struct crio *ret_crio, struct err *err);

/* The whole configuration from one text, as `crio status config` prints it. Returns 0 or -1. */
int crio_read_text(struct arena *arena, const char *what, const struct fs_text *text,
		   struct crio *ret_crio, struct err *err);

/* The handler of that name, or NULL */
struct crio_handler *crio_find_handler(const struct crio *crio, const char *name);

/* ---- containerd, as far as a handler with the shim depends on it (containerd.c) ---- */

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

/* ---- Docker, as far as a runtime with the shim depends on it (docker.c) ---- */

#define DOCKER_CONFIG "etc/docker/daemon.json"

struct docker_runtime {
	const char *name;
	const char *path; /* "": it has none, as one of containerd's own kind (runtimeType) */
};

struct docker {
	const char *default_runtime; /* "runc" where nothing is said */
	const char *data_root;       /* where its containers are kept */
	struct docker_runtime *runtime;
	size_t n_runtimes;
};

/* What a daemon without a daemon.json has */
struct docker docker_defaults(void);

/* The text of a daemon.json. Returns 0 or -1. */
int docker_read_text(struct arena *arena, const struct fs_text *text, struct docker *ret_docker,
		     struct err *err);

/* NULL: there is none of that name, or it is built in. */
const struct docker_runtime *docker_find_runtime(const struct docker *docker, const char *name);

/* ---- their programs, below a node's root (program.c) ---- */

/* CRI-O's PATH, as systemd gives it to a service, for people */
#define PROGRAM_PATH "/usr/local/sbin, /usr/local/bin, /usr/sbin, /usr/bin"

/* True for a regular file, links followed below root, that somebody may execute. */
bool program_exists(int root, const char *path);

/* Where an engine finds the program of that name, in the arena; NULL: nowhere. */
const char *program_find(struct arena *arena, int root, const char *name);

/* True if the file's own name, links followed below root, begins so. */
bool program_is_called(int root, const char *path, const char *beginning);

/* True if both paths lead to the same file. */
bool program_is_same(int root, const char *a, const char *b);

#endif
