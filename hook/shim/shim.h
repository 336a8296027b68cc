/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci-rdma-runtime, in front of crun or runc: the same plan, put into the process spec before the
 * runtime reads it.
 * This reaches what no hook can: environment, capabilities, and what exec starts.
 */
#ifndef OCI_RDMA_SHIM_H
#define OCI_RDMA_SHIM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/apply/spec_edit.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/container/container.h"
#include "core/options.h"
#include "core/outcome.h"
#include "core/policy/policy.h"

/* ---- a runtime's command line (runtime_args.c) ---- */

/*
 * The command line of an OCI runtime, as far as the shim must understand it: options before and
 * behind the subcommand, "--root DIR" and "--root=DIR", as crun (argp) and runc (urfave/cli) each
 * read them. What is not known is taken for an option without a value, and in any case passed on as
 * it is; of a command line that the runtime itself refuses nothing is promised.
 */

enum runtime_command {
	RUNTIME_OTHER,
	RUNTIME_CREATE, /* create, run and restore: a bundle becomes a container */
	RUNTIME_EXEC,
	RUNTIME_DELETE,
};

#define RUNTIME_CRUN 1U
#define RUNTIME_RUNC 2U

/* Pointers into argv; NULL where it does not say. */
struct runtime_args {
	unsigned runtimes; /* whose command line it is, or, of another runtime, may be */
	enum runtime_command command;
	const char *id;
	const char *root;
	const char *log;
	const char *log_format;
	const char *bundle;
	const char *config; /* crun's --config: another file name than config.json */
	const char *process;
	const char *pid_file;
	int force; /* delete --force */
};

/* runtime: the path of the one that is started; its name says how it reads its command line. */
void runtime_args_parse(const char *runtime, int argc, char *const *argv,
			struct runtime_args *ret_args);

/* ---- what a container was granted (record.c) ---- */

/*
 * What a container was granted when it was created, kept from create to delete: an exec needs no
 * second look at the node, and gets what the container got even if a policy has changed since.
 *
 * One file per container (id and --root) below the state directory (on a tmpfs: it outlives the
 * engine, not the node), owned by root and readable by nobody else.
 */

/*
 * The policy's state_dir; for an engine that is its user's own (rootless podman), where the policy
 * does not name another, oci-rdma-hook in the user's runtime directory, since /run is root's. NULL
 * without memory.
 */
const char *state_dir_find(struct arena *arena, const struct config *config);

/* Whose record it is: an id means a container only together with the runtime's --root. */
struct record_key {
	const char *id;
	const char *root;    /* "": not given; then it is that of this runtime */
	const char *runtime; /* its path */
};

struct record_name {
	char text[NAME_MAX + 1];
};

/* "<id>@<hash of --root>.json". Returns 0, or -1 if that can be no container's id. */
int record_name(const struct record_key *key, struct record_name *ret_name);

struct record {
	const char *bundle; /* absolute path */
	const char *config; /* absolute path of the container's config.json */
	uint64_t device;    /* of that file, with the inode */
	uint64_t inode;
	uint64_t created;     /* nanoseconds since the node's start, suspends included */
	const char *root;     /* the runtime's --root; "" if it was not given */
	const char *pid_file; /* "" if it was not given */
	struct grant grant;
};

/* Fills in device, inode and created; st: of the config.json. Returns 0 or -errno. */
int record_identify(const struct stat *st, struct record *record);

/* Makes the state directory, if it is not there: before a container is changed, not after. */
int record_prepare(const char *state_dir, struct err *err);

/* Replaces the container's record, at once and whole. Returns 0, or -1 with the reason. */
int record_save(const char *state_dir, const struct record_key *key, const struct record *record,
		struct err *err);

/*
 * Returns 1 with *ret_record in the arena, 0 if there is none, or -1. *ret_exists: there is one,
 * readable or not, so that the container is one that was granted something.
 */
int record_load(struct arena *arena, const char *state_dir, const struct record_key *key,
		struct record *ret_record, bool *ret_exists, struct err *err);

/* A record that does not exist is no error. */
void record_remove(const char *state_dir, const struct record_key *key);

/*
 * False if the record is of an earlier container of that id: its config.json is gone or another
 * file (a runtime between us and the last one may have rewritten it in its place), or its process,
 * pid, is gone or did not start when the record was made. pid 0: not known, which says nothing
 * against it.
 */
bool record_is_current(const struct record *record, pid_t pid);

/* ---- the last choice (shim.c) ---- */

/*
 * Which runtimes and state_dir were last in force, for when the config cannot be read: a link in
 * /run whose target is their text. A link is read and replaced in one system call each, and without
 * a descriptor, which may be what is lacking (EMFILE).
 */

/* Costs one readlink(2) where it has not changed. What cannot be remembered (/run is not ours, the
 * list is longer than a path may be) is not. */
void last_choice_save(const struct options *options, const struct config *config);

/* Returns 0 with runtimes and state_dir in *config, or -1 if nothing is remembered. */
int last_choice_load(struct arena *arena, const struct options *options, struct config *config);

/* ---- one run (commands.c) ---- */

/*
 * One run of the shim, and what it does for the runtime's commands before the runtime is started:
 * shim->outcome has what became of it, and it is logged.
 */

#define WAY_IN "runtime"

struct shim {
	struct options options;
	struct runtime_args args;
	struct container container;
	const char *runtime; /* the real one */
	struct record_key key;
	struct outcome outcome;
	struct err err;
};

/* create, run and restore: the container's spec is edited, and what it was granted is recorded. */
void serve_create(struct shim *shim);

/* exec: what the record says goes into the process, or into our own limit, which the runtime hands
 * on. */
void serve_exec(struct shim *shim);

/* delete: the record goes, unless the runtime will refuse because the container runs. */
void serve_delete(struct shim *shim);

/* ---- whose record it is (record.c) ---- */

/*
 * Whose record it is: an id can be used again. The container's process says so, by the file that
 * the runtime was told to write its pid to, or else by the runtime's own answer.
 */

/* False for a record of an earlier container of that id, which was created past us since. Where
 * nobody can say whose the id is, the record is this container's. */
bool owner_is_current(struct shim *shim, const struct record *record);

/* True if the recorded container's process is known to run. The runtime is asked rather than that a
 * record of one that runs is lost. */
bool owner_runs(struct shim *shim, const struct record *record);

/* ---- the entry point (shim.c) ---- */

/*
 * argv: the runtime's own command line. Ends in execv of the real runtime, with arguments,
 * environment, directory and descriptors as they came; returns an exit status only where there is
 * no runtime, or where an RDMA container could not be served and the config says to fail then.
 *
 * Options come by OCI_RDMA_CONFIG and OCI_RDMA_SYSROOT: the engine's environment, never the
 * container's.
 */
int shim_run(int argc, char **argv);

#endif
