/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

#define CGROUP_PATH_SIZE 512

/* By linux.cgroupsPath, below root, the sysroot; "" if unknown */
void cgroup_find(int root, const char *cgroups_path, char path[CGROUP_PATH_SIZE]);

/* True if the container has ended, even without hostPID; false if unknown */
bool cgroup_is_gone(int root, const char *path);

/* 0 if none, or in another pid namespace */
int64_t cgroup_first(int root, const char *path);

/* Raises (never lowers) RLIMIT_MEMLOCK of all processes in and below the cgroup; repeats, since
 * they fork. Needs the node's pid namespace and CAP_SYS_RESOURCE. *ret_n: number raised. */
int cgroup_mend(int root, const char *path, uint64_t memlock, size_t *ret_n, struct err *err);
