/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/wire/mux.h"

#include <string.h>

#include "nri/wire/integer.h"

/* Returns how many bytes were taken. */
static size_t read_header(struct mux *mux, const unsigned char *bytes, size_t len)
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
			n = read_header(mux, bytes, len);
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
