/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NRI's multiplexer: two streams over one socket (containerd/nri, pkg/net/multiplex).
 *
 *   u32be stream | u32be length | length bytes
 *
 * A frame holds any part of its stream. The plugin's service is called on one stream, the runtime's
 * on the other; no frame opens or closes them.
 */
#ifndef OCI_RDMA_NRI_MUX_H
#define OCI_RDMA_NRI_MUX_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "nri/wire/buffer.h"

enum mux_stream {
	MUX_PLUGIN = 1,
	MUX_RUNTIME = 2,
};

#define MUX_HEADER 8
/* The largest message of ttrpc and its header: no runtime writes more at once. */
#define MUX_READ_MAX (4 * 1024 * 1024 + 10)
/* With the header. The runtime reads by 4096 bytes, and closes where a frame is larger
 * (pkg/net/multiplex/mux.go, Read: ENOMEM). */
#define MUX_WRITE_MAX 4096

struct mux {
	unsigned char header[MUX_HEADER];
	size_t have; /* of the header */
	uint32_t stream;
	uint32_t left; /* of the frame */
};

/* A part of a stream, in order. Negative: no further. */
typedef int mux_take(void *context, uint32_t stream, const unsigned char *bytes, size_t len,
		     struct err *err);

/* What was read, cut anywhere. Returns 0, or -1 where this is none of the protocol, or take says
 * so. */
int mux_read(struct mux *mux, const unsigned char *bytes, size_t len, mux_take *take, void *context,
	     struct err *err);

/* Returns 0, or -1 where out has no room for all of it. */
int mux_write(struct buffer *out, enum mux_stream stream, const unsigned char *bytes, size_t len);

#endif
