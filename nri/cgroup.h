/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

#define CGROUP_PATH_SIZE 512

/* "" if unknown */
void cgroup_find(int root, const char *cgroups_path, char path[CGROUP_PATH_SIZE]);

/* Also without hostPID; false if unknown */
bool cgroup_is_gone(int root, const char *path);

/* 0: none, or in another pid namespace */
int64_t cgroup_first(int root, const char *path);

/* Never lowers; repeats for forks. Needs the node's pid namespace and CAP_SYS_RESOURCE. *ret_n:
 * number raised */
int cgroup_mend(int root, const char *path, uint64_t memlock, size_t *ret_n, struct err *err);
