/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a command line with getopt_long(3), as far as it is the same for all programs. */
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
	OPTION_OWN, /* the first of a program's own */
	OPTION_HELP = 'h',
};

/* The letters that every program takes: -h is --help. */
#define COMMON_LETTERS ":h"

/* What a program's table has beside its own */
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
	const char *usage;            /* what --help prints */
	const struct option *options; /* its own and COMMON_OPTIONS, ended by {0} */
	/* Takes one of its own. Returns -1 to go on, or the exit status. */
	int (*take)(void *context, int option, char *value);
};

/* Reads all options; optind is then the first operand. common: may be a part of *context. Returns
 * -1 to go on, or the exit status after --version, --help or an error, which has been reported. */
int command_line_read(const struct program *program, int argc, char **argv, struct options *common,
		      void *context);

/* Prints "NAME: WHAT: WHICH; see NAME --help" on stderr (which: NULL for none). Always returns
 * EXIT_USAGE. */
int command_line_error(const char *name, const char *what, const char *which);

/* Flushes stdout. False if not everything could be written, which is reported under name. */
bool command_line_printed(const char *name);

/* The working directory to change to: "/", or NULL if one of the options' paths is relative to the
 * present one. */
const char *options_directory(const struct options *options);

/* The place of name among n names, or -1: for values of an option that are words */
int command_line_choose(const char *const *names, size_t n, const char *name);
