/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says of a process: its status in one line, and its cgroups. */
#ifndef OCI_RDMA_PROC_H
#define OCI_RDMA_PROC_H

#include <stdbool.h>
#include <stdint.h>

/* ---- /proc/PID/stat ---- */

/* Its fields (proc(5)) */
#define PROCESS_STAT_PARENT 4
#define PROCESS_STAT_START 22 /* in clock ticks since the machine's start */

/*
 * A field behind the process' name, of /proc/PID/stat: path below the descriptor dir, or of
 * AT_FDCWD. 0 if the file cannot be read whole or is cut off before that field.
 *
 * The name stands in parentheses and may itself hold anything, line breaks too, which the kernel
 * escapes in /proc/PID/status but not here (fs/proc/array.c, do_task_stat). So no part of the file
 * may be read without its end: what stands behind the last ')' is the kernel's.
 */
uint64_t process_stat_read(int dir, const char *path, int field);

/* The same of the file's text */
uint64_t process_stat_field(const char *text, int field);

/* ---- /proc/PID/cgroup: whose process it is, by the names that engines give to cgroups ---- */

/*
 * True if one of a process' cgroups has that name as a whole part of its path: "…/crio-NAME.scope",
 * "…/libpod-NAME/container", "…/NAME"; and no part before it is that of another container, which
 * may have made the rest. cgroups: the text of /proc/PID/cgroup.
 */
bool cgroup_names(const char *cgroups, const char *name);

#define CGROUP_ID_LENGTH 64 /* of CRI-O's, podman's, containerd's and Docker's ids, in digits */

/*
 * The first id of a container in cgroups' names, CGROUP_ID_LENGTH digits that no NUL ends; NULL:
 * none. That of a podman pod, which stands in front of its containers', is none.
 */
const char *cgroup_find_id(const char *from, const char *to);

#endif
