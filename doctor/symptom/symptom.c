/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/symptom.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "doctor/symptom/facts.h"
#include "doctor/symptom/line.h"
#include "doctor/symptom/match.h"

/* NCCL's line buffer is 1 KiB; log collectors add to it. */
#define PIECE_MAX 8192
/* Pieces overlap: each message is whole in one. */
#define OVERLAP 1024
#define QUOTE_BEFORE 100
#define QUOTE_BEGIN 150 /* of a long line, whose end has the reason */

struct hit {
	unsigned long first;
	unsigned long last;
	unsigned long lines;
	char quote[SYMPTOM_QUOTE_MAX + 1];
};

struct reading {
	struct words_found found;
	struct facts facts;
	unsigned long number;
	size_t len;
	struct hit hit[KNOWN_MAX];
	struct hit error;
	struct hit warning; /* NCCL's among these */
	bool error_next;
	struct match match;
	char line[PIECE_MAX + 1];
	char lowered[PIECE_MAX + 1];
	char copy[PIECE_MAX + 1];
};

/* A NUL (a broken disk's) would end the quotation. */
static size_t copy_quote(char *to, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		to[i] = (char)(text[i] && text[i] != '\t' ? text[i] : ' ');
	to[len] = '\0';
	return len;
}

/* A kubelet's reason is between err=" and the pod's names. */
static void find_reason(const char **text, size_t *len, size_t *at)
{
	const char *end = *text + *len;
	const char *reason = line_find(*text, end, "err=\"");
	const char *behind = reason ? line_find(reason, end, "\" pod=") : NULL;

	if (!reason || *len <= SYMPTOM_QUOTE_MAX)
		return;
	*len = (size_t)((behind ? behind : end) - reason);
	*at = (size_t)(reason - *text) > *at ? 0 : *at - (size_t)(reason - *text);
	*at = *at < *len ? *at : 0;
	*text = reason;
}

static void quote(char to[SYMPTOM_QUOTE_MAX + 1], const char *text, size_t len, size_t at)
{
	size_t from;
	size_t done;

	find_reason(&text, &len, &at);
	from = at > QUOTE_BEFORE ? at - QUOTE_BEFORE : 0;
	done = from ? copy_quote(to, "...", 3) : 0;
	text += from;
	len -= from;
	if (done + len > SYMPTOM_QUOTE_MAX) {
		size_t end = SYMPTOM_QUOTE_MAX - done - QUOTE_BEGIN - 5;

		done += copy_quote(to + done, text, QUOTE_BEGIN);
		done += copy_quote(to + done, " ... ", 5);
		text += len - end;
		len = end;
	}
	(void)copy_quote(to + done, text, len);
	text_make_printable(to);
}

static void count(const struct reading *reading, struct hit *hit, const char *text, size_t len,
		  size_t at)
{
	if (hit->lines == 0) {
		hit->first = reading->number;
		quote(hit->quote, text, len, at);
	}
	if (hit->last != reading->number)
		hit->lines++;
	hit->last = reading->number;
}

/* All words are ASCII */
static void lower(char *to, const char *from, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		to[i] = (char)(from[i] ? from[i] : ' ');
		if (from[i] >= 'A' && from[i] <= 'Z')
			to[i] = (char)(from[i] | 0x20);
	}
	to[len] = '\0';
}

/* A match behind end may be cut; the next piece has it. */
static void look_at_line(struct reading *reading, const char *text, size_t len, size_t end)
{
	bool wanted;

	len -= len > 0 && text[len - 1] == '\r';
	wanted = match_wants(text, len, &reading->found);
	if (!wanted && !reading->error_next && !facts_want_next(&reading->facts))
		return;
	lower(reading->lowered, text, len);
	copy_quote(reading->copy, text, len);
	facts_read(&reading->facts, reading->lowered, reading->copy, reading->number);
	match_line(&reading->found, reading->lowered, &reading->match);
	for (size_t i = 0; i < reading->match.n; i++) {
		size_t at = (size_t)(reading->match.seen[i].at - reading->lowered);

		if (at < end)
			count(reading, &reading->hit[reading->match.seen[i].row], text, len, at);
	}
	if (!reading->match.n && !reading->facts.ending.inside &&
	    (reading->match.error || reading->error_next)) {
		count(reading, &reading->error, text, len, 0);
		if (strstr(reading->lowered, "nccl warn"))
			count(reading, &reading->warning, text, len, 0);
	}
	reading->error_next = line_find(reading->lowered, reading->lowered + len, "last error:") &&
			      reading->lowered[len - 1] == ':';
}

static void take_lines(struct reading *reading)
{
	char *at = reading->line;
	char *end = at + reading->len;
	char *newline;

	for (; (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
		look_at_line(reading, at, (size_t)(newline - at), (size_t)(newline - at));
		reading->number++;
	}
	if (at == reading->line && reading->len == PIECE_MAX) {
		look_at_line(reading, at, PIECE_MAX, PIECE_MAX - OVERLAP);
		at = end - OVERLAP;
	}
	reading->len = (size_t)(end - at);
	memmove(reading->line, at, reading->len);
}

static void feed(struct reading *reading, const char *bytes, size_t len)
{
	while (len > 0) {
		size_t room = PIECE_MAX - reading->len;
		size_t some = len < room ? len : room;

		memcpy(reading->line + reading->len, bytes, some);
		reading->len += some;
		take_lines(reading);
		bytes += some;
		len -= some;
	}
}

/* Order: not excluded, not a note, confirmed, not a consequence, cause before gate, surer */
static int rank_of(const struct symptom *symptom)
{
	const struct known *known = symptom->known;
	int kind = symptom->verdict == SYMPTOM_EXCLUDED ? 2 : known->kind == KNOWN_NOTE;
	int order = kind * 2 + (symptom->verdict != SYMPTOM_CONFIRMED);

	return ((order * 2 + known->last) * 3 + (int)known->kind) * 3 + (int)known->sureness;
}

static int compare_symptoms(const void *a, const void *b)
{
	const struct symptom *one = a;
	const struct symptom *other = b;

	if (rank_of(one) != rank_of(other))
		return rank_of(one) - rank_of(other);
	return one->first < other->first ? -1 : one->first > other->first;
}

static void drop_silent(struct symptoms *symptoms)
{
	bool causes = false;
	bool any = false;
	size_t kept = 0;

	for (size_t i = 0; i < symptoms->n; i++) {
		any |= !symptoms->item[i].known->last;
		causes |= !symptoms->item[i].known->last &&
			  symptoms->item[i].known->kind != KNOWN_NOTE;
	}
	for (size_t i = 0; i < symptoms->n; i++) {
		const struct known *known = symptoms->item[i].known;

		if (!known->last || !(known->kind == KNOWN_NOTE ? any : causes))
			symptoms->item[kept++] = symptoms->item[i];
	}
	symptoms->n = kept;
}

/* EFAULT for GPU memory leaves NVSHMEM's other ranks with ENOMEM. */
static void follow_gpu(struct symptoms *symptoms)
{
	struct symptom *memlock = NULL;

	for (size_t i = 0; i < symptoms->n; i++) {
		struct symptom *symptom = &symptoms->item[i];

		if (strcmp(symptom->known->name, "memlock") == 0 &&
		    symptom->verdict == SYMPTOM_OPEN)
			memlock = symptom;
		if (strcmp(symptom->known->name, "gpu_memory") == 0 && memlock) {
			memlock->verdict = SYMPTOM_EXCLUDED;
			memlock->proof = "the log has EFAULT of the same call, which explains it";
		}
	}
}

/* Returns how many are causes. */
static size_t add_shown(const struct reading *reading, struct symptoms *symptoms)
{
	size_t causes = 0;

	for (size_t i = 0; i < n_known_rows; i++) {
		const struct hit *hit = &reading->hit[i];
		struct symptom *symptom = &symptoms->item[symptoms->n];

		if (!hit->lines)
			continue;
		*symptom = (struct symptom){.known = &known_rows[i], .lines = hit->lines};
		/* "unhandled" explains nothing; an earlier NCCL warning may. */
		if (strcmp(known_rows[i].name, "unhandled") == 0 && reading->warning.lines)
			hit = &reading->warning;
		symptom->first = hit->first;
		memcpy(symptom->quote, hit->quote, sizeof(symptom->quote));
		if (!facts_weigh(&reading->facts, symptom))
			continue;
		symptoms->n++;
		causes += known_rows[i].kind != KNOWN_NOTE && !known_rows[i].last;
	}
	return causes;
}

static int finish(struct arena *arena, struct reading *reading, struct symptoms *ret)
{
	const struct ending *ending = &reading->facts.ending;
	struct symptoms symptoms = {0};
	size_t causes;

	if (reading->len > 0)
		feed(reading, "\n", 1);
	symptoms.item = arena_alloc(arena, (n_known_rows + FACTS_MAX) * sizeof(*symptoms.item));
	if (!symptoms.item)
		return -1;
	causes = add_shown(reading, &symptoms);
	follow_gpu(&symptoms);
	symptoms.n += facts_tell(&reading->facts, causes, symptoms.n, &symptoms.item[symptoms.n]);
	drop_silent(&symptoms);
	qsort(symptoms.item, symptoms.n, sizeof(*symptoms.item), compare_symptoms);
	symptoms.lines = reading->number - 1;
	symptoms.errors = reading->error.lines;
	symptoms.first_error = reading->error.first;
	memcpy(symptoms.error, reading->error.quote, sizeof(symptoms.error));
	if (ending->kind) {
		symptoms.errors++;
		symptoms.first_error = ending->line;
		snprintf(symptoms.error, sizeof(symptoms.error), "rank %ld ended with %s",
			 ending->rank, ending->how);
		text_make_printable(symptoms.error);
	}
	*ret = symptoms;
	return 0;
}

/* Rejects compressed logs (kubelet) and UTF-16 (PowerShell), which would seem faultless. */
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

static int read_fd(struct reading *reading, int fd, const char *what, struct err *err)
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

static int explain(struct arena *arena, const char *text, size_t len, int fd, const char *what,
		   struct symptoms *ret, struct err *err)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int status = 0;

	if (!reading)
		return err_memory(err);
	reading->number = 1;
	if (text)
		feed(reading, text, len);
	else
		status = read_fd(reading, fd, what, err);
	if (status == 0 && finish(arena, reading, ret) < 0)
		status = err_memory(err);
	free(reading);
	return status;
}

int symptoms_of_text(struct arena *arena, const char *text, size_t len, struct symptoms *ret,
		     struct err *err)
{
	return explain(arena, text, len, -1, "", ret, err);
}

int symptoms_of_fd(struct arena *arena, int fd, const char *what, struct symptoms *ret,
		   struct err *err)
{
	return explain(arena, NULL, 0, fd, what, ret, err);
}

const char *symptom_fix(const char *text)
{
	cleanup_arena arena = {0};
	struct symptoms symptoms;
	struct err err;

	return symptoms_of_text(&arena, text, strlen(text), &symptoms, &err) == 0 && symptoms.n
		       ? symptoms.item[0].known->fix
		       : NULL;
}

static const struct finding *find_finding(const struct findings *checked, const char *id,
					  int status)
{
	for (size_t i = 0; i < checked->n; i++) {
		const struct finding *finding = &checked->item[i];

		if ((status < 0 || (int)finding->status == status) && strcmp(finding->id, id) == 0)
			return finding;
	}
	return NULL;
}

static const struct finding *find_any(const struct findings *checked, const struct known *known,
				      int status)
{
	const struct finding *found = NULL;

	for (const struct check_id *check = known->checks; check->id && !found; check++)
		found = find_finding(checked, check->id, status);
	return found;
}

static const char *proof_of(struct arena *arena, const struct finding *finding)
{
	return arena_printf(arena, "%s%s%s: %s", finding->id, finding->subject[0] ? " " : "",
			    finding->subject, finding->evidence);
}

static const char *symptom_command(const struct known *known)
{
	const char *first = known->checks->id;

	if (known->look[0])
		return known->look;
	if (!first)
		return "kubectl describe pod POD";
	if (strcmp(first, "verbs_remote") == 0)
		return "kubectl exec POD -- oci-rdma-doctor --verbs --connect PEER";
	return text_starts_with(first, "verbs_") ? "kubectl exec POD -- oci-rdma-doctor --verbs"
						 : "kubectl rdma-doctor -n NAMESPACE POD";
}

/* What all excluding checks found ok, else NULL; "" without any */
static const char *exclusion_of(const struct known *known, const struct findings *checked)
{
	const char *proof = "";

	for (const struct check_id *check = known->checks; check->id && proof; check++) {
		const struct finding *ok = find_finding(checked, check->id, FINDING_OK);

		if (!check->excludes)
			continue;
		if (!ok || find_finding(checked, check->id, FINDING_WARN))
			return NULL;
		proof = arena_printf(checked->arena, "%s%s%s", proof, proof[0] ? "; " : "",
				     proof_of(checked->arena, ok));
	}
	return proof;
}

static void weigh(struct symptom *symptom, const struct findings *checked)
{
	const struct known *known = symptom->known;
	const struct finding *shows = find_any(checked, known, FINDING_FAIL);
	const char *proof = exclusion_of(known, checked);

	if (!shows && known->kind == KNOWN_NOTE)
		shows = find_any(checked, known, FINDING_WARN);
	if (shows) {
		symptom->verdict = SYMPTOM_CONFIRMED;
	} else if (proof && proof[0]) {
		symptom->verdict = SYMPTOM_EXCLUDED;
		symptom->proof = proof;
		return;
	} else {
		/* Inconclusive: show what was found. */
		shows = find_any(checked, known, -1);
	}
	if (shows)
		symptom->proof = proof_of(checked->arena, shows);
}

const char *symptom_verdict(struct arena *arena, const struct symptom *symptom)
{
	const char *command = symptom_command(symptom->known);

	if (symptom->verdict == SYMPTOM_CONFIRMED)
		return arena_printf(arena, "CONFIRMED %s", symptom->proof);
	if (symptom->verdict == SYMPTOM_EXCLUDED)
		return arena_printf(arena, "EXCLUDED %s", symptom->proof);
	if (symptom->proof)
		return arena_printf(arena, "looked at, without an answer (%s): %s", symptom->proof,
				    command);
	return arena_printf(arena, "run: %s", command);
}

void symptoms_weigh(struct symptoms *symptoms, const struct findings *checked)
{
	for (size_t i = 0; i < symptoms->n; i++) {
		if (symptoms->item[i].verdict == SYMPTOM_OPEN)
			weigh(&symptoms->item[i], checked);
	}
	qsort(symptoms->item, symptoms->n, sizeof(*symptoms->item), compare_symptoms);
}

static int add_finding(const struct symptom *symptom, struct findings *findings)
{
	static const char *const sayings[] = {
		[SURE] = "", [LIKELY] = " (likely)", [MAYBE] = " (may be)"};
	const struct known *known = symptom->known;
	const char *verdict = symptom_verdict(findings->arena, symptom);
	const char *seen = arena_printf(findings->arena, "line %lu%s: %s", symptom->first,
					symptom->lines > 1 ? " and others" : "", symptom->quote);

	if (!verdict || !seen ||
	    findings_add(findings, "symptom", known->name,
			 symptom->verdict == SYMPTOM_EXCLUDED ? FINDING_OK
			 : known->kind == KNOWN_NOTE          ? FINDING_WARN
							      : FINDING_FAIL,
			 known->fix, "%s%s%s",
			 known->kind == KNOWN_GATE ? "RDMA is not the cause: " : "", known->cause,
			 sayings[known->sureness]) < 0)
		return -1;
	return findings_add_seen(findings, seen, verdict);
}

int symptoms_add_findings(const struct symptoms *symptoms, struct findings *findings)
{
	const char *plural = symptoms->lines == 1 ? "" : "s";
	const char *seen;

	for (size_t i = 0; i < symptoms->n; i++) {
		if (add_finding(&symptoms->item[i], findings) < 0)
			return -1;
	}
	if (symptoms->n)
		return 0;
	if (!symptoms->lines)
		return findings_add(findings, "symptom", "", FINDING_UNCHECKED,
				    "give the message, or NCCL's log (NCCL_DEBUG=INFO)",
				    "the text is empty");
	if (!symptoms->errors)
		return findings_add(findings, "symptom", "", FINDING_OK, NULL,
				    "no error found in %lu line%s", symptoms->lines, plural);
	seen = arena_printf(findings->arena, "line %lu: %s", symptoms->first_error,
			    symptoms->error);
	if (!seen || findings_add(findings, "symptom", "", FINDING_UNCHECKED, NULL,
				  "no known cause in %lu line%s", symptoms->lines, plural) < 0)
		return -1;
	return findings_add_seen(findings, seen, "run: kubectl rdma-doctor -n NAMESPACE POD");
}
