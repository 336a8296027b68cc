/* SPDX-License-Identifier: Apache-2.0 */
/* Whose process it is, by the names that engines give to cgroups. */
#ifndef OCI_RDMA_CGROUP_H
#define OCI_RDMA_CGROUP_H

#include <stdbool.h>

/*
 * True if one of a process' cgroups has that name as a whole part of its path: "…/crio-NAME.scope",
 * "…/libpod-NAME/container", "…/NAME"; and no part before it is that of another container (its id
 * has 64 digits), which may have made the rest. cgroups: the text of /proc/PID/cgroup.
 */
bool cgroup_names(const char *cgroups, const char *name);

#endif
