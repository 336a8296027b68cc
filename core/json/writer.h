/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yajl/yajl_gen.h>

#include "core/base/arena.h"

/* Puts one value; owns nothing (json/document.h). Negative: give up. */
typedef int json_put(yajl_gen gen, void *context);

/* NULL also if put does not write exactly one value. readable: indented, a final newline */
const char *json_write(struct arena *arena, bool readable, json_put *put, void *context,
		       size_t *ret_len);

/* Quoted and escaped */
const char *json_quote(struct arena *arena, const char *text);

/* Cannot fail: without memory json_write() returns at once. */
void json_put_string(yajl_gen gen, const char *text);

/* json_put_member(): null for NULL and "" */
void json_put_member(yajl_gen gen, const char *name, const char *text);
void json_put_text(yajl_gen gen, const char *name, const char *text);
void json_put_uint64(yajl_gen gen, const char *name, uint64_t number);
