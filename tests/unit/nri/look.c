/* SPDX-License-Identifier: Apache-2.0 */
/* The look at what was there before the plugin: records of containers that are gone */
#include "tests/unit/nri/nri.h"

#include "core/base/clock.h"
#include "core/record/store.h"
#include "nri/missed.h"

#define ENGINE "containerd /run/nri/nri.sock"

static const struct gone_case {
	const char *name;
	bool lost; /* a part of what the runtime has told */
	const char *id;
	const char *engine;
	bool new;
	bool kept;
} gone_cases[] = {
	{"a record whose container is gone goes", .id = "gone", .engine = ENGINE},
	{"a record of a container that may be made now stays", .id = "gone", .engine = ENGINE,
	 .new = true, .kept = true},
	{"a record stays if a part could not be read", true, "gone", ENGINE, false, true},
	{"a record whose container is there stays", .id = "id", .engine = ENGINE, .kept = true},
	{"a record of another engine stays", .id = "gone", .engine = "cri-o /run/nri/nri.sock",
	 .kept = true},
};

UNIT_ROWS(gone_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	const struct options options = {.sysroot = dir.path, .engine = ENGINE};
	struct look look = {
		.options = &options,
		.known = {(const unsigned char *)"\x12\x04\x0a\x02id", 6},
		.whole = !row->lost,
	};
	int64_t age = row->new ? 0 : RECORD_NEW_MS + 60000;
	struct look_report report;
	char path[128];
	char text[256];
	int ends[2];

	if (clock_ms() <= age)
		skip(); /* the machine runs for a few minutes */
	(void)snprintf(path, sizeof(path), RECORD_DIR "/team-a_u_c_granted_%010llx_%s.json",
		       (unsigned long long)(clock_ms() - age), row->id);
	(void)snprintf(text, sizeof(text),
		       "{\"id\":\"%s\",\"reason\":\"r\",\"entry_point\":\"nri\",\"engine\":\"%s\"}",
		       row->id, row->engine);
	unit_write(dir.fd, path, text, 0600);
	assert_int_equal(fchmodat(dir.fd, RECORD_DIR, 0700, 0), 0);
	assert_int_equal(pipe(ends), 0);
	look_at_all(&look, ends[1]);
	assert_int_equal(read(ends[0], &report, sizeof(report)), sizeof(report));
	assert_int_equal(report.kind, LOOK_END);
	assert_int_equal(faccessat(dir.fd, path, F_OK, 0) == 0, row->kept);
	assert_int_equal(close(ends[0]) + close(ends[1]), 0);
}
