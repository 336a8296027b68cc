/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/records.h"

#include <errno.h>

#include "core/base/clock.h"
#include "core/base/trust.h"

int records_count(int sysroot, int64_t window_ms, size_t ret_n[RECORD_RESULTS], struct err *err)
{
	cleanup_arena arena = {0};
	cleanup_fd dir = trust_open_dir(sysroot, RECORD_DIR, err);
	struct record_entry *entries;
	int n = dir < 0 ? 0 : record_list(&arena, dir, false, &entries);

	if (n < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++)
		ret_n[entries[i].result] += !window_ms || clock_ms() - entries[i].clock < window_ms;
	return dir >= 0 || dir == -ENOENT ? 0 : -1;
}
