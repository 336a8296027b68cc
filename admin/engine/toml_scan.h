/* SPDX-License-Identifier: Apache-2.0 */
/* The words of TOML 1.0: strings, and what else a value may be but an array or an inline table. */
#ifndef OCI_RDMA_TOML_SCAN_H
#define OCI_RDMA_TOML_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct toml_scan {
	struct arena *arena;
	const char *what; /* the file, for errors */
	const char *at;
	size_t line;
	struct err *err;
};

/* Sets *err, with file and line. Returns -1. */
int toml_fail(struct toml_scan *scan, const char *why);

/* Spaces and tabs */
void toml_skip_spaces(struct toml_scan *scan);

/* A comment, if there is one, and the line's end; also at the text's end. */
int toml_end_line(struct toml_scan *scan);

/* Spaces, comments and line ends, as many as there are */
int toml_skip_lines(struct toml_scan *scan);

/* True if a string begins here. */
bool toml_at_string(const struct toml_scan *scan);

/* "basic", 'literal', and both of several lines where that is allowed. In the arena. */
int toml_string(struct toml_scan *scan, bool several_lines, const char **ret);

/* A truth, a number, a date or a time: checked, and passed over */
int toml_skip_scalar(struct toml_scan *scan);

#endif
