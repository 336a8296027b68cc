/* SPDX-License-Identifier: Apache-2.0 */
/* The look at what was there before the plugin: notes of containers that are gone */
#include "tests/unit/nri/nri.h"

#include "core/note/note.h"
#include "nri/missed.h"

static const struct note_case {
	const char *name;
	bool lost; /* a part of what the runtime has told */
	const char *note;
	bool old;
	bool kept;
} note_cases[] = {
	{"a note whose container is gone goes", .note = "gone", .old = true},
	{"a note of a container that may be made now stays", .note = "gone", .kept = true},
	{"a note stays if a part could not be read", true, "gone", true, true},
	{"a note whose container is there stays", .note = "id", .old = true, .kept = true},
};

UNIT_ROWS(note_cases)
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1795000000}, {.tv_sec = 1795000000}};
	cleanup_unit_dir dir = unit_dir_make();
	const struct options options = {.sysroot = dir.path};
	struct look look = {
		.options = &options,
		.known = {(const unsigned char *)"\x12\x04\x0a\x02id", 6},
		.whole = !row->lost,
	};
	struct look_report report;
	char path[128];
	int ends[2];

	(void)snprintf(path, sizeof(path), NOTE_DIR "/%s.json", row->note);
	unit_write(dir.fd, path, "{}", 0600);
	assert_int_equal(fchmodat(dir.fd, NOTE_DIR, 0700, 0), 0);
	if (row->old)
		assert_int_equal(utimensat(dir.fd, path, long_ago, 0), 0);
	assert_int_equal(pipe(ends), 0);
	look_at_all(&look, ends[1]);
	assert_int_equal(read(ends[0], &report, sizeof(report)), sizeof(report));
	assert_int_equal(report.kind, LOOK_END);
	assert_int_equal(faccessat(dir.fd, path, F_OK, 0) == 0, row->kept);
	assert_int_equal(close(ends[0]) + close(ends[1]), 0);
}
