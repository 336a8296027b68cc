/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/replace.h"
#include "core/base/text.h"

/* ---- the status file ---- */

/* Returns a descriptor, or -errno. */
static int open_dir(const char *sysroot)
{
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return -errno;
	return fs_open(root, NRI_STATUS_DIR, O_RDONLY | O_DIRECTORY, RESOLVE_IN_ROOT);
}

/* The shim keeps its records there, too (state_dir). */
static void make_dir(const char *sysroot)
{
	cleanup_fd root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd run =
		root < 0 ? -1 : fs_open(root, "run", O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);

	if (run >= 0)
		(void)mkdirat(run, text_base_name(NRI_STATUS_DIR), 0700);
}

static int check_dir(int dir, struct err *err)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return err_sys(err, errno, "/" NRI_STATUS_DIR);
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err,
			       "/" NRI_STATUS_DIR
			       " must belong to root alone: run chown root and chmod 0700 on it");
	return 0;
}

int status_write(const char *sysroot, const struct nri_status *status, struct err *err)
{
	cleanup_arena arena = {0};
	size_t len;
	const char *text = nri_status_text(&arena, status, &len);
	cleanup_fd dir = open_dir(sysroot);

	if (dir == -ENOENT) {
		make_dir(sysroot);
		dir = open_dir(sysroot);
	}
	if (!text)
		return err_memory(err);
	if (dir < 0)
		return err_sys(err, -dir, "/" NRI_STATUS_DIR);
	if (check_dir(dir, err) < 0)
		return -1;
	return replace_own(
		dir,
		&(struct replacement){
			.name = NRI_STATUS_NAME, .bytes = text, .len = len, .mode = 0644},
		"/" NRI_STATUS_PATH, err);
}

void status_remove(const char *sysroot)
{
	cleanup_fd dir = open_dir(sysroot);

	if (dir >= 0)
		(void)unlinkat(dir, NRI_STATUS_NAME, 0);
}

/* ---- metrics ---- */

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

static char *metrics_text(const struct nri_status *status, size_t *ret_len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);

	if (!out)
		return NULL;
	(void)fprintf(
		out,
		"# HELP oci_rdma_nri_connected Whether the plugin is connected to the runtime.\n"
		"# TYPE oci_rdma_nri_connected gauge\n"
		"oci_rdma_nri_connected %d\n",
		status->since != NULL);
	print_containers(out, &status->counters);
	print_answers(out, &status->counters);
	(void)fclose(out);
	return text;
}

int status_write_metrics(const char *path, const struct nri_status *status, struct err *err)
{
	size_t len = 0;
	cleanup_free *text = metrics_text(status, &len);

	return text ? replace_own_path(path, text, len, err) : err_memory(err);
}
