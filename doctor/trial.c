/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "doctor/check/check.h"
#include "doctor/cuda/cuda.h"
#include "doctor/process/progress.h"
#include "doctor/runner.h"
#include "doctor/verbs/exchange.h"
#include "doctor/verbs/verbs.h"

#define TOKEN_VARIABLE "OCI_RDMA_DOCTOR_TOKEN"

/* Enough for a registration to be one; nobody misses it on a GPU. */
#define GPU_MEMORY (64 * 1024 * 1024)

static void on_progress(void *context, const char *line)
{
	progress_say(context, line);
}

/* A server runs for days: the reader of its output must not wait for its end. */
static void on_found(void *context, const struct finding *finding)
{
	(void)context;
	(void)printf("%s: %s: %s\n", finding_status_name(finding->status), finding->subject,
		     finding->evidence);
	(void)fflush(stdout);
}

static bool is_exec(const struct doctor *doctor)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
	       limits_of_first_are_higher(doctor, limit.rlim_cur);
}

static struct verbs_options options_of(const struct doctor *doctor)
{
	const struct doctor_options *wanted = &doctor->options;

	return (struct verbs_options){
		.device = wanted->device,
		.pair = wanted->pair,
		.listen = wanted->listen,
		.connect = wanted->connect,
		.address = wanted->address,
		.exec = is_exec(doctor),
		.port = wanted->port,
		.clients = wanted->clients,
	};
}

/* The first line of the file, or what the environment has; not the command line, which every user
 * of the node sees. */
static int read_token(const struct doctor_options *wanted, struct arena *arena,
		      const char **ret_token, struct err *err)
{
	const char *path = wanted->token_file;
	const char *token = getenv(TOKEN_VARIABLE);
	cleanup_fd fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	struct fs_text text;

	if (path && fd < 0)
		return err_sys(err, errno, "--token-file %s", path);
	if (path) {
		if (fs_read(arena, fd, TOKEN_MAX, path, &text, err) < 0)
			return -1;
		text.bytes[strcspn(text.bytes, "\r\n")] = '\0';
		token = text.bytes;
	}
	if (token && !token[0])
		return err_set(err, "%s: no token", path ? path : TOKEN_VARIABLE);
	*ret_token = token;
	return 0;
}

/* Until a signal, and with what it finds shown at once: in no child. */
static int try_with_other(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct verbs_options options = options_of(doctor);
	cleanup_progress progress = PROGRESS_NONE;

	if (read_token(&doctor->options, findings->arena, &options.token, err) < 0)
		return -1;
	options.progress = on_progress;
	options.context = &progress;
	if (options.listen && doctor->options.format == REPORT_TEXT)
		options.found = on_found;
	progress_start(&progress);
	return verbs_check(findings, &options, err);
}

static int try_verbs(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	const struct verbs_options options = options_of(doctor);

	return verbs_check(findings, &options, err);
}

static int use_gpu_memory(const struct cuda_memory *memory, struct findings *findings,
			  void *context, struct err *err)
{
	const struct verbs_options *options = context;

	if (memory->dmabuf >= 0)
		return verbs_register_dmabuf(findings, options, memory->what, memory->dmabuf, 0,
					     memory->size, err);
	return verbs_register_peermem(findings, options, memory->what, memory->address,
				      memory->size, err);
}

static int try_gpu_memory(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	const struct cuda_options cuda = {.library = doctor->options.libcuda};
	struct verbs_options options = options_of(doctor);

	if (!doctor->gpus.n)
		return 0;
	return cuda_memory_check(findings, &cuda, GPU_MEMORY, use_gpu_memory, &options, err);
}

/* Between eight devices there are 56 ways, and one that leads nowhere takes 8 s. */
#define VERBS_SECONDS 600
#define GPU_SECONDS (CUDA_LIMIT_MS / 1000 + 5)

static const struct check trials[] = {
	{"verbs_devices", "registers memory and transfers data", CHECK_EVERYWHERE, VERBS_SECONDS,
	 try_verbs},
	{"cuda_memory", "registers GPU memory", CHECK_EVERYWHERE, GPU_SECONDS, try_gpu_memory},
};

int trial_run(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	if (doctor->options.listen || doctor->options.connect)
		return try_with_other(doctor, findings, err);
	return runner_run(doctor, trials, sizeof(trials) / sizeof(trials[0]), findings, err);
}
