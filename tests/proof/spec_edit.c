/* SPDX-License-Identifier: Apache-2.0 */
/* spec_edit() for a process of any 24 bytes that has any env and rlimits, with 2 limits: each byte
 * outside the values that it replaces stays, in order. Not looked into: texts that are inserted,
 * capabilities, seccomp. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

static void sort(void *splices, size_t n);

#define qsort(base, n, size, compare) sort(base, ((void)(compare), n))

#include "core/apply/spec_edit.c"

#include "tests/proof/any.h"

#define TEXT 24
#define LIMITS 2
#define SPLICES 5

static char bytes[TEXT];
static struct json_node process = {.type = JSON_OBJECT};
static struct json_node env;
static struct json_node rlimits;
static struct json_node limits[LIMITS];
static struct json_node type; /* of a limit: RLIMIT_MEMLOCK, or another one's */
static bool has_env;
static bool has_rlimits;
static bool is_memlock[LIMITS];
static const struct json_node *asked; /* whose type was looked up */
static struct splice splices[SPLICES];
static size_t n_sorted;
static size_t written; /* so much of the text is accounted for */
static size_t at;      /* the next splice */

/* ---- what the JSON reader says of a process ---- */

const struct json_node *json_first(const struct json_node *node)
{
	return node && node->type & (JSON_ARRAY | JSON_OBJECT) ? node->first : NULL;
}

const struct json_node *json_find(const struct json_node *object, const char *key)
{
	asked = object;
	if (key[0] == 't')
		return &type;
	if (object == &process && key[0] == 'e' && has_env)
		return &env;
	return object == &process && key[0] == 'r' && has_rlimits ? &rlimits : NULL;
}

bool json_equals(const struct json_node *node, const char *text)
{
	return is_memlock[asked - limits];
}

/* Inside of begin and end, which are its brackets or a comma behind what is before it */
static void place(struct json_node *node, size_t begin, size_t end)
{
	node->begin = nondet_int();
	node->end = nondet_int();
	assume(node->begin > begin && node->begin < TEXT && node->end < end &&
	       node->end >= node->begin + 2);
}

/* ---- what is written ---- */

static void sort(void *base, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		for (size_t k = i; k > 0 && splices[k - 1].begin > splices[k].begin; k--) {
			struct splice later = splices[k - 1];

			splices[k - 1] = splices[k];
			splices[k] = later;
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct splice *s = &splices[i];
		bool replaces = s->end > s->begin;
		bool whole = false;

		for (int k = 0; k < LIMITS; k++)
			whole |= s->begin == limits[k].begin && s->end == limits[k].end &&
				 is_memlock[k];
		whole |= env.type == JSON_NULL && s->begin == env.begin && s->end == env.end;
		whole |= rlimits.type == JSON_NULL && s->begin == rlimits.begin &&
			 s->end == rlimits.end;
		prove(!replaces || whole, "only a limit, or a null, is replaced");
		prove(!i || splices[i - 1].end < s->begin ||
			      (splices[i - 1].end == s->begin && !replaces),
		      "no two of them meet");
		prove(s->begin > process.begin && s->end < process.end, "they are in the process");
	}
	n_sorted = n;
}

void arena_append(struct arena_text *text, const char *format, ...)
{
	va_list args;

	text->len++;
	text->text = "x";
	if (format[1] != '.')
		return;
	va_start(args, format);
	int len = va_arg(args, int);
	const char *from = va_arg(args, const char *);

	va_end(args);
	prove(len >= 0 && from == bytes + written, "what stays follows what was before it");
	written += (size_t)len;
	if (at < n_sorted)
		written = splices[at++].end;
}

void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t item_size)
{
	*capacity = SPLICES;
	return splices;
}

bool memlock_raise(struct rlimit64 *limit, uint64_t to)
{
	return nondet_bool();
}

STUB(char *, arena_printf, (struct arena * arena, const char *format, ...), "x")
STUB(const char *, json_quote, (struct arena * arena, const char *text), "x")
STUB(const char *, spec_getenv, (const struct spec *spec, const char *name),
     nondet_bool() ? "x" : NULL)
STUB(const char *const *, capability_names, (struct arena * arena, uint64_t set), NULL)
STUB(int, err_sys, (struct err * err, int errnum, const char *format, ...), -1)
STUB(int, err_of_arena, (const struct arena *arena, struct err *err), 0)

const char *const spec_capability_sets[SPEC_CAPABILITY_SETS];
const char *const seccomp_names[1];

int main(void)
{
	struct setting setting = {.name = "x", .value = "x"};
	struct spec spec = {.process = &process, .process_only = true};
	struct plan plan = {.memlock = nondet_bool(), .settings = &setting, .n_settings = 1};
	struct fs_text text = {bytes, TEXT};
	struct fs_text edited;
	struct arena arena = {0};
	struct err err;
	bool env_first = nondet_bool();

	has_env = nondet_bool();
	has_rlimits = nondet_bool();
	process.end = TEXT;
	place(&env, 0, TEXT);
	place(&rlimits, 0, TEXT);
	assume(env_first ? env.end < rlimits.begin : rlimits.end < env.begin);
	env.type = nondet_bool() ? JSON_NULL : JSON_ARRAY;
	rlimits.type = nondet_bool() ? JSON_NULL : JSON_ARRAY;
	if (rlimits.type == JSON_ARRAY && nondet_bool()) {
		place(&limits[0], rlimits.begin, rlimits.end);
		rlimits.first = &limits[0];
		if (nondet_bool()) {
			place(&limits[1], limits[0].end, rlimits.end);
			limits[0].next = &limits[1];
		}
	}
	for (int i = 0; i < LIMITS; i++)
		is_memlock[i] = nondet_bool();
	for (const struct json_node *limit = rlimits.first; has_rlimits && limit;
	     limit = limit->next)
		spec.has_memlock |= is_memlock[limit - limits];
	if (has_env && has_rlimits) {
		process.first = env_first ? &env : &rlimits;
		process.first->next = env_first ? &rlimits : &env;
	} else if (has_env || has_rlimits) {
		process.first = has_env ? &env : &rlimits;
	}
	int status = spec_edit(&arena, &text, &spec, &plan, NULL, &edited, &err);

	prove(status == 0, "it succeeds");
	prove(edited.bytes == bytes || written == TEXT, "all of the text is there");
	return 0;
}
