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
	static struct unit_suite suite;

	add_device_tests(&suite);
	add_process_tests(&suite);
	add_limit_tests(&suite);
	add_namespace_tests(&suite);
	add_annotation_tests(&suite);
	add_asked_tests(&suite);
	add_error_tests(&suite);
	add_whole_tests(&suite);
	return unit_run(&suite, "spec");
}
