/* SPDX-License-Identifier: Apache-2.0 */
/* Capability names beside libcap's and the kernel's */
#include "tests/unit/unit.h"

#include <linux/capability.h>
#include <sys/capability.h>

#include "core/base/capability.h"

UNIT_TEST("each known name is libcap's, and each of the kernel's is known")
{
	cleanup_arena arena = {0};

	for (int number = 0; number < 64; number++) {
		const char *name = *capability_names(&arena, UINT64_C(1) << number);
		cap_value_t value = -1;

		assert_int_equal(name != NULL, number <= CAP_LAST_CAP);
		if (!name)
			continue;
		assert_int_equal(cap_from_name(name, &value), 0);
		assert_int_equal(value, number);
		assert_int_equal(capability_number(name), number);
	}
}

UNIT_TEST("a set: its names in the order of their numbers, then NULL")
{
	cleanup_arena arena = {0};
	const char *const *names = capability_names(&arena, UINT64_C(1) << CAP_SYS_RESOURCE |
								    UINT64_C(1) << CAP_CHOWN |
								    UINT64_C(1) << CAP_IPC_LOCK);

	assert_string_equal(names[0], "CAP_CHOWN");
	assert_string_equal(names[1], "CAP_IPC_LOCK");
	assert_string_equal(names[2], "CAP_SYS_RESOURCE");
	assert_null(names[3]);
	assert_null(capability_names(&arena, 0)[0]);
}

int main(void)
{
	return unit_main("capability");
}
