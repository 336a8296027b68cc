/* SPDX-License-Identifier: Apache-2.0 */
/* A container's cgroup */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

#define CGROUP_PATH_SIZE 512

/* Where linux.cgroupsPath says that it is, below the sysroot root; "" if that is not known */
void cgroup_find(int root, const char *cgroups_path, char path[CGROUP_PATH_SIZE]);

/* Whether its container has ended, which also a pod without the node's pids sees. False also if
 * that cannot be told, or path is NULL. */
bool cgroup_is_gone(int root, const char *path);

/* The first process that is listed there; 0: none is, or it is of another pid namespace. */
int64_t cgroup_first(int root, const char *path);

/*
 * Raises RLIMIT_MEMLOCK of each process of that cgroup and below it, until a look at all of them
 * finds none that is lower, since a process may fork meanwhile. No limit is lowered. It needs the
 * node's pid namespace and CAP_SYS_RESOURCE. *ret_n: how many were raised. Returns 0, or -1 with
 * the reason.
 */
int cgroup_mend(int root, const char *path, uint64_t memlock, size_t *ret_n, struct err *err);
