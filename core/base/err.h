/* SPDX-License-Identifier: Apache-2.0 */
/* One line: file, place, reason; control characters become '?'. Test .errnum, never the text.
 * Errors never allocate: "out of memory" is one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"

#define ERR_TEXT_MAX 1024

struct err {
	char text[ERR_TEXT_MAX];
	int errnum;       /* of the failed system call, or ENOMEM; or 0 */
	const char *more; /* further errors of the file, a line each, or NULL */
};

/* Set the text, append strerror(errnum) unless errnum is 0, return -1. */
int err_sys(struct err *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define err_set(err, ...) err_sys(err, 0, __VA_ARGS__)

/* Prefixes the existing text. Returns -1. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* err_of_arena(): 0 unless the arena has failed */
int err_memory(struct err *err);
int err_of_arena(const struct arena *arena, struct err *err);

/* Explains ENOSYS from openat2(2): an old kernel, or a seccomp filter */
const char *kernel_lacks_openat2(void);

/* ---- warnings, for log and dry run ---- */

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

/* Drops those beyond WARNINGS_MAX */
int warnings_add(struct arena *arena, struct warnings *warnings, const char *code,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
