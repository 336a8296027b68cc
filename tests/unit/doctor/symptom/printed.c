/* SPDX-License-Identifier: Apache-2.0 */
/* What NCCL, UCX, rdma-core and NVSHMEM can print: printed.txt explains its format */
#include <limits.h>

#include "suite.h"

#define LIST_PATH "tests/unit/doctor/symptom/printed.txt"
#define TEXT_MAX 2048
#define ANY_REASON "Input/output error"

/* A line of the list */
struct decision {
	const char *front; /* printed before each message */
	char row[64];      /* or "?" */
	char words[256];   /* "a, b": of string conversions, in order; the last repeats */
	char numbers[32];
};

/* Appends the first of values, and removes it unless it is the last. */
static void accept_value(char *text, char *values)
{
	size_t len = strcspn(values, ",");
	size_t next = values[len] ? len + strlen(", ") : 0;

	(void)strncat(text, values, len);
	memmove(values, values + next, strlen(values + next) + 1);
}

/* As printed, with conversions filled in */
static void fill(char text[TEXT_MAX], const char *format, struct decision decision)
{
	char *const values[] = {decision.words, decision.numbers};

	text[0] = '\0';
	assert_true(strlen(format) < TEXT_MAX / 4);
	for (; *format; format++) {
		if (*format == '%') {
			format += 1 + strspn(format + 1, "0123456789.*#-lzh");
			accept_value(text, values[!strchr("sm", *format)]);
		} else if (strncmp(format, "\\n", 2) == 0) {
			(void)strcat(text, "\n");
			format++;
		} else {
			(void)strncat(text, *format == '*' ? "x" : format, 1);
		}
	}
}

/* "memlock %s ibv_reg_mr, Cannot allocate memory" or "not ours, heap" */
static void read_head(struct decision *decision, const char *head)
{
	const char *words = strstr(head, " %s ");
	const char *numbers = strstr(head, " %d ");

	snprintf(decision->row, sizeof(decision->row), "%.*s", (int)strcspn(head, " "),
		 strncmp(head, "not ours, ", 10) ? head : "?");
	snprintf(decision->words, sizeof(decision->words), "%.*s",
		 words && numbers ? (int)(numbers - words) - 4 : INT_MAX,
		 words ? words + 4 : ANY_REASON);
	snprintf(decision->numbers, sizeof(decision->numbers), "%s", numbers ? numbers + 4 : "7");
}

/* Returns 1 if the decision is not shown. */
static size_t look_at_as(const struct decision *decision, const char *message)
{
	cleanup_arena arena = {0};
	struct symptoms symptoms;
	char text[TEXT_MAX];
	const char *shown;

	fill(text, arena_printf(&arena, "%s %s", decision->front, message), *decision);
	shown = shown_by(&arena, text, strlen(text), &symptoms);
	if (strcmp(shown, decision->row) == 0)
		return 0;
	print_error("# want %s, got %s: %s\n", decision->row, shown, message);
	return 1;
}

/* A message that is not ours shows nothing. */
static size_t look_at(struct decision decision, const char *message)
{
	static const char *const reasons[] = {"Cannot allocate memory", "Invalid argument",
					      "Operation not permitted", "No such device"};
	bool any = decision.row[0] == '?' && strcmp(decision.words, ANY_REASON) == 0;
	size_t differ = look_at_as(&decision, message);

	for (size_t i = 0; any && i < LENGTH(reasons); i++) {
		snprintf(decision.words, sizeof(decision.words), "%s", reasons[i]);
		differ += look_at_as(&decision, message);
	}
	return differ;
}

UNIT_TEST("symptom: each message that NCCL, UCX, rdma-core and NVSHMEM can print has its answer")
{
	cleanup_arena arena = {0};
	char *rest = unit_read(&arena, AT_FDCWD, LIST_PATH);
	struct decision decision = {0};
	size_t differ = 0, n = 0;

	for (char *at = rest; (at = strstr(at, "\n    "));)
		memmove(at, at + 4, strlen(at + 4) + 1);
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *messages = strstr(line, ": ");

		if (strncmp(line, "as: ", 4) == 0)
			decision.front = line + 4;
		else if (messages && line[0] != '#' && line[0] != '=') {
			*messages = '\0';
			read_head(&decision, line);
			messages += 2;
			for (char *end; messages; messages = end ? end + 3 : NULL, n++) {
				end = strstr(messages, " | ");
				if (end)
					*end = '\0';
				differ += look_at(decision, messages);
			}
		}
	}
	assert_int_equal(differ, 0);
	assert_true(n > 500);
}
