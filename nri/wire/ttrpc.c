/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/wire/ttrpc.h"

#include <string.h>

#include "nri/wire/integer.h"

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
	cleanup_buffer message = {.max = out->max};
	unsigned char header[TTRPC_HEADER] = {0};

	integer_write(header, (uint32_t)len);
	integer_write(header + 4, call);
	header[8] = (unsigned char)type;
	if (buffer_append(&message, header, sizeof(header)) < 0 ||
	    buffer_append(&message, bytes, len) < 0)
		return -1;
	return mux_write(out, stream, message.bytes, message.len);
}
