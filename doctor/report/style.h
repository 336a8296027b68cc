/* SPDX-License-Identifier: Apache-2.0 */
/* How the page looks, light and dark, on a screen and printed. */
#ifndef OCI_RDMA_DOCTOR_STYLE_H
#define OCI_RDMA_DOCTOR_STYLE_H

extern const char page_style[];

#endif
