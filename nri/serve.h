/* SPDX-License-Identifier: Apache-2.0 */
/* What one container gets: from its message, the node and the policy to the answer. */
#ifndef OCI_RDMA_NRI_SERVE_H
#define OCI_RDMA_NRI_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/child.h"
#include "core/nri_status.h"
#include "core/options.h"
#include "nri/message/message.h"

/* ---- what the plugin has answered, counted (core/nri_status.h has the counters) ---- */

/* One CreateContainer more, and what its answer took */
static inline void counters_answered(struct nri_counters *counters, int64_t microseconds)
{
	static const uint64_t bounds[] = NRI_COUNTERS_BOUNDS;
	uint64_t took = microseconds > 0 ? (uint64_t)microseconds : 0;
	size_t i = 0;

	while (i < NRI_COUNTERS_N_BOUNDS && took > bounds[i])
		i++;
	counters->within[i]++;
	counters->containers++;
	counters->answer_us += took;
	if (took > counters->slowest_us)
		counters->slowest_us = took;
}

/* ---- a verdict (verdict.c) ---- */

/*
 * A container's verdict, found in a child with a deadline: what it reads (/sys, the policy, the
 * pod's network namespace) may stall, and a plugin that answers late is closed by its runtime, for
 * all containers to come.
 */

/* More than a policy of CONFIG_SIZE_MAX can fill */
#define VERDICT_SIZE_MAX (1024 * 1024)

enum verdict_kind {
	VERDICT_NOTHING,
	VERDICT_GRANTED,
	VERDICT_DENIED,
	VERDICT_FAILED,
	VERDICT_MISSED, /* of one that is about to start */
	VERDICT_LATE,   /* not from the child: it was given up */
	VERDICT_LOST,   /* nor this: there was no child, or it said nothing */
	/* On their way: should it be late, the container must not start, or may. */
	VERDICT_MUST_FAIL,
	VERDICT_MAY_START,
};

struct verdict {
	enum verdict_kind kind;
	bool must_fail;
	const char *reason;      /* of VERDICT_LATE and VERDICT_LOST */
	struct message response; /* packed; empty: nothing to say */
};

/* In the child: works on what the parent has read, and says its verdict by verdict_say(). */
typedef void verdict_work(void *context, int out);

/*
 * Returns 0, or -1 where the parent has gone on: nothing is to be logged then that was not done.
 */
int verdict_say(int out, enum verdict_kind kind, const struct message *response);

/*
 * Children that have not gone: they were given up, or have answered and write their line yet.
 * Beyond so many the next one waits for those that have answered; if all were given up, no more are
 * started.
 */
#define VERDICT_CHILDREN_MAX 16

struct verdict_children {
	size_t n;
	pid_t pid[VERDICT_CHILDREN_MAX];
	bool ends[VERDICT_CHILDREN_MAX]; /* it was not given up */
	/* Called every CHILD_IDLE_MS while one is waited for, so that the plugin does not seem
	 * to hang; NULL: nothing is */
	void (*idle)(void *context);
	void *context;
	const int *not_inherited[CHILD_CLOSED];
};

/* Never fails. The response lives in the arena. */
void verdict_find(struct verdict_children *children, struct arena *arena, verdict_work *work,
		  void *context, int patience_ms, struct verdict *ret_verdict);

/* Children that have ended go. */
void verdict_reap(struct verdict_children *children);

/* At the end: those that have answered write their line yet; who hangs is not waited for. */
void verdict_finish(struct verdict_children *children);

/* ---- the answer (serve.c) ---- */

/* NRI ends a plugin that takes 2 s (containerd's plugin_request_timeout, by default). */
#ifndef SERVE_PATIENCE_MS /* a build for memcheck has all the time */
#define SERVE_PATIENCE_MS 1500
#endif

#define SERVE_ID_SIZE 132

struct server {
	struct options options;
	int patience_ms;
	char granted[SERVE_ID_SIZE]; /* the container of the last answer, if that is a grant */
	struct nri_counters counters;
	struct verdict_children children;
};

/* The runtime's time for a request; 0: it does not say. */
void serve_set_timeout(struct server *server, int64_t timeout_ms);

/*
 * CreateContainer's pod and container; container NULL: it cannot be read. *ret_response: packed, in
 * the arena; empty where the container is to be as it is.
 */
void serve_container(struct server *server, struct arena *arena, const struct message *pod,
		     const struct message *container, struct message *ret_response);

struct look_report;

/*
 * A container is about to start: its packed pod and container. One that asks, has a device, and
 * that none of ours has decided about is missed: returns true, with *ret_report; also if it could
 * not be looked at (LOOK_UNSEEN). since: when the plugin was connected.
 */
bool serve_start(struct server *server, struct arena *arena, const char *since,
		 const struct message *pod, const struct message *container,
		 struct look_report *ret_report, struct message *ret_response);

#endif
