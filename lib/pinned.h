/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pinned by containers' processes. The kernel counts each registration in VmPin, whatever
 * the limit, a page once per registration (drivers/infiniband/core/umem.c, ib_umem_get); VFIO and
 * mlock(2) in VmLck (mm/util.c, __account_locked_vm); DMA-BUF in neither. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"

struct pinned {
	const char *name;
	const char *labels; /* "namespace=team-a pod=h-kim-0 container=trainer" */
	const char *cgroup; /* text of its /proc/PID/cgroup */
	uint64_t bytes;
	size_t processes; /* that pin memory */
};

/* For the first process of a container. cgroup is NULL if it cannot be read */
struct pinned pinned_container(struct arena *arena, int root, int64_t pid);

/* Adds up over all processes. */
int pinned_sum(int root, struct pinned *items, size_t n);

/* "256 MiB by 1 process (…); its memory limit is 512 MiB" */
const char *pinned_text(struct arena *arena, int root, const struct pinned *pinned);
