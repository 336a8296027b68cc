/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of libibverbs that failed: as NCCL, IBext, UCX, NVSHMEM and perror(3) print them */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/symptom/known.h"

#define ERRNO_MAX 4095 /* MAX_ERRNO of Linux' include/linux/err.h */

/* strerror(3) of the C locale, in lower case */
static const struct {
	const char *text;
	int number;
} reasons[] = {
	{"cannot allocate memory", ENOMEM},
	{"operation not permitted", EPERM},
	{"bad address", EFAULT},
	{"invalid argument", EINVAL},
	{"no data available", ENODATA},
	{"no such device", ENODEV},
	{"connection timed out", ETIMEDOUT},
	{"network is unreachable", ENETUNREACH},
	{"no route to host", EHOSTUNREACH},
	{"permission denied", EACCES},
	{"resource temporarily unavailable", EAGAIN},
	{"no such file or directory", ENOENT},
	{"remote i/o error", EREMOTEIO},
	{"operation not supported", EOPNOTSUPP},
	{"protocol not supported", EPROTONOSUPPORT},
};

/*
 * Why a call failed, from what stands behind "failed": " with error Invalid argument errno 22"
 * (NCCL 2.21), " with 22 Invalid argument, on dev …" (2.22 and later), ": Cannot allocate memory"
 * (UCX), " [error code: 14]" (ut-osa/assise#26). Some drivers return -110, for which there is no
 * text. ANY if it is another one.
 */
static int reason_between(const char *text, const char *end)
{
	static const char *const fronts[] = {" errno ", "(errno ", "error code: ", "unknown error ",
					     NULL};
	long number;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (line_find(text, end, reasons[i].text))
			return reasons[i].number;
	}
	number = line_number_behind(text, end, fronts);
	if (number < -ERRNO_MAX || number > ERRNO_MAX)
		return ANY;
	if (number != UNKNOWN)
		return abs((int)number);
	return strncmp(text, " with", strlen(" with")) == 0 || text[0] == ':' ? ANY : NONE;
}

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_"

static bool begins_function(const char *line, const char *at, const char *prefix)
{
	size_t len = strlen(prefix);

	return (size_t)(at - line) >= len && memcmp(at - len, prefix, len) == 0 &&
	       ((size_t)(at - line) == len || !strchr(NAME_CHARACTERS, at[-(ptrdiff_t)len - 1]));
}

/* The next function of libibverbs or libmlx5 whose prefix ends behind text: where its name begins
 * behind that; NULL if there is none */
static const char *next_function(const char *line, const char *text)
{
	static const char end[] = "v_"; /* of "ibv_" and "mlx5dv_": one search for both */

	while ((text = line_search(text, end))) {
		bool is_one =
			begins_function(line, text, "ib") || begins_function(line, text, "mlx5d");

		text += strlen(end);
		if (is_one)
			return strncmp(text, "exp_", 4) == 0 ? text + 4 : text; /* MLNX_OFED */
	}
	return NULL;
}

/* perror(3): "ibv_create_qp: Cannot allocate memory" */
static bool says_reason(const char *text)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (strncmp(text, reasons[i].text, strlen(reasons[i].text)) == 0)
			return true;
	}
	return false;
}

/* What stands behind "ibv_reg_mr" or "ibv_reg_mr(address=0x0, length=1)" if it failed; else NULL */
static const char *behind_failure(const char *end, const char *next)
{
	static const char failed[] = " failed";

	if (*end == '(') {
		end = memchr(end, ')', (size_t)(next - end));
		if (!end)
			return NULL;
		end++;
	}
	if (strncmp(end, failed, strlen(failed)) == 0)
		return end + strlen(failed);
	return strncmp(end, ": ", 2) == 0 && says_reason(end + 2) ? end : NULL;
}

/* NVSHMEM: "ibrc.cpp:418: non-zero status: 110 ibv_modify_qp failed" */
static int reason_before(const char *line, const char *name)
{
	static const char front[] = "status: ";
	const char *function = name - strlen("ibv_");
	const char *begin = function - line > 20 ? function - 20 : line;
	const char *at = line_find(begin, function, front);
	char *end;
	long number;

	if (!at)
		return NONE;
	number = strtol(at + strlen(front), &end, 10);
	return end + 1 == function && number > 0 && number <= ERRNO_MAX ? (int)number : NONE;
}

static void match_call(const char *name, size_t len, int reason, struct match *match)
{
	for (size_t i = 0; i < known_count(); i++) {
		const struct call *call = known_at(i)->calls;

		for (; call->name; call++) {
			if ((call->reason == ANY || call->reason == reason) &&
			    strncmp(call->name, name, len) == 0 && !call->name[len])
				match_add(match, i, name, NULL);
		}
	}
}

void match_calls(const char *line, struct match *match)
{
	const char *name = next_function(line, line);

	while (name) {
		const char *following = next_function(line, name);
		const char *next = following ? following : name + strlen(name);
		size_t len = strspn(name, NAME_CHARACTERS);
		const char *behind = behind_failure(name + len, next);

		/* "…, retrying 1/35 after 100 msec of sleep" (NCCL 2.22): it may still succeed. */
		if (behind && !line_find(behind, next, ", retrying ")) {
			int reason = reason_between(behind, next);

			match_call(name, len, reason == NONE ? reason_before(line, name) : reason,
				   match);
		}
		name = following;
	}
}
