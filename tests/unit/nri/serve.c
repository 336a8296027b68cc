/* SPDX-License-Identifier: Apache-2.0 */
/* How long a decision may take, by what the runtime allows */
#include "tests/unit/unit.h"

#include "nri/serve.h"

static const struct timeout_case {
	const char *name;
	int64_t timeout_ms;
	int patience_ms;
} timeout_cases[] = {
	{"patience: the runtime does not say", 0, SERVE_PATIENCE_MS},
	{"patience: a timeout that is none", -1, SERVE_PATIENCE_MS},
	{"patience: no more than ours, whatever it allows", INT64_MAX, SERVE_PATIENCE_MS},
	{"patience: of twice ours, ours", (int64_t)SERVE_PATIENCE_MS * 2, SERVE_PATIENCE_MS},
	{"patience: three quarters of what it allows", 400, 300},
	{"patience: three quarters of the least", 4, 3},
};

UNIT_ROWS(timeout_cases)
{
	struct server server = {.patience_ms = 12345};

	serve_set_timeout(&server, row->timeout_ms);
	assert_int_equal(server.patience_ms, row->patience_ms);
}
