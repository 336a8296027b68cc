/* SPDX-License-Identifier: Apache-2.0 */
/* Returns the exit status. */
#pragma once

#include "core/options.h"

/*
 * --cdi: writes the node's HCAs as a CDI spec for hosts without Kubernetes: devices by ibdev name,
 * by address, and "all". Choosing a device counts as asking, so the hooks' arguments ask. file:
 * replaced, or removed without an HCA; NULL: print, and no HCA is an error.
 */
int cdi(const struct options *options, const char *file);
