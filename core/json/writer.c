/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/json/document.h"

const char *json_write(struct arena *arena, bool readable, json_put *put, void *context,
		       size_t *ret_len)
{
	struct json_memory memory;
	const unsigned char *text;
	yajl_gen gen;
	size_t len;

	json_memory_init(&memory, arena);
	if (setjmp(memory.none_left) != 0)
		return NULL;
	gen = yajl_gen_alloc(&memory.functions);
	if (readable) {
		yajl_gen_config(gen, yajl_gen_beautify, 1);
		yajl_gen_config(gen, yajl_gen_indent_string, "  ");
	}
	/* yajl refuses another value only after a complete one. */
	if (put(gen, context) < 0 || yajl_gen_null(gen) != yajl_gen_generation_complete ||
	    yajl_gen_get_buf(gen, &text, &len) != yajl_gen_status_ok) {
		arena->failed = true;
		return NULL;
	}
	if (ret_len)
		*ret_len = len;
	return arena_strndup(arena, (const char *)text, len);
}

static int put_quoted(yajl_gen gen, void *context)
{
	json_put_string(gen, context);
	return 0;
}

const char *json_quote(struct arena *arena, const char *text)
{
	return json_write(arena, false, put_quoted, (void *)text, NULL);
}

void json_put_string(yajl_gen gen, const char *text)
{
	yajl_gen_string(gen, (const unsigned char *)text, strlen(text));
}

void json_put_member(yajl_gen gen, const char *name, const char *text)
{
	json_put_string(gen, name);
	if (text && text[0])
		json_put_string(gen, text);
	else
		yajl_gen_null(gen);
}

void json_put_text(yajl_gen gen, const char *name, const char *text)
{
	json_put_string(gen, name);
	json_put_string(gen, text);
}

void json_put_uint64(yajl_gen gen, const char *name, uint64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	json_put_string(gen, name);
	yajl_gen_number(gen, digits, strlen(digits));
}
