/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_oracle.h"

#include <string.h>

/* Where something may be added */
struct rule {
	const char *name;
	enum { APPEND, LIMITS, MEMBERS } kind;
	bool adds; /* a member that is missing may come, and null may become one */
	const struct rule *members;
};

static const struct rule sets[] = {
	{"bounding", APPEND, true, NULL},  {"effective", APPEND, true, NULL},
	{"permitted", APPEND, true, NULL}, {"inheritable", APPEND, true, NULL},
	{"ambient", APPEND, true, NULL},   {0},
};
static const struct rule process_members[] = {
	{"env", APPEND, true, NULL},
	{"rlimits", LIMITS, true, NULL},
	{"capabilities", MEMBERS, true, sets},
	{0},
};
static const struct rule seccomp_members[] = {{"syscalls", APPEND, true, NULL}, {0}};
static const struct rule linux_members[] = {{"seccomp", MEMBERS, false, seccomp_members}, {0}};
static const struct rule root_members[] = {
	{"process", MEMBERS, false, process_members},
	{"linux", MEMBERS, false, linux_members},
	{0},
};
static const struct rule process_rule = {"", MEMBERS, false, process_members};
static const struct rule root_rule = {"", MEMBERS, false, root_members};

struct span {
	const char *begin;
	const char *end;
};

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\n\v\f\r");
}

static const char *skip_string(const char *at)
{
	for (at++; *at != '"'; at++)
		at += *at == '\\';
	return at + 1;
}

static const char *skip_value(const char *at)
{
	int depth = 0;

	do {
		if (*at == '"') {
			at = skip_string(at);
		} else if (strchr("{}[]", *at)) {
			depth += *at == '{' || *at == '[' ? 1 : -1;
			at++;
		} else if (strchr(" \t\n\v\f\r,:", *at)) {
			at++;
		} else {
			at += strcspn(at, " \t\n\v\f\r,:{}[]\"");
		}
	} while (depth);
	return at;
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF";

	return (int)(strchr(digits, c) - digits) % 16;
}

/* True if the string at, with its quotes and escapes, means word. */
static bool means(const char *at, const char *word)
{
	for (at++; *at != '"'; word++) {
		char c = *at++;

		if (c == '\\' && *at == 'u') {
			if (at[1] != '0' || at[2] != '0' || !*word)
				return false;
			c = (char)(hex(at[3]) * 16 + hex(at[4]));
			at += 5;
		} else if (c == '\\') {
			c = *at++;
			if (strchr("bfnrt", c))
				return false; /* in none of our words */
		}
		if (c != *word || !c)
			return false;
	}
	return !*word;
}

static bool same_bytes(struct span a, struct span b)
{
	return a.end - a.begin == b.end - b.begin &&
	       memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

/* The next item or member of a container; false behind the last. lead: from the end of the one
 * before to value, separators, name and all */
struct item {
	struct span lead;
	const char *name; /* of a member */
	struct span value;
};

static bool next_item(struct item *item, const char *from, bool object)
{
	const char *at = skip_space(from);

	if (*at == ',')
		at = skip_space(at + 1);
	if (*at == ']' || *at == '}')
		return false;
	item->name = object ? at : NULL;
	if (object)
		at = skip_space(skip_space(skip_string(at)) + 1);
	item->lead = (struct span){from, at};
	item->value = (struct span){at, skip_value(at)};
	return true;
}

static const struct rule *rule_of(const struct rule *members, const char *name)
{
	for (; members && name && members->name; members++) {
		if (means(name, members->name))
			return members;
	}
	return NULL;
}

static bool is_memlock(struct span entry)
{
	struct item item;

	if (*entry.begin != '{')
		return false;
	for (const char *at = entry.begin + 1; next_item(&item, at, true); at = item.value.end) {
		if (means(item.name, "type") && *item.value.begin == '"' &&
		    means(item.value.begin, "RLIMIT_MEMLOCK"))
			return true;
	}
	return false;
}

static bool same(struct span in, struct span out, const struct rule *rule);

static bool same_item(const struct item *in, const struct item *out, const struct rule *rule)
{
	if (!same_bytes(in->lead, out->lead))
		return false;
	if (rule->kind == LIMITS && is_memlock(in->value))
		return is_memlock(out->value);
	return same(in->value, out->value,
		    rule->kind == MEMBERS ? rule_of(rule->members, in->name) : NULL);
}

/* Behind the last that was there */
static bool may_add(const struct item *item, const struct rule *rule)
{
	const struct rule *member;

	if (rule->kind == LIMITS)
		return is_memlock(item->value);
	if (rule->kind == APPEND)
		return true;
	member = rule_of(rule->members, item->name);
	return member && member->adds;
}

static bool same_container(struct span in, struct span out, const struct rule *rule)
{
	bool object = *in.begin == '{';
	const char *a = in.begin + 1;
	const char *b = out.begin + 1;
	bool empty = true;
	struct item old;
	struct item new;

	for (; next_item(&old, a, object); a = old.value.end, b = new.value.end) {
		if (!next_item(&new, b, object) || !same_item(&old, &new, rule))
			return false;
		empty = false;
	}
	/* White space in an empty one stays in front of what is added. */
	if (empty && (out.end - b < in.end - a || memcmp(a, b, (size_t)(in.end - 1 - a)) != 0))
		return false;
	for (; next_item(&new, b, object); b = new.value.end) {
		if (!may_add(&new, rule))
			return false;
		if (empty)
			a = in.end - 1;
	}
	return same_bytes((struct span){a, in.end}, (struct span){b, out.end});
}

static bool same(struct span in, struct span out, const struct rule *rule)
{
	if (same_bytes(in, out))
		return true;
	if (!rule)
		return false;
	if (*in.begin == 'n')
		return rule->adds;
	return *in.begin == *out.begin && same_container(in, out, rule);
}

bool edit_only_adds(const char *before, const char *after, bool whole)
{
	const char *a = skip_space(before);
	const char *b = skip_space(after);
	struct span in = {a, skip_value(a)};
	struct span out = {b, skip_value(b)};

	return same_bytes((struct span){before, a}, (struct span){after, b}) &&
	       strcmp(in.end, out.end) == 0 && same(in, out, whole ? &root_rule : &process_rule);
}
