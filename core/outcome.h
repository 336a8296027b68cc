/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what happens to a container, for all entry points. An entry point reads the container,
 * finds its devices, makes the plan and applies it; from the result this module decides the
 * outcome, which the entry point carries out.
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
 * give (above its own limit, outside its bounding set) is known before: with on_error "fail" the
 * plan itself is a denial that must fail; otherwise the container gets the rest, and the log a line
 * (core/plan).
 */
#ifndef OCI_RDMA_OUTCOME_H
#define OCI_RDMA_OUTCOME_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/container/container.h"
#include "core/options.h"

enum outcome_kind {
	OUTCOME_NOTHING,
	OUTCOME_GRANTED, /* also the variables of "tcp" */
	OUTCOME_DENIED,
	OUTCOME_FAILED,
};

/* What a run of ours gave, beside the limit */
struct applied {
	bool changed;      /* anything: a run that finds all in place has nothing to log */
	bool capabilities; /* all of the plan's */
	const char *nccl;  /* where its variables went: "env", "/etc/nccl.conf"; NULL: none */
};

struct outcome {
	enum outcome_kind kind;
	bool must_fail;                /* the container must not start */
	const char *reason;            /* of all but a grant; NULL if nobody wants to know */
	struct applied applied;        /* of a grant; of a failure, what was given before it */
	struct err err;                /* has the reason of a failure */
	const struct options *options; /* for its record (core/record); NULL: it leaves none */
};

struct entry_point {
	const char *name; /* in the log, "by=…": "createRuntime", "nri", … */
	/* Only the administrator sees our stderr, so a failure is written there even if the
	 * container starts. */
	bool tells;
	/* An earlier run of the same entry point has logged the decision, and the container runs:
	 * never refuse it. */
	bool repeats;
	/* Whether the container asks, as far as the caller knows it without config.json; NULL: it
	 * does not */
	const bool *asks;
};

/* If time is up before the outcome is known: whether the container must fail. It has been found
 * (container_find). */
bool outcome_if_late(const struct container *container, const struct entry_point *entry);

/*
 * Decides the outcome by the table above. status: of the last step that was taken (reading,
 * container_find(), container_plan(), applying); negative: it failed, and outcome->err has the
 * reason. outcome->applied says what was given. *outcome must stay where it is: its reason may lie
 * in it. Its other texts live as long as the container.
 */
void outcome_decide(struct container *container, const struct options *options,
		    const struct entry_point *entry, int status, struct outcome *outcome);

/*
 * The outcome if err keeps a container from its grant. has_device: it has a proven one. The
 * container's config must be loaded, if it can be.
 */
void outcome_fail(const struct container *container, bool has_device, const struct err *err,
		  struct outcome *ret_outcome);

#endif
