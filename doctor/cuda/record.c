/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "core/child.h"
#include "doctor/cuda/cuda.h"

/* ---- records ---- */

/* pipe(7): only up to this size does a record arrive whole, whatever else writes to the pipe. */
_Static_assert(sizeof(struct record) <= PIPE_BUF, "a record is written at once");

#define END(text) ((text)[sizeof(text) - 1] = '\0')

/* True if it is one of ours; ends all texts with a NUL. */
static bool record_check(struct record *record)
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

/* ---- the parent's side ---- */

/* Each kind in its order, and most of them once: a child that runs wild ends here. */
static bool is_next(uint32_t kind, uint32_t *last)
{
	if (kind == RECORD_STEP)
		return true;
	if (kind < *last || (kind == *last && kind != RECORD_GPU && kind != RECORD_FINDING))
		return false;
	*last = kind;
	return true;
}

/* Returns 0 at the end of what the child says, -errno, or 1 without memory. */
static int listen_to(const struct child *child, struct talk *talk)
{
	struct record record;
	uint32_t last = 0;
	int status;

	while ((status = child_read(child, &record, sizeof(record))) == 1) {
		if (!record_check(&record) || !is_next(record.kind, &last))
			return -EBADMSG;
		if (record.kind == RECORD_DONE) {
			talk->done = true;
			return 0;
		}
		if (record.kind == RECORD_STEP)
			memcpy(talk->step, record.text, sizeof(talk->step));
		else if (talk->on_record(talk->context, &record) < 0)
			return 1;
	}
	return status;
}

static void say_why(struct talk *talk, int heard, int ended, int limit_ms)
{
	if (heard == -ETIMEDOUT)
		(void)snprintf(talk->why, sizeof(talk->why), "did not return within %d.%d s%s",
			       limit_ms / 1000, limit_ms % 1000 / 100,
			       ended < 0 ? ", and cannot be killed: it hangs in the kernel" : "");
	else if (heard < 0)
		(void)snprintf(talk->why, sizeof(talk->why),
			       "wrote something that is no answer of ours");
	else if (ended > 0 && WIFSIGNALED(ended))
		(void)snprintf(talk->why, sizeof(talk->why), "crashed: %s",
			       strsignal(WTERMSIG(ended)));
	else
		(void)snprintf(talk->why, sizeof(talk->why), "ended the process");
}

int talk_run(struct talk *talk, void (*work)(void *context, int out), void *probe,
	     const struct cuda_options *options, struct err *err)
{
	int limit_ms = options->limit_ms > 0 ? options->limit_ms : CUDA_LIMIT_MS;
	struct child child;
	int heard;
	int ended;

	if (child_start(&child, &(const struct child_setup){.foreign = true}, work, probe, limit_ms,
			err) < 0)
		return err_prefix(err, "the child for CUDA");
	heard = listen_to(&child, talk);
	ended = child_end(&child);
	if (heard == 1)
		return err_memory(err);
	if (!talk->done)
		say_why(talk, heard, ended, limit_ms);
	return 0;
}
