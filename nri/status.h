/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's status file, in place of the last by rename */
#ifndef OCI_RDMA_NRI_STATUS_FILE_H
#define OCI_RDMA_NRI_STATUS_FILE_H

#include "core/base/err.h"
#include "core/nri_status.h"

/* sysroot: the directory's path. A standby has a file of its own. Makes NRI_STATUS_DIR, which must
 * be ours alone. */
int status_write(const char *sysroot, const struct nri_status *status, struct err *err);

/* Takes it away when a plugin ends, or is a standby no longer. */
void status_remove(const char *sysroot, const struct nri_status *status);

#endif
