/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json/document.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "core/base/text.h"

/* realloc needs the old size. */
union header {
	size_t size;
	max_align_t aligned;
};

static void *on_malloc(void *context, size_t size)
{
	struct json_memory *memory = context;
	union header *header = arena_alloc(memory->arena, sizeof(*header) + size);

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

void json_memory_init(struct json_memory *memory, struct arena *arena)
{
	memory->arena = arena;
	memory->functions = (yajl_alloc_funcs){
		.malloc = on_malloc, .realloc = on_realloc, .free = on_free, .ctx = memory};
}

struct building {
	struct json_document *doc;
	yajl_handle yajl;
	size_t n_values;
	const char *key;
	size_t key_len;
	struct json_node **next;
	size_t depth;
	struct json_node *open[JSON_DEPTH_MAX];
};

/* yajl's texts lack a NUL; unescaped ones are overwritten. */
static const char *keep_text(struct json_document *doc, const void *text, size_t len)
{
	const char *copy = arena_strndup(doc->arena, text, len);

	if (!copy)
		json_no_memory(doc);
	return copy;
}

/* text: copied, or NULL; len: its own, or its opening bracket's */
static struct json_node *add_value(struct building *b, enum json_type type, const char *text,
				   size_t len)
{
	struct json_document *doc = b->doc;
	struct json_node *parent = b->depth ? b->open[b->depth - 1] : NULL;
	struct json_node *node = arena_alloc(doc->arena, sizeof(*node));
	uint32_t end = (uint32_t)yajl_get_bytes_consumed(b->yajl);

	if (!node)
		json_no_memory(doc);
	if (text)
		text = keep_text(doc, text, len);
	if (parent && parent->len++ == JSON_ITEMS_MAX)
		json_fail(doc, parent, "more than %d items", JSON_ITEMS_MAX);
	if (b->n_values++ == JSON_VALUES_MAX)
		json_fail(doc, parent, "more than %d values in all", JSON_VALUES_MAX);
	if (!node || doc->failed)
		return NULL;
	*node = (struct json_node){
		.type = type,
		/* yajl resets its counter at the end: a lone number has no offset */
		.begin = end > len ? end - (uint32_t)len : 0,
		.end = end,
		.len = (uint32_t)len,
		.key = b->key,
		.key_len = (uint32_t)b->key_len,
		.text = text,
	};
	b->key = NULL;
	*b->next = node;
	b->next = &node->next;
	return node;
}

static int on_key(void *context, const unsigned char *key, size_t len)
{
	struct building *b = context;

	b->key = keep_text(b->doc, key, len);
	b->key_len = len;
	return b->key != NULL;
}

static int on_null(void *context)
{
	return add_value(context, JSON_NULL, "null", 4) != NULL;
}

static int on_boolean(void *context, int boolean)
{
	const char *text = boolean ? "true" : "false";

	return add_value(context, JSON_BOOL, text, strlen(text)) != NULL;
}

static int on_number(void *context, const char *text, size_t len)
{
	return add_value(context, JSON_NUMBER, text, len) != NULL;
}

static int on_string(void *context, const unsigned char *text, size_t len)
{
	return add_value(context, JSON_STRING, (const char *)text, len) != NULL;
}

static int open_value(struct building *b, enum json_type type)
{
	struct json_node *node;

	if (b->depth == JSON_DEPTH_MAX)
		json_fail(b->doc, b->open[b->depth - 1], "nested deeper than %d levels",
			  JSON_DEPTH_MAX);
	node = add_value(b, type, NULL, 1);
	if (!node)
		return 0;
	node->len = 0;
	node->end = UINT32_MAX; /* open: path_of() must find its items */
	b->next = &node->first;
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
	struct json_node *node = b->open[--b->depth];

	node->end = (uint32_t)yajl_get_bytes_consumed(b->yajl);
	b->next = &node->next;
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

int json_parse(struct json_document *ret_doc, struct arena *arena, const char *what,
	       const char *text, size_t len, unsigned options, struct err *err)
{
	struct building b = {.doc = ret_doc, .next = &ret_doc->root};
	struct json_memory memory;

	*ret_doc = (struct json_document){
		.arena = arena, .err = err, .what = what, .text = text, .len = len};
	if (len >= UINT32_MAX)
		return json_fail(ret_doc, NULL, "too large");
	json_memory_init(&memory, arena);
	if (setjmp(memory.none_left) != 0)
		return json_no_memory(ret_doc);
	b.yajl = yajl_alloc(&callbacks, &memory.functions, &b);
	(void)yajl_config(b.yajl, yajl_allow_comments, options & JSON_COMMENTS);
	if (yajl_parse(b.yajl, (const unsigned char *)text, len) != yajl_status_ok)
		return json_fail_syntax(ret_doc, yajl_get_bytes_consumed(b.yajl),
					yajl_get_error(b.yajl, 0, NULL, 0));
	if (yajl_complete_parse(b.yajl) != yajl_status_ok)
		return json_fail_unfinished(ret_doc, b.depth ? b.open[b.depth - 1] : NULL);
	/* yajl accepts an unclosed comment, then also this. */
	if (yajl_parse(b.yajl, (const unsigned char *)"\n*/", 3) == yajl_status_ok)
		return json_fail(ret_doc, NULL, "the last /* comment has no */: close it");
	return 0;
}

bool json_expect(struct json_document *doc, const struct json_node *node, unsigned types)
{
	if (node && !(types & (unsigned)node->type))
		return json_fail_type(doc, node, types) == 0;
	return node != NULL;
}

const struct json_node *json_first(const struct json_node *node)
{
	return node && node->type & (JSON_ARRAY | JSON_OBJECT) ? node->first : NULL;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(text, word, len) == 0;
}

bool json_key_is(const struct json_node *member, const char *key)
{
	return member->key && is_word(member->key, member->key_len, key);
}

bool json_equals(const struct json_node *node, const char *text)
{
	return node && node->type == JSON_STRING && is_word(node->text, node->len, text);
}

/* The index, or that of the final NULL */
static unsigned find_word(const char *const *words, const char *text, size_t len)
{
	unsigned i = 0;

	while (words[i] && !is_word(text, len, words[i]))
		i++;
	return i;
}

const struct json_node *json_find(const struct json_node *object, const char *key)
{
	json_each(member, object) {
		if (json_key_is(member, key))
			return member;
	}
	return NULL;
}

const struct json_node *json_get(struct json_document *doc, const struct json_node *object,
				 const char *key, unsigned types)
{
	const struct json_node *found = NULL;
	size_t len = strlen(key);

	if (!json_expect(doc, object, JSON_OBJECT))
		return NULL;
	json_each(member, object) {
		if (member->key_len != len || !json_key_is(member, key))
			continue;
		if (found) {
			json_fail(doc, member, "occurs twice");
			return NULL;
		}
		found = member;
	}
	return json_expect(doc, found, types) && found->type != JSON_NULL ? found : NULL;
}

static void join_words(const char *const *words, char *list, size_t size)
{
	list[0] = '\0';
	for (size_t i = 0; words[i]; i++)
		text_add_item(list, size, words[i]);
}

/* One letter extra, missing or wrong, or a swapped pair */
static bool is_near(const char *text, size_t len, const char *word)
{
	size_t word_len = strlen(word);
	size_t shorter = len < word_len ? len : word_len;
	size_t longer = len < word_len ? word_len : len;
	size_t front = 0;
	size_t back = 0;

	while (front < shorter && text[front] == word[front])
		front++;
	while (back < shorter - front && text[len - back - 1] == word[word_len - back - 1])
		back++;
	if (longer - front - back == 2)
		return shorter == longer && text[front] == word[front + 1] &&
		       text[front + 1] == word[front];
	return front + back && longer - front - back == 1;
}

static const char *near_word(const char *const *words, const char *text, size_t len)
{
	while (*words && !is_near(text, len, *words))
		words++;
	return *words;
}

void json_known_keys(struct json_document *doc, const struct json_node *object,
		     const char *const *known)
{
	char list[400] = "";

	if (!json_expect(doc, object, JSON_OBJECT))
		return;
	json_each(member, object) {
		const char *near;

		if (known[find_word(known, member->key, member->key_len)])
			continue;
		near = near_word(known, member->key, member->key_len);
		if (near) {
			json_fail(doc, member, "unknown key; did you mean %s?", near);
			continue;
		}
		if (list[0]) {
			json_fail(doc, member, "unknown key");
			continue;
		}
		join_words(known, list, sizeof(list));
		json_fail(doc, member, "unknown key; known here: %s", list);
	}
}

static const char *c_string(struct json_document *doc, const struct json_node *node,
			    const char *text, size_t len)
{
	if (strlen(text) == len)
		return text;
	json_fail(doc, node, "contains a NUL character");
	return "";
}

const char *json_string(struct json_document *doc, const struct json_node *node)
{
	if (!json_expect(doc, node, JSON_STRING))
		return node ? "" : NULL;
	return c_string(doc, node, node->text, node->len);
}

const char *json_get_string(struct json_document *doc, const struct json_node *object,
			    const char *key)
{
	return json_string(doc, json_get(doc, object, key, JSON_STRING));
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
		json_no_memory(doc);
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
	return json_expect(doc, node, JSON_BOOL) ? node->text[0] == 't' : absent;
}

/* An int64_t's bits if is_signed */
static uint64_t read_integer(struct json_document *doc, const struct json_node *node,
			     bool is_signed, uint64_t absent)
{
	const char *allowed = is_signed ? "-0123456789" : "0123456789";
	uint64_t number;

	if (!json_expect(doc, node, JSON_NUMBER))
		return absent;
	errno = 0;
	number = is_signed ? (uint64_t)strtoll(node->text, NULL, 10)
			   : strtoull(node->text, NULL, 10);
	if (!errno && !node->text[strspn(node->text, allowed)])
		return number;
	json_fail(doc, node, "%.31s is not an integer %s", node->text,
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
		   const char *const *words)
{
	char list[256];
	unsigned found;

	if (!json_expect(doc, node, JSON_STRING))
		return 0;
	found = find_word(words, node->text, node->len);
	if (words[found])
		return found;
	join_words(words, list, sizeof(list));
	json_fail(doc, node, "'%.64s' is not one of %s", node->text, list);
	return 0;
}
