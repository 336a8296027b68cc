/* SPDX-License-Identifier: Apache-2.0 */
/* CRI-O's configuration, as far as the doctor reads it. Root's own, but any TOML may be there. */
#include "admin/engine/toml.h"
#include "fuzz.h"

static int take(void *context, const char *table, const char *key, const struct toml_value *value,
		struct err *err)
{
	size_t *n = context;

	(void)err;
	promise(table && key);
	if (!value)
		return 0;
	promise(value->type != TOML_STRING || value->string);
	for (size_t i = 0; value->type == TOML_STRINGS && i < value->n; i++)
		promise(value->strings[i]);
	++*n;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	const char *text = arena_strndup(&arena, size ? (const char *)data : "", size);
	struct err err;
	size_t n = 0;

	promise(text);
	if (toml_read(&arena, "crio.conf", text, take, &n, &err) < 0)
		return fuzz_failed(&err);
	promise(n <= size);
	return 0;
}
