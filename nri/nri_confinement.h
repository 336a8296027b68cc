/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin and --serve-metrics drop */
#ifndef OCI_RDMA_NRI_NRI_CONFINEMENT_H
#define OCI_RDMA_NRI_NRI_CONFINEMENT_H

#include "core/confine/confine.h"

/* What the plugin and its children need */
extern const struct confinement nri_confinement;

/* What --serve-metrics needs, once its socket is there */
extern const struct confinement scrape_confinement;

#endif
