/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations named by the environment: order and labels, never proof */
#include "tests/unit/unit.h"

#include "explain/claims.h"

#define ENV_MAX 12
#define A "0000:3b:02.6"
#define B "0000:5d:00.3"
#define C "0000:9a:01.2"
#define INFO(address, ibdev) "\"" address "\":{\"rdma\":{\"rdma_dev\":\"" ibdev "\"}}"

/* "sriov 0000:3b:02.6 mlx5_6; dra …", in the claims' order */
static const char *render(struct arena *arena, const struct claims *claims)
{
	const char *text = "";

	for (size_t i = 0; i < claims->n; i++) {
		const struct claim *claim = &claims->item[i];

		text = arena_printf(arena, "%s%s%s %s %s%s%s", text, i ? "; " : "",
				    claim->source == CLAIM_DRA ? "dra" : "sriov", claim->address,
				    claim->ibdev ? claim->ibdev : "-", claim->file ? " " : "",
				    claim->file ? claim->file : "");
	}
	return text;
}

static const struct claims_case {
	const char *name;
	const char *env[ENV_MAX];
	const char *claims;
	const char *warnings;
} cases[] = {
	{"claims: none", LIST(NULL), "", ""},
	{"claims: other variables", LIST("PATH=/bin", "NCCL_IB_HCA=mlx5_0", "XPCIDEVICE_A=" A), "",
	 ""},
	{"claims: a list", LIST("PCIDEVICE_X=" A), "sriov " A " -", ""},
	{"claims: a list as it stands", LIST("PCIDEVICE_X=" C "," A "," B),
	 "sriov " C " -; sriov " A " -; sriov " B " -", ""},
	{"claims: resources by the names of their variables",
	 LIST("PCIDEVICE_A=" B, "PATH=/bin", "PCIDEVICE_Z=" A), "sriov " B " -; sriov " A " -", ""},
	{"claims: _INFO behind its list only labels",
	 LIST("PCIDEVICE_X=" B "," A,
	      "PCIDEVICE_X_INFO={" INFO(A, "mlx5_6") "," INFO(B, "mlx5_7") "}"),
	 "sriov " B " mlx5_7; sriov " A " mlx5_6", ""},
	{"claims: _INFO before its list only labels",
	 LIST("PCIDEVICE_X_INFO={" INFO(A, "mlx5_6") "," INFO(B, "mlx5_7") "}",
	      "PCIDEVICE_X=" B "," A),
	 "sriov " B " mlx5_7; sriov " A " mlx5_6", ""},
	{"claims: a list far behind its _INFO",
	 LIST("PCIDEVICE_X_INFO={" INFO(A, "mlx5_6") "}", "PCIDEVICE_Y=" B, "PCIDEVICE_X=" A),
	 "sriov " A " mlx5_6; sriov " B " -", ""},
	{"claims: _INFO does not add to its list",
	 LIST("PCIDEVICE_X=" A, "PCIDEVICE_X_INFO={" INFO(A, "mlx5_6") "," INFO(B, "mlx5_7") "}"),
	 "sriov " A " mlx5_6", ""},
	{"claims: _INFO that lacks one of the list",
	 LIST("PCIDEVICE_X=" A "," B, "PCIDEVICE_X_INFO={" INFO(B, "mlx5_7") "}"),
	 "sriov " A " -; sriov " B " mlx5_7", ""},
	{"claims: _INFO without a list",
	 LIST("PCIDEVICE_X_INFO={" INFO(B, "mlx5_7") "," INFO(A, "mlx5_6") "}"),
	 "sriov " B " mlx5_7; sriov " A " mlx5_6", ""},
	{"claims: _INFO without rdma_dev, as before 3.10",
	 LIST("PCIDEVICE_X=" A, "PCIDEVICE_X_INFO={\"" A "\":{\"generic\":{\"deviceID\":\"" A "\"},"
				"\"rdma\":{\"uverbs\":\"/dev/infiniband/uverbs6\"}}}"),
	 "sriov " A " - /dev/infiniband/uverbs6", ""},
	{"claims: _INFO with all that the plugin writes",
	 LIST("PCIDEVICE_X_INFO={\"" A "\":{\"extra\":{\"a\":\"b\"},\"generic\":{\"deviceID\":\"" A
	      "\"},\"rdma\":{\"issm\":\"/dev/infiniband/issm6\",\"rdma_cm\":\"/dev/infiniband/"
	      "rdma_cm\","
	      "\"rdma_dev\":\"mlx5_6\",\"umad\":\"/dev/infiniband/umad6\","
	      "\"uverbs\":\"/dev/infiniband/uverbs6\"}}}"),
	 "sriov " A " mlx5_6 /dev/infiniband/uverbs6", ""},
	{"claims: _INFO of a device of vfio: its own file, not vfio's",
	 LIST("PCIDEVICE_X_INFO={\"" A
	      "\":{\"vfio\":{\"dev-mount\":\"/dev/vfio/2\",\"mount\":\"/dev/vfio/vfio\"}}}"),
	 "sriov " A " - /dev/vfio/2", ""},
	{"claims: _INFO of a device of vDPA",
	 LIST("PCIDEVICE_X=" B "," A,
	      "PCIDEVICE_X_INFO={\"" A "\":{\"vdpa\":{\"mount\":\"/dev/vhost-vdpa-0\"}}}"),
	 "sriov " B " -; sriov " A " - /dev/vhost-vdpa-0", ""},
	{"claims: an empty _INFO", LIST("PCIDEVICE_X_INFO={}"), "", ""},
	{"claims: a resource that is called foo_info", LIST("PCIDEVICE_FOO_INFO=" A),
	 "sriov " A " -", ""},
	{"claims: and its _INFO",
	 LIST("PCIDEVICE_FOO_INFO_INFO={" INFO(A, "mlx5_6") "}", "PCIDEVICE_FOO_INFO=" A),
	 "sriov " A " mlx5_6", ""},
	{"claims: foo beside foo_info",
	 LIST("PCIDEVICE_FOO=" B, "PCIDEVICE_FOO_INFO=" A,
	      "PCIDEVICE_FOO_INFO_INFO={" INFO(A, "mlx5_6") "}"),
	 "sriov " B " -; sriov " A " mlx5_6", ""},
	{"claims: '-' in a resource's name",
	 LIST("PCIDEVICE_OPENSHIFT_IO_MY-RES=" A,
	      "PCIDEVICE_OPENSHIFT_IO_MY-RES_INFO={" INFO(A, "mlx5_6") "}"),
	 "sriov " A " mlx5_6", ""},
	{"claims: lower case in a resource's name", LIST("PCIDEVICE_x=" A), "sriov " A " -", ""},
	{"claims: a name that begins as another",
	 LIST("PCIDEVICE_X_INFO={" INFO(A, "mlx5_6") "}", "PCIDEVICE_XY=" B),
	 "sriov " B " -; sriov " A " mlx5_6", ""},
	{"claims: two resources, by their names, each as it stands",
	 LIST("PCIDEVICE_Y=" C "," A, "PCIDEVICE_X=" B),
	 "sriov " B " -; sriov " C " -; sriov " A " -", ""},
	{"claims: auxiliary devices beside a function",
	 LIST("PCIDEVICE_SF=mlx5_core.sf.10,mlx5_core.sf.4", "PCIDEVICE_X=" A),
	 "sriov mlx5_core.sf.10 -; sriov mlx5_core.sf.4 -; sriov " A " -", ""},
	{"claims: an auxiliary device", LIST("PCIDEVICE_SF=mlx5_core.sf.4,mlx5_core.sf.10"),
	 "sriov mlx5_core.sf.4 -; sriov mlx5_core.sf.10 -", ""},
	{"claims: one device in two resources is named twice",
	 LIST("PCIDEVICE_X=" A, "PCIDEVICE_Y=" A), "sriov " A " -; sriov " A " -", ""},
	{"claims: an empty list", LIST("PCIDEVICE_X="), "", ""},
	{"claims: no '=' at all", LIST("PCIDEVICE_X"), "", ""},
	{"claims: empty entries of a list", LIST("PCIDEVICE_X=," A ",," B ","),
	 "sriov " A " -; sriov " B " -", ""},

	{"DRA: a device", LIST("SRIOVNETWORK_VF_DEVICE_0000_3b_02_6=" A), "dra " A " -", ""},
	{"DRA: a device and its ibdev, before it",
	 LIST("SRIOVNETWORK_0000_3b_02_6_RDMA_DEVICE=mlx5_6",
	      "SRIOVNETWORK_VF_DEVICE_0000_3b_02_6=" A),
	 "dra " A " mlx5_6", ""},
	{"DRA: a device and its ibdev, behind it",
	 LIST("SRIOVNETWORK_VF_DEVICE_0000_3b_02_6=" A,
	      "SRIOVNETWORK_0000_3b_02_6_RDMA_DEVICE=mlx5_6"),
	 "dra " A " mlx5_6", ""},
	{"DRA: the files of its devices",
	 LIST("SRIOVNETWORK_VF_DEVICE_a=" A, "SRIOVNETWORK_a_RDMA_UVERB=/dev/infiniband/uverbs6",
	      "SRIOVNETWORK_VF_DEVICE_b=" B, "SRIOVNETWORK_b_VFIO_DEVICE=/dev/vfio/2"),
	 "dra " A " - /dev/infiniband/uverbs6; dra " B " - /dev/vfio/2", ""},
	{"DRA: what else it writes is not looked at",
	 LIST("SRIOVNETWORK_PCI_ADDRESSES=" B, "SRIOVNETWORK_NET_ATTACH_DEF_NAME=x",
	      "SRIOVNETWORK_0000_3b_02_6_RDMA_UVERB=/dev/infiniband/uverbs6"),
	 "", ""},
	{"DRA: beside the plugin", LIST("SRIOVNETWORK_VF_DEVICE_0000_5d_00_3=" B, "PCIDEVICE_X=" A),
	 "sriov " A " -; dra " B " -", ""},
	{"DRA: a bad address", LIST("SRIOVNETWORK_VF_DEVICE_x=../../sda"), "", "bad_name"},
	{"DRA: a bad ibdev", LIST("SRIOVNETWORK_VF_DEVICE_x=" A, "SRIOVNETWORK_x_RDMA_DEVICE=a/b"),
	 "dra " A " -", "bad_name"},

	{"bad: a path in a list", LIST("PCIDEVICE_X=" A ",../../etc/passwd," B),
	 "sriov " A " -; sriov " B " -", "bad_name"},
	{"bad: a line break in a list", LIST("PCIDEVICE_X=" A "\nNCCL_NET=Socket"), "", "bad_name"},
	{"bad: a space in a list", LIST("PCIDEVICE_X=" A ", " B), "sriov " A " -", "bad_name"},
	{"bad: a shell's word in a list", LIST("PCIDEVICE_X=$(reboot)"), "", "bad_name"},
	{"bad: '..' in a list", LIST("PCIDEVICE_X=..,."), "", "bad_name,bad_name"},
	{"bad: an ibdev with a slash",
	 LIST("PCIDEVICE_X=" A, "PCIDEVICE_X_INFO={" INFO(A, "../mlx5_6") "}"), "sriov " A " -",
	 "bad_name"},
	{"bad: an ibdev with a comma", LIST("PCIDEVICE_X_INFO={" INFO(A, "mlx5_6,mlx5_0") "}"),
	 "sriov " A " -", "bad_name"},
	{"bad: an empty ibdev", LIST("PCIDEVICE_X_INFO={" INFO(A, "") "}"), "sriov " A " -",
	 "bad_name"},
	{"bad: an address in _INFO", LIST("PCIDEVICE_X_INFO={" INFO("a/b", "mlx5_6") "}"), "",
	 "bad_name"},
	{"bad: JSON that is cut off",
	 LIST("PCIDEVICE_X=" A, "PCIDEVICE_X_INFO={\"" A "\":{\"rdma\":{\"rdma_dev\":\"mlx5"),
	 "sriov " A " -", "env_unreadable"},
	{"bad: JSON that is cut off, without a list", LIST("PCIDEVICE_X_INFO={\"" A "\""), "",
	 "env_unreadable"},
	{"bad: JSON in a variable that is no _INFO", LIST("PCIDEVICE_X={" INFO(A, "mlx5_6") "}"),
	 "", "bad_name"},
	{"bad: JSON of other types", LIST("PCIDEVICE_X_INFO={\"" A "\":\"mlx5_6\"}"), "",
	 "env_unreadable"},
	{"bad: rdma_dev that is no string",
	 LIST("PCIDEVICE_X=" A, "PCIDEVICE_X_INFO={\"" A "\":{\"rdma\":{\"rdma_dev\":6}}}"),
	 "sriov " A " -", "env_unreadable"},
	{"bad: rdma_dev with a NUL",
	 LIST("PCIDEVICE_X=" A,
	      "PCIDEVICE_X_INFO={\"" A "\":{\"rdma\":{\"rdma_dev\":\"mlx5_6\\u0000\"}}}"),
	 "sriov " A " -", "env_unreadable"},
	{"bad: rdma_dev twice",
	 LIST("PCIDEVICE_X=" A, "PCIDEVICE_X_INFO={\"" A
				"\":{\"rdma\":{\"rdma_dev\":\"mlx5_6\",\"rdma_dev\":\"mlx5_7\"}}}"),
	 "sriov " A " -", "env_unreadable"},
	{"bad: the good ones before the break do not count",
	 LIST("PCIDEVICE_X_INFO={" INFO(A, "mlx5_6") "," INFO(B, "mlx5_7") ","), "",
	 "env_unreadable"},
	{"bad: text behind the JSON", LIST("PCIDEVICE_X_INFO={" INFO(A, "mlx5_6") "}x"), "",
	 "env_unreadable"},
	{"bad: one variable does not spoil the next",
	 LIST("PCIDEVICE_X_INFO={", "PCIDEVICE_Y=a/b", "PCIDEVICE_Z=" A), "sriov " A " -",
	 "env_unreadable,bad_name"},
};

#define WITH_CLAIMS                                                                                \
	cleanup_arena arena = {0};                                                                 \
	struct warnings warnings = {0};                                                            \
	struct claims claims = {0}

static void read_env(struct arena *arena, const char **env, size_t n, struct claims *claims,
		     struct warnings *warnings)
{
	struct spec spec = {.env = env, .n_env = n};
	struct err err = {0};

	assert_int_equal(claims_read(arena, &spec, claims, warnings, &err), 0);
	for (size_t i = 0; i < warnings->n; i++) {
		for (const char *c = warnings->item[i].message; *c; c++)
			assert_true((unsigned char)*c >= 0x20);
	}
}

UNIT_ROWS(cases)
{
	WITH_CLAIMS;
	const char *env[ENV_MAX];
	size_t n = 0;

	while (n < ENV_MAX && row->env[n]) {
		env[n] = row->env[n];
		n++;
	}
	read_env(&arena, env, n, &claims, &warnings);
	assert_string_equal(render(&arena, &claims), row->claims);
	assert_string_equal(unit_codes(&arena, &warnings), row->warnings);
}

/* Each variable and its _INFO is found among the others, in any order. */
UNIT_TEST("claims: names that begin as others are told apart")
{
	enum { DEVICES = 8 };
	/* After a shorter name comes '=': '-' sorts before it, 'A' after it. */
	static const char tails[] = {'-', 'A'};
	WITH_CLAIMS;
	const char *env[LENGTH(tails) * DEVICES * 2];
	const char *want = "";
	size_t n = 0;

	for (size_t i = 0; i < LENGTH(tails) * DEVICES; i++) {
		size_t device = i * 3 % DEVICES;
		size_t t = i / DEVICES;
		char tail[DEVICES + 1] = "";

		memset(tail, tails[t], device);
		/* By address: 3 * 3 is 1 modulo 8, so times 3 twice is i. */
		want = arena_printf(&arena, "%s%ssriov 0000:0%zu:00.%zu mlx5_%zu", want,
				    n ? "; " : "", t, i % DEVICES, t * DEVICES + device);
		env[n++] = arena_printf(&arena, "PCIDEVICE_%zu%s=0000:0%zu:00.%zu", t, tail, t,
					device);
		env[n++] = arena_printf(&arena,
					"PCIDEVICE_%zu%s_INFO={\"0000:0%zu:00.%zu\":"
					"{\"rdma\":{\"rdma_dev\":\"mlx5_%zu\"}}}",
					t, tail, t, device, i);
	}
	read_env(&arena, env, n, &claims, &warnings);
	assert_string_equal(render(&arena, &claims), want);
	assert_string_equal(unit_codes(&arena, &warnings), "");
}

UNIT_TEST("bad: an _INFO that cannot be read is named")
{
	WITH_CLAIMS;
	const char *env[] = {"PCIDEVICE_X_INFO={\"" A "\":6}"};

	read_env(&arena, env, 1, &claims, &warnings);
	assert_int_equal(warnings.n, 1);
	assert_has(warnings.item[0].message,
		   "PCIDEVICE_X_INFO of the environment is ignored: value: ");
}

/* ---- bounds ---- */

/* n different addresses, separated by commas */
static char *long_list(struct arena *arena, size_t n)
{
	char *list = arena_alloc(arena, 32 + n * strlen("0000:00:00.0,"));
	char *end = list + sprintf(list, "PCIDEVICE_X=");

	for (size_t i = 0; i < n; i++)
		end += sprintf(end, "%s%04zx:%02zx:%02zx.%zu", i ? "," : "", i >> 11, i >> 3 & 0xff,
			       i >> 3 & 0x1f, i & 7);
	return list;
}

UNIT_TEST("bound: 4096 claims, the rest with a warning")
{
	for (size_t n = CLAIMS_MAX; n <= CLAIMS_MAX + 1; n++) {
		WITH_CLAIMS;
		const char *env[] = {long_list(&arena, n)};

		read_env(&arena, env, 1, &claims, &warnings);
		assert_int_equal(claims.n, CLAIMS_MAX);
		assert_string_equal(claims.item[0].address, "0000:00:00.0");
		assert_string_equal(unit_codes(&arena, &warnings),
				    n > CLAIMS_MAX ? "too_many_claims" : "");
	}
}

UNIT_TEST("bound: 4096 devices in one _INFO, more are not read")
{
	for (size_t n = CLAIMS_MAX; n <= CLAIMS_MAX + 1; n++) {
		WITH_CLAIMS;
		char *info = arena_alloc(&arena, 32 + n * strlen("\"0000:00:00.0\":{},"));
		char *end = info + sprintf(info, "PCIDEVICE_X_INFO={");
		const char *env[] = {info};

		for (size_t i = 0; i < n; i++)
			end += sprintf(end, "%s\"%04zx:00:00.0\":{}", i ? "," : "", i);
		(void)strcpy(end, "}");
		read_env(&arena, env, 1, &claims, &warnings);
		assert_int_equal(claims.n, n > CLAIMS_MAX ? 0 : n);
		assert_string_equal(unit_codes(&arena, &warnings),
				    n > CLAIMS_MAX ? "env_unreadable" : "");
	}
}

UNIT_TEST("bound: 4096 variables, the rest with a warning")
{
	for (size_t n = CLAIM_VARIABLES_MAX; n <= CLAIM_VARIABLES_MAX + 1; n++) {
		WITH_CLAIMS;
		const char **env = arena_alloc(&arena, n * sizeof(*env));

		for (size_t i = 0; i < n; i++)
			env[i] = "PCIDEVICE_X=";
		env[CLAIM_VARIABLES_MAX - 1] = "PCIDEVICE_Y=" A;
		if (n > CLAIM_VARIABLES_MAX)
			env[CLAIM_VARIABLES_MAX] = "PCIDEVICE_Z=" B;
		read_env(&arena, env, n, &claims, &warnings);
		assert_string_equal(render(&arena, &claims), "sriov " A " -");
		assert_string_equal(unit_codes(&arena, &warnings),
				    n > CLAIM_VARIABLES_MAX ? "too_many_claims" : "");
	}
}

/* An author can write as many variables as a container can have. */
static void read_so_many(void *env, size_t n)
{
	WITH_CLAIMS;

	read_env(&arena, env, n, &claims, &warnings);
	assert_true(claims.n <= CLAIMS_MAX);
}

#define TEN(text) text text text text text text text text text text

static const struct flood_case {
	const char *name;
	const char *format; /* gets the place */
} flood_cases[] = {
	{"bound: 65536 empty lists take no time", "PCIDEVICE_%zu="},
	{"bound: 65536 lists take no time", "PCIDEVICE_%zu=" A},
	{"bound: 65536 _INFO take no time", "PCIDEVICE_%zu_INFO={}"},
	{"bound: 65536 DRA devices take no time", "SRIOVNETWORK_VF_DEVICE_%zu=" A},
	/* The name is a prefix of all others. */
	{"bound: 65536 DRA devices with long names take no time",
	 "SRIOVNETWORK_VF_DEVICE_" TEN(TEN("VF_DEVICE_")) "%zu=" A},
};

UNIT_ROWS(flood_cases)
{
	const size_t n = 65536;
	cleanup_arena arena = {0};
	const char **env = arena_alloc(&arena, n * sizeof(*env));

	assert_non_null(env);
	for (size_t i = 0; i < n; i++) {
/* The formats are constants of the table. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		char text[1100];

		snprintf(text, sizeof(text), row->format, i);
#pragma GCC diagnostic pop
		env[i] = arena_strdup(&arena, text);
	}
	/* At most this many are examined, each once. */
	assert_true(unit_costs_less(UNIT_LINEAR, read_so_many, env, CLAIM_VARIABLES_MAX / 8));
	assert_true(unit_costs_less(3, read_so_many, env, n / 8));
}

/* The same list many times, with a long _INFO: rereading it for each would be 45 MB. */
UNIT_TEST("bound: one long _INFO is not read for every list")
{
	const size_t n = 64;
	const size_t len = 700000;
	cleanup_arena arena = {0};
	const char **env = arena_alloc(&arena, n * sizeof(*env));
	char *items = arena_alloc(&arena, len + 1);

	for (size_t i = 0; i < len; i++)
		items[i] = i % 2 ? ',' : '1';
	env[0] = arena_printf(&arena, "PCIDEVICE_X_INFO={\"a\":{\"x\":[%s1]}}", items);
	for (size_t i = 1; i < n; i++)
		env[i] = "PCIDEVICE_X=" A;
	/* Mostly _INFO: 8 times as many lists cost the same, or 8 times as much if each rereads
	 * it. */
	assert_true(unit_costs_less(3, read_so_many, env, n / 8));
}

UNIT_TEST("bound: names and values may be long")
{
	WITH_CLAIMS;
	char large[5000];
	const char *env[3];

	memset(large, 'X', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	env[0] = arena_printf(&arena, "PCIDEVICE_%s=%s,%s", large, A, large);
	env[1] = arena_printf(&arena, "PCIDEVICE_%s_INFO={%s}", large, INFO(A, "mlx5_6"));
	env[2] = arena_printf(&arena, "SRIOVNETWORK_VF_DEVICE_%s=%s", large, B);
	read_env(&arena, env, 3, &claims, &warnings);
	assert_int_equal(claims.n, 2);
	assert_string_equal(claims.item[0].address, A);
	assert_string_equal(claims.item[1].address, B);
	assert_string_equal(unit_codes(&arena, &warnings), "bad_name");
}

int main(void)
{
	return unit_main("claims");
}
