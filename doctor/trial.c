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
#include "doctor/verbs/verbs.h"

/* Enough for a registration to be one; nobody misses it on a GPU. */
#define GPU_MEMORY (64 * 1024 * 1024)

/* A finding of a transfer is shown when it is made: a peer with many devices takes minutes. */
static void on_found(void *context, const struct finding *finding)
{
	(void)context;
	progress_end();
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
		.listen = wanted->listen,
		.connect = wanted->connect,
		.address = wanted->address,
		.exec = is_exec(doctor),
		.port = wanted->port,
	};
}

/* Until somebody connects, and with what it finds shown at once: in no child. */
static int try_with_other(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct verbs_options options = options_of(doctor);
	int status;

	if (options.listen && doctor->options.format == REPORT_TEXT)
		options.found = on_found;
	status = verbs_check(findings, &options, err);
	progress_end();
	return status;
}

static int try_verbs(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	const struct verbs_options options = options_of(doctor);

	return verbs_check(findings, &options, err);
}

static int use_gpu_memory(const struct cuda_memory *memory, struct findings *findings,
			  void *context, struct err *err)
{
	const struct verbs_gpu_memory registered = {.what = memory->what,
						    .dmabuf = memory->dmabuf,
						    .address = memory->address,
						    .bytes = memory->size};

	return verbs_register_gpu(findings, context, &registered, err);
}

static int try_gpu_memory(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	struct verbs_options options = options_of(doctor);

	if (!doctor->gpus.n)
		return 0;
	return cuda_use_memory(findings, doctor->options.libcuda, GPU_MEMORY, use_gpu_memory,
			       &options, err);
}

/* Eight devices, each with a registration and a transfer that leads nowhere after 15 s */
#define VERBS_SECONDS 300

static const struct check trials[] = {
	{"verbs_devices", "registers memory and transfers data", CHECK_EVERYWHERE, VERBS_SECONDS,
	 try_verbs},
	{"cuda_memory", "registers GPU memory", CHECK_EVERYWHERE, CUDA_SECONDS, try_gpu_memory},
};

int trial_run(const struct doctor *doctor, struct findings *findings, struct err *err)
{
	if (doctor->options.listen || doctor->options.connect)
		return try_with_other(doctor, findings, err);
	return runner_run(doctor, trials, sizeof(trials) / sizeof(trials[0]), findings, err);
}
