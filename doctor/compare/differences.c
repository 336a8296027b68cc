/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/differences.h"

#include <stdio.h>
#include <string.h>

#include "core/command_line.h"
#include "doctor/compare/job_facts.h"
#include "doctor/compare/job_reports.h"
#include "doctor/compare/job_table.h"

static struct difference *add_difference(struct job *job, const char *what, const char *value)
{
	struct difference *added =
		arena_push(job->arena, job->difference, job->n_differences, job->room);

	if (!added)
		return NULL;
	*added = (struct difference){.what = what,
				     .value = value,
				     .others = "",
				     .evidence = "",
				     .pod = arena_alloc(job->arena, job->n * sizeof(struct pod *))};
	return added->pod ? added : NULL;
}

static int compare_silent(struct job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		struct difference *added;

		if (!job->pod[i].silent)
			continue;
		added = add_difference(job, "report", "missing");
		if (!added)
			return -1;
		added->pod[added->n++] = &job->pod[i];
		added->evidence = job->pod[i].silent;
	}
	return 0;
}

static size_t count_alike(const struct job *job, enum fact fact, size_t first)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n; i++)
		n += strcmp(job->pod[i].fact[fact], job->pod[first].fact[fact]) == 0;
	return n;
}

static bool begins_group(const struct job *job, enum fact fact, size_t place)
{
	const char *value = job->pod[place].fact[fact];

	if (!*value)
		return false;
	for (size_t i = 0; i < place; i++) {
		if (strcmp(job->pod[i].fact[fact], value) == 0)
			return false;
	}
	return true;
}

static const char *explain(struct arena *arena, const struct pod *pod, const char *id)
{
	const char *text;

	for (size_t i = 0; i < pod->n; i++) {
		const struct reported *item = &pod->item[i];

		if (strcmp(item->id, id) != 0 ||
		    (item->status != FINDING_FAIL && item->status != FINDING_WARN))
			continue;
		text = arena_printf(arena, "%s%s%s", item->subject, *item->subject ? ": " : "",
				    item->evidence);
		return text ? text : "";
	}
	return "";
}

static int add_group(struct job *job, enum fact fact, size_t first, const struct pod *most)
{
	const char *value = job->pod[first].fact[fact];
	struct difference *added = add_difference(job, fact_name(fact), value);

	if (!added)
		return -1;
	for (size_t i = 0; i < job->n; i++) {
		if (strcmp(job->pod[i].fact[fact], value) == 0)
			added->pod[added->n++] = &job->pod[i];
	}
	if (most) {
		added->others = most->fact[fact];
		added->n_others = count_alike(job, fact, (size_t)(most - job->pod));
	}
	added->evidence = explain(job->arena, added->pod[0], fact_finding(fact));
	return 0;
}

struct groups {
	size_t n;
	size_t known;
	const struct pod *most; /* or NULL */
};

static struct groups find_groups(const struct job *job, enum fact fact)
{
	struct groups groups = {0};
	size_t largest = 0;

	for (size_t i = 0; i < job->n; i++) {
		size_t n = begins_group(job, fact, i) ? count_alike(job, fact, i) : 0;

		groups.n += n > 0;
		groups.known += n;
		if (n > largest) {
			largest = n;
			groups.most = &job->pod[i];
		}
	}
	if (largest * 2 <= groups.known)
		groups.most = NULL;
	return groups;
}

static int compare_fact(struct job *job, enum fact fact)
{
	const struct groups groups = find_groups(job, fact);

	for (size_t i = 0; groups.n > 1 && i < job->n; i++) {
		if (&job->pod[i] == groups.most || !begins_group(job, fact, i))
			continue;
		if (add_group(job, fact, i, groups.most) < 0)
			return -1;
	}
	return 0;
}

/* In any order: "10.0.1 10.0.2" */
static bool same_networks(const char *a, const char *b)
{
	if (strlen(a) != strlen(b))
		return false;
	while (*a) {
		size_t len = strcspn(a, " ");
		const char *at = b;

		while (*at && (strncmp(at, a, len) != 0 || (at[len] && at[len] != ' '))) {
			at += strcspn(at, " ");
			at += *at == ' ';
		}
		if (!*at)
			return false;
		a += len + (a[len] == ' ');
	}
	return true;
}

/* Only the same networks in another order mean swapped cables or devices. */
static int compare_rails(struct job *job)
{
	const struct groups groups = find_groups(job, FACT_RAILS);

	for (size_t i = 0; groups.most && i < job->n; i++) {
		if (&job->pod[i] == groups.most || !begins_group(job, FACT_RAILS, i) ||
		    !same_networks(job->pod[i].fact[FACT_RAILS], groups.most->fact[FACT_RAILS]))
			continue;
		if (add_group(job, FACT_RAILS, i, groups.most) < 0)
			return -1;
	}
	return 0;
}

static const struct reported *find_failure(const struct pod *pod, const char *id)
{
	for (size_t i = 0; i < pod->n; i++) {
		if (pod->item[i].status == FINDING_FAIL && strcmp(pod->item[i].id, id) == 0)
			return &pod->item[i];
	}
	return NULL;
}

static bool is_named(const struct job *job, const char *id)
{
	for (size_t i = 0; i < job->n_differences; i++) {
		const char *what = job->difference[i].what;

		if (strcmp(what, id) == 0)
			return true;
		for (int fact = 0; fact < FACTS; fact++) {
			if (strcmp(fact_name((enum fact)fact), what) == 0 &&
			    strcmp(fact_finding((enum fact)fact), id) == 0)
				return true;
		}
	}
	return false;
}

static int add_failure(struct job *job, const char *id)
{
	struct difference *added = add_difference(job, id, "fail");

	if (!added)
		return -1;
	for (size_t i = 0; i < job->n; i++) {
		if (find_failure(&job->pod[i], id))
			added->pod[added->n++] = &job->pod[i];
	}
	added->evidence = explain(job->arena, added->pod[0], id);
	if (added->n < job->answers) {
		added->others = "ok";
		added->n_others = job->answers - added->n;
	}
	return 0;
}

static int compare_failures(struct job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct pod *pod = &job->pod[i];

		for (size_t j = 0; j < pod->n; j++) {
			const struct reported *item = &pod->item[j];

			if (item->status == FINDING_FAIL && !is_named(job, item->id) &&
			    add_failure(job, item->id) < 0)
				return -1;
		}
	}
	return 0;
}

int job_compare(struct job *job)
{
	if (compare_silent(job) < 0)
		return -1;
	for (int fact = 0; fact < FACT_PINNED; fact++) {
		if ((fact == FACT_RAILS ? compare_rails(job) : compare_fact(job, (enum fact)fact)) <
		    0)
			return -1;
	}
	return compare_failures(job);
}

int compare_reports(char *const *files, size_t n, bool json)
{
	cleanup_arena arena = {0};
	struct job job;
	struct err err;

	err_memory(&err);
	if (job_read(&arena, files, n, &job, &err) < 0 || job_compare(&job) < 0) {
		fprintf(stderr, "oci-rdma-doctor: %s\n", err.text);
		return EXIT_USAGE;
	}
	if ((json ? job_print_json(stdout, &job) : job_print_text(stdout, &job)) < 0) {
		fprintf(stderr, "oci-rdma-doctor: stdout could not be written\n");
		return EXIT_USAGE;
	}
	if (!job.answers)
		return EXIT_USAGE;
	return job.n_differences ? 1 : 0;
}
