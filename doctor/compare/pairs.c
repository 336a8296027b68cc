/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/pairs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/command_line.h"
#include "core/json/writer.h"
#include "doctor/compare/job_reports.h"

static int add_transfer(struct arena *arena, struct pairs *pairs, const struct transfer *transfer)
{
	struct transfer *added = arena_push(arena, pairs->transfer, pairs->n, pairs->room);

	if (!added)
		return -1;
	*added = *transfer;
	pairs->failed += !added->gbps;
	return 0;
}

/* Without a transfer: why, if the report says so */
static const char *reason_of(const struct pod *report)
{
	for (size_t i = 0; i < report->n; i++) {
		if (report->item[i].status == FINDING_FAIL)
			return report->item[i].evidence;
	}
	return report->silent ? report->silent : "it tried no transfer";
}

/* A subject is "DEVICE -> ADDRESS PEER'S DEVICE" (verbs/pods.c), or an address alone. */
static const char *rail_of(struct arena *arena, const char *subject)
{
	const char *end = strstr(subject, " -> ");

	return end ? arena_printf(arena, "%.*s", (int)(end - subject), subject) : "?";
}

static int add_report(struct arena *arena, const struct pod *report, struct pairs *pairs)
{
	struct transfer transfer = {.from = report->name, .to = report->node};
	size_t before = pairs->n;

	for (size_t i = 0; i < report->n; i++) {
		const struct reported *item = &report->item[i];

		if (strcmp(item->id, "verbs_remote") != 0)
			continue;
		transfer.rail = rail_of(arena, item->subject);
		transfer.gbps = item->status == FINDING_OK ? item->gbps : 0;
		transfer.evidence = item->evidence;
		if (!transfer.rail || add_transfer(arena, pairs, &transfer) < 0)
			return -1;
	}
	if (pairs->n > before)
		return 0;
	transfer.rail = "?";
	transfer.evidence = reason_of(report);
	return add_transfer(arena, pairs, &transfer);
}

static int add_rail(struct arena *arena, struct pairs *pairs, const char *name)
{
	struct rail *added;

	for (size_t i = 0; i < pairs->n_rails; i++) {
		if (strcmp(pairs->rail[i].name, name) == 0)
			return 0;
	}
	added = arena_push(arena, pairs->rail, pairs->n_rails, pairs->room_rails);
	if (added)
		*added = (struct rail){.name = name};
	return added ? 0 : -1;
}

static void add_pod(struct pairs *pairs, const char *name)
{
	for (size_t i = 0; i < pairs->n_pods; i++) {
		if (strcmp(pairs->pod[i], name) == 0)
			return;
	}
	pairs->pod[pairs->n_pods++] = name;
}

static int compare_gbps(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

static void judge_rail(struct pairs *pairs, struct rail *rail, double *gbps)
{
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		if (pairs->transfer[i].gbps > 0 && strcmp(pairs->transfer[i].rail, rail->name) == 0)
			gbps[n++] = pairs->transfer[i].gbps;
	}
	if (!n)
		return;
	qsort(gbps, n, sizeof(*gbps), compare_gbps);
	rail->median = gbps[n / 2];
	for (size_t i = 0; i < pairs->n; i++) {
		struct transfer *transfer = &pairs->transfer[i];

		transfer->slow |= transfer->gbps > 0 && strcmp(transfer->rail, rail->name) == 0 &&
				  transfer->gbps * 100 < rail->median * PAIRS_SLOW_PERCENT;
		pairs->slow += transfer->slow && strcmp(transfer->rail, rail->name) == 0;
	}
}

int pairs_judge(const struct job *job, struct pairs *ret_pairs)
{
	struct arena *arena = job->arena;
	struct pairs pairs = {.pod = arena_alloc(arena, 2 * job->n * sizeof(*pairs.pod))};
	double *gbps;

	if (!pairs.pod)
		return -1;
	for (size_t i = 0; i < job->n; i++) {
		if (add_report(arena, &job->pod[i], &pairs) < 0)
			return -1;
		add_pod(&pairs, job->pod[i].name);
	}
	for (size_t i = 0; i < job->n; i++)
		add_pod(&pairs, job->pod[i].node);
	gbps = arena_alloc(arena, (pairs.n + 1) * sizeof(*gbps));
	for (size_t i = 0; i < pairs.n; i++) {
		if (!gbps || add_rail(arena, &pairs, pairs.transfer[i].rail) < 0)
			return -1;
	}
	for (size_t i = 0; i < pairs.n_rails; i++)
		judge_rail(&pairs, &pairs.rail[i], gbps);
	*ret_pairs = pairs;
	return 0;
}

static void put_cell(FILE *out, const struct transfer *transfer)
{
	if (!transfer)
		fprintf(out, " %7s", "-");
	else if (transfer->gbps > 0)
		fprintf(out, " %6.1f%c", transfer->gbps, transfer->slow ? '!' : ' ');
	else
		fprintf(out, " %7s", "failed");
}

static const struct transfer *find(const struct pairs *pairs, const char *rail, const char *from,
				   const char *to)
{
	for (size_t i = 0; i < pairs->n; i++) {
		const struct transfer *transfer = &pairs->transfer[i];

		if (strcmp(transfer->rail, rail) == 0 && strcmp(transfer->from, from) == 0 &&
		    strcmp(transfer->to, to) == 0)
			return transfer;
	}
	return NULL;
}

/* Columns are the rows' numbers. */
static void put_matrix(FILE *out, const struct pairs *pairs, const char *rail)
{
	int width = 0;

	for (size_t i = 0; i < pairs->n_pods; i++)
		width = (int)strlen(pairs->pod[i]) > width ? (int)strlen(pairs->pod[i]) : width;
	fprintf(out, "%5s%*s", "", width, "");
	for (size_t i = 0; i < pairs->n_pods; i++)
		fprintf(out, " %6zu ", i);
	fputc('\n', out);
	for (size_t i = 0; i < pairs->n_pods; i++) {
		fprintf(out, "%4zu %-*s", i, width, pairs->pod[i]);
		for (size_t j = 0; j < pairs->n_pods; j++)
			put_cell(out, find(pairs, rail, pairs->pod[i], pairs->pod[j]));
		fputc('\n', out);
	}
}

static void put_list(FILE *out, const struct pairs *pairs, const char *rail)
{
	for (size_t i = 0; i < pairs->n; i++) {
		const struct transfer *transfer = &pairs->transfer[i];

		if (strcmp(transfer->rail, rail) != 0)
			continue;
		put_cell(out, transfer);
		fprintf(out, "  %s -> %s\n", transfer->from, transfer->to);
	}
}

int pairs_print_text(FILE *out, const struct pairs *pairs, bool matrix)
{
	for (size_t i = 0; i < pairs->n_rails; i++) {
		const struct rail *rail = &pairs->rail[i];

		if (strcmp(rail->name, "?") == 0)
			continue; /* only in words */
		fprintf(out, "%s: Gb/s%s, ", rail->name, matrix ? " from row to column" : "");
		if (rail->median > 0)
			fprintf(out, "median %.1f\n", rail->median);
		else
			fputs("all failed\n", out);
		(matrix ? put_matrix : put_list)(out, pairs, rail->name);
		fputc('\n', out);
	}
	fprintf(out, "%zu pods: %zu slow (below %d %% of the rail's median), %zu failed\n",
		pairs->n_pods, pairs->slow, PAIRS_SLOW_PERCENT, pairs->failed);
	for (size_t i = 0; i < pairs->n; i++) {
		const struct transfer *transfer = &pairs->transfer[i];

		if (transfer->slow || !transfer->gbps)
			fprintf(out, "%s -> %s, %s: %s\n    %s\n", transfer->from, transfer->to,
				transfer->rail, transfer->slow ? "slow" : "failed",
				transfer->evidence);
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

static int put_pairs(yajl_gen gen, void *context)
{
	const struct pairs *pairs = context;

	yajl_gen_map_open(gen);
	json_put_uint64(gen, "schema", 1);
	json_put_string(gen, "rails");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < pairs->n_rails; i++) {
		yajl_gen_map_open(gen);
		json_put_text(gen, "rail", pairs->rail[i].name);
		json_put_string(gen, "median_gbps");
		yajl_gen_double(gen, pairs->rail[i].median);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
	json_put_string(gen, "transfers");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < pairs->n; i++) {
		const struct transfer *transfer = &pairs->transfer[i];

		yajl_gen_map_open(gen);
		json_put_text(gen, "from", transfer->from);
		json_put_text(gen, "to", transfer->to);
		json_put_text(gen, "rail", transfer->rail);
		json_put_text(gen, "status",
			      transfer->slow       ? "slow"
			      : transfer->gbps > 0 ? "ok"
						   : "failed");
		json_put_string(gen, "gbps");
		yajl_gen_double(gen, transfer->gbps);
		json_put_text(gen, "evidence", transfer->evidence);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
	yajl_gen_map_close(gen);
	return 0;
}

int pairs_print_json(FILE *out, const struct pairs *pairs)
{
	cleanup_arena arena = {0};
	struct pairs copy = *pairs;
	size_t len;
	const char *text = json_write(&arena, true, put_pairs, &copy, &len);

	return text && fwrite(text, 1, len, out) == len && fflush(out) == 0 ? 0 : -1;
}

int pairs_compare(char *const *files, size_t n, bool matrix, bool json)
{
	cleanup_arena arena = {0};
	struct job job;
	struct pairs pairs;
	struct err err;

	err_memory(&err);
	if (job_read(&arena, files, n, &job, &err) < 0 || pairs_judge(&job, &pairs) < 0) {
		fprintf(stderr, "oci-rdma-doctor: %s\n", err.text);
		return EXIT_USAGE;
	}
	if ((json ? pairs_print_json(stdout, &pairs) : pairs_print_text(stdout, &pairs, matrix)) <
	    0) {
		fprintf(stderr, "oci-rdma-doctor: stdout could not be written\n");
		return EXIT_USAGE;
	}
	if (!job.answers)
		return EXIT_USAGE;
	return pairs.slow || pairs.failed ? 1 : 0;
}
