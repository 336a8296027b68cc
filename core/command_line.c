/* SPDX-License-Identifier: Apache-2.0 */
#include "core/command_line.h"

#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/tell.h"

int command_line_take(const struct program *program, int option, const char *value,
		      struct options *options)
{
	switch (option) {
	case OPTION_CONFIG:
		options->config = value;
		return -1;
	case OPTION_SYSROOT:
		options->sysroot = value;
		return -1;
	case OPTION_VERSION:
		(void)printf("%s " VERSION "\n", program->name);
		return 0;
	case OPTION_HELP:
		(void)fputs(program->usage, stdout);
		return 0;
	default:
		return EXIT_USAGE;
	}
}

int command_line_error(const struct program *program, const char *what, const char *which)
{
	struct err err;

	(void)err_set(&err, "%s%s%s; see %s --help", what, which ? ": " : "", which ? which : "",
		      program->name);
	tell(program->name, err.text);
	return EXIT_USAGE;
}

int command_line_choose(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return (int)i;
	}
	return -1;
}
