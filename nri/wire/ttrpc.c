/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

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

/* Returns how many bytes were taken. */
static size_t read_frame_header(struct mux *mux, const unsigned char *bytes, size_t len)
{
	size_t n = MUX_HEADER - mux->have < len ? MUX_HEADER - mux->have : len;

	memcpy(mux->header + mux->have, bytes, n);
	mux->have += n;
	if (mux->have == MUX_HEADER) {
		mux->stream = integer_read(mux->header);
		mux->left = integer_read(mux->header + 4);
	}
	return n;
}

static int check_header(const struct mux *mux, struct err *err)
{
	if (mux->have == MUX_HEADER && mux->left > MUX_READ_MAX)
		return err_set(err, "a frame of %lu bytes: this is not NRI's protocol",
			       (unsigned long)mux->left);
	return 0;
}

int mux_read(struct mux *mux, const unsigned char *bytes, size_t len, mux_take *take, void *context,
	     struct err *err)
{
	while (len) {
		size_t n;

		if (mux->have < MUX_HEADER) {
			n = read_frame_header(mux, bytes, len);
			if (check_header(mux, err) < 0)
				return -1;
		} else {
			n = mux->left < len ? mux->left : len;
			if (take(context, mux->stream, bytes, n, err) < 0)
				return -1;
			mux->left -= (uint32_t)n;
		}
		bytes += n;
		len -= n;
		if (mux->have == MUX_HEADER && !mux->left)
			mux->have = 0;
	}
	return 0;
}

int mux_write(struct buffer *out, enum mux_stream stream, const unsigned char *bytes, size_t len)
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

/* Returns how many bytes were taken. */
static size_t read_header(struct ttrpc *ttrpc, const unsigned char *bytes, size_t len)
{
	size_t n = TTRPC_HEADER - ttrpc->have < len ? TTRPC_HEADER - ttrpc->have : len;

	memcpy(ttrpc->header + ttrpc->have, bytes, n);
	ttrpc->have += n;
	if (ttrpc->have == TTRPC_HEADER) {
		ttrpc->left = integer_read(ttrpc->header);
		ttrpc->call = integer_read(ttrpc->header + 4);
		ttrpc->type = ttrpc->header[8];
	}
	return n;
}

static int begin(const struct ttrpc *ttrpc, const struct ttrpc_handler *handler, void *context,
		 struct err *err)
{
	if (ttrpc->have < TTRPC_HEADER)
		return 0;
	if (ttrpc->left > TTRPC_READ_MAX)
		return err_set(err, "a message of %lu bytes: this is not NRI's protocol",
			       (unsigned long)ttrpc->left);
	return handler->begin(context, ttrpc, err);
}

int ttrpc_read(struct ttrpc *ttrpc, const unsigned char *bytes, size_t len,
	       const struct ttrpc_handler *handler, void *context, struct err *err)
{
	while (len) {
		size_t n;
		int status;

		if (ttrpc->have < TTRPC_HEADER) {
			n = read_header(ttrpc, bytes, len);
			status = begin(ttrpc, handler, context, err);
		} else {
			n = ttrpc->left < len ? ttrpc->left : len;
			status = handler->part(context, bytes, n, err);
			ttrpc->left -= (uint32_t)n;
		}
		if (status == 0 && ttrpc->have == TTRPC_HEADER && !ttrpc->left) {
			ttrpc->have = 0;
			status = handler->end(context, ttrpc, err);
		}
		if (status < 0)
			return -1;
		bytes += n;
		len -= n;
	}
	return 0;
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
