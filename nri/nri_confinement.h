/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/confine/confine.h"

/* For the plugin and its children */
extern const struct confinement nri_confinement;

/* For --serve-metrics once it listens */
extern const struct confinement scrape_confinement;
