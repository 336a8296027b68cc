/* SPDX-License-Identifier: Apache-2.0 */
/* What --check-config has found */
#pragma once

#include <stddef.h>

#include "admin/installation/hooks_file.h"
#include "core/base/arena.h"
#include "core/base/err.h"

/* What was found of a file */
struct result {
	const char *what;
	const char *note;       /* behind "ok": "", or begins with a space */
	const char *problem;    /* a line that names it; NULL: it is right */
	struct hooks_file file; /* a hooks.d file that is right; else zero */
};

struct results {
	struct arena arena;
	struct result *item;
	size_t n;
	size_t room;
};

/* problem, file: NULL for none. If there is no memory, only the arena says so. */
void results_add(struct results *results, const char *what, const char *note,
		 const struct err *problem, const struct hooks_file *file);
