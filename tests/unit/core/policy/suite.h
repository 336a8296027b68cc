/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of core/policy/policy.c share */
#pragma once

#include "tests/unit/unit.h"

#include "core/policy/policy.h"

#define FILE_NAME "/etc/oci-rdma-hook/config.json"

/* Loads text as the config of a sysroot of its own. */
int load(struct arena *arena, const char *text, struct config *config, struct err *err);

/* All keys have their defaults but this one; changed: NULL if all have them. */
void check_keys(const struct config *config, const char *changed, const char *value);
