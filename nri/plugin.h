/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "nri/nri_options.h"

int plugin_run(const struct nri_options *options);
