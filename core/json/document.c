/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json/document.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "core/base/text.h"

/* ---- errors ---- */

#define ERRORS_MAX 16 /* that are kept: of a file that somebody else wrote there may be many */

/* An author may write thousands of annotations, each with its line: it counts on from the last. */
static size_t line_at(struct json_document *doc, size_t offset)
{
	const char *end = doc->text + offset;
	const char *at;

	if (offset < doc->counted) {
		doc->counted = 0;
		doc->line = 0;
	}
	at = doc->text + doc->counted;
	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		doc->line++;
		at++;
	}
	doc->counted = offset;
	return doc->line + 1;
}

size_t json_line(struct json_document *doc, const struct json_node *node)
{
	return node ? line_at(doc, node->begin) : 0;
}

/* "process.env[3]": on each level, the node is in the first value that does not end before it. */
static void path_of(const struct json_document *doc, const struct json_node *node, char *path,
		    size_t size)
{
	const struct json_node *at = doc->root;
	size_t used = 0;

	path[0] = '\0';
	while (at && at != node && used < size) {
		bool is_array = at->type == JSON_ARRAY;
		size_t i = 0;
		int n;

		for (at = json_first(at); at && at->end < node->end; at = at->next)
			i++;
		if (!at)
			break;
		if (is_array)
			n = snprintf(path + used, size - used, "[%zu]", i);
		else
			n = snprintf(path + used, size - used, "%s%.*s", used ? "." : "",
				     (int)(at->key_len < size ? at->key_len : size), at->key);
		used += n > 0 ? (size_t)n : 0;
	}
}

/* The first error is the reason, others are further ones. */
int json_fail(struct json_document *doc, const struct json_node *node, const char *format, ...)
{
	struct err later = {0};
	struct err *err = doc->errors ? &later : doc->err;
	char reason[512];
	char path[256];
	va_list args;

	/* One error per value: further ones only follow from the first. */
	if (doc->errors == ERRORS_MAX || (doc->errors && node == doc->faulty))
		return -1;
	doc->failed = true;
	doc->faulty = node;
	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	(void)err_set(err, "%s", reason);
	if (node) {
		path_of(doc, node, path, sizeof(path));
		if (path[0])
			(void)err_prefix(err, "%s", path);
		(void)err_prefix(err, "line %zu", json_line(doc, node));
	}
	(void)err_prefix(err, "%s", doc->what);
	if (doc->errors++)
		doc->err->more = doc->err->more ? arena_printf(doc->arena, "%s\n%s", doc->err->more,
							       later.text)
						: arena_strdup(doc->arena, later.text);
	return -1;
}

int json_no_memory(struct json_document *doc)
{
	if (!doc->failed)
		(void)err_memory(doc->err);
	doc->failed = true;
	doc->errors = ERRORS_MAX;
	return -1;
}

/* ---- memory for yajl ---- */

struct memory {
	struct arena *arena;
	jmp_buf none_left;
};

/* In front of what yajl gets, since realloc must know how much to copy */
union header {
	size_t size;
	max_align_t aligned;
};

static void *on_malloc(void *context, size_t size)
{
	struct memory *memory = context;
	union header *header = NULL;

	if (size <= SIZE_MAX - sizeof(*header))
		header = arena_alloc(memory->arena, sizeof(*header) + size);
	if (!header)
		longjmp(memory->none_left, 1);
	header->size = size;
	return header + 1;
}

static void *on_realloc(void *context, void *old, size_t size)
{
	void *larger = on_malloc(context, size);
	size_t len = old ? ((union header *)old - 1)->size : 0;

	if (len)
		memcpy(larger, old, len < size ? len : size);
	return larger;
}

static void on_free(void *context, void *old)
{
	(void)context;
	(void)old;
}

/* Nothing that is changed here is used after longjmp: that would be indeterminate. */
int json_with_memory(struct arena *arena, json_body *body, void *context)
{
	struct memory memory = {.arena = arena};
	yajl_alloc_funcs functions = {
		.malloc = on_malloc, .realloc = on_realloc, .free = on_free, .ctx = &memory};

	if (setjmp(memory.none_left) != 0)
		return JSON_NO_MEMORY;
	return body(&functions, context);
}

/* ---- the tree is built ---- */

struct building {
	struct json_document *doc;
	unsigned options;
	yajl_handle yajl;
	size_t n_values;
	const char *key; /* of the next value */
	size_t key_len;
	int depth;
	struct json_node *open[JSON_DEPTH_MAX];
	struct json_node *last[JSON_DEPTH_MAX]; /* their last items yet; NULL: none */
};

/* yajl has decoded a text with escapes into memory of its own. */
static const char *keep_text(struct building *b, const char *text, size_t len)
{
	const struct json_document *doc = b->doc;
	const char *copy = text;

	if (text < doc->text || text >= doc->text + doc->len)
		copy = arena_strndup(doc->arena, text, len);
	if (!copy)
		(void)json_no_memory(b->doc);
	return copy;
}

static struct json_node *add_value(struct building *b, enum json_type type)
{
	struct json_node *parent = b->depth ? b->open[b->depth - 1] : NULL;
	struct json_node *node;

	if (parent && parent->len == JSON_ITEMS_MAX)
		(void)json_fail(b->doc, parent, "more than %d items", JSON_ITEMS_MAX);
	if (b->n_values++ == JSON_VALUES_MAX)
		(void)json_fail(b->doc, parent, "more than %d values in all", JSON_VALUES_MAX);
	if (b->doc->failed)
		return NULL;
	node = arena_alloc(b->doc->arena, sizeof(*node));
	if (!node) {
		(void)json_no_memory(b->doc);
		return NULL;
	}
	node->type = type;
	node->end = (uint32_t)yajl_get_bytes_consumed(b->yajl);
	node->begin = node->end;
	node->key = b->key;
	node->key_len = (uint32_t)b->key_len;
	b->key = NULL;
	b->key_len = 0;
	if (!parent) {
		b->doc->root = node;
		return node;
	}
	if (b->last[b->depth - 1])
		b->last[b->depth - 1]->next = node;
	else
		parent->first = node;
	b->last[b->depth - 1] = node;
	parent->len++;
	return node;
}

static int on_key(void *context, const unsigned char *key, size_t len)
{
	struct building *b = context;

	b->key = keep_text(b, (const char *)key, len);
	b->key_len = len;
	return b->key != NULL;
}

static int on_null(void *context)
{
	struct json_node *node = add_value(context, JSON_NULL);

	if (!node)
		return 0;
	node->begin = node->end - (uint32_t)strlen("null");
	return 1;
}

static int on_boolean(void *context, int boolean)
{
	struct json_node *node = add_value(context, JSON_BOOL);

	if (!node)
		return 0;
	node->boolean = boolean != 0;
	return 1;
}

static int add_text(struct building *b, enum json_type type, const char *text, size_t len)
{
	struct json_node *node = add_value(b, type);

	if (!node)
		return 0;
	node->text = keep_text(b, text, len);
	node->len = (uint32_t)len;
	return node->text != NULL;
}

static int on_number(void *context, const char *text, size_t len)
{
	return add_text(context, JSON_NUMBER, text, len);
}

static int on_string(void *context, const unsigned char *text, size_t len)
{
	return add_text(context, JSON_STRING, (const char *)text, len);
}

static int open_value(struct building *b, enum json_type type)
{
	struct json_node *node;

	if (b->depth == JSON_DEPTH_MAX) {
		(void)json_fail(b->doc, b->open[b->depth - 1], "nested deeper than %d levels",
				JSON_DEPTH_MAX);
		return 0;
	}
	node = add_value(b, type);
	if (!node)
		return 0;
	node->begin = node->end - 1;
	node->end = UINT32_MAX; /* for path_of: it contains what follows */
	b->last[b->depth] = NULL;
	b->open[b->depth++] = node;
	return 1;
}

static int on_begin_object(void *context)
{
	return open_value(context, JSON_OBJECT);
}

static int on_begin_array(void *context)
{
	return open_value(context, JSON_ARRAY);
}

static int close_value(void *context)
{
	struct building *b = context;

	b->open[--b->depth]->end = (uint32_t)yajl_get_bytes_consumed(b->yajl);
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_begin_object,
	.yajl_map_key = on_key,
	.yajl_end_map = close_value,
	.yajl_start_array = on_begin_array,
	.yajl_end_array = close_value,
};

static bool is_closing(char c)
{
	return c == ']' || c == '}';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The offset of a comma in front of the bracket at which yajl has stopped, which it may count or
 * not; the text's length if there is none. */
static size_t find_comma(const struct json_document *doc, size_t stopped)
{
	size_t at = stopped;

	if (at && is_closing(doc->text[at - 1]))
		at--;
	else if (at == doc->len || !is_closing(doc->text[at]))
		return doc->len;
	while (at && is_blank(doc->text[at - 1]))
		at--;
	return at && doc->text[at - 1] == ',' ? at - 1 : doc->len;
}

/* yajl's own message, without the excerpt behind it: that may hold anything. */
static int syntax_error(struct building *b)
{
	struct json_document *doc = b->doc;
	size_t stopped = yajl_get_bytes_consumed(b->yajl);
	size_t comma = find_comma(doc, stopped);
	unsigned char *text = yajl_get_error(b->yajl, 0, NULL, 0);
	const char *shown = text ? (const char *)text : "not valid JSON";

	doc->failed = true;
	if (comma < doc->len)
		return err_set(doc->err, "%s: line %zu: nothing follows this comma: remove it",
			       doc->what, line_at(doc, comma));
	return err_set(doc->err, "%s: line %zu: %.*s", doc->what, line_at(doc, stopped),
		       (int)strcspn(shown, "\n"), shown);
}

/* yajl accepts a text that ends inside a comment. Such a text is still valid with the end of a
 * comment appended. */
static bool ends_in_comment(struct building *b)
{
	static const unsigned char close[] = "\n*/";

	return b->options & JSON_COMMENTS &&
	       yajl_parse(b->yajl, close, sizeof(close) - 1) == yajl_status_ok;
}

static int incomplete(struct building *b)
{
	const struct json_node *open = b->depth ? b->open[b->depth - 1] : NULL;
	size_t blanks = 0;

	while (blanks < b->doc->len && is_blank(b->doc->text[blanks]))
		blanks++;
	if (blanks == b->doc->len)
		return json_fail(b->doc, NULL, "is empty");
	return json_fail(b->doc, open, "the text ends in the middle of a value%s",
			 !open                       ? ""
			 : open->type == JSON_OBJECT ? ": this '{' is not closed"
						     : ": this '[' is not closed");
}

static int build(yajl_alloc_funcs *memory, void *context)
{
	struct building *b = context;
	struct json_document *doc = b->doc;

	b->yajl = yajl_alloc(&callbacks, memory, b);
	if (!b->yajl)
		return JSON_NO_MEMORY;
	if (b->options & JSON_COMMENTS)
		(void)yajl_config(b->yajl, yajl_allow_comments, 1);
	if (yajl_parse(b->yajl, (const unsigned char *)doc->text, doc->len) != yajl_status_ok)
		return doc->failed ? -1 : syntax_error(b);
	if (yajl_complete_parse(b->yajl) != yajl_status_ok)
		return doc->failed ? -1 : incomplete(b);
	if (ends_in_comment(b))
		return json_fail(doc, NULL, "the last /* comment has no */: close it");
	return 0;
}

int json_parse(struct json_document *ret_doc, struct arena *arena, const char *what,
	       const char *text, size_t len, unsigned options, struct err *err)
{
	struct building b = {.doc = ret_doc, .options = options};
	int status;

	*ret_doc = (struct json_document){
		.arena = arena, .err = err, .what = what, .text = text, .len = len};
	if (len >= UINT32_MAX)
		return json_fail(ret_doc, NULL, "too large");
	status = json_with_memory(arena, build, &b);
	return status == JSON_NO_MEMORY ? json_no_memory(ret_doc) : status;
}

/* ---- the tree is read ---- */

/* "expected a string or a number, found null"; null as an allowed type is not mentioned. */
bool json_expect(struct json_document *doc, const struct json_node *node, unsigned types)
{
	/* In the order of enum json_type */
	static const char *const names[] = {"null",     "a boolean", "a number",
					    "a string", "an array",  "an object"};
	char wanted[96] = "";

	if (!node || types & (unsigned)node->type)
		return node != NULL;
	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t used = strlen(wanted);

		if (types >> i & 1)
			(void)snprintf(wanted + used, sizeof(wanted) - used, "%s%s",
				       used ? " or " : "", names[i]);
	}
	return json_fail(doc, node, "expected %s, found %s", wanted,
			 names[__builtin_ctz(node->type)]) == 0;
}

const struct json_node *json_first(const struct json_node *node)
{
	return node && node->type & (JSON_ARRAY | JSON_OBJECT) ? node->first : NULL;
}

bool json_key_is(const struct json_node *member, const char *key)
{
	return member->key && member->key_len == strlen(key) &&
	       memcmp(member->key, key, member->key_len) == 0;
}

bool json_equals(const struct json_node *node, const char *text)
{
	return node && node->type == JSON_STRING && node->len == strlen(text) &&
	       memcmp(node->text, text, node->len) == 0;
}

const struct json_node *json_get(struct json_document *doc, const struct json_node *object,
				 const char *key, unsigned types)
{
	const struct json_node *found = NULL;

	if (!json_expect(doc, object, JSON_OBJECT))
		return NULL;
	json_each(member, object) {
		if (!json_key_is(member, key))
			continue;
		if (found) {
			(void)json_fail(doc, member, "occurs twice");
			return NULL;
		}
		found = member;
	}
	if (!found || !json_expect(doc, found, types) || found->type == JSON_NULL)
		return NULL;
	return found;
}

static bool is_one_of(const struct json_node *member, const char *const *keys)
{
	for (size_t i = 0; keys[i]; i++) {
		if (json_key_is(member, keys[i]))
			return true;
	}
	return false;
}

/* "a, b" */
static void join_words(const char *const *words, char *list, size_t size)
{
	list[0] = '\0';
	for (size_t i = 0; words[i]; i++)
		text_add_item(list, size, words[i]);
}

void json_known_keys(struct json_document *doc, const struct json_node *object,
		     const char *const *known)
{
	char list[400] = "";

	if (!json_expect(doc, object, JSON_OBJECT))
		return;
	json_each(member, object) {
		if (is_one_of(member, known))
			continue;
		if (list[0])
			(void)json_fail(doc, member, "unknown key");
		join_words(known, list, sizeof(list));
		(void)json_fail(doc, member, "unknown key; known here: %s", list);
	}
}

static const char *c_string(struct json_document *doc, const struct json_node *node,
			    const char *text, size_t len)
{
	const char *copy;

	if (memchr(text, 0, len)) {
		(void)json_fail(doc, node, "contains a NUL character");
		return "";
	}
	copy = arena_strndup(doc->arena, text, len);
	if (!copy)
		(void)json_no_memory(doc);
	return copy ? copy : "";
}

const char *json_string(struct json_document *doc, const struct json_node *node)
{
	if (!node)
		return NULL;
	return json_expect(doc, node, JSON_STRING) ? c_string(doc, node, node->text, node->len)
						   : "";
}

const char *json_key(struct json_document *doc, const struct json_node *member)
{
	return member && member->key ? c_string(doc, member, member->key, member->key_len) : NULL;
}

void *json_items(struct json_document *doc, const struct json_node *array, size_t item_size)
{
	void *items;

	if (doc->failed)
		return NULL;
	items = arena_alloc(doc->arena, item_size * (array ? array->len : 0));
	if (!items)
		(void)json_no_memory(doc);
	return items;
}

const char **json_strings(struct json_document *doc, const struct json_node *array, size_t *ret_n)
{
	const char **strings;
	size_t n = 0;

	if (!json_expect(doc, array, JSON_ARRAY))
		return NULL;
	strings = json_items(doc, array, sizeof(*strings));
	if (!strings)
		return NULL;
	json_each(item, array)
		strings[n++] = json_string(doc, item);
	*ret_n = n;
	return strings;
}

bool json_bool(struct json_document *doc, const struct json_node *node, bool absent)
{
	return json_expect(doc, node, JSON_BOOL) ? node->boolean : absent;
}

/* An int64_t's bits if is_signed. What is cut off is out of range: JSON has no leading zeros. */
static uint64_t read_integer(struct json_document *doc, const struct json_node *node,
			     bool is_signed, uint64_t absent)
{
	const char *allowed = is_signed ? "-0123456789" : "0123456789";
	char digits[32];
	uint64_t number;

	if (!json_expect(doc, node, JSON_NUMBER))
		return absent;
	(void)snprintf(digits, sizeof(digits), "%.*s",
		       (int)(node->len < sizeof(digits) ? node->len : sizeof(digits)), node->text);
	errno = 0;
	number = is_signed ? (uint64_t)strtoll(digits, NULL, 10) : strtoull(digits, NULL, 10);
	if (!errno && !digits[strspn(digits, allowed)])
		return number;
	(void)json_fail(doc, node, "%s is not an integer %s", digits,
			is_signed ? "in the range of 64 bits" : "from 0 to 2^64-1");
	return absent;
}

int64_t json_int64(struct json_document *doc, const struct json_node *node, int64_t absent)
{
	return (int64_t)read_integer(doc, node, true, (uint64_t)absent);
}

uint64_t json_uint64(struct json_document *doc, const struct json_node *node, uint64_t absent)
{
	return read_integer(doc, node, false, absent);
}

unsigned json_word(struct json_document *doc, const struct json_node *node,
		   const char *const *words, unsigned absent)
{
	char list[256];

	if (!json_expect(doc, node, JSON_STRING))
		return absent;
	for (unsigned i = 0; words[i]; i++) {
		if (json_equals(node, words[i]))
			return i;
	}
	join_words(words, list, sizeof(list));
	(void)json_fail(doc, node, "'%.*s' is not one of %s",
			(int)(node->len < 64 ? node->len : 64), node->text, list);
	return absent;
}

const struct json_node *json_locate(struct json_document *doc, const struct json_node *object,
				    const char *key, unsigned types,
				    const struct json_node **ret_place)
{
	json_each(member, object) {
		if (json_key_is(member, key))
			*ret_place = member;
	}
	return json_get(doc, object, key, types);
}
