/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the file of this program is still the one that it was started from, or a file that it was
 * told to end with is still there. */
#ifndef OCI_RDMA_NRI_OWN_FILE_H
#define OCI_RDMA_NRI_OWN_FILE_H

#include <stddef.h>

#define OWN_FILE_LINK "/proc/self/exe"

enum own_file {
	OWN_FILE_SAME, /* or that cannot be told */
	OWN_FILE_REPLACED,
	OWN_FILE_REMOVED,
};

/* link: OWN_FILE_LINK, or what stands for it in a test. path: gets the file's path. */
enum own_file own_file_look(const char *link, char *path, size_t size);

/* Whether a file is there, by its path. */
enum own_file own_file_look_at(const char *path);

#endif
