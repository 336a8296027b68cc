/* SPDX-License-Identifier: Apache-2.0 */
#include "core/command_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/stderr_line.h"

#ifdef COMMIT
static const char built_from[] = " (commit " COMMIT ")";
#else
static const char built_from[] = "";
#endif

/* word: getopt(3)'s last */
static int parse_common(const struct program *program, int option, const char *word,
			const char *value, struct options *options)
{
	switch (option) {
	case OPTION_CONFIG:
		options->config = value;
		return -1;
	case OPTION_SYSROOT:
		options->sysroot = value;
		return -1;
	case OPTION_VERSION:
		printf("%s " VERSION "%s\n", program->name, built_from);
		return !command_line_printed(program->name);
	case OPTION_HELP:
		fputs(program->usage, stdout);
		return !command_line_printed(program->name);
	case ':':
		return command_line_error(program->name, "no value for the option", word);
	default:
		return command_line_error(program->name, "unknown option", word);
	}
}

int command_line_read(const struct program *program, int argc, char **argv, struct options *common,
		      void *context)
{
	int status = -1;
	int option;

	opterr = 0; /* its messages lack --help */
	while (status < 0 &&
	       (option = getopt_long(argc, argv, COMMON_LETTERS, program->options, NULL)) != -1)
		status = option >= OPTION_OWN
				 ? program->take(context, option, optarg)
				 : parse_common(program, option, argv[optind - 1], optarg, common);
	return status;
}

int command_line_error(const char *name, const char *what, const char *which)
{
	struct err err;

	err_set(&err, "%s%s%s; see %s --help", what, which ? ": " : "", which ? which : "", name);
	stderr_line(name, err.text);
	return EXIT_USAGE;
}

bool command_line_printed(const char *name)
{
	struct err err;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	err_sys(&err, errno, "cannot write all of the output to stdout");
	stderr_line(name, err.text);
	return false;
}

int command_line_choose(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return (int)i;
	}
	return -1;
}

const char *options_directory(const struct options *options)
{
	return options->sysroot[0] == '/' && (!options->config || options->config[0] == '/') ? "/"
											     : NULL;
}
