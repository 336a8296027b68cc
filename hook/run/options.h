/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_OPTIONS_H
#define OCI_RDMA_OPTIONS_H

/* What holds for every way in */
struct options {
	const char *sysroot; /* "/" by default */
	const char *config;  /* NULL: the default below the sysroot */
};

#endif
