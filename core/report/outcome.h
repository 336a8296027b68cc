/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what happens to a container, for all entry points, logs it, and leaves a record. An entry
 * point reads the container, finds its devices, makes the plan and applies it; the outcome follows
 * from the result, and the entry point carries it out.
 *
 *   the container                            failed step  outcome  must it fail?
 *   gets nothing                             none         nothing  no
 *   is denied by the policy                  none         denied   if on_denied says so, and
 *                                                                  it has a device
 *   has no device, on_no_device is "fail"    none         denied   yes
 *   is granted devices                       none         granted  no
 *   is granted devices                       any          failed   if on_error says so
 *   is to use TCP (on_no_device is "tcp")    apply        failed   no
 *   has no device                            any before   nothing  no
 *   could not be examined, asks, and has     read, find   failed   if on_error says so
 *     the file of a verbs device
 *   could not be examined otherwise          read, find   nothing  no
 *
 * So a container without a device never fails, unless on_no_device says so. What the engine cannot
 * give is known before: with on_error "fail" the plan is a denial; else the container gets the
 * rest, and the log a line (core/plan).
 */
#pragma once

#include "core/container/container.h"
#include "core/record/record.h"

struct outcome {
	/* The entry point, set before anything is decided */
	const char *entry_point;       /* in the log, "by=…": "createRuntime", "nri", … */
	const struct options *options; /* NULL, for outcome_log() only: it leaves no record */
	bool tells;       /* only the administrator sees our stderr: write each failure there */
	bool repeats;     /* an earlier run has logged the decision, and the container runs: never
			     refuse it */
	const bool *asks; /* whether the container asks, if known without config.json; or NULL */

	/* What it gave, beside the limit */
	bool changed;      /* anything: a run that finds all in place has nothing to log */
	bool capabilities; /* all of the plan's */
	const char *nccl;  /* where its variables went: "env", "/etc/nccl.conf"; NULL: none */

	struct err err;        /* why a step failed */
	struct err unconfined; /* why confine() failed; "": it did not */

	/* What was decided */
	enum record_result result; /* RECORD_NOTHING to RECORD_FAILED; "granted" also by "tcp" */
	bool must_fail;            /* the container must not start */
	const char *reason;        /* of all but a grant; NULL if nobody wants to know */
};

/* Whether a container that was found must fail if time is up before the outcome is known */
bool outcome_if_timed_out(const struct container *container, const struct outcome *outcome);

/*
 * Decides the outcome by the table above. status: of the last step that was taken (reading,
 * container_find(), container_plan(), applying); negative: it failed. *outcome must stay where it
 * is: its reason may lie in it. Its other texts live as long as the container.
 */
void outcome_decide(struct container *container, int status, struct outcome *outcome);

/* The outcome if outcome->err keeps a container from its grant; its config is loaded, if it can be.
 */
void outcome_set_failed(const struct container *container, bool has_device,
			struct outcome *outcome);

/*
 * Leaves a record, and logs one line; neither of a "nothing" or "denied" that another entry
 * point has recorded, or of a "nothing" without an annotation of ours. A failure after a part of
 * the grant has two lines: what was given, and what was not. The caller of a run that must fail
 * gets the reason as well (report_to_caller()).
 *
 * Several entry points together make one line "grant:"; what a later one adds, such as the shim's
 * capabilities after the NRI plugin, is a line "addition:".
 */
void outcome_log(struct container *container, const struct outcome *outcome);

/*
 * Leaves a record of what was decided about a container. reason NULL: the plan's. A container that
 * does not ask and has no proven device leaves none, and a grant none if there is one of a grant.
 * Returns 0; 1 if there is a record that says the same (record_write()); or -1, which is logged:
 * the container has what it got.
 */
int record_outcome(const struct options *options, struct container *container,
		   enum record_result result, const char *reason, const char *entry_point);
