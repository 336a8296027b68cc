/* SPDX-License-Identifier: Apache-2.0 */
/* Explains a log from anywhere. symptoms_weigh() compares it with this container's checks. */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/symptom/known.h"
#include "lib/finding.h"

struct symptoms {
	struct symptom *item; /* in display order */
	size_t n;
	unsigned long lines;  /* of the log */
	unsigned long errors; /* those that look like an error; the first: */
	unsigned long first_error;
	char error[SYMPTOM_QUOTE_MAX + 1];
};

/* In the arena. what: fd's name. Fails if fd is unreadable, compressed or UTF-16. */
int symptoms_of_text(struct arena *arena, const char *text, size_t len, struct symptoms *ret,
		     struct err *err);
int symptoms_of_fd(struct arena *arena, int fd, const char *what, struct symptoms *ret,
		   struct err *err);

/* Weighs by the checks' findings: confirmed first, excluded last. */
void symptoms_weigh(struct symptoms *symptoms, const struct findings *checked);

/* "CONFIRMED memlock: …", "EXCLUDED …", or a command. In the arena; NULL without memory */
const char *symptom_verdict(struct arena *arena, const struct symptom *symptom);

/* The remedy for the first cause in text, or NULL */
const char *symptom_fix(const char *text);

/* id: "symptom"; subject: the row's name */
int symptoms_add_findings(const struct symptoms *symptoms, struct findings *findings);
