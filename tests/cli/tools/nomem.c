/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: the allocation number NOMEM_AT of our own programs fails, or that and all behind it
 * with NOMEM_ALL set. The file NOMEM_TOLD is made when one has failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long count;
static int ended;

/* For tests/coverage.h */
void nomem_end(void)
{
	ended = 1;
}

/* The runtime behind the shim gets its memory. */
static int is_ours(void)
{
	return strncmp(program_invocation_short_name, "oci-rdma", strlen("oci-rdma")) == 0;
}

static int fails(void)
{
	static unsigned long at;
	const char *told = getenv("NOMEM_TOLD");

	if (!at) {
		const char *text = getenv("NOMEM_AT");

		at = text && is_ours() ? strtoul(text, NULL, 10) : (unsigned long)-1;
	}
	if (ended)
		return 0;
	if (++count != at && !(count > at && getenv("NOMEM_ALL")))
		return 0;
	if (told)
		(void)close(open(told, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	errno = ENOMEM;
	return 1;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
