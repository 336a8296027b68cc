/* SPDX-License-Identifier: Apache-2.0 */
/* The container's first process, held so that its pid cannot come to mean another. */
#ifndef OCI_RDMA_PROCESS_H
#define OCI_RDMA_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct process {
	pid_t pid;
	int pidfd;
	int proc; /* /proc/<pid> */
};

#define PROCESS_NONE ((struct process){.pidfd = -1, .proc = -1})

/*
 * Opens the process and checks that it is this container's: its cgroup names the container's id or
 * the last part of linux.cgroupsPath (NULL if the spec has none), or the runtime that called us
 * started it. Returns 1; 0 if the process has ended, which is no error; -1 if it is not the
 * container's.
 */
int process_open(int64_t pid, const char *id, const char *cgroup, struct process *ret_process,
		 struct err *err);
/* /proc/<pid>, or -errno; another file system mounted there must not speak for the kernel
 * (CVE-2025-52881). */
int process_open_proc(pid_t pid);

/* Closes the descriptors. */
void process_close(struct process *process);

#define cleanup_process __attribute__((cleanup(process_close))) struct process

/*
 * Raises RLIMIT_MEMLOCK, soft and hard, to at least bytes (MEMLOCK_UNLIMITED: no limit); a limit
 * that is higher stays. Needs CAP_SYS_RESOURCE in the initial user namespace (kernel/sys.c,
 * do_prlimit). *ret_changed: the limit was lower. A process that has ended meanwhile is no error.
 */
int process_raise_memlock(const struct process *process, uint64_t bytes, bool *ret_changed,
			  struct err *err);

/* The host's ids of the container's root, from /proc/<pid>/{uid,gid}_map. Returns 0, or -1 if they
 * map no root. */
int process_root_ids(const struct process *process, uid_t *ret_uid, gid_t *ret_gid,
		     struct err *err);

#endif
