/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way in or out: grows as far as its owner allows, and no further. */
#ifndef OCI_RDMA_NRI_BUFFER_H
#define OCI_RDMA_NRI_BUFFER_H

#include <stddef.h>

struct buffer {
	unsigned char *bytes;
	size_t len;
	size_t room;
	size_t max; /* of len */
};

/* Returns 0, or -1, with the buffer as it was, without memory or where it would exceed max. */
int buffer_append(struct buffer *buffer, const void *bytes, size_t len);

/* Takes the first len bytes out. */
void buffer_consume(struct buffer *buffer, size_t len);

/* Empty again. Memory that only a large message needs is given back. */
void buffer_clear(struct buffer *buffer);

void buffer_free(struct buffer *buffer);

#define cleanup_buffer __attribute__((cleanup(buffer_free))) struct buffer

#endif
