/* SPDX-License-Identifier: Apache-2.0 */
/* Explains a log from anywhere: causes, earlier failures, facts per host. symptoms_weigh() compares
 * it with this container's checks. */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/symptom/known.h"
#include "lib/finding.h"

struct symptoms {
	struct symptom *item;
	size_t n;
	unsigned long lines;
	unsigned long errors; /* the first: */
	unsigned long first_error;
	char error[SYMPTOM_QUOTE_MAX + 1];
};

/* what: fd's name */
int symptoms_of_text(struct arena *arena, const char *text, size_t len, struct symptoms *ret,
		     struct err *err);
int symptoms_of_fd(struct arena *arena, int fd, const char *what, struct symptoms *ret,
		   struct err *err);

/* Confirmed first, excluded last */
void symptoms_weigh(struct symptoms *symptoms, const struct findings *checked);

/* "CONFIRMED memlock: …", "EXCLUDED …", or a command */
const char *symptom_verdict(struct arena *arena, const struct symptom *symptom);

/* For the first cause */
const char *symptom_fix(const char *text);

/* id: "symptom", subject: the row's name */
int symptoms_add_findings(const struct symptoms *symptoms, struct findings *findings);
