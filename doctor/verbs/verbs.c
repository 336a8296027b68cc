/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/verbs/amount.h"
#include "doctor/verbs/library.h"
#include "doctor/verbs/setup.h"

#define BYTES_DEFAULT ((size_t)1 << 20)
#define BYTES_MIN ((size_t)4096)
#define BYTES_MAX ((size_t)1 << 30)

static size_t bytes_of(const struct verbs_options *options)
{
	if (!options->bytes)
		return BYTES_DEFAULT;
	if (options->bytes < BYTES_MIN)
		return BYTES_MIN;
	return options->bytes < BYTES_MAX ? options->bytes : BYTES_MAX;
}

void run_progress(const struct run *run, const char *format, ...)
{
	char line[160];
	va_list args;

	if (!run->options->progress)
		return;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	run->options->progress(run->options->context, line);
}

const char *run_result_text(const struct transfer_result *result, char text[RUN_RESULT_SIZE])
{
	char rate[AMOUNT_SIZE];
	char bytes[AMOUNT_SIZE];
	char median[AMOUNT_SIZE];
	char p99[AMOUNT_SIZE];

	(void)snprintf(
		text, RUN_RESULT_SIZE, "%s, writes of %s; latency %s median, %s 99th percentile",
		amount_rate(result->bytes_per_second, rate), amount_text(result->bytes, bytes),
		amount_time(result->median_ns, median), amount_time(result->p99_ns, p99));
	return text;
}

static int check_devices(struct run *run)
{
	if (found_devices(run) < 0 || local_registration(run) < 0)
		return -1;
	if (run->options->listen)
		return remote_listen(run);
	if (run->options->connect)
		return remote_connect(run);
	if (local_loopback(run) < 0)
		return -1;
	return run->options->pair ? local_pairs(run) : 0;
}

int run_open(struct findings *findings, const struct verbs_options *options, struct verbs *verbs,
	     struct verbs_devices *devices)
{
	struct err reason;
	int error;

	if (verbs_load(verbs, &reason) < 0)
		return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
				    "install libibverbs (Debian: libibverbs1 ibverbs-providers; "
				    "RHEL: libibverbs)",
				    "%s", reason.text);
	if (verbs_devices_open(verbs, findings->arena, options->device, devices, &error) == 0)
		return 1;
	if (!error)
		return -1;
	return findings_add(findings, "verbs_library", NULL, FINDING_UNCHECKED,
			    "load ib_uverbs and the HCA's driver on the node",
			    "libibverbs.so.1 is here, but ibv_get_device_list fails: %s",
			    strerror(error));
}

int verbs_check(struct findings *findings, const struct verbs_options *options, struct err *err)
{
	struct verbs verbs;
	cleanup_verbs_devices devices = {0};
	struct run run = {
		.verbs = &verbs,
		.options = options,
		.findings = findings,
		.devices = &devices,
		.bytes = bytes_of(options),
	};
	int more;

	run_progress(&run, "opening the verbs devices");
	more = run_open(findings, options, &verbs, &devices);
	if (more > 0)
		more = check_devices(&run);
	return more < 0 ? err_memory(err) : 0;
}
