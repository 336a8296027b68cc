/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symptoms that are known: what shows each, and what is to be said of it. All of it is data, in
 * the text files of known/, of which the build makes C by table.awk: a symptom more is a row there,
 * and one in tests/unit/doctor/symptom/threads.txt.
 */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_KNOWN_H
#define OCI_RDMA_DOCTOR_SYMPTOM_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doctor/finding.h"

#define SYMPTOMS_MAX 256
#define PARTS_MAX 3

/* How strong the evidence is, and how the cause is said */
enum sureness {
	SURE,   /* the message has no other cause */
	LIKELY, /* in most of its reports it was this */
	MAYBE,  /* several causes print it; this is where to look first */
};

/* A line that has each part, in this order and in lower case, and behind the first none of unless
 */
struct message {
	const char *part[PARTS_MAX];
	const char *unless;
	bool one_word; /* the last part is in the word that the one before it ends in or begins */
	const char *from; /* the public thread that reports it, "NVIDIA/nccl#525", or the source
			     that prints it */
};

/* A work completion: enum ibv_wc_status, and the vendor's error */
struct completion {
	long status;
	long vendor; /* ANY for those that no other row has */
};

/* A function of libibverbs that failed, without "ibv_", "ibv_exp_" or "mlx5dv_" */
struct call {
	const char *name;
	int reason; /* an errno, ANY or NONE */
};

#define ANY (-1)
#define NONE 0

/* What else the log says; see facts.c */
enum fact {
	FACT_CHANNEL = 1 << 0,  /* a channel of NCCL goes over InfiniBand or RoCE */
	FACT_GDR = 1 << 1,      /* ... with GPUDirect RDMA */
	FACT_GDR_TOLD = 1 << 2, /* NCCL said that it will not use GPUDirect RDMA */
	FACT_GPU = 1 << 3,      /* the buffer is one of a GPU */
	FACT_EFAULT = 1 << 4,
	FACT_UNLIMITED = 1 << 5, /* RLIMIT_MEMLOCK is */
	FACT_MKEY = 1 << 6,      /* the HCA's firmware could not make a memory key */
	FACT_GID_0 = 1 << 7,     /* NCCL_IB_GID_INDEX=0 */
	FACT_EMPTY_GID = 1 << 8,
	FACT_IB_WANTED = 1 << 9,
	FACT_IB_DISABLED = 1 << 10,
	FACT_CUDA_FAILED = 1 << 11,
	FACT_ENOMEM = 1 << 12,
	FACT_ABI = 1 << 13,     /* libibverbs does not take the kernel driver */
	FACT_GNI = 1 << 14,     /* no verbs: Cray's network */
	FACT_IB_LINK = 1 << 15, /* the port's link layer */
	FACT_ROCE_LINK = 1 << 16,
	FACT_OWN_ADDRESS = 1 << 17, /* of a peer, and valid on its node alone */
};

/* In a log that says all of needs and nothing of lacks, the symptom is another one; "" for none */
struct turn {
	unsigned needs;
	unsigned lacks;
	const char *to;
};

struct known {
	const char *name; /* stable, for scripts */
	enum finding_status status;
	enum sureness sureness;
	/* Says something only where no cause is known: follows from an error that was logged
	 * before, or is normal in many logs */
	bool alone;
	const char *cause;
	const char *remedy;
	const char *confirm; /* ids of the findings that confirm it */
	const char *from;    /* of its completions and calls, as in struct message */
	/* Each list ends with a row of zeros. */
	const struct message *messages;
	const struct completion *completions;
	const struct call *calls;
	const struct turn *turns;
};

extern const struct known known_rows[];
extern const size_t n_known_rows;

/* All of them, at most SYMPTOMS_MAX, have places from 0 on. */
size_t known_count(void);
const struct known *known_at(size_t place); /* NULL behind the last */

/* By name; NULL and known_count() if there is none */
const struct known *known_find(const char *name);
size_t known_place(const char *name);

struct known_fact {
	enum fact fact;
	const char *part[PARTS_MAX]; /* as in struct message */
};

extern const struct known_fact known_facts[];
extern const size_t n_known_facts;

/* What a line is looked for, in lower case. It has borders: no letter, digit or _ stands before it,
 * and no letter behind it, unless that end is open. */
struct known_word {
	const char *text;
	bool left_open;
	bool right_open;
};

/* What a program itself calls a line; the larger the worse. A trace says where an error that
 * another line tells came through. */
enum grade { GRADE_NONE, GRADE_TRACE, GRADE_WORD, GRADE_WARNING, GRADE_ERROR };

/* Each list of words ends with a NULL. */
struct known_severity {
	enum grade grade;
	const struct known_word *word;
};

/* Whose log it is; a row without words is any other's. */
struct known_area {
	const char *step; /* what to do next */
	const struct known_word *word;
};

/* The part of a program that writes a line */
struct known_part {
	const char *const *with; /* the line must also contain one of these; empty: none */
	const char *what;
	const char *does;
	const char *breaks;
	const char *step;
	const struct known_word *word;
};

/* Reasons beside the errnos: a name does not resolve; what a library or device hands out is used
 * up; a peer refuses an RDMA connection; CUDA does not start */
#define EHOSTNAME 4096
#define ENORESOURCE 4097
#define EREJECTED 4098
#define ECUDA_START 4099

struct known_reason {
	int number; /* an errno, or one of the above */
	const struct known_word *word;
};

/* What a reason happened to */
struct known_object {
	const char *name;
	const struct known_word *word;
};

/* The cause of a reason at an object: ANY and NULL fit every one */
struct known_because {
	int reason;
	const char *object;
	const char *cause;
	const char *step;
};

extern const struct known_severity known_severity[];
extern const size_t n_known_severity;
extern const struct known_area known_areas[];
extern const size_t n_known_areas;
extern const struct known_part known_parts[];
extern const size_t n_known_parts;
extern const struct known_reason known_reasons[];
extern const size_t n_known_reasons;
extern const struct known_object known_objects[];
extern const size_t n_known_objects;
extern const struct known_because known_because[];
extern const size_t n_known_because;

/* What to do next with a log that shows nothing known. areas: a bit for each of its known_areas */
const char *known_next_step(unsigned areas);

/* ---- what one line of a log shows, and the forms that are more than words (known.c) ---- */

/* A symptom that the line shows, by its place, see known_at */
struct seen {
	size_t symptom;
	const char *at;   /* where in the line it is seen first */
	const char *from; /* the thread or source of the message; NULL for the symptom's own */
};

struct match {
	size_t n;
	struct seen seen[SYMPTOMS_MAX]; /* each symptom once */
	unsigned facts;
	unsigned areas;      /* as known_next_step takes them */
	enum grade grade;    /* of the line, GRADE_NONE if it shows a symptom or nothing bad */
	const char *trouble; /* what looks like an error, if there is a grade */
};

/* ---- the special forms (forms.c) ---- */

/* Notes that the symptom is seen here, if nowhere before. from: NULL for the symptom's own */
void match_add(struct match *match, size_t symptom, const char *at, const char *from);

/* Work completions, as numbers or by name. *dump: how many lines of libmlx5's dump are to come. */
void match_completions(const char *line, unsigned *dump, struct match *match);

/* Functions of libibverbs that failed */
void match_calls(const char *line, struct match *match);

/* ---- how a line is looked at (line.c) ---- */

#define UNKNOWN (-1)

/* Characters looked at so far, in this process: what tests judge the cost of a line by */
extern unsigned long line_looks;

/* strstr */
const char *line_search(const char *text, const char *part);

/* strstr between text and end: what repeats in a line costs no more than the line is long. */
const char *line_find(const char *text, const char *end, const char *part);

/* The next place of part behind at, or the line's end */
const char *line_next(const char *at, const char *part);

/*
 * The first place of part in text that has its borders (struct known_word): left_open and
 * right_open lift them. text begins where the line does.
 */
const char *line_find_word(const char *text, const char *part, bool left_open, bool right_open);

/* The number behind the first of fronts (NULL behind the last) that is between text and end; or
 * UNKNOWN */
long line_number_behind(const char *text, const char *end, const char *const *fronts);

/* ---- words of a line (line.c) ---- */

/* Which of some thousand words a line holds, found in one pass over it; upper and lower case are
 * the same. */

#define WORDS_MAX 2048
#define WORD_MIN 4 /* characters: what is looked for at each place of the line */

/* By the order in which they were added */
struct words_found {
	uint64_t bits[WORDS_MAX / 64];
};

#define WORDS_HASHES 65536

/* All zero: no word yet */
struct words {
	size_t n;
	const char *word[WORDS_MAX];
	uint8_t len[WORDS_MAX];
	uint8_t mark_at[WORDS_MAX]; /* where in the word the characters are that it is found by */
	uint16_t next[WORDS_MAX];   /* of the same hash; 0, or the number + 1 */
	uint16_t first[WORDS_HASHES];
	uint64_t known[WORDS_HASHES /
		       64]; /* hashes that some word has: small, so that it stays in the cache */
};

/* In lower case, WORD_MIN to 255 characters; it must live as long as words. Its number, or -1 if
 * there is no room for it. */
int words_add(struct words *words, const char *word);

static inline bool words_has(const struct words_found *found, size_t number)
{
	return found->bits[number / 64] >> (number % 64) & 1;
}

static inline void words_set(struct words_found *found, size_t number)
{
	found->bits[number / 64] |= UINT64_C(1) << (number % 64);
}

/* Sets in found the words that text holds. Returns true if there are any. */
bool words_find(const struct words *words, const char *text, size_t len, struct words_found *found);

/* ---- trouble (trouble.c) ---- */

/*
 * A line that a program calls an error, or that looks like one, and that shows nothing known: what
 * it says nevertheless. Its reason and what that happened to (reasons.txt), the part of the program
 * that wrote it (parts.txt), and whose line it is (areas.txt). All of it is read from this line
 * alone, by words with borders: the rest of the log may be another program's.
 */

struct trouble {
	const struct known_because *because; /* each NULL if the line does not tell it */
	const struct known_part *part;
	const struct known_area *area;
};

/* line: NUL-terminated, in lower case */
void trouble_read(const char *line, struct trouble *ret_trouble);

/*
 * klog's and glog's severity: "E0325 13:39:02.324084", "E20260821 12:30:19". text: len bytes as
 * they were read; only its beginning is looked at. GRADE_NONE if there is none. *ret_informs is
 * true for I, which calls the line mere information, whatever words it has.
 */
enum grade trouble_letter(const char *text, size_t len, bool *ret_informs);

/* ---- one line of a log: which symptoms and facts it shows (match.c) ---- */

/* What goes from one line of a log to the next; all zero at first */
struct matcher {
	struct words_found found; /* in the line that matcher_wants looked at */
	struct words_found
		known; /* those of facts and areas that were seen before: not looked for again */
	unsigned dump; /* lines of libmlx5's dump to come */
	enum grade letter; /* klog's, of the line that matcher_wants looked at */
	bool informs;      /* by its letter the line is mere information */
	enum grade heard;  /* lines of this grade, and below, are looked at no more */
};

/*
 * True if the line may show something, so that match_line is worth its while. text: len bytes of a
 * line as they were read.
 */
bool matcher_wants(struct matcher *matcher, const char *text, size_t len);

/* line: the same, NUL-terminated and in lower case. Next behind matcher_wants. */
void match_line(struct matcher *matcher, const char *line, struct match *ret_match);

/* Lines of this grade, and below, are heard: no more of them are looked at. */
void matcher_hears(struct matcher *matcher, enum grade grade);

#endif
