/* SPDX-License-Identifier: Apache-2.0 */
/* Of two variables with one name the first wins, as in getenv(3), whatever a sort does. */
#include "tests/unit/unit.h"

#include "explain/claims.h"

#define ENTRIES 40
#define INFO "PCIDEVICE_R_INFO={\"0000:3b:02.0\":{\"rdma\":{\"rdma_dev\":\"mlx5_%d\"}}}"

/* The first one names function 0 or mlx5_0, the others another. */
static struct claims claims_of(struct arena *arena, const char *const *formats, size_t n)
{
	struct spec spec = {.env = arena_alloc(arena, n * ENTRIES * sizeof(char *))};
	struct warnings warnings = {0};
	struct claims claims;
	struct err err;

	for (int i = 0; i < ENTRIES; i++) {
		for (size_t f = 0; f < n; f++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			spec.env[spec.n_env++] = arena_printf(arena, formats[f], i % 8);
#pragma GCC diagnostic pop
		}
	}
	assert_int_equal(claims_read(arena, &spec, &claims, &warnings, &err), 0);
	assert_string_equal(unit_codes(arena, &warnings), "");
	return claims;
}

UNIT_TEST("twice: the first list holds")
{
	static const char *const formats[] = {"PCIDEVICE_R=0000:3b:02.%d"};
	cleanup_arena arena = {0};
	struct claims claims = claims_of(&arena, formats, 1);

	assert_int_equal(claims.n, 1);
	assert_string_equal(claims.item[0].address, "0000:3b:02.0");
}

UNIT_TEST("twice: the first _INFO labels")
{
	static const char *const formats[] = {INFO, "PCIDEVICE_R=0000:3b:02.%d"};
	cleanup_arena arena = {0};
	struct claims claims = claims_of(&arena, formats, 2);

	assert_int_equal(claims.n, 1);
	assert_string_equal(claims.item[0].address, "0000:3b:02.0");
	assert_string_equal(claims.item[0].ibdev, "mlx5_0");
}

UNIT_TEST("twice: the first _INFO without a list holds")
{
	static const char *const formats[] = {INFO};
	cleanup_arena arena = {0};
	struct claims claims = claims_of(&arena, formats, 1);

	assert_int_equal(claims.n, 1);
	assert_string_equal(claims.item[0].ibdev, "mlx5_0");
}

UNIT_TEST("twice: the first part of dra-driver-sriov holds")
{
	static const char *const formats[] = {"SRIOVNETWORK_VF_DEVICE_d=0000:3b:02.%d",
					      "SRIOVNETWORK_d_RDMA_DEVICE=mlx5_%d",
					      "SRIOVNETWORK_d_RDMA_UVERB=/dev/infiniband/uverbs%d"};
	cleanup_arena arena = {0};
	struct claims claims = claims_of(&arena, formats, 3);

	assert_int_equal(claims.n, 1);
	assert_string_equal(claims.item[0].address, "0000:3b:02.0");
	assert_string_equal(claims.item[0].ibdev, "mlx5_0");
	assert_string_equal(claims.item[0].file, "/dev/infiniband/uverbs0");
}

int main(void)
{
	return unit_main("claims twice");
}
