/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "nri/wire/wire.h"

/* ---- a buffer ---- */

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

/* ---- NRI's frames ---- */

/* Returns how many bytes were taken, or -1. */
static ssize_t read_frame_header(struct mux *mux, const unsigned char *bytes, size_t len,
				 struct err *err)
{
	size_t n = MUX_HEADER - mux->have < len ? MUX_HEADER - mux->have : len;

	memcpy(mux->header + mux->have, bytes, n);
	mux->have += n;
	mux->left = mux->have == MUX_HEADER ? integer_read(mux->header + 4) : 0;
	if (mux->left > MUX_READ_MAX)
		return err_set(err, "a frame of %lu bytes: this is not NRI's protocol",
			       (unsigned long)mux->left);
	return (ssize_t)n;
}

static ssize_t read_frame(struct mux *mux, const unsigned char *bytes, size_t len, struct err *err)
{
	uint32_t stream = integer_read(mux->header);
	size_t n = mux->left < len ? mux->left : len;

	mux->left -= (uint32_t)n;
	if (stream == 0 || stream >= MUX_STREAMS)
		return (ssize_t)n;
	/* One whole message, and what was read with its end */
	mux->streams[stream].max = 2 * TTRPC_READ_MAX;
	if (buffer_append(&mux->streams[stream], bytes, n) < 0)
		return err_set(err, "no memory for a message of the runtime");
	return (ssize_t)n;
}

int mux_read(struct mux *mux, const unsigned char *bytes, size_t len, struct err *err)
{
	while (len) {
		ssize_t n = mux->have < MUX_HEADER ? read_frame_header(mux, bytes, len, err)
						   : read_frame(mux, bytes, len, err);

		if (n < 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
		if (mux->have == MUX_HEADER && !mux->left)
			mux->have = 0;
	}
	return 0;
}

void mux_free(struct mux *mux)
{
	for (size_t i = 0; i < MUX_STREAMS; i++)
		buffer_free(&mux->streams[i]);
}

static int mux_write(struct buffer *out, enum mux_stream stream, const unsigned char *bytes,
		     size_t len)
{
	size_t before = out->len;

	while (len) {
		size_t n = len < MUX_WRITE_MAX - MUX_HEADER ? len : MUX_WRITE_MAX - MUX_HEADER;
		unsigned char header[MUX_HEADER];

		integer_write(header, stream);
		integer_write(header + 4, (uint32_t)n);
		if (buffer_append(out, header, sizeof(header)) < 0 ||
		    buffer_append(out, bytes, n) < 0) {
			out->len = before;
			return -1;
		}
		bytes += n;
		len -= n;
	}
	return 0;
}

/* ---- ttrpc's messages ---- */

int ttrpc_next(const struct buffer *stream, struct ttrpc *ret_message, struct err *err)
{
	size_t len;

	if (stream->len < TTRPC_HEADER)
		return 0;
	len = integer_read(stream->bytes);
	if (len > TTRPC_READ_MAX)
		return err_set(err, "a message of %zu bytes: this is not NRI's protocol", len);
	if (stream->len - TTRPC_HEADER < len)
		return 0;
	*ret_message = (struct ttrpc){
		.call = integer_read(stream->bytes + 4),
		.type = stream->bytes[8],
		.body = {stream->bytes + TTRPC_HEADER, len},
	};
	return 1;
}

void ttrpc_taken(struct buffer *stream, const struct ttrpc *message)
{
	buffer_consume(stream, TTRPC_HEADER + message->body.len);
}

int ttrpc_write(struct buffer *out, enum mux_stream stream, enum ttrpc_type type, uint32_t call,
		const unsigned char *bytes, size_t len)
{
	struct buffer message = {.max = out->max};
	unsigned char header[TTRPC_HEADER] = {0};
	int status = -1;

	integer_write(header, (uint32_t)len);
	integer_write(header + 4, call);
	header[8] = (unsigned char)type;
	if (buffer_append(&message, header, sizeof(header)) == 0 &&
	    buffer_append(&message, bytes, len) == 0)
		status = mux_write(out, stream, message.bytes, message.len);
	buffer_free(&message);
	return status;
}
