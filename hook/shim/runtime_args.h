/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

enum runtime_command {
	RUNTIME_OTHER,
	RUNTIME_CREATE = 1, /* create, run and restore */
	RUNTIME_EXEC = 2,
};

#define CRUN 1U
#define RUNC 2U

/* Pointers into argv; NULL if absent. */
struct runtime_args {
	unsigned runtimes; /* option syntaxes to try: CRUN, RUNC, or both if unknown */
	enum runtime_command command;
	const char *id;
	const char *root;
	const char *log;
	const char *log_format;
	const char *bundle;
	const char *config; /* crun's --config, instead of config.json */
	const char *process;
};

/* runtime's name decides the syntax. Unknown options take no value. *ret_args is unspecified if the
 * runtime refuses the command line. */
void runtime_args_parse(const char *runtime, int argc, char *const *argv,
			struct runtime_args *ret_args);
