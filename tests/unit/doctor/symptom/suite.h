/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of doctor/symptom share */
#pragma once

#include "tests/unit/unit.h"

#include "doctor/symptom/symptom.h"

/* "p2p_blocked,flushed": the rows that a text shows, in their order; "?" for none */
const char *shown_by(struct arena *arena, const char *text, size_t len, struct symptoms *ret);

/* One of those that messages.txt and threads.txt have, and how many these are */
const char *any_message(unsigned number);
unsigned count_messages(void);
