/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/symptom.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/symptom/known.h"

/* NCCL's own buffer for a line is 1 KiB; log collectors add to it. */
#define PIECE_MAX 8192
/* What two pieces of a longer line share, so that a message across their border is in one of them
 */
#define OVERLAP 1024
/* Room for the line that shows a symptom; the cause has to fit a finding with it. */
#define QUOTE_MAX 280
#define QUOTE_BEFORE 100
#define PART_MAX 512

struct hit {
	unsigned long first; /* line numbers, from 1 */
	unsigned long last;
	unsigned long lines;
	const char *from;                /* the thread or source of the message */
	const struct known_because *why; /* of what carries another program's words: their reason */
	unsigned long why_line;
	char quote[QUOTE_MAX + 1];
};

struct reading {
	struct matcher matcher;
	unsigned long number; /* of the line that is read */
	size_t len;           /* of what is kept of it in line */
	bool begun;           /* pieces of this line were looked at before */
	unsigned facts;
	unsigned areas;
	/* The lines that look like errors: how many, which is the first, and the one that tells
	 * most */
	unsigned long troubles;
	unsigned long errors; /* of these, what is no mere trace */
	unsigned long first_trouble;
	unsigned telling; /* how much that one tells */
	struct trouble told;
	struct hit trouble;
	struct hit hit[SYMPTOMS_MAX];
	struct match match; /* of the piece that is looked at */
	char line[PIECE_MAX + 1];
	char lowered[PIECE_MAX + 1];
};

/* ---- reading ---- */

/* A NUL would end the quotation, and a broken disk may have left some. */
static void quote(char *to, const char *front, const char *text, size_t len)
{
	size_t at = strlen(front);

	memcpy(to, front, at);
	for (size_t i = 0; i < len; i++)
		to[at++] = (char)(text[i] ? text[i] : ' ');
	to[at] = '\0';
}

/* text: len bytes, of which the one at is to be seen */
static void count(const struct reading *reading, struct hit *hit, const char *text, size_t len,
		  size_t at)
{
	size_t from = at > QUOTE_BEFORE ? at - QUOTE_BEFORE : 0;
	size_t some = len - from < QUOTE_MAX - 3 ? len - from : QUOTE_MAX - 3;

	if (hit->lines == 0) {
		hit->first = reading->number;
		quote(hit->quote, from ? "..." : "", text + from, some);
	}
	if (hit->last != reading->number)
		hit->lines++;
	hit->last = reading->number;
}

/* The C locale's letters alone: nothing else is looked for */
static void lower(char *to, const char *from, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		to[i] = (char)(from[i] ? from[i] : ' ');
		if (from[i] >= 'A' && from[i] <= 'Z')
			to[i] = (char)(from[i] | 0x20);
	}
	to[len] = '\0';
}

/* What is told alone mostly carries another program's words, which may say why. */
static bool carries(const struct known *known)
{
	return known->alone && known->status == FINDING_FAIL;
}

/* So many lines of a carrier are read for a reason. */
#define CARRIED_MAX 64

static void look_for_reason(const struct reading *reading, struct hit *hit)
{
	struct trouble trouble;

	if (hit->why || hit->lines > CARRIED_MAX)
		return;
	trouble_read(reading->lowered, &trouble);
	hit->why = trouble.because;
	hit->why_line = reading->number;
}

static void count_symptoms(struct reading *reading, const char *text, size_t len, size_t end)
{
	for (size_t i = 0; i < reading->match.n; i++) {
		const struct seen *seen = &reading->match.seen[i];
		struct hit *hit = &reading->hit[seen->symptom];
		size_t at = (size_t)(seen->at - reading->lowered);

		if (at >= end)
			continue;
		if (hit->lines == 0)
			hit->from = seen->from;
		count(reading, hit, text, len, at);
		if (carries(known_at(seen->symptom)))
			look_for_reason(reading, hit);
	}
}

/* After so many lines of one grade the next ones will not tell more. */
#define TROUBLES_MAX 4096

/* "Other MPI error, error stack:", "Last error:": what it announces is in the lines that follow. */
static bool announces(const char *text, size_t len)
{
	while (len > 0 && text[len - 1] == ' ')
		len--;
	return len > 0 && text[len - 1] == ':';
}

/* A line that says why, or what wrote it, is told before one of the next worse grade that does not;
 * otherwise the worse grade is, and then the first. */
static unsigned how_telling(enum grade grade, const struct trouble *trouble)
{
	bool says_any = trouble->because || trouble->part;

	return 4 * (unsigned)grade + 5 * says_any + (trouble->because && trouble->part);
}

static void count_trouble(struct reading *reading, const char *text, size_t len)
{
	const struct match *match = &reading->match;
	enum grade grade = match->grade;
	struct trouble trouble;
	unsigned telling;

	reading->errors += match->grade > GRADE_TRACE;
	if (reading->troubles++ == 0)
		reading->first_trouble = reading->number;
	trouble_read(reading->lowered, &trouble);
	if (!trouble.because && grade > GRADE_WORD && announces(reading->lowered, len))
		grade = GRADE_WORD;
	telling = how_telling(grade, &trouble);
	if (telling > reading->telling) {
		reading->telling = telling;
		reading->told = trouble;
		reading->trouble.lines = 0;
		count(reading, &reading->trouble, text, len,
		      (size_t)(match->trouble - reading->lowered));
	}
	/* What cannot tell more than the line that was found is not looked at any more; another one
	 * of its grade can, if this one does not tell both. */
	if (reading->errors == TROUBLES_MAX)
		matcher_hears(&reading->matcher, GRADE_ERROR);
	else if (trouble.because && trouble.part)
		matcher_hears(&reading->matcher, grade);
	else if (trouble.because || trouble.part)
		matcher_hears(&reading->matcher, grade - 1);
}

/*
 * If a line goes on, what begins behind end may be cut: it is looked at in the next piece.
 */
static void look_at(struct reading *reading, const char *text, size_t len, size_t end)
{
	if (!matcher_wants(&reading->matcher, text, len))
		return;
	lower(reading->lowered, text, len);
	match_line(&reading->matcher, reading->lowered, &reading->match);
	reading->facts |= reading->match.facts;
	reading->areas |= reading->match.areas;
	if (reading->match.grade)
		count_trouble(reading, text, len);
	count_symptoms(reading, text, len, end);
}

/* A line's last piece: len bytes, without its end */
static void end_line(struct reading *reading, const char *text, size_t len)
{
	if (len > 0 && text[len - 1] == '\r')
		len--;
	if (len > 0)
		look_at(reading, text, len, len);
	reading->len = 0;
	reading->begun = false;
	reading->number++;
}

/* A part of a line that is longer than what was read, or than a piece */
static void keep(struct reading *reading, const char *bytes, size_t len)
{
	while (len > 0) {
		size_t room = PIECE_MAX - reading->len;
		size_t some = len < room ? len : room;

		if (some == 0) {
			look_at(reading, reading->line, PIECE_MAX, PIECE_MAX - OVERLAP);
			memmove(reading->line, reading->line + PIECE_MAX - OVERLAP, OVERLAP);
			reading->len = OVERLAP;
			reading->begun = true;
			continue;
		}
		memcpy(reading->line + reading->len, bytes, some);
		reading->len += some;
		bytes += some;
		len -= some;
	}
}

static void feed(struct reading *reading, const char *bytes, size_t len)
{
	while (len > 0) {
		const char *end = memchr(bytes, '\n', len);
		size_t some = end ? (size_t)(end - bytes) : len;

		if (end && reading->len == 0 && some <= PIECE_MAX) {
			end_line(reading, bytes, some); /* where it lies */
		} else {
			keep(reading, bytes, some);
			if (end)
				end_line(reading, reading->line, reading->len);
		}
		bytes += some + (end != NULL);
		len -= some + (end != NULL);
	}
}

/* ---- telling ---- */

/* The symptom that it is in this log, or NULL for none */
static const struct known *turned(const struct known *known, unsigned facts)
{
	const struct turn *turn = known->turns;

	for (; turn->to; turn++) {
		if ((facts & turn->needs) == turn->needs && !(facts & turn->lacks))
			return known_find(turn->to);
	}
	return known;
}

/* One turn may lead to the next. */
static const struct known *verdict(const struct known *known, unsigned facts)
{
	for (int turns = 0; known && turns < 4; turns++)
		known = turned(known, facts);
	return known;
}

static void merge(struct hit *into, const struct hit *from)
{
	unsigned long lines = into->lines + from->lines;
	struct hit other = *into;

	if (into->lines == 0 || from->first < into->first)
		*into = *from;
	else
		other = *from;
	into->lines = lines;
	if (into->why)
		return;
	into->why = other.why;
	into->why_line = other.why_line;
}

/* Each hit where its verdict is: several symptoms may be one cause. */
static void turn_hits(struct reading *reading)
{
	for (size_t i = 0; i < known_count(); i++) {
		const struct known *to = verdict(known_at(i), reading->facts);

		if (reading->hit[i].lines == 0 || to == known_at(i))
			continue;
		if (!reading->hit[i].from)
			reading->hit[i].from = known_at(i)->from;
		if (to)
			merge(&reading->hit[known_place(to->name)], &reading->hit[i]);
		reading->hit[i].lines = 0;
	}
}

/* What fails before what warns, causes before what follows, what is sure before what is likely,
 * then by the log */
static bool is_before(const struct reading *reading, size_t a, size_t b)
{
	const struct known *one = known_at(a);
	const struct known *other = known_at(b);

	if (one->status != other->status)
		return one->status == FINDING_FAIL;
	if (one->sureness != other->sureness)
		return one->sureness < other->sureness;
	return reading->hit[a].first < reading->hit[b].first;
}

/* Sorted into order; returns how many */
static size_t sort_hits(const struct reading *reading, size_t order[SYMPTOMS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < known_count(); i++) {
		size_t place = n;

		if (reading->hit[i].lines == 0)
			continue;
		for (; place > 0 && is_before(reading, i, order[place - 1]); place--)
			order[place] = order[place - 1];
		order[place] = i;
		n++;
	}
	return n;
}

/* True if what follows from other causes, or is normal in many logs, is not to be told here */
static bool is_silent(const struct reading *reading, const size_t *order, size_t n, size_t which)
{
	if (!known_at(which)->alone)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct known *other = known_at(order[i]);

		if (!other->alone &&
		    (other->status == FINDING_FAIL || known_at(which)->status != FINDING_FAIL))
			return true;
	}
	return reading->hit[which].lines == 0;
}

/* A carrier's reason is that of its own lines; that of the line that tells most may be another's.
 */
static const struct known_because *find_reason(const struct reading *reading,
					       const struct known *known, const struct hit *hit,
					       char reason[PART_MAX])
{
	const struct known_because *why = hit->why ? hit->why : reading->told.because;

	reason[0] = '\0';
	if (!why || !carries(known))
		return NULL;
	(void)snprintf(reason, PART_MAX, "; line %lu %s why: %s",
		       hit->why ? hit->why_line : reading->trouble.first,
		       hit->why ? "says" : "may say", why->cause);
	return why;
}

static int tell(struct findings *findings, const struct reading *reading, const struct known *known,
		const struct hit *hit)
{
	static const char *const sayings[] = {
		[SURE] = "", [LIKELY] = "likely: ", [MAYBE] = "may be: "};
	const char *from = hit->from ? hit->from : known->from;
	char remedy[2048];
	char reason[PART_MAX];
	char times[48] = "";
	const struct known_because *why = find_reason(reading, known, hit, reason);

	(void)snprintf(remedy, sizeof(remedy), "%s%s%s%s%s%s%s", why ? why->step : "",
		       why ? "; " : "", known->remedy, known->confirm[0] ? "; confirmed by: " : "",
		       known->confirm, from ? "; known from: " : "", from ? from : "");
	if (hit->lines > 1)
		(void)snprintf(times, sizeof(times), " and %lu more", hit->lines - 1);
	return findings_add(findings, "symptom", known->name, known->status, remedy,
			    "%s%s%s; line %lu%s: %s", sayings[known->sureness], known->cause,
			    reason, hit->first, times, hit->quote);
}

#define EXPLANATION_MAX (2 * PART_MAX)

/* What the line says beside what is known: its reason, and the part that wrote it; "" for nothing
 */
static void explain(const struct trouble *told, char explanation[EXPLANATION_MAX])
{
	char part[PART_MAX] = "";

	if (told->part)
		(void)snprintf(part, sizeof(part), "; it comes from %s: %s; what breaks it: %s",
			       told->part->what, told->part->does, told->part->breaks);
	(void)snprintf(explanation, EXPLANATION_MAX, "%s%s%s",
		       told->because ? ", but a line says why: " : "",
		       told->because ? told->because->cause : "", part);
}

/* What to try: for the reason, then for the part, or else for whose log it is */
static void advise(const struct reading *reading, char remedy[1024])
{
	const struct trouble *told = &reading->told;
	const char *step = told->area ? told->area->step : known_next_step(reading->areas);

	if (told->part)
		step = told->part->step;
	if (told->because)
		(void)snprintf(remedy, 1024, "%s%s%s", told->because->step, told->part ? "; " : "",
			       told->part ? step : "");
	else
		(void)snprintf(remedy, 1024, "%s", step);
}

static int tell_trouble(struct findings *findings, const struct reading *reading,
			unsigned long lines)
{
	char explanation[EXPLANATION_MAX];
	char remedy[1024];

	explain(&reading->told, explanation);
	advise(reading, remedy);
	return findings_add(findings, "symptom", "", FINDING_UNCHECKED, remedy,
			    "nothing known in %lu line%s%s; %s line %lu: %s", lines,
			    lines == 1 ? "" : "s", explanation,
			    reading->trouble.first == reading->first_trouble
				    ? "the first that looks like an error is"
				    : "of those that look like errors this tells most,",
			    reading->trouble.first, reading->trouble.quote);
}

static int tell_unknown(struct findings *findings, const struct reading *reading)
{
	unsigned long lines = reading->number - 1;

	if (lines == 0)
		return findings_add(findings, "symptom", "", FINDING_UNCHECKED,
				    "give the message or NCCL's log (NCCL_DEBUG=INFO)",
				    "the text is empty");
	if (reading->troubles > 0)
		return tell_trouble(findings, reading, lines);
	return findings_add(findings, "symptom", "", FINDING_UNCHECKED,
			    known_next_step(reading->areas),
			    "nothing known, and nothing that looks like an error, in %lu line%s",
			    lines, lines == 1 ? "" : "s");
}

static int tell_all(struct findings *findings, struct reading *reading, struct err *err)
{
	size_t order[SYMPTOMS_MAX];
	bool explained = false;
	int status = 0;
	size_t n;

	if (reading->len > 0 || reading->begun)
		end_line(reading, reading->line, reading->len);
	turn_hits(reading);
	n = sort_hits(reading, order);
	for (size_t i = 0; i < n && status == 0; i++) {
		const struct known *known = known_at(order[i]);

		if (is_silent(reading, order, n, order[i]))
			continue;
		status = tell(findings, reading, known, &reading->hit[order[i]]);
		explained |= known->status == FINDING_FAIL || reading->errors == 0;
	}
	if (status == 0 && !explained)
		status = tell_unknown(findings, reading);
	return status < 0 ? err_memory(err) : 0;
}

/* ---- from where ---- */

/* At its first line; NULL without memory */
static struct reading *reading_new(void)
{
	struct reading *reading = calloc(1, sizeof(*reading));

	if (reading)
		reading->number = 1;
	return reading;
}

int symptom_explain(struct findings *findings, const char *text, size_t len, struct err *err)
{
	struct reading *reading = reading_new();
	int status;

	if (!reading)
		return err_memory(err);
	feed(reading, text, len);
	status = tell_all(findings, reading, err);
	free(reading);
	return status;
}

/*
 * A kubelet compresses the logs that it has rotated, and PowerShell writes what is sent to a file
 * as UTF-16. No line of these is known, which would pass for a log without a cause.
 */
static int check_text(const char *bytes, size_t len, const char *what, struct err *err)
{
	static const struct {
		const char *begin;
		const char *kind;
		const char *remedy;
	} others[] = {
		{"\x1f\x8b", "is compressed", "zcat FILE | oci-rdma-doctor --symptom"},
		{"\x28\xb5\x2f\xfd", "is compressed", "zstdcat FILE | oci-rdma-doctor --symptom"},
		{"\xff\xfe", "is UTF-16", "iconv -f UTF-16 FILE | oci-rdma-doctor --symptom"},
		{"\xfe\xff", "is UTF-16", "iconv -f UTF-16 FILE | oci-rdma-doctor --symptom"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		size_t size = strlen(others[i].begin);

		if (len >= size && memcmp(bytes, others[i].begin, size) == 0)
			return err_set(err, "%s %s: run %s", what, others[i].kind,
				       others[i].remedy);
	}
	return 0;
}

static int read_all(struct reading *reading, int fd, const char *what, struct err *err)
{
	char bytes[65536];
	bool begun = false;
	ssize_t n;

	do {
		n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno != EINTR)
			return err_sys(err, errno, "%s", what);
		if (n > 0 && !begun && check_text(bytes, (size_t)n, what, err) < 0)
			return -1;
		begun |= n > 0;
		if (n > 0)
			feed(reading, bytes, (size_t)n);
	} while (n != 0);
	return 0;
}

int symptom_explain_fd(struct findings *findings, int fd, const char *what, struct err *err)
{
	struct reading *reading = reading_new();
	int status;

	if (!reading)
		return err_memory(err);
	status = read_all(reading, fd, what, err);
	if (status == 0)
		status = tell_all(findings, reading, err);
	free(reading);
	return status;
}
