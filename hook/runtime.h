/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc shows of the runtime that called the hook. */
#ifndef OCI_RDMA_RUNTIME_H
#define OCI_RDMA_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The runtime's --bundle (or -b), from /proc/<pid>/cmdline; false if it has none. size: of path.
 */
bool runtime_bundle_argument(pid_t pid, char *path, size_t size);

/* Whether a process was started with this variable in its environment, by /proc/<pid>/environ */
bool runtime_has_variable(pid_t pid, const char *name);

/* By the name that it was started with */
bool runtime_is_crun(pid_t pid);

#endif
