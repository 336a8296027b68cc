/* SPDX-License-Identifier: Apache-2.0 */
/* The usual slips of the pen in a JSON text that a parser has refused, for people. */
#ifndef OCI_RDMA_JSON_SLIP_H
#define OCI_RDMA_JSON_SLIP_H

#include <stdbool.h>
#include <stddef.h>

struct json_slip {
	const char *what;
	size_t line; /* counted from 1 */
};

/*
 * What is not closed at the text's end: a string, a comment, a bracket. comments: the text may have
 * some. False if nothing is.
 */
bool json_find_unclosed(const char *text, size_t len, bool comments, struct json_slip *ret_slip);

/* A comma behind the last item, where a parser has stopped at or behind the bracket that follows.
 */
bool json_find_comma(const char *text, size_t len, size_t stopped, bool comments,
		     struct json_slip *ret_slip);

#endif
