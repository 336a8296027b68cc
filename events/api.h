/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API server, as a pod reaches it: by KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, with
 * the service account's token, which the kubelet replaces now and then, and the cluster's CA.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "events/event.h"

/* root: below which the kubelet has put token and ca.crt; it stays open. Returns 0 or -1. */
int api_open(int root, struct err *err);

/* Posts an event, in that time at most. err has the reason of all but EVENT_POSTED and EVENT_THERE.
 */
enum event_answer api_post(const char *namespace, const char *text, size_t len, int64_t patience_ms,
			   struct err *err);
