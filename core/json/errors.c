/* SPDX-License-Identifier: Apache-2.0 */
/* document.h declares these. Errors: file, line, path, reason */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/json/document.h"

#define ERRORS_MAX 16 /* a hostile file can have any number */

size_t json_line_at(const char *text, size_t offset)
{
	const char *end = text + offset;
	size_t line = 1;

	for (; (text = memchr(text, '\n', (size_t)(end - text))); text++)
		line++;
	return line;
}

size_t json_line(const struct json_document *doc, const struct json_node *node)
{
	return node ? json_line_at(doc->text, node->begin) : 0;
}

/* "process.env[3]": into the first value that does not end before node */
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
			n = snprintf(path + used, size - used, "%s%s", used ? "." : "", at->key);
		used += n > 0 ? (size_t)n : 0;
	}
}

int json_fail(struct json_document *doc, const struct json_node *node, const char *format, ...)
{
	struct err later = {0};
	struct err *err = doc->errors ? &later : doc->err;
	char reason[512];
	char path[256];
	va_list args;

	/* A value's further errors follow from its first. */
	if (doc->errors == ERRORS_MAX || (doc->errors && node == doc->faulty))
		return -1;
	doc->failed = true;
	doc->faulty = node;
	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (node) {
		path_of(doc, node, path, sizeof(path));
		err_set(err, "%s: line %zu: %s%s%s", doc->what, json_line(doc, node), path,
			path[0] ? ": " : "", reason);
	} else {
		err_set(err, "%s: %s", doc->what, reason);
	}
	if (doc->errors++)
		doc->err->more = doc->err->more ? arena_printf(doc->arena, "%s\n%s", doc->err->more,
							       later.text)
						: arena_strdup(doc->arena, later.text);
	return -1;
}

int json_no_memory(struct json_document *doc)
{
	if (!doc->failed)
		err_memory(doc->err);
	doc->failed = true;
	doc->errors = ERRORS_MAX;
	return -1;
}

/* "expected a string or a number, found null"; lists no null */
int json_fail_type(struct json_document *doc, const struct json_node *node, unsigned types)
{
	static const char *const names[] = {"null",     "a boolean", "a number",
					    "a string", "an array",  "an object"};
	char wanted[96] = "";

	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t used = strlen(wanted);

		if (types >> i & 1)
			snprintf(wanted + used, sizeof(wanted) - used, "%s%s", used ? " or " : "",
				 names[i]);
	}
	return json_fail(doc, node, "expected %s, found %s", wanted,
			 names[__builtin_ctz(node->type)]);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Position behind a comma before the bracket where yajl stopped, or NULL */
static const char *find_comma(const struct json_document *doc, size_t stopped)
{
	const char *at = doc->text + stopped;

	if (!stopped || (at[-1] != ']' && at[-1] != '}'))
		return NULL;
	at--;
	while (at > doc->text && is_blank(at[-1]))
		at--;
	return at > doc->text && at[-1] == ',' ? at : NULL;
}

int json_fail_syntax(struct json_document *doc, size_t stopped, const unsigned char *said)
{
	const char *comma = find_comma(doc, stopped);
	const char *shown = said ? (const char *)said : "not valid JSON";
	const char *hint = strstr(shown, "invalid char in json") ? " (texts stand in double quotes)"
			   : strstr(shown, "I expect ','")       ? " (a comma is missing)"
								 : "";

	if (doc->failed)
		return -1;
	doc->failed = true;
	if (comma)
		return err_set(doc->err, "%s: line %zu: nothing follows this comma: remove it",
			       doc->what, json_line_at(doc->text, (size_t)(comma - doc->text)));
	return err_set(doc->err, "%s: line %zu: %.*s%s", doc->what,
		       json_line_at(doc->text, stopped), (int)strcspn(shown, "\n"), shown, hint);
}

int json_fail_unfinished(struct json_document *doc, const struct json_node *open)
{
	size_t blanks = 0;

	while (blanks < doc->len && is_blank(doc->text[blanks]))
		blanks++;
	if (blanks == doc->len)
		return json_fail(doc, NULL, "is empty");
	return json_fail(doc, open, "the text ends in the middle of a value%s",
			 !open                       ? ""
			 : open->type == JSON_OBJECT ? ": this '{' is not closed"
						     : ": this '[' is not closed");
}
