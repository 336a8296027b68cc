/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/fs.h"
#include "lib/files.h"
#include "lib/nri_status.h"
#include "lib/records.h"
#include "nri/missed.h"

#define CONTAINERS "oci_rdma_nri_containers"
#define ANSWER "oci_rdma_nri_answer_seconds"

static void print_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_gauges(FILE *out, const struct nri_status *status, uint64_t missed)
{
	const struct {
		const char *name;
		uint64_t value;
		const char *help;
	} gauges[] = {
		{"oci_rdma_nri_connected", status->since != NULL,
		 "Whether the plugin is connected to a runtime."},
		{"oci_rdma_nri_written_timestamp_seconds", (uint64_t)time(NULL),
		 "When the plugin wrote this."},
		{"oci_rdma_nri_missed_containers", missed,
		 "Containers that run without their memlock limit, because they were created while "
		 "no plugin was connected."},
		{"oci_rdma_nri_unseen_containers", status->unseen,
		 "Containers that could not be decided about when the plugin connected."},
	};

	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
		print_head(out, gauges[i].name, "gauge", gauges[i].help);
		fprintf(out, "%s %" PRIu64 "\n", gauges[i].name, gauges[i].value);
	}
}

static void print_answers(FILE *out, const struct nri_answers *answers)
{
	static const uint64_t bounds[] = NRI_ANSWERS_BOUNDS;
	uint64_t n = 0;

	print_head(out, ANSWER, "histogram",
		   "Time that the plugin needed for the answer to CreateContainer.");
	for (size_t i = 0; i < NRI_ANSWERS_N_BOUNDS; i++) {
		n += answers->within[i];
		fprintf(out, ANSWER "_bucket{le=\"%g\"} %" PRIu64 "\n", (double)bounds[i] / 1e6, n);
	}
	fprintf(out,
		ANSWER "_bucket{le=\"+Inf\"} %" PRIu64 "\n" ANSWER "_sum %.6f\n" ANSWER
		       "_count %" PRIu64 "\n",
		answers->n, (double)answers->us / 1e6, answers->n);
}

/* Counts all entry points. A window: records stay until the engine drops the container */
static void print_records(FILE *out, const size_t n[RECORD_RESULTS])
{
	print_head(out, CONTAINERS, "gauge",
		   "Containers of the node that were decided about in the last 30 minutes.");
	for (size_t i = 0; i < RECORD_RESULTS; i++)
		fprintf(out, CONTAINERS "{result=\"%s\"} %zu\n", record_result_names[i], n[i]);
}

int metrics_write(const char *path, const char *sysroot, const struct nri_status *status,
		  struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd root = tree_open_root(sysroot, err);
	char *text = NULL;
	size_t of[RECORD_RESULTS] = {0};
	struct record *records;
	uint64_t missed = 0;
	size_t len = 0;
	int n = root < 0 ? -1 : missed_list(&arena, root, &records, err);
	int result;
	FILE *out;

	if (n < 0 || records_count(root, METRICS_WINDOW_MS, of, err) < 0)
		return -1;
	out = open_memstream(&text, &len);
	if (!out)
		return err_memory(err);
	for (int i = 0; i < n; i++)
		missed += records[i].result == RECORD_MISSED;
	print_gauges(out, status, missed);
	print_answers(out, &status->answers);
	print_records(out, of);
	(void)fclose(out);
	result = text ? replace_own_path(path, text, len, err) : err_memory(err);
	free(text);
	return result;
}
