/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of an OCI runtime, as far as the shim must understand it: options before and
 * behind the subcommand, "--root DIR" and "--root=DIR", as crun (argp) and runc (urfave/cli) each
 * read them. What is not known is taken for an option without a value, and in any case passed on as
 * it is; of a command line that the runtime itself refuses nothing is promised.
 */
#ifndef OCI_RDMA_RUNTIME_ARGS_H
#define OCI_RDMA_RUNTIME_ARGS_H

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

#endif
