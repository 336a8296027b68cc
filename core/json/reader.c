/* SPDX-License-Identifier: Apache-2.0 */
#include "core/json/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "core/base/text.h"

/* Long enough for every name that a shape has; a longer key matches none of them. */
#define KEY_MAX 512

struct frame {
	const struct json_shape *shape; /* NULL: nothing in here is wanted */
	const struct json_shape *next;  /* object: what the member just named looks like */
	struct json_span *span;         /* where its place is wanted; or NULL */
	size_t last_end;                /* behind the last value in it */
	uint64_t seen; /* object: named members met so far, by their place in the shape */
	size_t count;
	bool is_array;
	char key[KEY_MAX];
};

struct parse {
	struct arena *arena;
	const char *what;
	const char *text;
	size_t len;
	unsigned options;
	yajl_handle yajl;
	yajl_alloc_funcs *memory; /* never says NULL */
	const struct json_shape *root;
	void *context;
	struct err *err;
	bool failed; /* err is set */
	size_t line;
	size_t counted;                       /* newlines before this offset are in line */
	int depth;                            /* frames in use */
	struct frame *frames[JSON_DEPTH_MAX]; /* made when a value is first that deep */
};

static const char *type_name(enum json_type type)
{
	switch (type) {
	case JSON_NULL:
		return "null";
	case JSON_BOOL:
		return "a boolean";
	case JSON_NUMBER:
		return "a number";
	case JSON_STRING:
		return "a string";
	case JSON_ARRAY:
		return "an array";
	case JSON_OBJECT:
		return "an object";
	}
	return "nothing";
}

/* "a string or a number"; null is not said, for it means that nothing is said */
static void wanted_names(unsigned types, char *names, size_t size)
{
	size_t used = 0;

	(void)snprintf(names, size, "null");
	for (unsigned type = JSON_BOOL; type <= JSON_OBJECT; type <<= 1) {
		if (types & type && used < size)
			used += (size_t)snprintf(names + used, size - used, "%s%s",
						 used ? " or " : "",
						 type_name((enum json_type)type));
	}
}

static size_t line_here(struct parse *p)
{
	size_t offset = yajl_get_bytes_consumed(p->yajl);
	const char *at = p->text + p->counted;
	const char *end = p->text + offset;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		p->line++;
		at++;
	}
	if (offset > p->counted)
		p->counted = offset;
	return p->line;
}

size_t json_line(const struct json_value *value)
{
	return line_here(value->place);
}

/* "process.env[3]": the place of the current value */
static void path_here(const struct parse *p, char *path, size_t size)
{
	size_t used = 0;

	path[0] = '\0';
	for (int i = 0; i < p->depth && used < size; i++) {
		const struct frame *f = p->frames[i];
		int n;

		if (f->is_array)
			n = snprintf(path + used, size - used, "[%zu]",
				     f->count ? f->count - 1 : 0);
		else
			n = snprintf(path + used, size - used, "%s%s", used ? "." : "", f->key);
		used += n > 0 ? (size_t)n : 0;
	}
}

static int fail_here(struct parse *p)
{
	char path[256];

	path_here(p, path, sizeof(path));
	if (path[0])
		(void)err_prefix(p->err, "%s: line %zu: %s", p->what, line_here(p), path);
	else
		(void)err_prefix(p->err, "%s: line %zu", p->what, line_here(p));
	p->failed = true;
	return 0;
}

static struct frame *top(struct parse *p)
{
	return p->depth ? p->frames[p->depth - 1] : NULL;
}

/* Enters the next value into its container's count and finds the shape that it must have. */
static int shape_of_next(struct parse *p, const struct json_shape **ret_shape)
{
	struct frame *f = top(p);

	if (!f) {
		*ret_shape = p->root;
		return 0;
	}
	*ret_shape = f->next;
	if (!f->is_array)
		return 0;
	*ret_shape = f->shape ? f->shape->each : NULL;
	if (f->shape && f->count >= JSON_ITEMS_MAX)
		return err_set(p->err, "more than %d items", JSON_ITEMS_MAX);
	f->count++;
	return 0;
}

static int store_bool(const struct json_shape *shape, const struct json_value *value, bool *field,
		      struct err *err)
{
	unsigned word = 0;

	if (value->type == JSON_BOOL) {
		*field = value->boolean;
		return 0;
	}
	if (json_word(value, shape->words, "", &word, err) < 0)
		return -1;
	*field = word == 1;
	return 0;
}

static int store(struct parse *p, const struct json_shape *shape, const struct json_value *value)
{
	void *field = (char *)p->context + shape->offset;
	size_t end = yajl_get_bytes_consumed(p->yajl);

	if (value->type == JSON_NULL) {
		if (shape->store == JSON_STORE_SPAN)
			*(struct json_span *)field = (struct json_span){
				.begin = end - strlen("null"), .end = end, .is_null = true};
		return 0;
	}
	switch (shape->store) {
	case JSON_STORE_NOTHING:
	case JSON_STORE_SPAN: /* told at its begin and end */
		break;
	case JSON_STORE_STRING:
		return json_string(p->arena, value, field, p->err);
	case JSON_STORE_INT64:
		return json_int64(value, field, p->err);
	case JSON_STORE_UINT64:
		return json_uint64(value, field, p->err);
	case JSON_STORE_BOOL:
		return store_bool(shape, value, field, p->err);
	case JSON_STORE_WORD:
		return json_word(value, shape->words, "", field, p->err);
	}
	return 0;
}

static int check_and_take(struct parse *p, const struct json_shape *shape, struct json_value *value)
{
	const struct frame *f = top(p);
	char wanted[96];

	if (!(shape->types & (unsigned)value->type)) {
		wanted_names(shape->types, wanted, sizeof(wanted));
		return err_set(p->err, "expected %s, found %s", wanted, type_name(value->type));
	}
	if (store(p, shape, value) < 0)
		return -1;
	if (!shape->take)
		return 0;
	value->key = f && !f->is_array ? f->key : NULL;
	value->place = p;
	return shape->take(p->context, value, p->err);
}

static void value_ended(struct parse *p)
{
	if (top(p))
		top(p)->last_end = yajl_get_bytes_consumed(p->yajl);
}

static int on_scalar(struct parse *p, struct json_value *value)
{
	const struct json_shape *shape;

	if (shape_of_next(p, &shape) < 0 || (shape && check_and_take(p, shape, value) < 0))
		return fail_here(p);
	value_ended(p);
	return 1;
}

static struct json_span *begin_span(struct parse *p, const struct json_shape *shape)
{
	struct json_span *span;

	if (!shape || shape->store != JSON_STORE_SPAN)
		return NULL;
	span = (struct json_span *)((char *)p->context + shape->offset);
	*span = (struct json_span){.begin = yajl_get_bytes_consumed(p->yajl) - 1};
	return span;
}

/* Its content is the last frame's of that depth, or nothing. */
static struct frame *push(struct parse *p)
{
	struct frame **f = &p->frames[p->depth++];

	if (!*f)
		*f = p->memory->malloc(p->memory->ctx, sizeof(**f));
	return *f;
}

static int on_begin(struct parse *p, enum json_type type)
{
	struct json_value value = {.type = type};
	const struct json_shape *shape;
	struct frame *f;

	if (shape_of_next(p, &shape) < 0)
		return fail_here(p);
	if (p->depth == JSON_DEPTH_MAX) {
		(void)err_set(p->err, "nested deeper than %d levels", JSON_DEPTH_MAX);
		return fail_here(p);
	}
	if (shape && check_and_take(p, shape, &value) < 0)
		return fail_here(p);
	f = push(p);
	f->shape = shape;
	f->next = NULL;
	f->span = begin_span(p, shape);
	f->last_end = 0;
	f->seen = 0;
	f->count = 0;
	f->is_array = type == JSON_ARRAY;
	f->key[0] = '\0';
	return 1;
}

static int on_end(struct parse *p)
{
	struct frame *f = top(p);

	if (f->span) {
		f->span->end = yajl_get_bytes_consumed(p->yajl);
		f->span->last_end = f->last_end;
	}
	p->depth--;
	value_ended(p);
	if (f->shape && f->shape->leave && f->shape->leave(p->context, p->err) < 0)
		return fail_here(p);
	return 1;
}

static int unknown_member(struct parse *p, const struct json_shape *shape)
{
	char known[512] = "";

	for (const struct json_member *m = shape->members; m && m->name; m++)
		text_add_item(known, sizeof(known), m->name);
	return err_set(p->err, "unknown key; known here: %s", known);
}

/* The named member of that key, or NULL. A key is compared with its NUL characters. */
static const struct json_member *find_member(const struct json_shape *shape, const char *key,
					     size_t len)
{
	for (const struct json_member *m = shape->members; m && m->name; m++) {
		/* Most differ in their first character: the calls are saved. */
		if (m->name[0] == key[0] && strlen(m->name) == len && !memcmp(m->name, key, len))
			return m;
	}
	return NULL;
}

static int enter_member(struct parse *p, struct frame *f, const struct json_member *member)
{
	uint64_t bit = UINT64_C(1) << (member - f->shape->members);

	if (f->seen & bit && !member->shape->repeats)
		return err_set(p->err, "occurs twice");
	f->seen |= bit;
	f->next = member->shape;
	return 0;
}

/* Such a key is none of ours, and its beginning must not pass for one. */
static bool is_odd_key(const unsigned char *key, size_t len)
{
	return len >= KEY_MAX || memchr(key, 0, len);
}

/* A member that the shape does not name. f->next is NULL: what is not asked for is skipped. */
static int enter_other(struct parse *p, struct frame *f, const unsigned char *key, size_t len)
{
	const struct json_shape *shape = f->shape;

	if (!shape->closed && (!shape->each || is_odd_key(key, len)))
		return 0;
	if (shape->closed && is_odd_key(key, len))
		return err_set(p->err, "this key is too long or contains a NUL character");
	if (!shape->each)
		return unknown_member(p, shape);
	f->next = shape->each;
	return 0;
}

static int on_key(void *context, const unsigned char *key, size_t len)
{
	struct parse *p = context;
	struct frame *f = top(p);
	size_t shown = len < KEY_MAX ? len : KEY_MAX - 1;
	const struct json_member *member;

	f->next = NULL;
	if (!f->shape)
		return 1;
	memcpy(f->key, key, shown);
	f->key[shown] = '\0';
	if (++f->count > JSON_ITEMS_MAX) {
		(void)err_set(p->err, "more than %d members in this object", JSON_ITEMS_MAX);
		return fail_here(p);
	}
	member = find_member(f->shape, f->key, len);
	if ((member ? enter_member(p, f, member) : enter_other(p, f, key, len)) < 0)
		return fail_here(p);
	return 1;
}

static int on_null(void *context)
{
	return on_scalar(context, &(struct json_value){.type = JSON_NULL});
}

static int on_boolean(void *context, int boolean)
{
	return on_scalar(context, &(struct json_value){.type = JSON_BOOL, .boolean = boolean != 0});
}

static int on_number(void *context, const char *text, size_t len)
{
	return on_scalar(context,
			 &(struct json_value){.type = JSON_NUMBER, .text = text, .len = len});
}

static int on_string(void *context, const unsigned char *text, size_t len)
{
	return on_scalar(
		context,
		&(struct json_value){.type = JSON_STRING, .text = (const char *)text, .len = len});
}

static int on_start_map(void *context)
{
	return on_begin(context, JSON_OBJECT);
}

static int on_start_array(void *context)
{
	return on_begin(context, JSON_ARRAY);
}

static int on_end_container(void *context)
{
	return on_end(context);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_map,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end_container,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end_container,
};

/* yajl's own message, without the excerpt behind it: that may hold anything. */
static int syntax_error(struct parse *p)
{
	unsigned char *text = yajl_get_error(p->yajl, 0, NULL, 0);
	const char *shown = text ? (const char *)text : "not valid JSON";
	struct json_slip slip;

	if (json_find_comma(p->text, p->len, yajl_get_bytes_consumed(p->yajl),
			    p->options & JSON_COMMENTS, &slip))
		return err_set(p->err, "%s: line %zu: %s", p->what, slip.line, slip.what);
	(void)err_set(p->err, "%.*s", (int)strcspn(shown, "\n"), shown);
	return err_prefix(p->err, "%s: line %zu", p->what, line_here(p));
}

/* yajl takes a text that ends inside of a comment for one that has ended: what would close the
 * comment is then no error. */
static bool ends_in_comment(struct parse *p)
{
	static const unsigned char close[] = "\n*/";

	return p->options & JSON_COMMENTS &&
	       yajl_parse(p->yajl, close, sizeof(close) - 1) == yajl_status_ok;
}

static int incomplete(struct parse *p)
{
	struct json_slip slip;

	if (json_find_unclosed(p->text, p->len, p->options & JSON_COMMENTS, &slip))
		return err_set(p->err, "%s: line %zu: the text ends in the middle of a value: %s",
			       p->what, slip.line, slip.what);
	return err_set(p->err, "%s: the text ends in the middle of a value", p->what);
}

static int parse(yajl_alloc_funcs *memory, void *context)
{
	struct parse *p = context;

	p->memory = memory;
	p->yajl = yajl_alloc(&callbacks, memory, p);
	if (!p->yajl)
		return err_memory(p->err);
	if (p->options & JSON_COMMENTS)
		(void)yajl_config(p->yajl, yajl_allow_comments, 1);
	if (yajl_parse(p->yajl, (const unsigned char *)p->text, p->len) != yajl_status_ok)
		return p->failed ? -1 : syntax_error(p);
	if (yajl_complete_parse(p->yajl) != yajl_status_ok)
		return p->failed ? -1 : incomplete(p);
	if (ends_in_comment(p))
		return err_set(p->err, "%s: the last /* comment has no */: close it", p->what);
	return 0;
}

int json_read(struct arena *arena, const struct json_source *source, const struct json_shape *root,
	      void *context, struct err *err)
{
	struct parse p = {
		.arena = arena,
		.what = source->what,
		.text = source->text,
		.len = source->len,
		.options = source->options,
		.root = root,
		.context = context,
		.err = err,
		.line = 1,
	};
	int status = json_with_memory(parse, &p);

	return status == JSON_NO_MEMORY ? err_memory(err) : status;
}

int json_int64(const struct json_value *value, int64_t *ret, struct err *err)
{
	char digits[32];
	char *end;
	long long number;

	if (value->len == 0 || value->len >= sizeof(digits))
		return err_set(err, "not an integer in the range of 64 bits");
	memcpy(digits, value->text, value->len);
	digits[value->len] = '\0';
	errno = 0;
	number = strtoll(digits, &end, 10);
	if (errno || *end)
		return err_set(err, "%s is not an integer in the range of 64 bits", digits);
	*ret = number;
	return 0;
}

int json_uint64(const struct json_value *value, uint64_t *ret, struct err *err)
{
	char digits[32];
	char *end;
	unsigned long long number;

	if (value->len == 0 || value->len >= sizeof(digits))
		return err_set(err, "not an integer from 0 to 2^64-1");
	memcpy(digits, value->text, value->len);
	digits[value->len] = '\0';
	errno = 0;
	number = strtoull(digits, &end, 10);
	if (errno || *end || digits[0] == '-')
		return err_set(err, "%s is not an integer from 0 to 2^64-1", digits);
	*ret = number;
	return 0;
}

int json_word(const struct json_value *value, const char *const *words, const char *others,
	      unsigned *ret, struct err *err)
{
	char known[256] = "";

	if (!value->text)
		return err_set(err, "expected a string");
	for (unsigned i = 0; words[i]; i++) {
		if (value->len == strlen(words[i]) &&
		    memcmp(value->text, words[i], value->len) == 0) {
			*ret = i;
			return 0;
		}
	}
	for (size_t i = 0; words[i]; i++)
		text_add_item(known, sizeof(known), words[i]);
	return err_set(err, "'%.*s' is not one of %s%s", (int)(value->len > 64 ? 64 : value->len),
		       value->text, known, others);
}

bool json_equals(const struct json_value *value, const char *text)
{
	return value->type == JSON_STRING && value->len == strlen(text) &&
	       memcmp(value->text, text, value->len) == 0;
}

int json_string(struct arena *arena, const struct json_value *value, const char **ret,
		struct err *err)
{
	char *copy;

	if (!value->text)
		return err_set(err, "expected a string");
	if (memchr(value->text, 0, value->len))
		return err_set(err, "contains a NUL character");
	copy = arena_strndup(arena, value->text, value->len);
	if (!copy)
		return err_memory(err);
	*ret = copy;
	return 0;
}

int json_append_string(struct arena *arena, const struct json_value *value, const char ***array,
		       size_t *count, size_t *room, struct err *err)
{
	const char **larger = arena_grow(arena, *array, *count, room, sizeof(**array));

	if (!larger)
		return err_memory(err);
	*array = larger;
	if (json_string(arena, value, &larger[*count], err) < 0)
		return -1;
	(*count)++;
	return 0;
}
