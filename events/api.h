/* SPDX-License-Identifier: Apache-2.0 */
/* The API server by KUBERNETES_SERVICE_HOST and _PORT, service account token, cluster CA */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "events/event.h"

/* root: of token and ca.crt; stays open */
int api_open(int root, struct err *err);

/* Waits up to patience_ms. Sets err unless EVENT_POSTED or EVENT_THERE */
enum event_answer api_post(const char *namespace, const char *text, size_t len, int64_t patience_ms,
			   struct err *err);
