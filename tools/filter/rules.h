/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of our programs with either C library, or newer ones (statx, faccessat2) */
#pragma once

#include <stdint.h>

/* Harmless with any arguments; NULL-terminated */
extern const char *const common_calls[];

#define CONDITIONS_MAX 2

/* (argument & mask) == value; mask 0: none */
struct condition {
	unsigned argument;
	uint64_t mask;
	uint64_t value;
};

/* Action if all are met. A call's rules are adjacent; unlisted calls are killed. */
struct rule {
	const char *name;
	uint32_t action;
	struct condition conditions[CONDITIONS_MAX];
};

/* For all programs; ends with a NULL name */
extern const struct rule common_rules[];

/* Program: "hook", "nri" or "scrape"; both exit for another. */
const char *const *calls_of(const char *program);
const struct rule *rules_of(const char *program);

/* On this architecture; negative if none */
int call_number(const char *name);

/*
 * Chooses the programs' architecture. name: libseccomp's ("x86_64"); empty or NULL: this machine's.
 * Exits if unknown or of another byte order, which would swap an argument's halves.
 */
void target_choose(const char *name);

/* SCMP_ARCH_*, equal to AUDIT_ARCH_* (linux/audit.h) */
uint32_t target_architecture(void);
