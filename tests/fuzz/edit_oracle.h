/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an edit may do, told without the program's own reader: all bytes outside of the edited
 * arrays stay, and inside of them something is only added at the end, or a memlock limit replaced.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both texts are valid JSON, NUL-terminated. whole: of a config.json; else of a process.json */
bool edit_only_adds(const char *before, const char *after, bool whole);

/* Edits what spec_parse, or spec_parse_process, can read by several grants, and keeps all promises
 * of spec_edit.h. */
int edit_check(const uint8_t *data, size_t size, bool whole);
