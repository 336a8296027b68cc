/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

int parse(struct arena *arena, const char *text, struct spec *spec, struct err *err)
{
	size_t len = strlen(text);
	char *exact = unit_exact(text, len);
	int status = spec_parse(arena, "config.json", exact, len, spec, err);

	free(exact);
	return status;
}

void must_parse(struct arena *arena, const char *text, struct spec *spec)
{
	struct err err = {0};
	int status = parse(arena, text, spec, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
}

int main(void)
{
	return unit_main("spec");
}
