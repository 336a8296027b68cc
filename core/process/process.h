/* SPDX-License-Identifier: Apache-2.0 */
/* A container's first process, held by a pidfd against reuse of its pid */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

/* Checks that the process' cgroup names id or cgroup (the last part of linux.cgroupsPath, or NULL),
 * or that our runtime started it. Returns 1 with a pidfd to close, 0 if it has ended, or -1 with
 * err set. */
int process_open(int64_t pid, const char *id, const char *cgroup, int *ret_pidfd, struct err *err);

/* False: it lives, and its pid is still its own. */
bool process_has_ended(int pidfd);

/* Returns a descriptor or -errno. Refuses a mount over it, which could lie (CVE-2025-52881). */
int process_open_proc(pid_t pid);

/* ---- /proc/PID/stat: its fields (proc(5)) ---- */

#define PROCESS_STAT_PARENT 4
#define PROCESS_STAT_START 22 /* clock ticks since boot */

/* A field behind the process' name; 0 on error. The kernel does not escape ")" or line breaks in
 * the name (fs/proc/array.c, do_task_stat): trust only what follows the last ')'. */
uint64_t process_stat_read(int dir, const char *path, int field);

/* ---- /proc/PID/cgroup, whose text is `cgroups` ---- */

/* True if name is a whole part of a path ("…/crio-NAME.scope", "…/libpod-NAME/container", "…/NAME")
 * and no earlier part is another container's, which could have made the rest. */
bool cgroup_names(const char *cgroups, const char *name);

#define CGROUP_ID_LENGTH 64 /* digits of CRI-O's, podman's, containerd's and Docker's ids */

/* NULL: none. Skips a podman pod's id, which precedes its containers'. */
const char *cgroup_find_id(const char *from, const char *to);

/* Those that the bounding set lacks: a runtime fails to set them (capabilities(7)). Call before
 * confine(). */
uint64_t own_lacks_capabilities(uint64_t capabilities);
