/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "core/confine/confine.h"

extern const struct confinement nri_confinement;

/* once --serve-metrics listens */
extern const struct confinement scrape_confinement;
