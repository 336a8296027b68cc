/* SPDX-License-Identifier: Apache-2.0 */
/* The edit of a process.json (exec --process) */
#include "edit_oracle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return edit_check(data, size, false);
}
