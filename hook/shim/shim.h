/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci-rdma-runtime, in front of crun or runc: the same plan, put into the process spec before the
 * runtime reads it. This reaches what no hook can: environment, capabilities, and what exec starts.
 */
#ifndef OCI_RDMA_SHIM_H
#define OCI_RDMA_SHIM_H

#include "hook/hook.h"

/* ---- a runtime's command line (runtime_args.c) ---- */

enum runtime_command {
	RUNTIME_OTHER,
	RUNTIME_CREATE = 1, /* create, run and restore: a bundle becomes a container */
	RUNTIME_EXEC = 2,
};

#define CRUN 1U
#define RUNC 2U

/* Pointers into argv; NULL if absent. */
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
};

/*
 * Finds options before and behind the command, "--root DIR" and "--root=DIR". runtime: the path of
 * the program that is started; its name decides how argv is read. An unknown option is taken to
 * have no value. For a command line that the runtime refuses, the result is unspecified.
 */
void runtime_args_parse(const char *runtime, int argc, char *const *argv,
			struct runtime_args *ret_args);

/* ---- one run (commands.c) ---- */

struct shim {
	struct options options;
	struct runtime_args args;
	struct container container;
	struct outcome outcome;
};

/* create, run and restore: the container's spec is edited. */
void serve_create(struct shim *shim);

/* exec: puts the container's grant into the process spec, or into our own limit, which the runtime
 * inherits. */
void serve_exec(struct shim *shim);

/* ---- what a container was created with (container_state.c) ---- */

/*
 * Reads it into shim->container, of the spec only the process. Returns 1; 0 if the runtime does not
 * know the id or the container has no RDMA; -1 on error.
 *
 * The shim keeps no state: the container's config.json contains its grant, even if the policy has
 * changed since. The runtime's state leads there: crun keeps a copy as ROOT/ID/config.json
 * (libcrun/container.c, libcrun_copy_config_file); runc's exec uses the bundle in
 * ROOT/ID/state.json. So a container never gets the grant of an earlier one with the same id.
 * Trusting these files adds no risk: the runtime trusts them.
 */
int created_read_process(struct shim *shim, struct err *err);

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
