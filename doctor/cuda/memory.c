/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/cuda/memory.h"

#include <string.h>

#include "doctor/cuda/probe.h"
#include "doctor/cuda/record.h"
#include "doctor/cuda/talk.h"

static int on_record(void *context, const struct record *record)
{
	struct findings *findings = context;
	const struct record_finding *finding = &record->finding;
	const char *id;

	if (record->kind != RECORD_FINDING)
		return 0;
	id = arena_strdup(findings->arena, finding->id);
	if (!id)
		return -1;
	return findings_add(findings, id, finding->subject, (enum finding_status)finding->status,
			    finding->remedy, "%s", finding->evidence);
}

int cuda_memory_check(struct findings *findings, const struct cuda_options *options, size_t size,
		      cuda_use *use, void *context, struct err *err)
{
	struct probe probe = {
		.library = options->library, .use = use, .context = context, .size = size};
	struct talk talk = {.on_record = on_record, .context = findings};

	if (talk_run(&talk, probe_memory, &probe, options, err) < 0)
		return -1;
	/* Before there is memory, cuda_check says it. */
	if (!talk.done && strcmp(talk.step, "dlopen") != 0 && strcmp(talk.step, "cuInit") != 0 &&
	    findings_add(
		    findings, "cuda_memory", "", FINDING_FAIL,
		    "look for an Xid, a hung task or a fault of the HCA in the node's kernel log",
		    "%s memory %s", talk.step, talk.why) < 0)
		return err_memory(err);
	return 0;
}
