/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/hmac.h"

#include <nettle/hmac.h>
#include <nettle/version.h>

_Static_assert(HMAC_SIZE == SHA256_DIGEST_SIZE, "nettle writes a whole digest");

void hmac(const void *key, size_t key_len, const void *bytes, size_t len,
	  uint8_t ret_digest[HMAC_SIZE])
{
	struct hmac_sha256_ctx context;

	hmac_sha256_set_key(&context, key_len, key);
	hmac_sha256_update(&context, len, bytes);
#if NETTLE_VERSION_MAJOR >= 4 /* has no length there */
	hmac_sha256_digest(&context, ret_digest);
#else
	hmac_sha256_digest(&context, HMAC_SIZE, ret_digest);
#endif
}
