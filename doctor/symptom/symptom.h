/* SPDX-License-Identifier: Apache-2.0 */
/* What a log shows: causes that keep a container from RDMA, what failed before RDMA was used, and
 * facts per host. A log may be of any place: whether a cause is that of this container is for its
 * checks to say (symptoms_weigh). */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/finding.h"
#include "doctor/symptom/known.h"

struct symptoms {
	struct symptom *item; /* in the order in which they are to be told */
	size_t n;
	unsigned long lines;  /* of the log */
	unsigned long errors; /* of these, what looks like an error; the first one: */
	unsigned long first_error;
	char error[SYMPTOM_QUOTE_MAX + 1];
};

/* The result lives in the arena. -1: memory, or reading fd; what: its name */
int symptoms_of_text(struct arena *arena, const char *text, size_t len, struct symptoms *ret,
		     struct err *err);
int symptoms_of_fd(struct arena *arena, int fd, const char *what, struct symptoms *ret,
		   struct err *err);

/* Confirms and excludes by what checks of the container have found: what is confirmed comes first,
 * what is excluded last. */
void symptoms_weigh(struct symptoms *symptoms, const struct findings *checked);

/* "CONFIRMED memlock: soft 64 KiB …", "EXCLUDED …", or the command that shows whether it is the
 * cause. In the arena; NULL without memory */
const char *symptom_verdict(struct arena *arena, const struct symptom *symptom);

/* What to do about the first cause that a message shows; NULL if none is known */
const char *symptom_fix(const char *text);

/* As findings of the id "symptom": the row's name is the subject. -1 without memory */
int symptoms_add_findings(const struct symptoms *symptoms, struct findings *findings);
