/* SPDX-License-Identifier: Apache-2.0 */
/* Why a transfer failed, and the remedy: verbs errors alone mislead. */
#pragma once

#include <stdint.h>

enum trouble_kind {
	TROUBLE_VERBS,   /* a call or completion failed: doctor/symptom knows .text */
	TROUBLE_SILENCE, /* no answer from the other end */
	TROUBLE_DATA,    /* wrong data arrived */
	TROUBLE_PEER,    /* the other side gave up; text says why */
	TROUBLE_NETWORK, /* TCP fails */
};

struct trouble {
	enum trouble_kind kind;
	char text[320]; /* one line of evidence */
};

/* Returns -1, for `return trouble_set(…)`. */
int trouble_set(struct trouble *trouble, enum trouble_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int trouble_call(struct trouble *trouble, int errnum, const char *call);

const char *trouble_remedy(const struct trouble *trouble);

/* Why an existing verbs device does not open */
const char *trouble_open_remedy(int errnum);

/* "ENOMEM", or "errno 4711" in text */
const char *trouble_errno_name(int errnum, char text[24]);
