/* SPDX-License-Identifier: Apache-2.0 */
/* What one container gets: from its message, the node and the policy to the answer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/options.h"
#include "lib/nri_status.h"
#include "nri/session.h"
#include "nri/worker.h"

/* NRI ends a plugin that takes 2 s (containerd's plugin_request_timeout, by default). */
#ifndef SERVE_PATIENCE_MS /* a build for memcheck has all the time */
#define SERVE_PATIENCE_MS 1500
#endif

struct server {
	const struct options *options;
	int patience_ms;
	struct nri_answers *answers;
	struct children *children;
};

/* The runtime's time for a request; 0: it does not say. */
void serve_set_timeout(struct server *server, int64_t timeout_ms);

/* Sets the answer to a container that is to be created. The arena is the request's. */
void serve_request(struct server *server, struct arena *arena, struct call *call);

/* A container is about to start. One that asks, has a device, and that none of ours has decided
 * about is missed; its call is refused if the policy says so. False: it could not be looked at. */
bool serve_start(struct server *server, struct arena *arena, struct call *call);

/* One answer more, and what it took */
void answers_add(struct nri_answers *answers, int64_t microseconds);
