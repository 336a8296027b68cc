/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "doctor/compare/pairs.h"

/* matrix: else a list. Schema 1. Both return -1 on a write error. */
int pairs_print_text(FILE *out, const struct pairs *pairs, bool matrix);
int pairs_print_json(FILE *out, const struct pairs *pairs);

/* As compare_reports() */
int pairs_compare(char *const *files, size_t n, bool matrix, bool json);
