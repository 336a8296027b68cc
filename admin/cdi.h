/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/options.h"

/* --cdi: the node's HCAs as a CDI spec for hosts without Kubernetes; devices by ibdev name,
 * address, and "all". Choosing one counts as asking: the hooks' arguments ask. file: replaced, or
 * removed without HCA; NULL: stdout, and no HCA is an error. Returns the exit status. */
int cdi(const struct options *options, const char *file);
