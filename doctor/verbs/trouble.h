/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kept a transfer from working, and the words for it: errors of verbs say little by
 * themselves, and people have searched for days at the wrong end.
 */
#ifndef OCI_RDMA_VERBS_TROUBLE_H
#define OCI_RDMA_VERBS_TROUBLE_H

#include <stdint.h>

enum trouble_kind {
	TROUBLE_CALL,       /* a call failed; code: errno */
	TROUBLE_COMPLETION, /* a work completion with an error; code: enum ibv_wc_status */
	TROUBLE_TIMEOUT,    /* no completion came at all */
	TROUBLE_DATA,       /* it arrived, but is not what was sent */
	TROUBLE_PEER,       /* the other side gave up, and says why */
	TROUBLE_NETWORK,    /* TCP to the other side does not work */
};

struct trouble {
	enum trouble_kind kind;
	int code;
	uint32_t vendor_err;
	char text[320]; /* the evidence: one line */
};

/* Each returns -1, so that a caller can say `return trouble_…(…)`. call: "ibv_create_qp" */
int trouble_call(struct trouble *trouble, int errnum, const char *call);
int trouble_completion(struct trouble *trouble, int status, uint32_t vendor_err);
int trouble_set(struct trouble *trouble, enum trouble_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* One line: the cause that is most likely, and what to do about it */
const char *trouble_remedy(const struct trouble *trouble);

/* "ENOMEM", or "errno 4711" in text for one without a name */
const char *trouble_errno_name(int errnum, char text[24]);

/* Why a verbs device that is there does not open, and why a registration is refused */
const char *trouble_open_remedy(int errnum);
const char *trouble_register_remedy(int errnum);

#define AMOUNT_SIZE 80 /* for five units */

/* "8 MiB", "8 MiB + 4 KiB", "100 bytes": exact */
const char *amount_text(uint64_t bytes, char text[AMOUNT_SIZE]);

#endif
