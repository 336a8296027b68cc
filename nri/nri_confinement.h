/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin and --serve-metrics drop */
#pragma once

#include "core/confine/confine.h"

/* What the plugin and its children need */
extern const struct confinement nri_confinement;

/* What --serve-metrics needs, once its socket is there */
extern const struct confinement scrape_confinement;
