/* SPDX-License-Identifier: Apache-2.0 */
/* A container's first process, held by a pidfd: its pid may be reused */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

/* Its cgroup must name id or cgroup (linux.cgroupsPath's last part, or NULL), or our runtime must
 * have started it. Returns 1 with a pidfd to close, 0 if it has ended, or -1 */
int process_open(int64_t pid, const char *id, const char *cgroup, int *ret_pidfd, struct err *err);

/* False: it lives, and its pid is its own */
bool process_has_ended(int pidfd);

/* Returns a descriptor or -errno. Refuses a mount over it, which could lie (CVE-2025-52881). */
int process_open_proc(pid_t pid);

/* ---- /proc/PID/stat (proc(5)) ---- */

#define PROCESS_STAT_PARENT 4
#define PROCESS_STAT_START 22 /* clock ticks since boot */

/* 0 on error. The kernel does not escape ")" or line breaks in the process' name (fs/proc/array.c,
 * do_task_stat): trust only fields behind the last ')'. */
uint64_t process_stat_read(int dir, const char *path, int field);

/* ---- cgroups: /proc/PID/cgroup ---- */

/* True if name is a whole part of a path ("…/crio-NAME.scope", "…/libpod-NAME/container",
 * "…/NAME"), and none before it is another container's, which could make the rest */
bool cgroup_names(const char *cgroups, const char *name);

#define CGROUP_ID_LENGTH 64 /* digits: CRI-O's, podman's, containerd's, Docker's */

/* Or NULL. Skips a podman pod's id, which precedes its containers' */
const char *cgroup_find_id(const char *from, const char *to);

/* Those outside the bounding set: runtimes fail to set them (capabilities(7)). Call before
 * confine(). */
uint64_t own_lacks_capabilities(uint64_t capabilities);
