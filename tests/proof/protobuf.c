/* SPDX-License-Identifier: Apache-2.0 */
/* field_next() for all messages of 5 bytes, from the first field to the last */
#include "nri/wire/field.c"

#include "tests/proof/any.h"

#define LENGTH 5

int main(void)
{
	unsigned char bytes[LENGTH];
	size_t len = nondet_size();
	struct message message = {bytes, len};
	struct field field;
	int status = 1;

	assume(len <= LENGTH);
	for (int i = 0; i < LENGTH; i++)
		bytes[i] = nondet_byte();
	for (int i = 0; i <= LENGTH && status > 0; i++) {
		size_t before = message.len;

		status = field_next(&message, &field);
		prove(message.bytes >= bytes && message.bytes + message.len == bytes + len,
		      "it stays in the message");
		prove(status <= 0 || message.len < before, "it goes on");
		prove(status <= 0 || (field.number >= 1 && field.number <= FIELD_MAX),
		      "a field has a number");
		prove(status <= 0 || !field.bytes.bytes ||
			      (field.bytes.bytes >= bytes &&
			       field.bytes.bytes + field.bytes.len <= bytes + len),
		      "a value stays in the message");
	}
	prove(status <= 0, "it ends");
	return 0;
}
