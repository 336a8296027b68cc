/* SPDX-License-Identifier: Apache-2.0 */
/* Returns the exit status. */
#pragma once

#include "core/options.h"

/*
 * --cdi: the node's HCAs as a CDI spec for hosts without Kubernetes: devices by ibdev name and by
 * address, and "all". The hooks' arguments ask, since choosing a device is asking. file: replaced,
 * or removed if there is no HCA; NULL: prints, and no HCA is an error.
 */
int cdi(const struct options *options, const char *file);
