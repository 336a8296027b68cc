/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime's command line, which the shim takes */
#pragma once

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
