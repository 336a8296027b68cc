/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "nri/report.h"

#define CONTAINERS "oci_rdma_nri_containers_total"
#define ANSWER "oci_rdma_nri_answer_seconds"

static void print_head(FILE *out, const char *name, const char *type, const char *help)
{
	(void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_gauges(FILE *out, const struct nri_status *status)
{
	const struct {
		const char *name;
		uint64_t value;
		const char *help;
	} gauges[] = {
		{"oci_rdma_nri_connected", status->since && !status->trouble,
		 "Whether the plugin is connected to the runtime that listens at its socket."},
		{"oci_rdma_nri_written_timestamp_seconds", (uint64_t)time(NULL),
		 "When the plugin wrote this."},
		{"oci_rdma_nri_missed_containers", status->missed.open,
		 "Containers that run without their memlock limit, because they were created while "
		 "no plugin was connected."},
		{"oci_rdma_nri_unseen_containers", status->missed.unseen,
		 "Containers that could not be decided about when the plugin connected."},
	};

	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
		print_head(out, gauges[i].name, "gauge", gauges[i].help);
		(void)fprintf(out, "%s %" PRIu64 "\n", gauges[i].name, gauges[i].value);
	}
}

static void print_counters(FILE *out, const struct nri_counters *counters)
{
	static const uint64_t bounds[] = NRI_COUNTERS_BOUNDS;
	const struct {
		const char *name;
		uint64_t n;
	} results[] = {
		{"granted", counters->granted},
		{"denied", counters->denied},
		{"failed", counters->failed},
		{"given_up", counters->given_up},
		{"none", counters->containers - counters->granted - counters->denied -
				 counters->failed - counters->given_up},
	};
	uint64_t n = 0;

	print_head(out, CONTAINERS, "counter", "Containers that the plugin has answered for.");
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		(void)fprintf(out, CONTAINERS "{result=\"%s\"} %" PRIu64 "\n", results[i].name,
			      results[i].n);
	print_head(out, ANSWER, "histogram",
		   "Time that the plugin needed for the answer to CreateContainer.");
	for (size_t i = 0; i < NRI_COUNTERS_N_BOUNDS; i++) {
		n += counters->within[i];
		(void)fprintf(out, ANSWER "_bucket{le=\"%g\"} %" PRIu64 "\n",
			      (double)bounds[i] / 1e6, n);
	}
	(void)fprintf(out,
		      ANSWER "_bucket{le=\"+Inf\"} %" PRIu64 "\n" ANSWER "_sum %.6f\n" ANSWER
			     "_count %" PRIu64 "\n",
		      counters->containers, (double)counters->answer_us / 1e6,
		      counters->containers);
}

int metrics_write(const char *path, const struct nri_status *status, struct err *err)
{
	cleanup_free *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream((char **)&text, &len);

	if (!out)
		return err_memory(err);
	print_gauges(out, status);
	print_counters(out, &status->counters);
	(void)fclose(out);
	return text ? replace_own_path(path, text, len, err) : err_memory(err);
}
