/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The course of the program: records come from the spool, the ledger says which is to be told when,
 * the API server takes them. What cannot be told is logged, and counted; nothing is dropped in
 * silence.
 */
#ifndef OCI_RDMA_EVENTS_REPORTER_H
#define OCI_RDMA_EVENTS_REPORTER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/options.h"

/* ---- the command line (options.c) ---- */

#define EVENTS_NAME "oci-rdma-events"

struct events_options {
	struct options node;
	const char *account; /* the directory of the service account's token and CA */
};

/* Returns -1 to go on with *ret_options, or the exit status. */
int events_options_parse(int argc, char **argv, struct events_options *ret_options);

/* ---- the API server (api.c) ---- */

/*
 * The API server, as a pod reaches it: by KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, with
 * the service account's token, which the kubelet replaces now and then, and the cluster's CA. All
 * waiting is bounded: 10 s for the connection, 30 s in all.
 */

struct api;

enum api_answer {
	API_POSTED,
	API_THERE,   /* an event of this name is there already */
	API_REFUSED, /* it will never be taken */
	API_LATER,   /* this one is not taken now */
	API_AWAY,    /* nothing can be posted now */
};

/*
 * account: the directory with token and ca.crt. stopping: becomes true when the program is to end,
 * which ends a request. NULL with the reason.
 */
struct api *api_open(const char *account, const volatile sig_atomic_t *stopping, struct err *err);
void api_close(struct api *api);

/*
 * Posts an event. err has the reason of all but API_POSTED and API_THERE. *ret_wait_ms: for how
 * long the API server asks to be left alone; 0: it does not.
 */
enum api_answer api_post(struct api *api, const char *namespace, const char *text, size_t len,
			 int64_t *ret_wait_ms, struct err *err);

/* ---- the loop (reporter.c) ---- */

/* Returns the exit status. */
int reporter_run(const struct events_options *options);

#endif
