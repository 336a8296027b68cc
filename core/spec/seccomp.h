/* SPDX-License-Identifier: Apache-2.0 */
/* Which system calls that verbs and NCCL need linux.seccomp refuses */
#pragma once

#include <stdint.h>

#include "core/json/document.h"

/* NULL ends the list, which is sorted by how much is lost without. */
extern const char *const seccomp_names[];

/* linux.seccomp; bit n of a set is the n-th of seccomp_names. */
struct seccomp_profile {
	const struct json_node *place; /* NULL: there is none */
	uint32_t refused;
	uint32_t by_default; /* of these, because no rule names them: one more rule mends it */
};

struct seccomp_profile seccomp_read(struct json_document *doc, const struct json_node *seccomp);
