/* SPDX-License-Identifier: Apache-2.0 */
/* Writes all or nothing */
#include "tests/unit/unit.h"

#include "core/json/writer.h"

/* Mistakes of a caller, a letter each */
static int put_letters(yajl_gen gen, void *context)
{
	for (const char *letter = context; *letter; letter++) {
		switch (*letter) {
		case '{':
			yajl_gen_map_open(gen);
			break;
		case '}':
			yajl_gen_map_close(gen);
			break;
		case 's':
			json_put_string(gen, "s");
			break;
		case 'e':
			json_put_text(gen, "e", "");
			break;
		case 'm':
			json_put_member(gen, "m", "");
			break;
		case 'u':
			json_put_uint64(gen, "u", UINT64_MAX);
			break;
		default:
			return -1;
		}
	}
	return 0;
}

static const struct letters_case {
	const char *name;
	const char *letters;
	const char *want; /* NULL: no text */
} letters_cases[] = {
	{"written: a value", "s", "\"s\""},
	{"written: an object", "{ss}", "{\"s\":\"s\"}"},
	{"written: an empty text is one, or null", "{em}", "{\"e\":\"\",\"m\":null}"},
	{"written: all of 64 bits", "{u}", "{\"u\":18446744073709551615}"},
	{"not written: nothing", "", NULL},
	{"not written: an object without its end", "{ss", NULL},
	{"not written: an object in an object without its end", "{s{}", NULL},
	{"not written: what says that it cannot", "{ss}!", NULL},
};

UNIT_ROWS(letters_cases)
{
	cleanup_arena arena = {0};
	size_t len = 0;
	const char *written = json_write(&arena, false, put_letters, (void *)row->letters, &len);

	if (!row->want) {
		assert_null(written);
		return;
	}
	assert_non_null(written);
	assert_string_equal(written, row->want);
	assert_int_equal(len, strlen(row->want));
}

int main(void)
{
	return unit_main("json writer");
}
