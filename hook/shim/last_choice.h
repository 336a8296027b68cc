/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which runtimes and state_dir were last in force, for when the config cannot be read: a link in
 * /run whose target is their text. A link is read and replaced in one system call each, and without
 * a descriptor, which may be what is lacking (EMFILE).
 */
#ifndef OCI_RDMA_LAST_CHOICE_H
#define OCI_RDMA_LAST_CHOICE_H

#include "core/base/arena.h"
#include "core/options.h"
#include "core/policy/policy.h"

/* Costs one readlink(2) where it has not changed. What cannot be remembered (/run is not ours, the
 * list is longer than a path may be) is not. */
void last_choice_save(const struct options *options, const struct config *config);

/* Returns 0 with runtimes and state_dir in *config, or -1 if nothing is remembered. */
int last_choice_load(struct arena *arena, const struct options *options, struct config *config);

#endif
