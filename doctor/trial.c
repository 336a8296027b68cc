/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/trial.h"

#include <stdio.h>

#include "doctor/cuda/cuda.h"
#include "doctor/progress.h"
#include "doctor/verbs/verbs.h"

/* Enough for a registration to be one; nobody misses it on a GPU. */
#define GPU_MEMORY (64 * 1024 * 1024)

static void on_progress(void *context, const char *line)
{
	progress_say(context, line);
}

/* A server runs for days: who reads its output must not wait for its end. */
static void on_found(void *context, const struct finding *finding)
{
	(void)context;
	(void)printf("%s: %s: %s\n", finding_status_name(finding->status), finding->subject,
		     finding->evidence);
	(void)fflush(stdout);
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

static int try_gpu_memory(const struct doctor *doctor, const struct verbs_options *options,
			  struct findings *findings, struct err *err)
{
	const struct cuda_options cuda = {.library = doctor->options.libcuda};
	struct verbs_options quiet = *options;

	/* In a child, to whom nobody listens but us. */
	quiet.progress = NULL;
	return cuda_memory_check(findings, &cuda, GPU_MEMORY, use_gpu_memory, &quiet, err);
}

int trial_run(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	const struct doctor_options *wanted = &doctor->options;
	cleanup_progress progress = PROGRESS_NONE;
	struct verbs_options options = {
		.device = wanted->device,
		.pair = wanted->pair,
		.listen = wanted->listen,
		.connect = wanted->connect,
		.port = wanted->port,
		.clients = wanted->clients,
		.progress = on_progress,
		.found = wanted->listen && wanted->format == REPORT_TEXT ? on_found : NULL,
		.context = &progress,
	};

	progress_start(&progress);
	if (verbs_check(findings, &options, err) < 0)
		return -1;
	if (wanted->listen || wanted->connect || !doctor->gpus.n)
		return 0;
	progress_say(&progress, "registers GPU memory");
	return try_gpu_memory(doctor, &options, findings, err);
}
