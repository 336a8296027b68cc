/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/job_facts.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "lib/limits.h"

/* Untrusted values may be longer. */
#define FACT_MAX 80

static const struct {
	const char *name;
	const char *finding;
	const char *value; /* NULL: computed */
} facts[FACTS] = {
	[FACT_DECISION] = {"decision", "plan", "decision"},
	[FACT_LIMIT] = {"limit", "memlock", NULL},
	[FACT_HCAS] = {"hcas", "port", NULL},
	[FACT_LINK] = {"link", "port", "link_layer"},
	[FACT_RATE] = {"gbps", "port", "rate_gbps"},
	[FACT_GID] = {"gid", "gid", "index"},
	[FACT_RAILS] = {"rails", "gid", NULL},
	[FACT_MTU] = {"mtu", "mtu", "mtu"},
	[FACT_GPUDIRECT] = {"gpudirect", "gpudirect", "way"},
	[FACT_NEAREST] = {"nearest", "distance", "nearest"},
	[FACT_DRIVER] = {"driver", "gpudirect", "driver"},
	[FACT_PINNED] = {"pinned", "pinned", NULL},
};

const char *fact_name(enum fact fact)
{
	return facts[fact].name;
}

const char *fact_finding(enum fact fact)
{
	return facts[fact].finding;
}

static const char *value_of(const struct reported *item, const char *id, const char *name)
{
	const struct json_node *node = NULL;

	if (strcmp(item->id, id) == 0 && item->values)
		node = json_find(item->values, name);
	return node && node->type == JSON_STRING ? node->text : "";
}

/* A down port still has a rate. */
static bool is_down(const struct reported *item)
{
	const char *state = value_of(item, "port", "state");

	return *state && strcmp(state, "ACTIVE") != 0;
}

static int compare_text(const void *a, const void *b)
{
	const char *const *x = a;
	const char *const *y = b;

	return strcmp(*x, *y);
}

/* Each value once, in order: "200,400" */
static const char *join_values(struct arena *arena, const struct pod *pod, enum fact fact)
{
	const char **values = arena_alloc(arena, pod->n * sizeof(*values));
	const char *text = "";
	size_t n = 0;

	for (size_t i = 0; values && i < pod->n; i++) {
		values[n] = value_of(&pod->item[i], facts[fact].finding, facts[fact].value);
		n += *values[n] && !is_down(&pod->item[i]);
	}
	if (values)
		qsort(values, n, sizeof(*values), compare_text);
	for (size_t i = 0; text && i < n; i++) {
		if (i == 0 || strcmp(values[i], values[i - 1]) != 0)
			text = arena_printf(arena, "%s%s%s", text, i ? "," : "", values[i]);
	}
	return text ? text : "";
}

static const char *size_text(struct arena *arena, const struct pod *pod, enum fact fact,
			     const char *name)
{
	for (size_t i = 0; i < pod->n; i++) {
		const char *value = value_of(&pod->item[i], facts[fact].finding, name);
		char *text = *value ? arena_alloc(arena, LIMITS_TEXT_SIZE) : NULL;

		if (text && strcmp(value, "unlimited") != 0)
			return limits_text(strtoull(value, NULL, 10), text);
		if (*value)
			return "unlimited";
	}
	return "";
}

static const char *count_hcas(struct arena *arena, const struct pod *pod)
{
	const struct reported *down = NULL;
	size_t n_down = 0;
	size_t ports = 0;
	size_t n = 0;
	const char *text;

	for (size_t i = 0; i < pod->n; i++) {
		const struct reported *item = &pod->item[i];

		if (is_down(item)) {
			down = item;
			n_down++;
		}
		ports += strcmp(item->id, "port") == 0;
		n += *value_of(item, "port", "state") != '\0';
	}
	/* Doctors before 0.1.0 name ports, without values. */
	if (!n)
		return ports ? "" : "none";
	text = down ? arena_printf(arena, "%zu + %zu %s", n - n_down, n_down,
				   value_of(down, "port", "state"))
		    : arena_printf(arena, "%zu", n);
	return text ? text : "";
}

/* GID networks in HCA order: "10.0.1 10.0.2"; "": one lacks IPv4 */
static const char *list_rails(struct arena *arena, const struct pod *pod)
{
	static const char mapped[] = "::ffff:";
	const char *text = "";

	for (size_t i = 0; text && i < pod->n; i++) {
		const char *gid = value_of(&pod->item[i], "gid", "gid");
		const char *last;

		if (!*gid)
			continue;
		last = strrchr(gid, '.');
		if (strncmp(gid, mapped, strlen(mapped)) != 0 || !last)
			return "";
		gid += strlen(mapped);
		text = arena_printf(arena, "%s%s%.*s", text, *text ? " " : "", (int)(last - gid),
				    gid);
	}
	return text ? text : "";
}

static const char *find_fact(struct arena *arena, const struct pod *pod, enum fact fact)
{
	if (pod->silent)
		return "";
	switch (fact) {
	case FACT_LIMIT:
		return size_text(arena, pod, fact, "soft");
	case FACT_PINNED:
		return size_text(arena, pod, fact, "bytes");
	case FACT_HCAS:
		return count_hcas(arena, pod);
	case FACT_RAILS:
		return list_rails(arena, pod);
	default:
		return join_values(arena, pod, fact);
	}
}

void pod_find_facts(struct arena *arena, struct pod *pod)
{
	for (int fact = 0; fact < FACTS; fact++) {
		char *text = arena_printf(arena, "%.*s", FACT_MAX,
					  find_fact(arena, pod, (enum fact)fact));

		if (text)
			text_make_printable(text);
		pod->fact[fact] = text ? text : "";
	}
}
