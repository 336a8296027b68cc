/* SPDX-License-Identifier: Apache-2.0 */
/* Values about which nothing is known: CBMC takes a function nondet_… without a body for any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool nondet_bool(void);
char nondet_char(void);
unsigned char nondet_byte(void);
int nondet_int(void);
int64_t nondet_int64(void);
uint64_t nondet_uint64(void);
size_t nondet_size(void);

/* A text that is not looked into, or NULL, for a function that may lack memory */
static inline char *any_text(void)
{
	return nondet_bool() ? "text" : NULL;
}

/* Any text of up to N bytes */
#define ANY_TEXT(name, N)                                                                          \
	char name[(N) + 1];                                                                        \
	for (int i_ = 0; i_ < (N); i_++)                                                           \
		(name)[i_] = nondet_char();                                                        \
	(name)[N] = '\0'

/* A function that the proof does not look into */
#define STUB(type, name, args, value)                                                              \
	type name args                                                                             \
	{                                                                                          \
		return value;                                                                      \
	}

#define assume __CPROVER_assume
#define prove __CPROVER_assert
