/* SPDX-License-Identifier: Apache-2.0 */
/* Prints on stdout, or on stderr why not, and returns the exit status. */
#pragma once

#include "core/options.h"

/*
 * --cdi: the node's HCAs as a CDI spec, for engines on hosts without Kubernetes: a device for each
 * HCA by its ibdev name and by its address, and one of all; with the hooks, whose arguments ask,
 * since choosing a device is asking. Only device files are named, no numbers: the engine looks at
 * these when a container is created. file: replaced by the spec, or removed if the node has no HCA;
 * NULL: printed, and no HCA is an error.
 */
int cdi(const struct options *options, const char *file);
