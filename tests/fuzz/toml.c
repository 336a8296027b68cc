/* SPDX-License-Identifier: Apache-2.0 */
/* CRI-O's configuration. Root's own, but any TOML may be there. */
#include "admin/engine/toml.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	const char *text = arena_strndup(&arena, size ? (const char *)data : "", size);
	struct err err;
	struct toml_items items;

	promise(text);
	if (toml_read(&arena, "crio.conf", text, &items, &err) < 0)
		return fuzz_failed(&err);
	promise(items.n <= size);
	for (size_t i = 0; i < items.n; i++) {
		const struct toml_item *item = &items.item[i];

		promise(item->table && item->key && item->spelled);
		promise(item->type != TOML_STRING || item->string);
		for (size_t k = 0; item->type == TOML_STRINGS && k < item->n; k++)
			promise(item->strings[k]);
	}
	return 0;
}
