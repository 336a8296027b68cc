/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what happens to a container, logs and records it, for all entry points:
 *
 *   container                             failed step  outcome  must fail
 *   denied by the policy                  none         denied   by on_denied, if it has a device
 *   no device, on_no_device "fail"        none         denied   yes
 *   granted devices                       none         granted  no
 *   granted devices                       any          failed   by on_error
 *   to use TCP (on_no_device "tcp")       apply        failed   no
 *   not examined, asks, and has           read, find   failed   by on_error
 *     a verbs device's file
 *   else                                  any or none  nothing  no
 *
 * Without a device only on_no_device can fail it. A grant may be partial (plan.h: on_error).
 */
#pragma once

#include "core/container/container.h"
#include "core/record/record.h"

struct outcome {
	const char *entry_point;       /* "by=…" in the log: "createRuntime", "nri", … */
	const struct options *options; /* NULL: outcome_log() leaves no record */
	bool tells;       /* only the administrator sees stderr: write failures there */
	bool repeats;     /* logged by an earlier run, and the container runs: never refuse it */
	const bool *asks; /* whether it asks, if known without config.json; or NULL */

	bool changed;      /* anything; else there is nothing to log */
	bool capabilities; /* all of the plan's */
	const char *nccl;  /* "env", "/etc/nccl.conf"; NULL: none */

	struct err err;        /* why a step failed */
	struct err unconfined; /* why confine() failed, or "" */

	enum record_result result; /* RECORD_NOTHING to RECORD_FAILED; "granted" also by "tcp" */
	bool must_fail;
	const char *reason; /* NULL: a grant, or not to be logged */
};

/* Whether the container must fail if time is up before outcome_decide() */
bool outcome_if_timed_out(const struct container *container, const struct outcome *outcome);

/* By the table above. status: the last step's; negative: it failed. *outcome must not move: .reason
 * may point into it. Its other texts live in the container. */
void outcome_decide(struct container *container, int status, struct outcome *outcome);

/* By outcome->err, and the container's config if loaded */
void outcome_set_failed(const struct container *container, bool has_device,
			struct outcome *outcome);

/* Records and logs it, except a refusal that another entry point has recorded, and a "nothing"
 * without our annotation. A failure after part of a grant logs two lines. If the container must
 * fail, the caller also gets the reason. The first entry point logs "grant:", later ones
 * "addition:". */
void outcome_log(struct container *container, const struct outcome *outcome);

/* reason NULL: the plan's. No RECORD_NOTHING without a proven device, annotation or --ask. Returns
 * 0 or 1 as record_write(), or -1, which is logged: the grant stays. */
int record_outcome(const struct options *options, struct container *container,
		   enum record_result result, const char *reason, const char *entry_point);
