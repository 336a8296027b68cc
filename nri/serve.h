/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/options.h"
#include "lib/nri_status.h"
#include "nri/session.h"
#include "nri/worker.h"

/* NRI closes a plugin after 2 s (containerd's plugin_request_timeout) */
#ifndef SERVE_PATIENCE_MS /* memcheck needs more */
#define SERVE_PATIENCE_MS 1500
#endif

struct server {
	const struct options *options;
	int patience_ms;
	struct nri_answers *answers;
	struct children *children;
};

/* timeout_ms: the runtime's; 0: unknown */
void serve_set_timeout(struct server *server, int64_t timeout_ms);

/* CreateContainer: sets call->response, in the arena */
void serve_request(struct server *server, struct arena *arena, struct call *call);

/* StartContainer: refuses a missed container if the policy says so. False: could not check */
bool serve_start(struct server *server, struct arena *arena, struct call *call);

void answers_add(struct nri_answers *answers, int64_t microseconds);
