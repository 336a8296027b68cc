/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

#include "core/json/document.h"

/* Most important first; ended by NULL */
extern const char *const seccomp_names[];

/* Bit n is seccomp_names[n]. */
struct seccomp_profile {
	const struct json_node *place; /* NULL if absent */
	uint32_t refused;
	uint32_t by_default; /* refused by defaultAction alone; a rule can allow them */
};

struct seccomp_profile seccomp_read(struct json_document *doc, const struct json_node *seccomp);
