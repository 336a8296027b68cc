/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a container, an entry a line: what it claims is in bounds and strictly named.
 */
#include "explain/claims.h"
#include "fuzz.h"

#define ENTRIES_MAX 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	const char *env[ENTRIES_MAX];
	struct spec spec = {.env = env};
	struct warnings warnings = {0};
	struct claims claims;
	struct err err;

	while (size && spec.n_env < ENTRIES_MAX)
		env[spec.n_env++] = fuzz_line(&arena, &data, &size);
	must(claims_read(&arena, &spec, &claims, &warnings, &err));
	promise(claims.n <= CLAIMS_MAX && warnings.n <= WARNINGS_MAX);
	for (size_t i = 0; i < claims.n; i++) {
		const struct claim *claim = &claims.item[i];

		promise(text_is_pci_address(claim->address) || text_is_device_name(claim->address));
		promise(!claim->ibdev || text_is_device_name(claim->ibdev));
	}
	return 0;
}
