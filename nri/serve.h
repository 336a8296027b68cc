/* SPDX-License-Identifier: Apache-2.0 */
/* What one container gets: from its message, the node and the policy to the answer. */
#ifndef OCI_RDMA_NRI_SERVE_H
#define OCI_RDMA_NRI_SERVE_H

#include "core/base/arena.h"
#include "core/options.h"
#include "nri/counters.h"
#include "nri/message/message.h"
#include "nri/verdict.h"

/* NRI ends a plugin that takes 2 s (containerd's plugin_request_timeout, by default). */
#ifndef SERVE_PATIENCE_MS /* a build for memcheck has all the time */
#define SERVE_PATIENCE_MS 1500
#endif

struct server {
	struct options options;
	int patience_ms;
	struct nri_counters counters;
	struct verdict_children children;
};

/* The runtime's time for a request; 0: it does not say. */
void serve_set_timeout(struct server *server, int64_t timeout_ms);

/*
 * request: CreateContainer's message, or NULL where it was lost. *ret_response: packed, in the
 * arena; empty where the container is to be as it is.
 */
void serve_container(struct server *server, struct arena *arena, const struct message *request,
		     struct message *ret_response);

#endif
