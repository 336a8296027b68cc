/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of core/spec/spec.h share */
#ifndef TESTS_UNIT_SPEC_SUITE_H
#define TESTS_UNIT_SPEC_SUITE_H

#include "tests/unit/unit.h"

#include "core/spec/spec.h"

#define CHOWN (UINT64_C(1) << 0)
#define IPC_LOCK (UINT64_C(1) << 14)
#define MEMLOCK(soft, hard) "{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":" soft ",\"hard\":" hard "}"

int parse(struct arena *arena, const char *text, struct spec *spec, struct err *err);
void must_parse(struct arena *arena, const char *text, struct spec *spec);

/* ---- one for each file ---- */

void add_device_tests(struct unit_suite *suite);
void add_process_tests(struct unit_suite *suite);
void add_limit_tests(struct unit_suite *suite);
void add_namespace_tests(struct unit_suite *suite);
void add_annotation_tests(struct unit_suite *suite);
void add_asked_tests(struct unit_suite *suite);
void add_error_tests(struct unit_suite *suite);
void add_whole_tests(struct unit_suite *suite);

#endif
