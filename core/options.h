/* SPDX-License-Identifier: Apache-2.0 */
/* The options that every entry point has: which node is read, and which policy. */
#pragma once

#include <stdbool.h>

struct options {
	const char *sysroot; /* "/" by default */
	const char *config;  /* NULL: the default below the sysroot */
	const char *engine;  /* the NRI socket of the engine that we serve; NULL: not known */
	bool ask; /* --ask: the container counts as one with the annotation inject: "true" */
};
