/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong, for the person who has to mend it: one line that names file, place and reason.
 *
 * A function that can fail returns a negative value and leaves its reason in *err; callers that
 * know more about the place put it in front. To tell one reason from another, ask .errnum, never
 * the text. Control characters of quoted input become '?'. Nothing here allocates memory, so "out
 * of memory" can be reported.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"

#define ERR_TEXT_MAX 1024

struct err {
	char text[ERR_TEXT_MAX];
	int errnum; /* of the system call that failed, or ENOMEM; 0: no call, or none that matters
		     */
	const char *more; /* further errors of the same file, a line each, in an arena; or NULL */
};

/* Sets the reason, with ": " and the text of errnum (a positive errno value; 0: none) behind it.
 * These return -1, so that a caller can say `return err_set(…)`. */
int err_sys(struct err *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define err_set(err, ...) err_sys(err, 0, __VA_ARGS__)

/* Puts "…: " in front of the reason that is already there. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets "out of memory"; the second only if the arena has failed, and returns 0 otherwise. */
int err_memory(struct err *err);
int err_of_arena(const struct arena *arena, struct err *err);

/* Why openat2(2) answers ENOSYS, and what to do: the kernel, or a filter of system calls */
const char *kernel_lacks_openat2(void);

/* ---- warnings: what stands in the way without stopping us, for the dry run and the
 * log ---- */

/* Enough for any real container; a pod that provokes more learns nothing new from the rest. */
#define WARNINGS_MAX 128

struct warning {
	const char *code; /* stable, for scripts */
	const char *message;
};

struct warnings {
	struct warning *item;
	size_t n;
	size_t room;
};

/* Returns 0, or -1 without memory. What does not fit below WARNINGS_MAX is left out. */
int warnings_add(struct arena *arena, struct warnings *warnings, const char *code,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
