/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about a log: order, quotation, evidence; the log around an excerpt changes nothing */
#include "suite.h"

#define MEMLOCK "Call to ibv_reg_mr failed with error Cannot allocate memory\n"
#define SHM "failed to extend /dev/shm/nccl-x to 1 bytes\n"
#define RETRY "x Got completion from peer p with status=12 vendor err 129\n"
#define GDR_OFF "NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6'\n"
#define TRAILER                                                                                    \
	"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1, unhandled "    \
	"system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\n"               \
	"ncclSystemError: System call (e.g. socket, malloc) or external library call failed\n"

static const struct order_case {
	const char *name, *text, *rows;
} order_cases[] = {
	{"told: what is sure first, then by the log; notes last", GDR_OFF MEMLOCK SHM,
	 "shm_full,memlock,gdr_off"},
	{"told: PyTorch's trailer stands above nothing", TRAILER MEMLOCK, "memlock"},
	{"told: the trailer alone", TRAILER, "unhandled"},
	{"told: a rank that ended by itself stands above the trailer of the others",
	 "[rank1]: KeyError: 'x'\n" TRAILER, "program"},
	{"told: a rank that was aborted does not: a watchdog may have done it",
	 "process 1 terminated with signal SIGABRT\n" TRAILER, "unhandled"},
	{"told: a note stands below a cause that follows from others",
	 "NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6'\n" TRAILER,
	 "unhandled,gdr_off"},
	{"told: a gate behind a cause", "Exit Code:    137\n" MEMLOCK, "memlock,oom"},
	{"told: CRLF ends a line, and the last needs no end",
	 "NCCL INFO NET/IB : No device found.\r\nx", "no_rdma"},
	{"told: what only looks like an error", "ERROR: pip's dependency resolver does not\n", "?"},
	{"told: 'host device' names no CNI plugin",
	 "failed to stat CDI host device \"/dev/dri/card5\": no such file or directory\n", "?"},
};

UNIT_ROWS(order_cases)
{
	WITH_ARENA;
	struct symptoms symptoms;

	assert_string_equal(shown_by(&arena, row->text, strlen(row->text), &symptoms), row->rows);
}

UNIT_TEST("told: the line, how many, and of a long one its end")
{
	WITH_ARENA;
	struct symptoms symptoms;
	char text[4096] = "a\n\n";
	size_t len = strlen(text);

	memset(text + len, '-', 600);
	len += 600;
	len += (size_t)snprintf(
		text + len, sizeof(text) - len,
		"Error while creating shared memory segment %0500d the reason\n" RETRY RETRY, 0);
	assert_string_equal(shown_by(&arena, text, len, &symptoms), "retry_exc");
	assert_int_equal(symptoms.item[0].first, 4);
	assert_int_equal(symptoms.item[0].lines, 2);
	(void)shown_by(&arena, "Bus error (core dumped)\r\n", 25, &symptoms);
	assert_string_equal(symptoms.item[0].quote, "Bus error (core dumped)");
	(void)shown_by(&arena, text, strcspn(text + 3, "\n") + 3, &symptoms);
	assert_int_equal(symptoms.item[0].first, 3);
	assert_true(strncmp(symptoms.item[0].quote, "...---", 6) == 0);
	assert_has(symptoms.item[0].quote, "Error while creating");
	assert_has(symptoms.item[0].quote, " ... 000");
	assert_has(symptoms.item[0].quote, "the reason");
	assert_true(strlen(symptoms.item[0].quote) <= SYMPTOM_QUOTE_MAX);
}

static const struct quote_case {
	const char *name, *text, *quote;
	unsigned long line;
} quote_cases[] = {
	{"quote: PyTorch's reason is in the line below \"Last error:\"", "Last error:\nfoo 5\n",
	 "foo 5", 2},
	{"quote: of a traceback the exception, not its calls",
	 "Traceback (most recent call last):\n  File \"/x/errors.py\", line 1\n"
	 "    raise Error(failed)\nx.y.FooError: bar\n",
	 "x.y.FooError: bar", 4},
	{"quote: the rank whose exception may come from the network",
	 "x failed\n[rank1]: ConnectionError: refused\n[rank0]: ConnectionError: later\n",
	 "rank 1 ended with ConnectionError: refused", 2},
	{"quote: a short line is whole", "x err=\"y failed\" pod=\"z\"\n",
	 "x err=\"y failed\" pod=\"z\"", 1},
	{"quote: a tab is a blank", "\tfoo\tfailed to x\n", " foo failed to x", 1},
};

UNIT_ROWS(quote_cases)
{
	WITH_ARENA;
	struct symptoms symptoms;

	assert_string_equal(shown_by(&arena, row->text, strlen(row->text), &symptoms), "?");
	assert_string_equal(symptoms.error, row->quote);
	assert_int_equal(symptoms.first_error, row->line);
}

UNIT_TEST("quote: what NCCL warned of before it gave up; a kubelet's reason, which err= begins")
{
	WITH_ARENA;
	struct symptoms symptoms;
	char text[1024];
	size_t len;

	(void)shown_by(&arena, "h NCCL WARN foo is 5\n" TRAILER,
		       strlen("h NCCL WARN foo is 5\n" TRAILER), &symptoms);
	assert_string_equal(symptoms.item[0].quote, "h NCCL WARN foo is 5");
	assert_int_equal(symptoms.item[0].first, 1);
	len = (size_t)snprintf(
		text, sizeof(text),
		"E1 pod.go:1] \"%0300d\" err=\"ErrImagePull: the reason\" pod=\"%0200d\"", 0, 0);
	(void)shown_by(&arena, text, len, &symptoms);
	assert_string_equal(symptoms.item[0].quote, "err=\"ErrImagePull: the reason");
}

UNIT_TEST("told: no text, no error, and an error that is not known")
{
	WITH_ARENA;
	struct findings findings = {.arena = &arena};
	struct symptoms symptoms;

	(void)shown_by(&arena, "", 0, &symptoms);
	assert_int_equal(symptoms_add_findings(&symptoms, &findings), 0);
	assert_int_equal(findings.item[0].status, FINDING_UNCHECKED);
	(void)shown_by(&arena, "all is well\n", 12, &symptoms);
	assert_int_equal(symptoms_add_findings(&symptoms, &findings), 0);
	assert_int_equal(findings.item[1].status, FINDING_OK);
	(void)shown_by(&arena, "a\nfoo failed: 42\nERROR", 22, &symptoms);
	assert_int_equal(symptoms_add_findings(&symptoms, &findings), 0);
	assert_int_equal(findings.item[2].status, FINDING_UNCHECKED);
	assert_has(findings.item[2].seen, "line 2: foo failed: 42");
}

/* ---- evidence ---- */

static const struct weigh_case {
	const char *name, *text;
	const char *id; /* of a check's only finding */
	enum finding_status status;
	enum symptom_verdict verdict;
} weigh_cases[] = {
	{"evidence: a check that fails confirms", MEMLOCK, "memlock", FINDING_FAIL,
	 SYMPTOM_CONFIRMED},
	{"evidence: one that warns does not", MEMLOCK, "memlock", FINDING_WARN, SYMPTOM_OPEN},
	{"evidence: one that is ok excludes", MEMLOCK, "memlock", FINDING_OK, SYMPTOM_EXCLUDED},
	{"evidence: one that could not look says nothing", MEMLOCK, "memlock", FINDING_UNCHECKED,
	 SYMPTOM_OPEN},
	{"evidence: another's says nothing", MEMLOCK, "port", FINDING_FAIL, SYMPTOM_OPEN},
	{"evidence: a warning confirms a note", GDR_OFF, "gpudirect", FINDING_WARN,
	 SYMPTOM_CONFIRMED},
	{"evidence: a port that is ok does not exclude the peer's", RETRY, "port", FINDING_OK,
	 SYMPTOM_OPEN},
	{"evidence: of two that exclude one is not enough", "no ib devices found\n", "uverbs",
	 FINDING_OK, SYMPTOM_OPEN},
	{"evidence: the log itself excludes", "max locked memory (kbytes, -l) unlimited\n" MEMLOCK,
	 "memlock", FINDING_FAIL, SYMPTOM_EXCLUDED},
	{"evidence: /proc's limits exclude",
	 "Max locked memory         unlimited            bytes\n" MEMLOCK, "memlock", FINDING_FAIL,
	 SYMPTOM_EXCLUDED},
	{"evidence: a limit that is asked for is none",
	 "Please set max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)\n",
	 "memlock", FINDING_FAIL, SYMPTOM_CONFIRMED},
};

UNIT_ROWS(weigh_cases)
{
	WITH_ARENA;
	struct findings checked = {.arena = &arena};
	struct symptoms symptoms;

	(void)shown_by(&arena, row->text, strlen(row->text), &symptoms);
	assert_int_equal(findings_add(&checked, row->id, "x", row->status, "", "the value"), 0);
	symptoms_weigh(&symptoms, &checked);
	assert_int_equal(symptoms.n, 1);
	assert_int_equal(symptoms.item[0].verdict, row->verdict);
	if (row->verdict == SYMPTOM_CONFIRMED)
		assert_string_equal(symptoms.item[0].proof,
				    arena_printf(&arena, "%s x: the value", row->id));
}

UNIT_TEST("evidence: what was looked at without an answer is not said to be not looked at")
{
	static const char *const ids[] = {"memlock", "port"};
	static const char *const said[] = {
		"looked at, without an answer (memlock: 8 MiB): kubectl rdma-doctor",
		"run: kubectl rdma-doctor"};

	for (size_t i = 0; i < 2; i++) {
		cleanup_arena arena = {0};
		struct findings checked = {.arena = &arena};
		struct symptoms symptoms;

		(void)shown_by(&arena, MEMLOCK, strlen(MEMLOCK), &symptoms);
		assert_int_equal(findings_add(&checked, ids[i], "", FINDING_WARN, "", "8 MiB"), 0);
		symptoms_weigh(&symptoms, &checked);
		assert_has(symptom_verdict(&arena, &symptoms.item[0]), said[i]);
	}
}

UNIT_TEST("evidence: the log's low limit confirms memlock, EFAULT of the same log explains it")
{
	WITH_ARENA;
	struct symptoms symptoms;

	(void)shown_by(&arena, "$ ulimit -l\n64\n" MEMLOCK, strlen("$ ulimit -l\n64\n" MEMLOCK),
		       &symptoms);
	assert_int_equal(symptoms.n, 1);
	assert_int_equal(symptoms.item[0].verdict, SYMPTOM_CONFIRMED);
	(void)shown_by(&arena, MEMLOCK "ibv_reg_mr failed: Bad address\n",
		       strlen(MEMLOCK "ibv_reg_mr failed: Bad address\n"), &symptoms);
	assert_string_equal(symptoms.item[1].known->name, "memlock");
	assert_int_equal(symptoms.item[1].verdict, SYMPTOM_EXCLUDED);
}

UNIT_TEST("evidence: beside a warning of the same check nothing is excluded")
{
	WITH_ARENA;
	struct findings checked = {.arena = &arena};
	struct symptoms symptoms;

	(void)shown_by(&arena, MEMLOCK, strlen(MEMLOCK), &symptoms);
	assert_int_equal(findings_add(&checked, "memlock", "", FINDING_OK, "", "here"), 0);
	assert_int_equal(findings_add(&checked, "memlock", "", FINDING_WARN, "", "there"), 0);
	symptoms_weigh(&symptoms, &checked);
	assert_int_equal(symptoms.item[0].verdict, SYMPTOM_OPEN);
}

UNIT_TEST("evidence: what is confirmed comes first, what is excluded last")
{
	WITH_ARENA;
	struct findings checked = {.arena = &arena};
	struct symptoms symptoms;

	(void)shown_by(&arena, SHM MEMLOCK "Call to ibv_open_device failed\n",
		       strlen(SHM MEMLOCK "Call to ibv_open_device failed\n"), &symptoms);
	assert_int_equal(findings_add(&checked, "memlock", "", FINDING_FAIL, "", "64 KiB"), 0);
	assert_int_equal(findings_add(&checked, "uverbs", "", FINDING_OK, "", "there"), 0);
	symptoms_weigh(&symptoms, &checked);
	assert_string_equal(symptoms.item[0].known->name, "memlock");
	assert_string_equal(symptoms.item[1].known->name, "shm_full");
	assert_string_equal(symptoms.item[2].known->name, "open_device");
}

/* ---- noise: a healthy log around the excerpt, and PyTorch's trailer behind it ---- */

#define NOISE_LINES 220

static size_t put_noise(char *text, size_t size)
{
	size_t len = 0;

	for (int i = 0; i < NOISE_LINES; i++)
		len += (size_t)snprintf(
			text + len, size - len,
			i % 4 == 0 ? "node-%d:27:94 [%d] NCCL INFO Channel 00/0 : %d[0] -> 1[0] "
				     "[send] via P2P/CUMEM\n"
			: i % 4 == 1
				? "node-%d:27:94 [%d] NCCL INFO comm 0x%d rank 0 nranks 16 - Init "
				  "COMPLETE\n"
			: i % 4 == 2 ? "INFO %d step %d loss 0.%d lr 1e-4\n"
				     : "node-%d:27:94 [%d] NCCL INFO NET/Plugin: Could not find: "
				       "libnccl-net.so %d\n",
			i % 2, i % 8, i);
	return len;
}

UNIT_TEST("noise: 440 healthy lines and PyTorch's trailer change no answer")
{
	static char text[256 * 1024];
	unsigned changed = 0;

	for (unsigned i = 0; i < count_messages(); i++) {
		cleanup_arena arena = {0};
		struct symptoms symptoms;
		const char *message = any_message(i);
		const char *alone = shown_by(&arena, message, strlen(message), &symptoms);
		bool follows = symptoms.n && symptoms.item[0].known->last;
		size_t len = put_noise(text, sizeof(text));

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", message);
		len += put_noise(text + len, sizeof(text) - len);
		len += (size_t)snprintf(text + len, sizeof(text) - len, TRAILER);
		if (strcmp(alone, "?") == 0 || follows ||
		    (symptoms.n && symptoms.item[0].known->kind == KNOWN_NOTE))
			continue; /* the trailer is what is recognized */
		if (strcmp(shown_by(&arena, text, len, &symptoms), alone) == 0)
			continue;
		print_error("# %s: alone %s\n", message, alone);
		changed++;
	}
	assert_int_equal(changed, 0);
}
