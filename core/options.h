/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

struct options {
	const char *sysroot;
	const char *config; /* NULL: the default below the sysroot */
	const char *engine; /* NULL: unknown */
	bool ask;           /* as with inject: "true" */
};
