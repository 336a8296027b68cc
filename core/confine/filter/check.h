/* SPDX-License-Identifier: Apache-2.0 */
/* The program against libseccomp's of the same rules */
#ifndef OCI_RDMA_FILTER_CHECK_H
#define OCI_RDMA_FILTER_CHECK_H

#include <linux/filter.h>

/* Runs both for each number and for arguments of all kinds; ends the process where they differ. */
void check_program(const char *program, const struct sock_filter *instructions);

#endif
