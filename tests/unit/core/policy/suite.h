/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tests/unit/unit.h"

#include "core/policy/policy.h"

#define FILE_NAME "/etc/oci-rdma-hook/config.json"

/* Loads text as a sysroot's config. */
int load(struct arena *arena, const char *text, struct config *config, struct err *err);

/* Checks that all keys but this one have defaults; changed NULL: all have. */
void check_keys(const struct config *config, const char *changed, const char *value);
