/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/symptom.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "doctor/symptom/known.h"
#include "doctor/symptom/match.h"

/* NCCL's own buffer for a line is 1 KiB; log collectors add to it. */
#define PIECE_MAX 8192
/* What two pieces of a longer line share, so that a message across their border is in one of them
 */
#define OVERLAP 1024
/* Of the line that shows a symptom; the cause has to fit a finding with it. */
#define QUOTE_MAX 280
#define QUOTE_BEFORE 100

struct hit {
	unsigned long first; /* line numbers, from 1 */
	unsigned long last;
	unsigned long lines;
	char quote[QUOTE_MAX + 1];
};

struct reading {
	unsigned long number; /* of the line that is read */
	char line[PIECE_MAX + 1];
	size_t len;
	unsigned dump; /* as match_line wants it */
	bool begun;    /* pieces of this line were looked at before */
	struct hit hit[SYMPTOMS];
	enum symptom order[SYMPTOMS]; /* as they were first seen */
	size_t n;
	bool channel;
	bool gdr;
};

/* ---- reading ---- */

static void quote(struct hit *hit, const char *line, size_t at)
{
	size_t from = at > QUOTE_BEFORE ? at - QUOTE_BEFORE : 0;

	(void)snprintf(hit->quote, sizeof(hit->quote), "%s%.*s", from ? "..." : "", QUOTE_MAX - 3,
		       line + from);
}

static void count(struct reading *reading, enum symptom symptom, size_t at)
{
	struct hit *hit = &reading->hit[symptom];

	if (hit->lines == 0) {
		reading->order[reading->n++] = symptom;
		hit->first = reading->number;
		quote(hit, reading->line, at);
	}
	if (hit->last != reading->number)
		hit->lines++;
	hit->last = reading->number;
}

/* The C locale's letters alone: nothing else is looked for. */
static void lower(char *to, const char *from, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		to[i] = from[i];
		if (from[i] >= 'A' && from[i] <= 'Z')
			to[i] = (char)(from[i] | 0x20);
	}
	to[len] = '\0';
}

/*
 * Of a line that goes on, what begins within the overlap may be cut: it is looked at in the next
 * piece.
 */
static void look_at_piece(struct reading *reading, size_t end)
{
	char lowered[PIECE_MAX + 1];
	struct match match;

	reading->line[reading->len] = '\0';
	lower(lowered, reading->line, reading->len);
	match = match_line(lowered, &reading->dump);
	reading->channel |= match.channel;
	reading->gdr |= match.gdr;
	for (unsigned symptom = 0; symptom < SYMPTOMS; symptom++) {
		if (match.at[symptom] && match.at[symptom] < lowered + end)
			count(reading, (enum symptom)symptom,
			      (size_t)(match.at[symptom] - lowered));
	}
}

static void end_line(struct reading *reading)
{
	if (reading->len > 0 && reading->line[reading->len - 1] == '\r')
		reading->len--;
	if (reading->len > 0 || reading->begun)
		look_at_piece(reading, reading->len);
	reading->len = 0;
	reading->begun = false;
	reading->number++;
}

static void feed(struct reading *reading, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n') {
			end_line(reading);
			continue;
		}
		if (reading->len == PIECE_MAX) {
			look_at_piece(reading, PIECE_MAX - OVERLAP);
			memmove(reading->line, reading->line + PIECE_MAX - OVERLAP, OVERLAP);
			reading->len = OVERLAP;
			reading->begun = true;
		}
		/* A NUL would end the line for us, and a broken disk may have left some. */
		if (bytes[i])
			reading->line[reading->len++] = bytes[i];
		else
			reading->line[reading->len++] = ' ';
	}
}

/* ---- telling ---- */

/* GPU memory was not in play where every channel goes through host memory. */
static enum symptom verdict(const struct reading *reading, enum symptom symptom)
{
	bool local = symptom == SYMPTOM_P2P_BLOCKED || symptom == SYMPTOM_LOC_PROT_ERR;

	return local && reading->channel && !reading->gdr ? SYMPTOM_BAD_BUFFER : symptom;
}

static int tell(struct findings *findings, const struct reading *reading, enum symptom symptom)
{
	const struct known *known = &known_symptoms[verdict(reading, symptom)];
	const struct hit *hit = &reading->hit[symptom];
	char remedy[640];
	char times[48] = "";

	(void)snprintf(remedy, sizeof(remedy), "%s%s%s", known->remedy,
		       known->confirm[0] ? "; confirmed by: " : "", known->confirm);
	if (hit->lines > 1)
		(void)snprintf(times, sizeof(times), " and %lu more", hit->lines - 1);
	return findings_add(findings, "symptom", known->name, known->status, remedy,
			    "%s; line %lu%s: %s", known->cause, hit->first, times, hit->quote);
}

static int tell_all(struct findings *findings, struct reading *reading, struct err *err)
{
	size_t causes = 0;
	int status = 0;

	if (reading->len > 0 || reading->begun)
		end_line(reading);
	for (size_t i = 0; i < reading->n; i++)
		causes += !known_symptoms[reading->order[i]].consequence;
	for (size_t i = 0; i < reading->n && status == 0; i++) {
		if (causes == 0 || !known_symptoms[reading->order[i]].consequence)
			status = tell(findings, reading, reading->order[i]);
	}
	if (reading->number == 1)
		status = findings_add(findings, "symptom", "", FINDING_UNCHECKED,
				      "give the message or NCCL's log (NCCL_DEBUG=INFO)",
				      "the text is empty");
	else if (reading->n == 0)
		status = findings_add(findings, "symptom", "", FINDING_OK, "",
				      "nothing known found in %lu line%s", reading->number - 1,
				      reading->number == 2 ? "" : "s");
	return status < 0 ? err_memory(err) : 0;
}

int symptom_explain(struct findings *findings, const char *text, size_t len, struct err *err)
{
	struct reading reading = {.number = 1};

	feed(&reading, text, len);
	return tell_all(findings, &reading, err);
}

int symptom_explain_fd(struct findings *findings, int fd, const char *what, struct err *err)
{
	struct reading reading = {.number = 1};
	char bytes[16384];
	ssize_t n;

	do {
		n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno != EINTR)
			return err_sys(err, errno, "%s", what);
		if (n > 0)
			feed(&reading, bytes, (size_t)n);
	} while (n != 0);
	return tell_all(findings, &reading, err);
}
