/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of a hooks.d directory (oci-hooks(5), version 1.0.0) that runs oci-rdma-hook. CRI-O does
 * not start with a file that it cannot read, and an engine silently leaves out a hook whose
 * program is missing, so all of that is found before a file is switched on.
 */
#ifndef OCI_RDMA_HOOKS_FILE_H
#define OCI_RDMA_HOOKS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/policy/policy.h"

#define HOOKS_FILE_SIZE_MAX (64 * 1024)

/* The kubelet gives a container's creation 2 minutes (runtimeRequestTimeout). */
#define HOOKS_TIMEOUT_MAX 120

enum hooks_stage {
	HOOKS_CREATE_RUNTIME = 1 << 0,
	HOOKS_PRESTART = 1 << 1,
	HOOKS_POSTSTART = 1 << 2,
	HOOKS_PRECREATE = 1 << 3, /* podman's alone */
};

struct hooks_file {
	const char *path; /* hook.path, absolute */
	size_t path_line;
	const char **args;
	size_t n_args;
	size_t args_line;
	int64_t timeout; /* seconds; 0: the file does not say */
	size_t timeout_line;
	unsigned stages; /* HOOKS_* */
	size_t stages_line;
	bool always; /* whatever the container is; else annotations or commands decide */
	size_t when_line;
};

/*
 * Reads it as the hooks package of CRI-O and podman does, and refuses also what they take and what
 * cannot work: unknown keys, conditions that no container meets or none that asks, arguments that
 * the executable refuses, a stage that they do not match. Patterns are compiled as POSIX extended
 * ones, which Go's RE2 comes close to: not the same.
 *
 * text: NUL-terminated behind len. what: the file as errors name it.
 */
int hooks_file_read(struct arena *arena, const char *text, size_t len, const char *what,
		    struct hooks_file *ret_file, struct err *err);

/* "opt_in": "device" serves nobody whose container the engine does not show us. */
int hooks_file_check_opt_in(const struct hooks_file *file, const struct config *config,
			    const char *what, struct err *err);

/* timeout_min: our own deadline in seconds. An engine's must be above it. */
int hooks_file_check_timeout(const struct hooks_file *file, int64_t timeout_min, const char *what,
			     struct err *err);

#endif
