/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/report/report.h"
#include "nri/report.h"

/* ---- those of missed containers ---- */

static void print(FILE *out, const char *name, const char *help, uint64_t value)
{
	(void)fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %" PRIu64 "\n", name, help, name,
		      name, value);
}

/* In Prometheus' text format */
static void metrics_print_missed(FILE *out, const struct nri_missed_status *missed)
{
	print(out, "oci_rdma_nri_missed_containers",
	      "Containers that run without their memlock limit, because they were created while no "
	      "plugin was connected.",
	      missed->open);
	print(out, "oci_rdma_nri_unseen_containers",
	      "Containers that could not be decided about when the plugin connected.",
	      missed->unseen);
}

/* ---- the metrics ---- */

/* ---- the text ---- */

static void print_containers(FILE *out, const struct nri_counters *counters)
{
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

	(void)fputs("# HELP oci_rdma_nri_containers_total Containers that the plugin has answered "
		    "for.\n"
		    "# TYPE oci_rdma_nri_containers_total counter\n",
		    out);
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		(void)fprintf(out, "oci_rdma_nri_containers_total{result=\"%s\"} %" PRIu64 "\n",
			      results[i].name, results[i].n);
}

#define ANSWER "oci_rdma_nri_answer_seconds"

static void print_answers(FILE *out, const struct nri_counters *counters)
{
	static const uint64_t bounds[] = NRI_COUNTERS_BOUNDS;
	uint64_t n = 0;

	(void)fputs("# HELP " ANSWER
		    " Time that the plugin needed for the answer to CreateContainer.\n"
		    "# TYPE " ANSWER " histogram\n",
		    out);
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

static void print_gauges(FILE *out, const struct nri_status *status)
{
	(void)fprintf(
		out,
		"# HELP oci_rdma_nri_connected Whether the plugin is connected to the runtime that "
		"listens at its socket.\n"
		"# TYPE oci_rdma_nri_connected gauge\n"
		"oci_rdma_nri_connected %d\n"
		"# HELP oci_rdma_nri_written_timestamp_seconds When the plugin wrote this.\n"
		"# TYPE oci_rdma_nri_written_timestamp_seconds gauge\n"
		"oci_rdma_nri_written_timestamp_seconds %" PRId64 "\n",
		status->since && !status->trouble, (int64_t)time(NULL));
}

static char *metrics_text(const struct nri_status *status, size_t *ret_len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);

	if (!out)
		return NULL;
	print_gauges(out, status);
	print_containers(out, &status->counters);
	print_answers(out, &status->counters);
	metrics_print_missed(out, &status->missed);
	(void)fclose(out);
	return text;
}

int metrics_write_file(const char *path, const struct nri_status *status, struct err *err)
{
	size_t len = 0;
	cleanup_free *text = metrics_text(status, &len);

	return text ? replace_own_path(path, text, len, err) : err_memory(err);
}

/* ---- the child ---- */

static int write_as_child(const char *path, const struct nri_status *status, bool say)
{
	struct err err;
	bool refused;

	if (metrics_write_file(path, status, &err) == 0)
		return 0;
	/* Root, but without the capability to write where it is not the owner */
	refused = strstr(err.text, strerror(EACCES)) != NULL;
	if (say)
		log_event(LOG_WARNING, "metrics: %s%s", err.text,
			  refused ? "; the directory must belong to root, because the plugin "
				    "has given up CAP_DAC_OVERRIDE"
				  : "");
	return 1;
}

void metrics_write(struct metrics *metrics, const char *path, const struct nri_status *status,
		   const int *const closed[CHILD_CLOSED])
{
	pid_t child;

	metrics->again = metrics->child > 0;
	if (metrics->child > 0)
		return;
	child = child_fork(closed);
	if (child == 0)
		_exit(write_as_child(path, status, !metrics->failed));
	if (child < 0)
		return;
	metrics->child = child;
	metrics->deadline = clock_ms() + METRICS_PATIENCE_MS;
}

/* In a file system that is frozen it does not die for long. It is not waited for. */
static void give_up(struct metrics *metrics, const char *path)
{
	(void)kill(metrics->child, SIGKILL);
	metrics->deadline = INT64_MAX;
	if (!metrics->late)
		log_event(LOG_WARNING,
			  "metrics: %s is not written within %d s: check whether its disk "
			  "hangs (dmesg) or is frozen",
			  path, METRICS_PATIENCE_MS / 1000);
	metrics->late = true;
}

bool metrics_tend(struct metrics *metrics, const char *path)
{
	int status;

	if (metrics->child <= 0)
		return false;
	if (waitpid(metrics->child, &status, WNOHANG) == 0) {
		if (clock_ms() >= metrics->deadline)
			give_up(metrics, path);
		return false;
	}
	metrics->child = 0;
	if (WIFEXITED(status)) {
		metrics->failed = WEXITSTATUS(status) != 0;
		metrics->late = false;
	}
	return metrics->again;
}

int64_t metrics_time(const struct metrics *metrics)
{
	return metrics->child > 0 ? metrics->deadline : INT64_MAX;
}
