/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers between the pods of a job: the rounds, and what is said of the reports. */
#include "doctor/compare/pairs.h"
#include "doctor/compare/pairs_table.h"
#include "doctor/compare/rounds.h"
#include "tests/unit/unit.h"

#define PODS_MAX 65

/* Returns the rounds; counts[a][b]: how often these two met */
static size_t meet(size_t n, bool all, unsigned counts[PODS_MAX][PODS_MAX])
{
	struct meeting meeting[PODS_MAX / 2 + 1];
	size_t round = 0;
	size_t count;

	memset(counts, 0, PODS_MAX * sizeof(*counts));
	while ((count = rounds_make(n, all, round, meeting)) > 0) {
		bool talks[PODS_MAX] = {0};

		assert_true(count <= n / 2);
		for (size_t i = 0; i < count; i++) {
			const struct meeting m = meeting[i];

			assert_true(m.connects < n && m.listens < n && m.connects != m.listens);
			assert_false(talks[m.connects] || talks[m.listens]);
			talks[m.connects] = talks[m.listens] = true;
			counts[m.connects][m.listens]++;
			counts[m.listens][m.connects]++;
		}
		round++;
	}
	return round;
}

UNIT_TEST("all pairs: each two meet once, nobody talks twice in a round, and rounds are few")
{
	static unsigned counts[PODS_MAX][PODS_MAX];

	for (size_t n = 0; n <= PODS_MAX; n++) {
		assert_int_equal(meet(n, true, counts), n < 2 ? 0 : n - 1 + n % 2);
		for (size_t a = 0; a < n; a++) {
			for (size_t b = 0; b < n; b++)
				assert_int_equal(counts[a][b], a != b);
		}
	}
}

UNIT_TEST("ring: each meets the next one, nobody talks twice in a round, in three rounds at most")
{
	static unsigned counts[PODS_MAX][PODS_MAX];

	for (size_t n = 0; n <= PODS_MAX; n++) {
		assert_int_equal(meet(n, false, counts), n < 2 ? 0 : n == 2 ? 1 : 2 + n % 2);
		for (size_t a = 0; a < n; a++) {
			for (size_t b = 0; b < n; b++)
				assert_int_equal(counts[a][b],
						 a != b && ((a + 1) % n == b || (b + 1) % n == a));
		}
	}
}

#define OK(ends, rate)                                                                             \
	{                                                                                          \
		.id = "verbs_remote", .subject = ends, .status = FINDING_OK, .gbps = (rate),       \
		.evidence = "a rate"                                                               \
	}
#define FAILED(ends, why)                                                                          \
	{                                                                                          \
		.id = "verbs_remote", .subject = ends, .status = FINDING_FAIL, .evidence = why     \
	}

static const char *printed(struct pod *pod, size_t n, bool matrix)
{
	static char text[4096];
	cleanup_arena arena = {0};
	const struct job job = {.arena = &arena, .pod = pod, .n = n};
	struct pairs pairs;
	FILE *out;

	assert_int_equal(pairs_judge(&job, &pairs), 0);
	out = fmemopen(text, sizeof(text), "w");
	assert_non_null(out);
	assert_int_equal(pairs_print_text(out, &pairs, matrix), 0);
	(void)fclose(out);
	return text;
}

#define ONE "mlx5_0 -> 10.0.0.1 mlx5_0"
#define TWO "mlx5_1 -> 10.0.0.1 mlx5_1"
static struct reported fast[] = {OK(ONE, 390), OK(TWO, 100)};
static struct reported limit[] = {OK(ONE, 312), OK(TWO, 79.9)};
static struct reported broken[] = {OK(ONE, 390), FAILED("mlx5_1 -> 10.0.0.1", "retry exceeded")};
static struct reported closed[] = {
	{.id = "memlock", .subject = "", .status = FINDING_WARN, .evidence = "low"},
	{.id = "verbs_devices", .subject = "", .status = FINDING_FAIL, .evidence = "none listed"}};

UNIT_TEST("pairs: a list for each rail; below 80 % of its median is slow, by both ends")
{
	struct pod pod[] = {{.name = "a", .node = "b", .item = fast, .n = 2},
			    {.name = "b", .node = "a", .item = limit, .n = 2},
			    {.name = "b", .node = "c", .item = fast, .n = 2}};

	assert_string_equal(printed(pod, 3, false),
			    "mlx5_0: Gb/s, median 390.0\n"
			    "  390.0   a -> b\n"
			    "  312.0   b -> a\n"
			    "  390.0   b -> c\n"
			    "\n"
			    "mlx5_1: Gb/s, median 100.0\n"
			    "  100.0   a -> b\n"
			    "   79.9!  b -> a\n"
			    "  100.0   b -> c\n"
			    "\n"
			    "3 pods: 1 slow (below 80 % of the rail's median), 0 failed\n"
			    "b -> a, mlx5_1: slow\n"
			    "    a rate\n");
}

UNIT_TEST("pairs: a matrix for each rail, and what each end says of what failed")
{
	struct pod pod[] = {{.name = "a", .node = "b", .item = broken, .n = 2},
			    {.name = "b", .node = "a", .item = broken, .n = 2},
			    {.name = "a", .node = "c-1", .item = closed, .n = 2},
			    {.name = "c-1", .node = "a", .silent = "no answer in 60 s"}};

	assert_string_equal(printed(pod, 4, true),
			    "mlx5_0: Gb/s from row to column, median 390.0\n"
			    "              0       1       2 \n"
			    "   0 a         -  390.0        -\n"
			    "   1 b    390.0        -       -\n"
			    "   2 c-1       -       -       -\n"
			    "\n"
			    "mlx5_1: Gb/s from row to column, all failed\n"
			    "              0       1       2 \n"
			    "   0 a         -  failed       -\n"
			    "   1 b    failed       -       -\n"
			    "   2 c-1       -       -       -\n"
			    "\n"
			    "3 pods: 0 slow (below 80 % of the rail's median), 4 failed\n"
			    "a -> b, mlx5_1: failed\n"
			    "    retry exceeded\n"
			    "b -> a, mlx5_1: failed\n"
			    "    retry exceeded\n"
			    "a -> c-1, no device: failed\n"
			    "    none listed\n"
			    "c-1 -> a, no device: failed\n"
			    "    no answer in 60 s\n");
}

#define REPORT(from, to, items)                                                                    \
	{                                                                                          \
		.name = (from), .node = (to), .item = (items),                                     \
		.n = sizeof(items) / sizeof(*(items))                                              \
	}

/* a's mlx5_3 and mlx5_4 talk to b's mlx5_4 and mlx5_5. */
UNIT_TEST("pairs: devices that talk to each other are a rail, whatever their names")
{
	struct reported out[] = {OK("mlx5_3 -> fd00::2 mlx5_4", 390),
				 OK("mlx5_4 -> fd00::2 mlx5_5", 200)};
	struct reported in[] = {OK("mlx5_4 -> fd00::1 mlx5_3", 390),
				OK("mlx5_5 -> fd00::1 mlx5_4", 100)};
	struct pod pod[] = {REPORT("a", "b", out), REPORT("b", "a", in)};

	assert_string_equal(printed(pod, 2, false),
			    "mlx5_3 of a: Gb/s, median 390.0\n"
			    "  390.0   a -> b\n"
			    "  390.0   b -> a\n"
			    "\n"
			    "mlx5_4 of a: Gb/s, median 200.0\n"
			    "  200.0   a -> b\n"
			    "  100.0!  b -> a\n"
			    "\n"
			    "2 pods: 1 slow (below 80 % of the rail's median), 0 failed\n"
			    "b -> a, mlx5_5 -> mlx5_4: slow\n"
			    "    a rate\n");
}

UNIT_TEST("pairs: a device that fails with all its peers is named once, with what both ends say")
{
	struct reported good[] = {OK(ONE, 390)};
	struct reported own[] = {FAILED(ONE, "retry exceeded")};
	struct reported told[] = {FAILED(ONE, "10.0.0.1: retry exceeded")};
	struct reported low[] = {OK(ONE, 100)};
	struct pod pod[] = {REPORT("a", "b", good), REPORT("b", "a", good), REPORT("c", "a", own),
			    REPORT("a", "c", told), REPORT("c", "b", own),  REPORT("b", "c", told)};

	assert_string_equal(
		strstr(printed(pod, 6, false), "3 pods"),
		"3 pods: 0 slow (below 80 % of the rail's median), 4 failed\n"
		"c, mlx5_0: failed with each of 2 pods; other transfers of the rail work\n"
		"    c: retry exceeded\n"
		"    a: 10.0.0.1: retry exceeded\n");
	/* Slow with a, failed with b */
	pod[2].item = low;
	assert_non_null(strstr(printed(pod, 6, false), "c, mlx5_0: slow or failed with each of 2"));
	pod[2].item = own;
	/* Between two alone nobody can tell whose it is. */
	assert_non_null(strstr(printed(pod + 2, 2, false), "c -> a, mlx5_0: failed"));
	/* Nor if all fail */
	pod[0].item = pod[1].item = own;
	assert_null(strstr(printed(pod, 6, false), "with each of"));
}

int main(void)
{
	return unit_main("pairs");
}
