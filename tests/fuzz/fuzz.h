/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fuzz targets share. A target is one function: libFuzzer calls it with inputs that it
 * makes up (make fuzz), replay.c with those that are kept in corpus/ and crashes/ (make check).
 * What breaks a promise aborts; the sanitizers see the rest.
 */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise; the input that breaks it is kept. */
#define promise(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* Whatever is wrong is said in one line that says something. */
static inline int fuzz_failed(const struct err *err)
{
	promise(err->text[0] && !text_has_control(err->text));
	return 0;
}

/* Memory runs out nowhere here, so what may fail only for that must not. */
#define must(call) promise((call) >= 0)

/* The next line of the input, without its newline, as a string in the arena; "" behind the end.
 * A NUL ends it. */
static inline const char *fuzz_line(struct arena *arena, const uint8_t **data, size_t *size)
{
	const char *begin = (const char *)*data;
	const char *newline = *size ? memchr(begin, '\n', *size) : NULL;
	size_t len = newline ? (size_t)(newline - begin) : *size;

	*data += len + (newline != NULL);
	*size -= len + (newline != NULL);
	return arena_strndup(arena, len ? begin : "", len);
}

/* A directory of the run's own, below TMPDIR, which the caller of the target removes */
static inline int fuzz_directory(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/oci-rdma-fuzz.XXXXXX", tmp ? tmp : "/tmp");
	promise(mkdtemp(path) && chmod(path, 0755) == 0);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	promise(fd >= 0);
	return fd;
}

/* dir/name now holds just this. */
static inline void fuzz_write(int dir, const char *name, const char *bytes, size_t len)
{
	cleanup_fd fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	must(fs_write(fd, bytes, len));
}

/* The input in memory of its exact size, and in a file: what is read is what fs_read would give. */
static inline struct fs_text fuzz_text(struct arena *arena, const uint8_t *data, size_t size)
{
	return (struct fs_text){arena_strndup(arena, size ? (const char *)data : "", size), size};
}
