/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the node's devices are the container's, by what the engine has given it */
#ifndef OCI_RDMA_CONTAINER_DEVICES_H
#define OCI_RDMA_CONTAINER_DEVICES_H

#include "core/base/err.h"
#include "core/container/container.h"

/*
 * Fills container->devices, from container->node, with the verbs devices, in the order of
 * linux.devices; container->unusable and the warnings with what was given but cannot be used by
 * verbs. Returns 0 or -1.
 */
int container_find_devices(struct container *container, struct err *err);

/* Whether mounted device files are proof: of a rootless engine's own user, not of a pod's author */
bool container_mounts_count(const struct spec *spec);

/* Fills container->gpus. Returns 0 or -1. */
int container_find_gpus(struct container *container, struct err *err);

/* Fills container->claims, once. Returns 0 or -1. */
int container_read_claims(struct container *container, struct err *err);

#endif
