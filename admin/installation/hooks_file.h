/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/policy/policy.h"

#define HOOKS_FILE_SIZE_MAX (64 * 1024)

/* The kubelet's limit in seconds for creating a container (runtimeRequestTimeout) */
#define HOOKS_TIMEOUT_MAX 120

enum hooks_stage {
	HOOKS_CREATE_RUNTIME = 1 << 0,
	HOOKS_PRESTART = 1 << 1,
	HOOKS_POSTSTART = 1 << 2,
	HOOKS_PRECREATE = 1 << 3, /* only podman's */
	HOOKS_CREATE_CONTAINER = 1 << 4,
	HOOKS_START_CONTAINER = 1 << 5,
	HOOKS_POSTSTOP = 1 << 6,
};

#define HOOKS_OUR_STAGES (HOOKS_CREATE_RUNTIME | HOOKS_PRESTART | HOOKS_POSTSTART | HOOKS_PRECREATE)
#define HOOKS_ALL_STAGES                                                                           \
	(HOOKS_OUR_STAGES | HOOKS_CREATE_CONTAINER | HOOKS_START_CONTAINER | HOOKS_POSTSTOP)

struct hooks_file {
	const char *path; /* absolute */
	size_t path_line;
	const char **args;
	size_t n_args;
	size_t args_line;
	int64_t timeout; /* seconds; 0: not set */
	size_t timeout_line;
	unsigned stages; /* HOOKS_* */
	size_t stages_line;
	bool always; /* every container; else annotations or commands decide */
	size_t when_line;
};

/* Reads a file like CRI-O's and podman's hooks package (containers/common,
 * pkg/hooks/docs/oci-hooks.5.md). ours: also rejects what cannot work: unknown keys, conditions
 * that no (asking) container meets, arguments that the executable refuses, a wrong stage. Patterns:
 * POSIX extended, not quite Go's RE2. text: NUL-terminated. */
int hooks_file_read(struct arena *arena, const char *text, size_t len, const char *what, bool ours,
		    struct hooks_file *ret_file, struct err *err);

/* "createRuntime, poststart", in the arena; NULL without memory */
const char *hooks_stages_text(struct arena *arena, unsigned stages);

/* "opt_in": "device" needs every container shown to us. shown: stages where another file does. */
int hooks_file_check_opt_in(const struct hooks_file *file, unsigned shown,
			    const struct config *config, const char *what, struct err *err);

/* timeout_min: our deadline in seconds; engines' must be longer. */
int hooks_file_check_timeout(const struct hooks_file *file, int64_t timeout_min, const char *what,
			     struct err *err);
