/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/wire/buffer.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_MIN 256
/* A container's message has 3 to 5 KiB. */
#define ROOM_KEPT (16 * 1024)

static int reserve(struct buffer *buffer, size_t len)
{
	size_t room = buffer->room ? buffer->room : ROOM_MIN;
	unsigned char *larger;

	if (len <= buffer->room)
		return 0;
	while (room < len)
		room *= 2;
	larger = realloc(buffer->bytes, room);
	if (!larger)
		return -1;
	buffer->bytes = larger;
	buffer->room = room;
	return 0;
}

int buffer_append(struct buffer *buffer, const void *bytes, size_t len)
{
	if (!len)
		return 0;
	if (len > buffer->max - buffer->len || reserve(buffer, buffer->len + len) < 0)
		return -1;
	memcpy(buffer->bytes + buffer->len, bytes, len);
	buffer->len += len;
	return 0;
}

void buffer_consume(struct buffer *buffer, size_t len)
{
	buffer->len -= len;
	if (buffer->len)
		memmove(buffer->bytes, buffer->bytes + len, buffer->len);
	else
		buffer_clear(buffer);
}

void buffer_clear(struct buffer *buffer)
{
	buffer->len = 0;
	if (buffer->room > ROOM_KEPT)
		buffer_free(buffer);
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->bytes);
	buffer->bytes = NULL;
	buffer->len = 0;
	buffer->room = 0;
}
