/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/ending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/symptom/failure.h"
#include "doctor/symptom/line.h"

static void note(struct ending *ending, int kind, long rank, unsigned long number, const char *how)
{
	if (kind <= (int)ending->kind)
		return;
	ending->kind = kind;
	ending->rank = rank;
	ending->line = number;
	snprintf(ending->how, sizeof(ending->how), "%s", how);
}

/* A watchdog aborts a process whose network hangs. */
static int kind_of(const char *how)
{
	static const char *const network[] = {"dist",    "nccl",     "ibv_",   "rdma",    "connect",
					      "timeout", "timed",    "socket", "ucx",     "address",
					      "host",    "lock",     "memory", "nvshmem", "network",
					      "sigabrt", "signal 6", NULL};

	if (line_has(how, network))
		return ENDING_NETWORK;
	return failure_is_exception(how) ? ENDING_OWN : ENDING_STATUS;
}

/* torch/multiprocessing/spawn.py: "process 1 terminated with exit code 3", "… signal SIGSEGV";
 * torch/distributed/elastic/multiprocessing/api.py: "failed (exitcode: -11) …". SIGTERM:
 * launcher */
static void read_status(struct ending *ending, const char *lowered, const char *text,
			unsigned long number)
{
	const char *process = strstr(lowered, "process ");
	const char *failed = strstr(lowered, "failed (exitcode: ");
	char how[64];
	long rank;
	int status = 0;
	int used = 0;

	if (process && sscanf(process, "process %ld terminated with %n", &rank, &used) == 1 &&
	    used) {
		if (strncmp(process + used, "the following error", 19) == 0)
			ending->next = rank + 1;
		else if (strncmp(process + used, "signal sigterm", 14) != 0)
			note(ending, kind_of(process + used), rank, number,
			     text + (process + used - lowered));
	} else if (failed &&
		   sscanf(failed, "failed (exitcode: %d) local_rank: %ld", &status, &rank) == 2 &&
		   status != -15 && (status < 0 || ending->kind == ENDING_NONE)) {
		snprintf(how, sizeof(how), "%s %d", status < 0 ? "signal" : "exit code",
			 abs(status));
		note(ending, kind_of(how), rank, number, how);
	}
}

void ending_read(struct ending *ending, const char *lowered, const char *text, unsigned long number)
{
	const char *body = lowered;
	long rank = ending->next - 1;

	if (sscanf(lowered, "[rank%ld]: ", &rank) == 1 && strstr(lowered, "]: "))
		body = strstr(lowered, "]: ") + 3;
	ending->inside = ending->traceback && *body == ' ';
	ending->traceback = ending->inside || strncmp(body, "traceback (most", 15) == 0;
	if (failure_is_exception(body)) {
		if (rank >= 0)
			note(ending, kind_of(body), rank, number, text + (body - lowered));
		ending->next = 0;
	}
	read_status(ending, lowered, text, number);
}
