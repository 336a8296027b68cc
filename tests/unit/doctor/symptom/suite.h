/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tests/unit/unit.h"

#include "doctor/symptom/symptom.h"

/* "p2p_blocked,flushed": the rows that a text shows, in order; "?" for none */
const char *shown_by(struct arena *arena, const char *text, size_t len, struct symptoms *ret);

/* A text of messages.txt or threads.txt, and their number */
const char *any_message(unsigned number);
unsigned count_messages(void);
