/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for a few bytes at a time.
 *
 * Our own, for one token, since no library would do on every node without more than it saves. The
 * doctor brings along all but libc, so that it would be a static one. libmd's is free to be that,
 * but RHEL does not have it, and it has no HMAC. Nettle is in every distribution; its licence
 * (LGPL) would follow each doctor that is built so, and its digest functions have other arguments
 * from 4.0 on. libgcrypt and libcrypto are larger than the doctor. The kernel's (AF_ALG) is not
 * there in a container. The algorithm does not change, and no branch and no index here depends on
 * the secret.
 */
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
