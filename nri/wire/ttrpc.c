/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/wire/ttrpc.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "nri/wire/field.h"

/* A container's message has 3 to 5 KiB */
#define ROOM_KEPT (16 * 1024)

int buffer_append(struct buffer *buffer, const void *bytes, size_t len)
{
	size_t room = buffer->room ? buffer->room : 256;
	size_t skipped = len < buffer->skip ? len : buffer->skip;

	buffer->skip -= skipped;
	bytes = (const unsigned char *)bytes + skipped;
	len -= skipped;
	if (!len)
		return 0;
	if (len > buffer->max - buffer->len)
		return -1;
	while (room < buffer->len + len)
		room *= 2;
	if (room > buffer->room) {
		unsigned char *larger = realloc(buffer->bytes, room);

		if (!larger)
			return -1;
		buffer->bytes = larger;
		buffer->room = room;
	}
	memcpy(buffer->bytes + buffer->len, bytes, len);
	buffer->len += len;
	return 0;
}

void buffer_consume(struct buffer *buffer, size_t len)
{
	buffer->len -= len;
	if (buffer->len)
		memmove(buffer->bytes, buffer->bytes + len, buffer->len);
	else if (buffer->room > ROOM_KEPT)
		buffer_free(buffer);
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct buffer){.max = buffer->max, .skip = buffer->skip};
}

static int read_whole_frames(struct mux *mux, struct err *err)
{
	struct buffer *in = &mux->frame;
	size_t taken = 0;

	while (in->len - taken >= MUX_HEADER) {
		const unsigned char *frame = in->bytes + taken;
		uint32_t stream = integer_read(frame);
		size_t len = integer_read(frame + 4);

		if (len > MUX_READ_MAX)
			return err_set(err, "a frame of %zu bytes: this is not NRI's protocol",
				       len);
		if (in->len - taken - MUX_HEADER < len)
			break;
		if (stream > 0 && stream < MUX_STREAMS &&
		    buffer_append(&mux->streams[stream], frame + MUX_HEADER, len) < 0)
			return err_set(err, "no memory for a message of the runtime");
		taken += MUX_HEADER + len;
	}
	buffer_consume(in, taken);
	return 0;
}

int mux_read(struct mux *mux, const unsigned char *bytes, size_t len, struct err *err)
{
	mux->frame.max = 2 * MUX_READ_MAX;
	for (size_t i = 0; i < MUX_STREAMS; i++)
		mux->streams[i].max = 2 * TTRPC_READ_MAX;
	if (buffer_append(&mux->frame, bytes, len) < 0)
		return err_set(err, "no memory for a message of the runtime");
	return read_whole_frames(mux, err);
}

void mux_free(struct mux *mux)
{
	buffer_free(&mux->frame);
	for (size_t i = 0; i < MUX_STREAMS; i++)
		buffer_free(&mux->streams[i]);
}

int ttrpc_next(struct buffer *stream, struct ttrpc *ret_message, struct err *err)
{
	size_t there;
	size_t len;

	if (stream->len < TTRPC_HEADER)
		return 0;
	len = integer_read(stream->bytes);
	there = stream->len - TTRPC_HEADER;
	if (len > TTRPC_READ_MAX)
		return err_set(err, "a message of %zu bytes: this is not NRI's protocol", len);
	if (len > TTRPC_KEPT_MAX && there >= TTRPC_BEGINNING && there < len) {
		stream->skip = len - there;
		len = there;
	}
	if (there < len)
		return 0;
	*ret_message = (struct ttrpc){
		.call = integer_read(stream->bytes + 4),
		.type = stream->bytes[8],
		.body = {stream->bytes + TTRPC_HEADER, len},
	};
	return 1;
}

int ttrpc_write(struct buffer *out, enum mux_stream stream, enum ttrpc_type type, uint32_t call,
		const struct message *body)
{
	unsigned char front[MUX_HEADER + TTRPC_HEADER] = {0};
	size_t front_len = sizeof(front); /* later frames: MUX_HEADER */
	size_t before = out->len;
	size_t sent = 0;

	integer_write(front, stream);
	integer_write(front + MUX_HEADER, (uint32_t)body->len);
	integer_write(front + MUX_HEADER + 4, call);
	front[MUX_HEADER + 8] = (unsigned char)type;
	do {
		size_t room = MUX_WRITE_MAX - front_len;
		size_t n = body->len - sent < room ? body->len - sent : room;

		integer_write(front + 4, (uint32_t)(front_len - MUX_HEADER + n));
		if (buffer_append(out, front, front_len) < 0 ||
		    (n && buffer_append(out, body->bytes + sent, n) < 0)) {
			out->len = before;
			return -1;
		}
		sent += n;
		front_len = MUX_HEADER;
	} while (sent < body->len);
	return 0;
}
