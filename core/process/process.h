/* SPDX-License-Identifier: Apache-2.0 */
/* The container's first process, held so that its pid cannot come to mean another. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

/* Opens the process and checks that it is this container's: its cgroup names the container's id or
 * the last part of linux.cgroupsPath (NULL: none), or the runtime that called us started it.
 * Returns 1, with a pidfd that the caller owns; 0 if the process has ended, which is no error; -1
 * if it is another's. */
int process_open(int64_t pid, const char *id, const char *cgroup, int *ret_pidfd, struct err *err);

/* True if the process has ended, and nobody else has its pid meanwhile */
bool process_has_ended(int pidfd);

/* /proc/<pid>, or -errno; another file system mounted there must not speak for the kernel
 * (CVE-2025-52881). */
int process_open_proc(pid_t pid);

/* ---- /proc/PID/stat: its fields (proc(5)) ---- */

#define PROCESS_STAT_PARENT 4
#define PROCESS_STAT_START 22 /* in clock ticks since the machine's start */

/* A field behind the process' name; path: below dir. 0 if the file cannot be read whole, or ends
 * before. The name may hold anything, also ")" and line breaks, which the kernel does not escape
 * (fs/proc/array.c, do_task_stat): only what stands behind the last ')' is the kernel's. */
uint64_t process_stat_read(int dir, const char *path, int field);

/* ---- /proc/PID/cgroup, whose text is `cgroups` ---- */

/* True if one of the cgroups has that name as a whole part of its path: "…/crio-NAME.scope",
 * "…/libpod-NAME/container", "…/NAME"; and no part before it is another container's, which may have
 * made the rest. */
bool cgroup_names(const char *cgroups, const char *name);

#define CGROUP_ID_LENGTH 64 /* of CRI-O's, podman's, containerd's and Docker's ids, in digits */

/* The first id of a container, CGROUP_ID_LENGTH digits; a podman pod's, which stands in front of
 * its containers', is none. NULL: there is none */
const char *cgroup_find_id(const char *from, const char *to);

/* ---- this process: its own limit and capabilities bound those of what it starts ---- */

/* Those of these capabilities that the bounding set lacks, so that a runtime fails at them
 * (capabilities(7)). Ask before confine(). */
uint64_t own_lacks_capabilities(uint64_t capabilities);
