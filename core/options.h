/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

struct options {
	const char *sysroot; /* "/" by default */
	const char *config;  /* NULL: the default below the sysroot */
	const char *engine;  /* its NRI socket; NULL: unknown */
	bool ask;            /* --ask: as with the annotation inject: "true" */
};
