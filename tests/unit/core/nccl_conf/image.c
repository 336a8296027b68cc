/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an image's /etc/nccl.conf inside the image, without blocks of ours */
#include <sys/ptrace.h>

#include "core/nccl_conf.h"
#include "core/plan/plan.h"
#include "core/policy/policy.h"
#include "tests/unit/unit.h"

#define BLOCK NCCL_CONF_BEGIN "NCCL_IB_HCA==old\n" NCCL_CONF_END
#define BEGIN NCCL_CONF_BEGIN
#define END NCCL_CONF_END

static const struct strip_case {
	const char *name;
	const char *text;
	const char *left;
} strip_cases[] = {
	{"strip: nothing", "", ""},
	{"strip: no block", "A=1\nB=2", "A=1\nB=2"},
	{"strip: a block alone", BLOCK, ""},
	{"strip: two begins, one end", "A=1\n" BEGIN "B=2\n" BEGIN "C=3\n" END "D=4\n",
	 "A=1\nB=2\nD=4\n"},
	{"strip: an end behind a block", BLOCK "A=1\n" END, "A=1\n" END},
	{"strip: an end without its newline", BEGIN "A=1\n# oci-rdma-hook end", ""},
	{"strip: a begin without its newline",
	 "A=1\n# oci-rdma-hook begin: written at each start of this container", "A=1\n"},
	{"strip: another line, as long", BEGIN "A=1\n# oci-rdma-hook enX\n",
	 "A=1\n# oci-rdma-hook enX\n"},
	{"strip: a line that only begins so", "# oci-rdma-hook end of it\n",
	 "# oci-rdma-hook end of it\n"},
	{"strip: a line that ends so", BEGIN "A=1\n # oci-rdma-hook end\n",
	 "A=1\n # oci-rdma-hook end\n"},
};

UNIT_ROWS(strip_cases)
{
	size_t len = strlen(row->text);
	struct fs_text text = {.bytes = unit_exact(row->text, len + 1), .len = len};

	nccl_conf_remove_block(&text);
	assert_string_equal(text.bytes, row->left);
	assert_int_equal(text.len, strlen(row->left));
	free(text.bytes);
}

static void strip_begins(int lines)
{
	cleanup_arena arena = {0};
	struct fs_text text = {.bytes = arena_alloc(&arena, (size_t)lines * strlen(BEGIN) + 1)};

	for (int i = 0; i < lines; i++, text.len += strlen(BEGIN))
		memcpy(text.bytes + text.len, BEGIN, strlen(BEGIN));
	(void)raise(SIGSTOP);
	nccl_conf_remove_block(&text);
	_exit(text.len != 0);
}

/* Counts a child's instructions by single steps while it strips n beginnings of blocks */
static long steps_for(int lines)
{
	pid_t child = unit_fork();
	long steps = 0;
	int status;

	if (child == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		strip_begins(lines);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	for (; WIFSTOPPED(status); steps++) {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	assert_int_equal(status, 0);
	return steps;
}

/* 1 MiB of them once took the hook's whole time: a search for each one's end. */
UNIT_TEST("strip: twice as many begins are twice as much work, not four times")
{
	long none = steps_for(0);
	long some = steps_for(30) - none;
	long twice = steps_for(60) - none;

	assert_true(some > 30);
	assert_true(twice * 10 < some * 25);
}

static const struct value_case {
	const char *name;
	const char *text;
	const char *value; /* of NAME; NULL: none */
} value_cases[] = {
	{"value: nothing", "", NULL},
	{"value: of a line", "NAME=a\n", "a"},
	{"value: of a line without a newline", "NAME=a", "a"},
	{"value: none", "NAME=\n", ""},
	{"value: none, at the end", "NAME=", ""},
	{"value: with '='", "NAME==a=b\n", "=a=b"},
	{"value: the first of a name holds", "X=1\nNAME=a\nNAME=b\n", "a"},
	{"value: a longer name", "NAMES=a\nXNAME=b\n", NULL},
	{"value: a name without '='", "NAME\nNAME a\n", NULL},
	{"value: blanks are part of the name", " NAME=a\nNAME =b\n", NULL},
	{"value: in a comment", "#NAME=a\n", NULL},
	{"value: a carriage return is part of it", "NAME=a\r\n", "a\r"},
};

UNIT_ROWS(value_cases)
{
	size_t len = strlen(row->text);
	struct fs_text text = {.bytes = unit_exact(row->text, len), .len = len};
	size_t got_len = 99;
	const char *got = nccl_conf_value(&text, "NAME", &got_len);

	assert_int_equal(got == NULL, row->value == NULL);
	if (got) {
		assert_int_equal(got_len, strlen(row->value));
		assert_memory_equal(got, row->value, got_len);
	}
	free(text.bytes);
}

/* ---- the file ---- */

#define CONF "etc/nccl.conf"

static const struct link_case {
	const char *name;
	const char *target;
	mode_t mode; /* of etc/real.conf */
	const char *text;
} link_cases[] = {
	{"link: relative", "real.conf", 0644, "A=1\n"},
	{"link: absolute, from the container's root on", "/etc/real.conf", 0644, "A=1\n"},
	{"link: '..' ends at the container's root", "../../../etc/real.conf", 0644, "A=1\n"},
	{"link: to what only root may read", "real.conf", 0640, ""},
	{"link: to nothing", "absent", 0644, ""},
	{"link: to the host's", "/proc/version", 0644, ""},
};

UNIT_ROWS(link_cases)
{
	WITH_DIR(root);
	struct fs_text text;

	unit_write(root.fd, "etc/real.conf", "A=1\n", row->mode);
	assert_int_equal(symlinkat(row->target, root.fd, CONF), 0);
	assert_int_equal(nccl_conf_read(&arena, root.fd, &text, &err), 0);
	assert_string_equal(text.bytes, row->text);
	assert_int_equal(text.len, strlen(row->text));
}

UNIT_TEST("file: none, and one that only root may read")
{
	WITH_DIR(root);
	struct fs_text text;

	assert_int_equal(nccl_conf_read(&arena, root.fd, &text, &err), 0);
	assert_int_equal(text.len, 0);
	unit_write(root.fd, CONF, "A=1\n", 0600);
	assert_int_equal(nccl_conf_read(&arena, root.fd, &text, &err), 0);
	assert_string_equal(text.bytes, "A=1\n");
}

/* ---- the plan ---- */

#define X16 "xxxxxxxxxxxxxxxx"
#define X128 X16 X16 X16 X16 X16 X16 X16 X16

static const struct plan_case {
	const char *name;
	const char *conf; /* NULL: root file system not visible */
	const char *env;
	const char *mount;
	bool ucx;
	const char *settings;
	const char *warnings;
	const char *message; /* in the first warning; NULL: not checked */
} plan_cases[] = {
	{"plan: an image that is not seen", NULL, NULL, NULL, false, "NCCL_IB_HCA NCCL_IB_TC ", "",
	 NULL},
	{"plan: an image that says nothing", "", NULL, NULL, false, "NCCL_IB_HCA NCCL_IB_TC ", "",
	 NULL},
	{"plan: an image that says another thing", "NCCL_IB_HCA==mlx5_0\n", NULL, NULL, false,
	 "NCCL_IB_TC ", "conf_already_set", NULL},
	{"plan: an image that says the beginning", "NCCL_IB_HCA==mlx5\n", NULL, NULL, false,
	 "NCCL_IB_TC ", "conf_already_set", NULL},
	{"plan: an image that says the same", "NCCL_IB_HCA==mlx5_6\n", NULL, NULL, false,
	 "NCCL_IB_TC ", "", NULL},
	{"plan: the environment is before the image", "NCCL_IB_HCA==mlx5_0\n",
	 "NCCL_IB_HCA==mlx5_6", NULL, false, "NCCL_IB_HCA NCCL_IB_TC ", "", NULL},
	{"plan: a volume over the image's file", "NCCL_IB_HCA==mlx5_0\n", NULL, "/etc/nccl.conf",
	 false, "NCCL_IB_HCA NCCL_IB_TC ", "nccl_conf_mounted", NULL},
	{"plan: what no NCCL reads, the image's nccl.conf does not set",
	 "UCX_NET_DEVICES=mlx5_0:1\n", NULL, NULL, true, "NCCL_IB_HCA NCCL_IB_TC UCX_NET_DEVICES ",
	 "", NULL},
	{"plan: the warning says what the image says, that line alone",
	 "A=1\nNCCL_IB_HCA==mlx5_0\nB=2\n", NULL, NULL, false, "NCCL_IB_TC ", "conf_already_set",
	 " sets NCCL_IB_HCA==mlx5_0, which is kept; oci-rdma-hook would set =mlx5_6"},
	{"plan: and 128 bytes of it", "NCCL_IB_HCA=" X128 "\n", NULL, NULL, false, "NCCL_IB_TC ",
	 "conf_already_set", " sets NCCL_IB_HCA=" X128 ", which is kept"},
	{"plan: but no more", "NCCL_IB_HCA=" X128 "y\n", NULL, NULL, false, "NCCL_IB_TC ",
	 "conf_already_set", " sets NCCL_IB_HCA=" X128 ", which is kept"},
};

UNIT_ROWS(plan_cases)
{
	static struct config_variable tc = {.name = "NCCL_IB_TC", .value = "106"};
	const char *names[] = {"*"};
	const char *env[] = {row->env};
	const char *mounts[] = {row->mount};
	struct config config = {.path = "c",
				.namespaces = names,
				.n_namespaces = 1,
				.memlock = MEMLOCK_UNLIMITED,
				.nccl = {.hca = true, .extra = &tc, .n_extra = 1},
				.frameworks = {.ucx = row->ucx}};
	struct device device = {.ibdev = "mlx5_6"};
	struct devices devices = {.item = &device, .n = 1};
	struct request request = {
		.inject = INJECT_ASKED, .memlock = MEMLOCK_UNLIMITED, .nccl = true};
	struct spec spec = {.env = env,
			    .n_env = row->env != NULL,
			    .mounts = mounts,
			    .n_mounts = row->mount != NULL};
	struct fs_text conf = {.bytes = (char *)(uintptr_t)row->conf,
			       .len = row->conf ? strlen(row->conf) : 0};
	WITH_ARENA;
	struct warnings warnings = {0};
	const char *got = "";
	struct plan plan;
	struct planning planning = {.arena = &arena,
				    .spec = &spec,
				    .config = &config,
				    .request = &request,
				    .devices = &devices,
				    .image_conf = &conf,
				    .plan = &plan,
				    .warnings = &warnings};

	assert_int_equal(plan_decide(&planning, &err), 0);
	if (plan_gives(&plan))
		assert_int_equal(plan_fill(&planning, &err), 0);
	for (size_t i = 0; i < plan.n_settings; i++)
		got = arena_printf(&arena, "%s%s ", got, plan.settings[i].name);
	assert_string_equal(got, row->settings);
	assert_string_equal(unit_codes(&arena, &warnings), row->warnings);
	if (row->message)
		assert_has(warnings.item[0].message, row->message);
}

int main(void)
{
	return unit_main("image");
}
