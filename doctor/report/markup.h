/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

/* Also for quoted attributes. '?' replaces control characters, invalid UTF-8 and bidi controls. */
void markup_put(FILE *out, const char *text);
