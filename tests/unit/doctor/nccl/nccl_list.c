/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/nccl/nccl_list.h"
#include "tests/unit/unit.h"

static const struct list_case {
	const char *name, *list, *device;
	int port;
	bool selected;
} list_cases[] = {
	{"nothing selects all", "", "mlx5_6", 1, true},
	{"= and an empty item select all", "=,", "mlx5_6", 1, true},
	{"a port that is none selects none", "mlx5_6:-2", "mlx5_6", 1, false},
	{"^ alone excludes all", "^", "mlx5_6", 1, false},
	{"a name selects what begins like it", "mlx5_1", "mlx5_10", 1, true},
	{"with = it does not", "=mlx5_1", "mlx5_10", 1, false},
	{"the second of a list", "=mlx5_1,mlx5_2", "mlx5_2", 1, true},
	{"^ excludes what begins like it", "^mlx5_1", "mlx5_10", 1, false},
	{"^ selects the others", "^mlx5_1", "mlx5_2", 1, true},
	{"^= excludes whole names", "^=mlx5_1", "mlx5_10", 1, true},
	{"=^ is no exclusion: ^ is looked for first", "=^mlx5_1", "mlx5_2", 1, false},
	{"another port", "=mlx5_1:2", "mlx5_1", 1, false},
	{"whatever port", "=mlx5_1:2", "mlx5_1", -1, true},
	{"a rail behind the port", "=mlx5_1:2:0", "mlx5_1", 2, true},
	{"empty items are none", "=,,mlx5_1,", "mlx5_2", 1, false},
	{"a space belongs to the name", "=mlx5_1, mlx5_2", "mlx5_2", 1, false},
};

UNIT_ROWS_AS("list: ", list_cases)
{
	struct nccl_list list;

	nccl_list_parse(row->list, &list);
	assert_int_equal(nccl_list_selects(&list, row->device, row->port), row->selected);
}

UNIT_TEST("list: no more and no longer items than NCCL takes")
{
	char value[8192];
	struct nccl_list list;
	size_t len = 0;

	for (int i = 0; i < 200; i++)
		len += (size_t)snprintf(value + len, sizeof(value) - len, "%s%d", i ? "," : "", i);
	nccl_list_parse(value, &list);
	assert_int_equal(list.n, NCCL_LIST_MAX);
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	nccl_list_parse(value, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(strlen(list.item[0].name), NCCL_NAME_MAX);
}

int main(void)
{
	return unit_main("list");
}
