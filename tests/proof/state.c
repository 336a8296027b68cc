/* SPDX-License-Identifier: Apache-2.0 */
/* state_read() for any answers of the JSON reader (core/json/document.h says which), and an id of 3
 * bytes: what the hook believes of the runtime. */
#include "hook/stage.c"

#include "tests/proof/any.h"

#define ID 3

static struct json_node node;
static char id[ID + 1];
static bool broken; /* the text is no JSON, or a value is not of its type */

static bool may_break(struct json_document *doc)
{
	bool breaks = nondet_bool();

	broken |= breaks;
	doc->failed |= breaks;
	return breaks;
}

int fs_read(struct arena *arena, int fd, size_t max, const char *what, struct fs_text *ret_text,
	    struct err *err)
{
	prove(max <= STATE_SIZE_MAX, "the state is bounded");
	*ret_text = (struct fs_text){.bytes = "text", .len = 4};
	return nondet_bool() ? 0 : -1;
}

int json_parse(struct json_document *ret_doc, struct arena *arena, const char *what,
	       const char *text, size_t len, unsigned options, struct err *err)
{
	*ret_doc = (struct json_document){.root = &node};
	return may_break(ret_doc) ? -1 : 0;
}

const struct json_node *json_get(struct json_document *doc, const struct json_node *object,
				 const char *key, unsigned types)
{
	return may_break(doc) || nondet_bool() ? NULL : &node;
}

const char *json_string(struct json_document *doc, const struct json_node *value)
{
	return may_break(doc) ? "" : value ? id : NULL;
}

const char *json_get_string(struct json_document *doc, const struct json_node *object,
			    const char *key)
{
	return json_string(doc, json_get(doc, object, key, JSON_STRING));
}

int64_t json_int64(struct json_document *doc, const struct json_node *value, int64_t absent)
{
	bool usable = value && nondet_bool();

	doc->failed |= value && !usable;
	return usable ? nondet_int64() : absent;
}

/* CBMC has none. */
void *memmem(const void *text, size_t len, const void *part, size_t part_len)
{
	return nondet_bool() ? (void *)text : NULL;
}

bool text_has_control(const char *text)
{
	for (; *text; text++) {
		if (*text > 0 && *text < ' ')
			return true;
	}
	return false;
}

ssize_t read(int fd, void *bytes, size_t n)
{
	static int left = 2;

	return left-- > 0;
}

STUB(const struct json_node *, json_find, (const struct json_node *object, const char *key),
     nondet_bool() ? &node : NULL)
STUB(bool, json_equals, (const struct json_node *value, const char *word), value &&nondet_bool())
STUB(int, err_sys, (struct err * err, int errnum, const char *format, ...), -1)

int main(void)
{
	struct arena arena = {0};
	struct state state = {.pid = 1};
	struct err err;
	int status;

	for (int i = 0; i < ID; i++)
		id[i] = nondet_char();
	status = state_read(&arena, 0, &state, &err);
	prove(status == 0 || status == -1, "it succeeds or fails");
	prove(status < 0 || !broken, "what is broken is refused");
	prove(status < 0 || (state.id && state.id[0]), "there is an id");
	prove(status < 0 || (!strchr(state.id, '/') && !text_has_control(state.id)),
	      "an id is no path, and one line");
	prove(status < 0 || state.bundle, "there is a bundle");
	prove(status == 0 || (!state.id && state.pid == 1),
	      "a failure leaves nothing that could be believed");
	return 0;
}
