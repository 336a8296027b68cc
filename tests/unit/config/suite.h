/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of core/policy/config.h share */
#ifndef TESTS_UNIT_CONFIG_SUITE_H
#define TESTS_UNIT_CONFIG_SUITE_H

#include "tests/unit/unit.h"

#include "core/policy/config.h"

#define FILE_NAME "/etc/oci-rdma-hook/config.json"

enum field {
	PATH,
	OPT_IN,
	NAMESPACES,
	MEMLOCK,
	REQUIRE_MEMORY_LIMIT,
	CAPABILITIES,
	HCA,
	SOCKET_IFNAME,
	GID_INDEX,
	GDR_LEVEL,
	EXTRA,
	ON_NO_DEVICE,
	ON_ERROR,
	PRIVILEGED_SCAN,
	SECCOMP,
	RUNTIMES,
	STATE_DIR,
	FIELDS,
};

/* Loads text as the config of a sysroot of its own. */
int load(struct arena *arena, const char *text, struct config *config, struct err *err);

/* All fields have their defaults but this one. */
void check_fields(const struct config *config, enum field changed, const char *value);

/* ---- one for each file ---- */

void add_value_tests(struct unit_suite *suite);
void add_error_tests(struct unit_suite *suite);
void add_file_tests(struct unit_suite *suite);
void add_trust_tests(struct unit_suite *suite);
void add_name_tests(struct unit_suite *suite);

#endif
