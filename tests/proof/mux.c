/* SPDX-License-Identifier: Apache-2.0 */
/* mux_read() for any 10 bytes of which any part was read before, with frames of up to 2 bytes */
#include "nri/wire/ttrpc.h"

#include <stdlib.h>
#include <string.h>

#undef MUX_READ_MAX
#define MUX_READ_MAX 2

static unsigned char *any_memory(void *old, size_t size);
static void copy(unsigned char *to, const unsigned char *from, size_t size);

#define realloc(old, size) any_memory(old, size)
#define memcpy(to, from, size) copy(to, from, size)
#define memmove(to, from, size) copy(to, from, size)

#include "nri/wire/ttrpc.c"

#include "tests/proof/any.h"

#define LENGTH 10

STUB(int, err_sys, (struct err * err, int errnum, const char *format, ...), -1)

/* 256 bytes are asked for, once for each stream. */
static unsigned char *any_memory(void *old, size_t size)
{
	static unsigned char memory[MUX_STREAMS][LENGTH];
	static int n;

	return memory[n++];
}

static void copy(unsigned char *to, const unsigned char *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

int main(void)
{
	static unsigned char waiting[LENGTH];
	unsigned char bytes[LENGTH];
	size_t n = nondet_size();
	size_t before = nondet_size();
	struct mux mux = {.frame = {waiting, before, 256, LENGTH, 0}};
	struct err err;

	assume(before < MUX_HEADER + MUX_READ_MAX && n <= LENGTH - before);
	for (int i = 0; i < LENGTH; i++)
		waiting[i] = bytes[i] = nondet_byte();
	if (mux_read(&mux, bytes, n, &err) < 0)
		return 0;
	prove(mux.frame.len < MUX_HEADER + MUX_READ_MAX, "less than a frame waits");
	size_t taken = mux.streams[MUX_PLUGIN].len + mux.streams[MUX_RUNTIME].len;

	prove(!taken || mux.frame.len + MUX_HEADER + taken <= before + n,
	      "a byte goes to one stream, once");
	return 0;
}
