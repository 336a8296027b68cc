/* SPDX-License-Identifier: Apache-2.0 */
/* The edit of a config.json */
#include "edit_oracle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return edit_check(data, size, true);
}
