/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked by --wrap: the allocation number NOMEM_AT of the program fails, or that and all behind it
 * with NOMEM_ALL set. The file NOMEM_TOLD is made when one has failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long count;
static int off = 1;

/* Before, glibc asks for what it cannot start without. */
__attribute__((constructor)) static void nomem_begin(void)
{
	off = 0;
}

/* For tests/coverage.h */
void nomem_end(void);
void nomem_end(void)
{
	off = 1;
}

static int fails(void)
{
	static unsigned long at;
	const char *told = getenv("NOMEM_TOLD");

	if (!at) {
		const char *text = getenv("NOMEM_AT");

		at = text ? strtoul(text, NULL, 10) : (unsigned long)-1;
	}
	if (off)
		return 0;
	if (++count != at && !(count > at && getenv("NOMEM_ALL")))
		return 0;
	if (told) /* the hook's filter does not know musl's open(2) */
		(void)close(openat(AT_FDCWD, told, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	errno = ENOMEM;
	return 1;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	int was = off;
	void *memory;

	if (fails())
		return NULL;
	off = 1; /* musl's asks malloc */
	memory = __real_calloc(n, size);
	off = was;
	return memory;
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}
