/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/job_table.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "core/json/writer.h"
#include "doctor/compare/job_facts.h"

#define NAMED_MAX 3

static bool differs_in(const struct job *job, enum fact fact)
{
	for (size_t i = 0; i < job->n_differences; i++) {
		if (strcmp(job->difference[i].what, fact_name(fact)) == 0)
			return true;
	}
	return false;
}

static bool differs(const struct job *job, const struct pod *pod)
{
	for (size_t i = 0; i < job->n_differences; i++) {
		const struct difference *difference = &job->difference[i];

		for (size_t j = 0; j < difference->n; j++) {
			if (difference->pod[j] == pod && difference->n < job->n)
				return true;
		}
	}
	return false;
}

struct columns {
	enum fact fact[FACTS];
	int width[FACTS];
	size_t n;
	int pod;
	int node;
};

static int larger(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

/* Rails are only in words. */
static void add_column(const struct job *job, enum fact fact, struct columns *columns)
{
	int width = 0;

	for (size_t i = 0; i < job->n; i++)
		width = larger(width, job->pod[i].fact[fact]);
	if (!width || fact == FACT_RAILS)
		return;
	columns->width[columns->n] = larger(width, fact_name(fact));
	columns->fact[columns->n++] = fact;
}

static struct columns find_columns(const struct job *job)
{
	struct columns columns = {.pod = larger(0, "POD"), .node = larger(0, "NODE")};

	for (size_t i = 0; i < job->n; i++) {
		columns.pod = larger(columns.pod, job->pod[i].name);
		columns.node = larger(columns.node, job->pod[i].node);
	}
	for (int pass = 1; pass >= 0; pass--) {
		for (int fact = 0; fact < FACTS; fact++) {
			if (differs_in(job, (enum fact)fact) == pass)
				add_column(job, (enum fact)fact, &columns);
		}
	}
	return columns;
}

static void put_head(FILE *out, const struct columns *columns)
{
	fprintf(out, "%-*s  %-*s", columns->pod, "POD", columns->node, "NODE");
	for (size_t i = 0; i < columns->n; i++) {
		const char *name = fact_name(columns->fact[i]);

		fputs("  ", out);
		for (const char *at = name; *at; at++)
			fputc(toupper((unsigned char)*at), out);
		if (i + 1 < columns->n)
			fprintf(out, "%*s", columns->width[i] - (int)strlen(name), "");
	}
	fputc('\n', out);
}

static void put_row(FILE *out, const struct columns *columns, const struct pod *pod)
{
	fprintf(out, "%-*s  %-*s", columns->pod, pod->name, columns->node, pod->node);
	for (size_t i = 0; !pod->silent && i < columns->n; i++) {
		const char *text = pod->fact[columns->fact[i]];

		fprintf(out, "  %-*s", i + 1 < columns->n ? columns->width[i] : 0,
			*text ? text : "?");
	}
	fprintf(out, "%s%s\n", pod->silent ? "  no report: " : "", pod->silent ? pod->silent : "");
}

static void put_table(FILE *out, const struct job *job)
{
	const struct columns columns = find_columns(job);

	put_head(out, &columns);
	for (int pass = 1; pass >= 0; pass--) {
		for (size_t i = 0; i < job->n; i++) {
			if (differs(job, &job->pod[i]) == pass)
				put_row(out, &columns, &job->pod[i]);
		}
	}
}

static const char *common_node(const struct difference *difference)
{
	for (size_t i = 1; i < difference->n; i++) {
		if (strcmp(difference->pod[i]->node, difference->pod[0]->node) != 0)
			return NULL;
	}
	return difference->pod[0]->node;
}

static void put_pods(FILE *out, const struct job *job, const struct difference *difference)
{
	const char *node = common_node(difference);

	if (difference->n == job->n && job->n > 1) {
		fprintf(out, "all %zu pods", job->n);
		return;
	}
	for (size_t i = 0; i < difference->n && i < NAMED_MAX; i++) {
		const struct pod *pod = difference->pod[i];

		fprintf(out, "%s%s", i ? ", " : "", pod->name);
		if (!node && *pod->node)
			fprintf(out, " on %s", pod->node);
	}
	if (difference->n > NAMED_MAX)
		fprintf(out, " and %zu more", difference->n - NAMED_MAX);
	if (node && *node)
		fprintf(out, "%s on %s", difference->n > 1 ? ", all" : "", node);
}

static void put_difference(FILE *out, const struct job *job, const struct difference *difference)
{
	put_pods(out, job, difference);
	fprintf(out, ": %s %s", difference->what, difference->value);
	if (*difference->others)
		fprintf(out, "; %zu other%s: %s", difference->n_others,
			difference->n_others == 1 ? "" : "s", difference->others);
	if (*difference->evidence)
		fprintf(out, "\n    %s", difference->evidence);
	fputc('\n', out);
}

int job_print_text(FILE *out, const struct job *job)
{
	put_table(out, job);
	fprintf(out, "\n%zu pod%s", job->n, job->n == 1 ? "" : "s");
	if (job->answers < job->n)
		fprintf(out, ", %zu of which answered", job->answers);
	if (job->n_differences)
		fprintf(out, ": %zu difference%s or failure%s, the likeliest cause first\n",
			job->n_differences, job->n_differences == 1 ? "" : "s",
			job->n_differences == 1 ? "" : "s");
	else
		fputs(": nothing differs, and nothing fails\n", out);
	for (size_t i = 0; i < job->n_differences; i++)
		put_difference(out, job, &job->difference[i]);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

static void put_json_pod(yajl_gen gen, const struct pod *pod)
{
	yajl_gen_map_open(gen);
	json_put_text(gen, "pod", pod->name);
	json_put_member(gen, "node", pod->node);
	json_put_member(gen, "no_report", pod->silent);
	for (int fact = 0; fact < FACTS; fact++)
		json_put_member(gen, fact_name((enum fact)fact), pod->fact[fact]);
	yajl_gen_map_close(gen);
}

static void put_json_difference(yajl_gen gen, const struct difference *difference)
{
	yajl_gen_map_open(gen);
	json_put_text(gen, "what", difference->what);
	json_put_string(gen, "pods");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < difference->n; i++)
		json_put_string(gen, difference->pod[i]->name);
	yajl_gen_array_close(gen);
	json_put_text(gen, "value", difference->value);
	json_put_member(gen, "others", difference->others);
	json_put_uint64(gen, "n_others", difference->n_others);
	json_put_text(gen, "evidence", difference->evidence);
	yajl_gen_map_close(gen);
}

static int put_job(yajl_gen gen, void *context)
{
	const struct job *job = context;

	yajl_gen_map_open(gen);
	json_put_uint64(gen, "schema", 1);
	json_put_string(gen, "pods");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < job->n; i++)
		put_json_pod(gen, &job->pod[i]);
	yajl_gen_array_close(gen);
	json_put_string(gen, "differences");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < job->n_differences; i++)
		put_json_difference(gen, &job->difference[i]);
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
	return 0;
}

int job_print_json(FILE *out, const struct job *job)
{
	cleanup_arena arena = {0};
	struct job copy = *job;
	size_t len;
	const char *text = json_write(&arena, true, put_job, &copy, &len);

	return text && fwrite(text, 1, len, out) == len && fflush(out) == 0 ? 0 : -1;
}
