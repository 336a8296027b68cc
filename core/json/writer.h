/* SPDX-License-Identifier: Apache-2.0 */
/* JSON texts, made with yajl. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yajl/yajl_gen.h>

#include "core/base/arena.h"

/* Puts one value. It must own nothing (json/document.h). Negative: give up the text. */
typedef int json_put(yajl_gen gen, void *context);

/*
 * The text, in the arena, with its length if ret_len is not NULL. readable: indented, ends in a
 * line break. NULL without memory, if put says so, or if it did not put one whole value.
 */
const char *json_write(struct arena *arena, bool readable, json_put *put, void *context,
		       size_t *ret_len);

/* "text" with quotes and escapes, in the arena; NULL without memory. */
const char *json_quote(struct arena *arena, const char *text);

/* These cannot fail in the place of a value: without memory, json_write returns at once. */
void json_put_string(yajl_gen gen, const char *text);

/* Members of an object; json_put_member() puts null for NULL and "" */
void json_put_member(yajl_gen gen, const char *name, const char *text);
void json_put_text(yajl_gen gen, const char *name, const char *text);
void json_put_uint64(yajl_gen gen, const char *name, uint64_t number);
