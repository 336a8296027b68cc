/* SPDX-License-Identifier: Apache-2.0 */
/* What kept a transfer from working, and what to do: errors of verbs say little by themselves, and
 * people have searched for days at the wrong end. */
#pragma once

#include <stdint.h>

enum trouble_kind {
	TROUBLE_VERBS,   /* a call failed, or a work completion: doctor/symptom knows it by .text */
	TROUBLE_SILENCE, /* nothing came back from the other end */
	TROUBLE_DATA,    /* it arrived, but is not what was sent */
	TROUBLE_PEER,    /* the other side gave up, and says why */
	TROUBLE_NETWORK, /* TCP to the other side does not work */
};

struct trouble {
	enum trouble_kind kind;
	char text[320]; /* the evidence: one line */
};

/* Returns -1, so that a caller can say `return trouble_set(…)`. */
int trouble_set(struct trouble *trouble, enum trouble_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for a call, "ibv_create_qp", that failed */
int trouble_call(struct trouble *trouble, int errnum, const char *call);

/* One line: what to do about the cause that is most likely */
const char *trouble_remedy(const struct trouble *trouble);

/* Why a verbs device that is there does not open */
const char *trouble_open_remedy(int errnum);

/* "ENOMEM", or "errno 4711" in text for one without a name */
const char *trouble_errno_name(int errnum, char text[24]);
