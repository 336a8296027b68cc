/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what happens to a container, logs it and leaves a record, for all entry points:
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
 * A container without a device never fails unless on_no_device says so. If the engine cannot give
 * all of a grant, on_error "fail" makes the plan a denial; else the container gets the rest.
 */
#pragma once

#include "core/container/container.h"
#include "core/record/record.h"

struct outcome {
	const char *entry_point;
	const struct options *options; /* NULL: outcome_log() leaves no record */
	bool tells;       /* only the administrator sees our stderr: write failures there */
	bool repeats;     /* never refuse: the container runs */
	const bool *asks; /* if known without config.json; or NULL */

	bool changed;      /* else there is nothing to log */
	bool capabilities; /* all of the plan's */
	const char *nccl;  /* "env", "/etc/nccl.conf"; NULL: none */

	struct err err;
	struct err unconfined; /* why confine() failed, or "" */

	enum record_result result; /* "granted" also by "tcp" */
	bool must_fail;
	const char *reason; /* NULL for a grant, or if it is not to be logged */
};

/* Before outcome_decide() */
bool outcome_if_timed_out(const struct container *container, const struct outcome *outcome);

/* Decides by the table above. status: of the last step (reading, container_find(),
 * container_plan(), applying); negative: it failed. *outcome must not move: its reason may lie in
 * it. Its other texts live as long as the container. */
void outcome_decide(struct container *container, int status, struct outcome *outcome);

/* With the container's config if it could be loaded */
void outcome_set_failed(const struct container *container, bool has_device,
			struct outcome *outcome);

/* Leaves a record and logs a line, except for a refusal that another entry point has recorded and a
 * "nothing" without an annotation of ours. A failure after part of the grant has two lines. If the
 * container must fail, the caller gets the reason too. The first entry point logs "grant:"; what a
 * later one adds, such as the shim's capabilities, is an "addition:". */
void outcome_log(struct container *container, const struct outcome *outcome);

/* reason NULL: the plan's. No record for a container that neither asks nor has a proven device.
 * Returns 0 or 1 as record_write(), or -1, which is logged: the container keeps its grant. */
int record_outcome(const struct options *options, struct container *container,
		   enum record_result result, const char *reason, const char *entry_point);
