/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "nri/nri_options.h"

/* Runs until SIGTERM or SIGINT. Returns the exit status */
int plugin_run(const struct nri_options *options);
