/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for a few bytes at a time */
#ifndef OCI_RDMA_VERBS_SHA256_H
#define OCI_RDMA_VERBS_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32

void sha256(const void *bytes, size_t len, uint8_t ret_digest[SHA256_SIZE]);

/* len: at most 1024, what is beyond it is left out */
void sha256_hmac(const void *key, size_t key_len, const void *bytes, size_t len,
		 uint8_t ret_digest[SHA256_SIZE]);

#endif
