/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime sends: buffer_append() for buffers of up to 4,096 bytes, ttrpc_next() for any 15
 * bytes, with smaller limits. */
#include "nri/wire/ttrpc.h"

#include <stdlib.h>
#include <string.h>

#undef TTRPC_READ_MAX
#define TTRPC_READ_MAX 9
#undef TTRPC_KEPT_MAX
#define TTRPC_KEPT_MAX 3
#undef TTRPC_BEGINNING
#define TTRPC_BEGINNING 2

static unsigned char *any_memory(void *old, size_t size);
static void copy(unsigned char *to, const unsigned char *from, size_t size);

#define realloc(old, size) any_memory(old, size)
#define memcpy(to, from, size) copy(to, from, size)

#include "nri/wire/ttrpc.c"

#include "tests/proof/any.h"

STUB(int, err_sys, (struct err * err, int errnum, const char *format, ...), -1)

#define LENGTH 15
#define MOST 4096

static struct buffer *growing;
static unsigned char *room_of; /* the memory of one buffer */
static size_t room;

/* Only sizes matter here. */
static unsigned char *any_memory(void *old, size_t size)
{
	prove(size <= 256 || size < 2 * growing->max, "no more memory than twice the bound");
	room = size;
	return nondet_bool() ? room_of : NULL;
}

static void copy(unsigned char *to, const unsigned char *from, size_t size)
{
	prove(size <= room && (size_t)(to - room_of) <= room - size, "it is written inside");
}

static void prove_append(void)
{
	static unsigned char memory[4 * MOST];
	struct buffer buffer = {room_of = memory, nondet_size(), room = nondet_size(),
				nondet_size(), nondet_size()};
	struct buffer before = buffer;
	size_t len = nondet_size();

	assume(buffer.max <= MOST && buffer.room <= MOST && len <= MOST);
	assume(buffer.len <= buffer.room && buffer.len <= buffer.max);
	assume(!buffer.room || buffer.room >= 256);
	growing = &buffer;
	int status = buffer_append(&buffer, memory, len);

	prove(buffer.len <= buffer.max && buffer.len <= buffer.room, "a buffer keeps to its bound");
	prove(status == 0 || buffer.len == before.len, "a failure leaves what was there");
	prove(status < 0 || buffer.len - before.len + before.skip - buffer.skip == len,
	      "all is kept or skipped");
}

static void prove_message(void)
{
	unsigned char bytes[LENGTH];
	struct buffer stream = {bytes, nondet_size(), LENGTH, LENGTH, 0};
	size_t before = stream.len;
	struct ttrpc message;
	struct err err;
	size_t whole;

	assume(stream.len <= LENGTH);
	for (int i = 0; i < LENGTH; i++)
		bytes[i] = nondet_byte();
	if (ttrpc_next(&stream, &message, &err) <= 0)
		return;
	whole = integer_read(bytes);
	prove(whole <= TTRPC_READ_MAX, "a message is bounded");
	prove(message.body.bytes == bytes + TTRPC_HEADER &&
		      message.body.len <= stream.len - TTRPC_HEADER,
	      "a message is in its stream");
	prove(message.body.len + stream.skip == whole, "what is cut off is skipped");
	prove(stream.skip <= whole, "and nothing else is");
	buffer_consume(&stream, TTRPC_HEADER + message.body.len);
	prove(stream.len == before - TTRPC_HEADER - message.body.len, "what follows stays");
}

int main(void)
{
	prove_append();
	prove_message();
	return 0;
}
