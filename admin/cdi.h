/* SPDX-License-Identifier: Apache-2.0 */
/* Returns the exit status. */
#pragma once

#include "core/options.h"

/* --cdi: the node's HCAs as a CDI spec for hosts without Kubernetes: devices by ibdev name,
 * address, and "all". Choosing one counts as asking: the hooks' arguments ask. file: replaced, or
 * removed without HCA; NULL: print; no HCA is an error. */
int cdi(const struct options *options, const char *file);
