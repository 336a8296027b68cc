/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/options.h"

#define EXIT_USAGE 2

enum common_option {
	OPTION_CONFIG = 256,
	OPTION_SYSROOT,
	OPTION_VERSION,
	OPTION_OWN,
	OPTION_HELP = 'h',
};

#define COMMON_LETTERS ":h"

#define COMMON_OPTION(name, argument, code)                                                        \
	{                                                                                          \
		name, argument, NULL, code                                                         \
	}
#define COMMON_OPTIONS                                                                             \
	COMMON_OPTION("config", required_argument, OPTION_CONFIG),                                 \
		COMMON_OPTION("sysroot", required_argument, OPTION_SYSROOT),                       \
		COMMON_OPTION("version", no_argument, OPTION_VERSION),                             \
		COMMON_OPTION("help", no_argument, OPTION_HELP)

struct program {
	const char *name;
	const char *usage;
	const struct option *options; /* its own and COMMON_OPTIONS, ended by {0} */
	/* Returns -1 to go on, or the exit status. */
	int (*take)(void *context, int option, char *value);
};

/* Sets optind to the first operand. Returns -1 to go on, or the exit status after --version, --help
 * or a reported error. */
int command_line_read(const struct program *program, int argc, char **argv, struct options *common,
		      void *context);

/* "NAME: WHAT: WHICH; see NAME --help". Returns EXIT_USAGE. which: or NULL */
int command_line_error(const char *name, const char *what, const char *which);

/* False after reporting a failed write */
bool command_line_printed(const char *name);

/* The directory to change to: "/", or NULL if an option's path is relative */
const char *options_directory(const struct options *options);

/* The index of name, or -1 */
int command_line_choose(const char *const *names, size_t n, const char *name);
