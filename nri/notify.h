/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCI_RDMA_NRI_NOTIFY_H
#define OCI_RDMA_NRI_NOTIFY_H

/* Tells systemd (sd_notify(3)): "READY=1", "STATUS=…". Without a NOTIFY_SOCKET, nothing. */
void notify(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
