/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_HOOK_CONFINEMENT_H
#define OCI_RDMA_HOOK_CONFINEMENT_H

#include "core/confine/confine.h"

/* The system calls and capabilities that a hook needs for a grant (core/confine/confine.h) */
extern const struct confinement hook_confinement;

#endif
