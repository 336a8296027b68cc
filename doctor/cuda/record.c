/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/cuda/record.h"

#include <limits.h>
#include <stdio.h>

#include "core/child.h"

/* pipe(7): only up to this size does a record arrive whole, whatever else writes to the pipe. */
_Static_assert(sizeof(struct record) <= PIPE_BUF, "a record is written at once");

#define END(text) ((text)[sizeof(text) - 1] = '\0')

bool record_check(struct record *record)
{
	if (record->magic != RECORD_MAGIC || record->kind < RECORD_STEP ||
	    record->kind > RECORD_DONE)
		return false;
	END(record->text);
	if (record->kind == RECORD_FINDING) {
		END(record->finding.id);
		END(record->finding.subject);
		END(record->finding.evidence);
		END(record->finding.remedy);
		return record->finding.status >= FINDING_OK &&
		       record->finding.status <= FINDING_UNCHECKED;
	}
	END(record->gpu.name);
	END(record->gpu.pci);
	return record->gpu.ordinal >= 0 && record->gpu.ordinal < GPUS_MAX;
}

void record_tell(int out, enum record_kind kind, int result, int value, const char *text)
{
	struct record record = {
		.magic = RECORD_MAGIC, .kind = kind, .result = result, .value = value};

	if (text)
		(void)snprintf(record.text, sizeof(record.text), "%s", text);
	(void)child_tell(out, &record, sizeof(record));
}

void record_tell_gpu(int out, const struct record_gpu *gpu)
{
	struct record record = {.magic = RECORD_MAGIC, .kind = RECORD_GPU, .gpu = *gpu};

	(void)child_tell(out, &record, sizeof(record));
}

#define COPY(to, from) ((void)snprintf((to), sizeof(to), "%s", (from)))

void record_tell_finding(int out, const struct finding *finding)
{
	struct record record = {.magic = RECORD_MAGIC, .kind = RECORD_FINDING};

	record.finding.status = (int32_t)finding->status;
	COPY(record.finding.id, finding->id);
	COPY(record.finding.subject, finding->subject);
	COPY(record.finding.evidence, finding->evidence);
	COPY(record.finding.remedy, finding->remedy);
	(void)child_tell(out, &record, sizeof(record));
}
