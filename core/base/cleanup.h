/* SPDX-License-Identifier: Apache-2.0 */
/* One owner per resource: what a variable owns goes when it leaves its scope. */
#ifndef OCI_RDMA_CLEANUP_H
#define OCI_RDMA_CLEANUP_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_close_fd(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void cleanup_close_dir(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static inline void cleanup_free_text(char **text)
{
	free(*text);
}

#define cleanup_fd __attribute__((cleanup(cleanup_close_fd))) int
#define cleanup_dir __attribute__((cleanup(cleanup_close_dir))) DIR
#define cleanup_free __attribute__((cleanup(cleanup_free_text))) char

/* Hands the descriptor to the caller: the variable no longer owns it. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
