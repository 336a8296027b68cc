/* SPDX-License-Identifier: Apache-2.0 */
/* Long lines, binary, garbled messages, repetition, a pipe of 64 MiB */
#include "suite.h"

static const char message[] = "Got completion from peer 10.0.0.1<1> with status=4 opcode=0 len=0 "
			      "vendor err 81";

/* Found and counted once, wherever a piece's border falls */
UNIT_TEST("symptom: a message anywhere in a long line is found once")
{
	size_t size = 3 * 8192;
	char *text = malloc(size);

	assert_non_null(text);
	for (size_t at = 0; at + strlen(message) <= size; at += 41) {
		cleanup_arena arena = {0};
		struct symptoms symptoms;

		memset(text, 'x', size);
		memcpy(text + at, message, strlen(message));
		assert_string_equal(shown_by(&arena, text, size, &symptoms), "p2p_blocked");
		assert_int_equal(symptoms.item[0].first, 1);
		assert_int_equal(symptoms.item[0].lines, 1);
		assert_has(symptoms.item[0].quote, "Got completion");
	}
	free(text);
}

UNIT_TEST("symptom: NULs and binary are no obstacle")
{
	static const char text[] =
		"\0\0\xff\xfe\x1b[31m\nNCCL\0INFO NET/IB : No device found.\xc3\0\n";
	cleanup_arena arena = {0};
	struct symptoms symptoms;

	assert_string_equal(shown_by(&arena, text, sizeof(text) - 1, &symptoms), "no_rdma");
	assert_int_equal(symptoms.item[0].first, 2);
	assert_has(symptoms.item[0].quote, "NCCL INFO NET/IB : No device found.");
}

/* A fixed sequence, so that failures repeat */
static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

/* Real messages, cut, joined, with changed bytes: no crash, always an answer */
UNIT_TEST("symptom: mutilated messages are survived")
{
	unsigned seed = 1;

	for (int round = 0; round < 4000; round++) {
		cleanup_arena arena = {0};
		struct symptoms symptoms;
		char text[2048];
		size_t len = 0;

		while (len < 1000) {
			const char *from = any_message(next_random(&seed));
			size_t begin = next_random(&seed) % strlen(from);
			size_t some = next_random(&seed) % (strlen(from) - begin) + 1;

			some = some < sizeof(text) - len ? some : sizeof(text) - len;
			memcpy(text + len, from + begin, some);
			len += some;
		}
		for (int change = 0; change < 8; change++)
			text[next_random(&seed) % len] = (char)next_random(&seed);
		(void)shown_by(&arena, text, len, &symptoms);
	}
}

/* Do not examine repetitions again and again. */
static const struct repeat_case {
	const char *name, *part;
} repeat_cases[] = {
	{"symptom: a line of opening calls is quick", "ibv_reg_mr( failed"},
	{"symptom: a line of closing calls is quick", ") failed"},
	{"symptom: a line of completions is quick", "got completion"},
	{"symptom: a line of vendor errors is quick", "vendor err "},
	{"symptom: a line of syndromes is quick", "(synd "},
	{"symptom: a line of functions is quick", " ibv_reg_mr( failed"},
	{"symptom: a line of closed functions is quick", " ibv_reg_mr() failed,"},
	{"symptom: a line of reasons is quick", " ibv_reg_mr: cannot allocate memory"},
	{"symptom: a line of statuses is quick", "status: 110 ibv_modify_qp failed"},
	{"symptom: a line of first parts is quick", "failed to register memory"},
	{"symptom: a line of words' marks is quick", "nccl"},
	{"symptom: a line of resources is quick", " nodes are available: 1 insufficient x"},
};

static void explain_so_much(void *text, size_t size)
{
	WITH_ARENA;
	struct symptoms symptoms;

	assert_int_equal(symptoms_of_text(&arena, text, size, &symptoms, &err), 0);
}

UNIT_ROWS(repeat_cases)
{
	const size_t size = 1 << 20;
	char *text = malloc(size);

	assert_non_null(text);
	for (size_t i = 0; i < size; i++)
		text[i] = row->part[i % strlen(row->part)];
	/* Each piece of a line once, each part within a piece (8 KiB) */
	assert_true(unit_costs_less(UNIT_LINEAR, explain_so_much, text, size / 8));
	free(text);
}

/* ---- standard input ---- */

#define LOG_PIECE ((size_t)16 << 10)
#define LOG_PIECES 4096

/* In odd portions */
static int write_log(const void *ends)
{
	char *text = malloc(LOG_PIECE);

	(void)close(((const int *)ends)[0]);
	memset(text, 'x', LOG_PIECE);
	for (size_t i = 99; i < LOG_PIECE; i += 100)
		text[i] = '\n';
	memcpy(text + LOG_PIECE - 300, message, strlen(message));
	for (size_t at = 0, some; at < LOG_PIECES * LOG_PIECE; at += some) {
		some = LOG_PIECE - at % LOG_PIECE < 4099 ? LOG_PIECE - at % LOG_PIECE : 4099;
		if (write(((const int *)ends)[1], text + at % LOG_PIECE, some) != (ssize_t)some)
			return 1;
	}
	return 0;
}

/* The arena holds only the finding, of 64 MiB of log. */
UNIT_TEST("symptom: a log of 64 MiB from a pipe")
{
	WITH_ARENA;
	struct symptoms symptoms;
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = unit_start(write_log, ends);
	(void)close(ends[1]);
	assert_int_equal(symptoms_of_fd(&arena, ends[0], "stdin", &symptoms, &err), 0);
	(void)close(ends[0]);
	assert_int_equal(unit_exit_of(child), 0);
	assert_int_equal(symptoms.n, 1);
	assert_string_equal(symptoms.item[0].known->name, "p2p_blocked");
	assert_int_equal(symptoms.item[0].lines, 4096);
}

UNIT_TEST("symptom: a directory is an error")
{
	WITH_ARENA;
	struct symptoms symptoms;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(symptoms_of_fd(&arena, fd, "standard input", &symptoms, &err) < 0);
	(void)close(fd);
	assert_has(err.text, "standard input: ");
	assert_one_line(&err);
}
