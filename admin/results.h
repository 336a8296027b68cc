/* SPDX-License-Identifier: Apache-2.0 */
/* Results of --check-config */
#pragma once

#include <stddef.h>

#include "admin/installation/hooks_file.h"
#include "core/base/arena.h"
#include "core/base/err.h"

struct result {
	const char *what;
	const char *note;       /* after "ok": "", or begins with a space */
	const char *problem;    /* line with its name; NULL: ok */
	struct hooks_file file; /* of a valid hooks.d file, else zero */
};

struct results {
	struct arena arena;
	struct result *item;
	size_t n;
	size_t room;
};

/* problem, file: NULL for none. Only arena.failed shows a lack of memory. */
void results_add(struct results *results, const char *what, const char *note,
		 const struct err *problem, const struct hooks_file *file);
