/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/compare/pairs_table.h"

#include <string.h>

#include "core/command_line.h"
#include "core/json/writer.h"
#include "doctor/compare/job_reports.h"

static const char *status_of(const struct transfer *transfer)
{
	if (!transfer->gbps)
		return "failed";
	return transfer->slow ? "slow" : "ok";
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

static const struct transfer *find(const struct pairs *pairs, size_t rail, size_t from, size_t to)
{
	for (size_t i = 0; i < pairs->n; i++) {
		const struct transfer *transfer = &pairs->transfer[i];

		if (transfer->from == from && transfer->to == to &&
		    pairs_is_of(pairs, transfer, rail))
			return transfer;
	}
	return NULL;
}

static void put_matrix(FILE *out, const struct pairs *pairs, size_t rail)
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
			put_cell(out, find(pairs, rail, i, j));
		fputc('\n', out);
	}
}

static void put_list(FILE *out, const struct pairs *pairs, size_t rail)
{
	for (size_t i = 0; i < pairs->n; i++) {
		const struct transfer *transfer = &pairs->transfer[i];

		if (!pairs_is_of(pairs, transfer, rail))
			continue;
		put_cell(out, transfer);
		fprintf(out, "  %s -> %s\n", pairs->pod[transfer->from], pairs->pod[transfer->to]);
	}
}

static void put_rails(FILE *out, const struct pairs *pairs, bool matrix)
{
	for (size_t i = 0; i < pairs->n_rails; i++) {
		const struct rail *rail = &pairs->rail[i];

		fprintf(out, "%s: Gb/s%s, ", rail->name, matrix ? " from row to column" : "");
		if (rail->median > 0)
			fprintf(out, "median %.1f\n", rail->median);
		else
			fputs("all failed\n", out);
		(matrix ? put_matrix : put_list)(out, pairs, i);
		fputc('\n', out);
	}
}

/* With what both ends say of the first transfer */
static void put_cause(FILE *out, const struct pairs *pairs, size_t number)
{
	const struct end *end = &pairs->end[number];
	const struct transfer *own = NULL;
	const struct transfer *back = NULL;

	for (size_t i = 0; i < pairs->n && !own; i++) {
		if (pairs->transfer[i].end == number)
			own = &pairs->transfer[i];
	}
	for (size_t i = 0; own && i < pairs->n && !back; i++) {
		const struct transfer *transfer = &pairs->transfer[i];

		if (transfer->from == own->to && transfer->to == own->from &&
		    pairs_is_of(pairs, transfer, end->rail))
			back = transfer;
	}
	if (!own)
		return;
	fprintf(out, "%s, %s: %s with each of %zu pods; other transfers of the rail work\n",
		pairs->pod[end->pod], end->device,
		!end->slow     ? "failed"
		: !end->failed ? "slow"
			       : "slow or failed",
		end->n);
	fprintf(out, "    %s: %s\n", pairs->pod[own->from], own->evidence);
	if (back)
		fprintf(out, "    %s: %s\n", pairs->pod[back->from], back->evidence);
}

static void put_transfer(FILE *out, const struct pairs *pairs, const struct transfer *transfer)
{
	const struct end *end = transfer->end == PAIRS_NONE ? NULL : &pairs->end[transfer->end];
	const struct end *peer = transfer->peer == PAIRS_NONE ? NULL : &pairs->end[transfer->peer];

	fprintf(out, "%s -> %s, %s", pairs->pod[transfer->from], pairs->pod[transfer->to],
		end ? end->device : "no device");
	if (end && peer && strcmp(end->device, peer->device) != 0)
		fprintf(out, " -> %s", peer->device);
	fprintf(out, ": %s\n    %s\n", status_of(transfer), transfer->evidence);
}

int pairs_print_text(FILE *out, const struct pairs *pairs, bool matrix)
{
	put_rails(out, pairs, matrix);
	fprintf(out, "%zu pods: %zu slow (below %d %% of the rail's median), %zu failed\n",
		pairs->n_pods, pairs->slow, PAIRS_SLOW_PERCENT, pairs->failed);
	for (size_t i = 0; i < pairs->n_ends; i++) {
		if (pairs_is_cause(pairs, i))
			put_cause(out, pairs, i);
	}
	for (size_t i = 0; i < pairs->n; i++) {
		const struct transfer *transfer = &pairs->transfer[i];

		if ((transfer->slow || !transfer->gbps) && !pairs_is_cause(pairs, transfer->end) &&
		    !pairs_is_cause(pairs, transfer->peer))
			put_transfer(out, pairs, transfer);
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

static void put_number(yajl_gen gen, const char *key, double number)
{
	json_put_string(gen, key);
	yajl_gen_double(gen, number);
}

static void put_json_transfer(yajl_gen gen, const struct pairs *pairs,
			      const struct transfer *transfer)
{
	yajl_gen_map_open(gen);
	json_put_text(gen, "from", pairs->pod[transfer->from]);
	json_put_text(gen, "to", pairs->pod[transfer->to]);
	if (transfer->end != PAIRS_NONE) {
		const struct end *end = &pairs->end[transfer->end];

		json_put_text(gen, "rail", pairs->rail[end->rail].name);
		json_put_text(gen, "device", end->device);
	}
	if (transfer->peer != PAIRS_NONE)
		json_put_text(gen, "peer_device", pairs->end[transfer->peer].device);
	json_put_text(gen, "status", status_of(transfer));
	put_number(gen, "gbps", transfer->gbps);
	json_put_text(gen, "evidence", transfer->evidence);
	yajl_gen_map_close(gen);
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
		put_number(gen, "median_gbps", pairs->rail[i].median);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
	json_put_string(gen, "causes");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < pairs->n_ends; i++) {
		const struct end *end = &pairs->end[i];

		if (!pairs_is_cause(pairs, i))
			continue;
		yajl_gen_map_open(gen);
		json_put_text(gen, "pod", pairs->pod[end->pod]);
		json_put_text(gen, "device", end->device);
		json_put_text(gen, "rail", pairs->rail[end->rail].name);
		yajl_gen_map_close(gen);
	}
	yajl_gen_array_close(gen);
	json_put_string(gen, "transfers");
	yajl_gen_array_open(gen);
	for (size_t i = 0; i < pairs->n; i++)
		put_json_transfer(gen, pairs, &pairs->transfer[i]);
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
