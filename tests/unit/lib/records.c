/* SPDX-License-Identifier: Apache-2.0 */
#include "core/record/store.h"
#include "tests/unit/unit.h"

#include "core/base/clock.h"
#include "lib/records.h"

UNIT_TEST("records are counted by their results, all of them or the last ones alone")
{
	cleanup_unit_dir dir = unit_dir_make();
	const struct record denied = {.id = "id", .result = RECORD_DENIED};
	struct err err;
	size_t all[RECORD_RESULTS] = {0};
	size_t last[RECORD_RESULTS] = {0};

	assert_int_equal(mkdirat(dir.fd, "run", 0755), 0);
	assert_int_equal(records_count(dir.fd, 0, all, &err), 0); /* none yet */
	assert_int_equal(record_write(dir.path, &denied, &err), 0);
	unit_write(dir.fd, RECORD_DIR "/a_u_c_denied_0000000001_x.json", "{}", 0600);
	unit_write(dir.fd, RECORD_DIR "/a_u_c_mended_0000000001_y.json", "{}", 0600);
	assert_int_equal(records_count(dir.fd, 0, all, &err), 0);
	assert_int_equal(records_count(dir.fd, clock_ms() - 1, last, &err), 0);
	for (int i = 0; i < RECORD_RESULTS; i++) {
		assert_int_equal(all[i], i == RECORD_DENIED ? 2 : i == RECORD_MENDED);
		assert_int_equal(last[i], i == RECORD_DENIED);
	}
	assert_int_equal(fchmodat(dir.fd, RECORD_DIR, 0777, 0), 0);
	assert_int_equal(records_count(dir.fd, 0, all, &err), -1);
	assert_has(err.text, "must belong to root alone");
}

int main(void)
{
	return unit_main("records");
}
