/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4), by nettle: every distribution has it, it is small (38 KiB in
 * the doctor), and it is linked like the doctor's other libraries. The kernel's own (AF_ALG) is
 * refused in containers.
 */
#ifndef OCI_RDMA_VERBS_HMAC_H
#define OCI_RDMA_VERBS_HMAC_H

#include <stddef.h>
#include <stdint.h>

#define HMAC_SIZE 32

void hmac(const void *key, size_t key_len, const void *bytes, size_t len,
	  uint8_t ret_digest[HMAC_SIZE]);

#endif
