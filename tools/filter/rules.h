/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system calls that our programs make. Both C libraries' are there, and what later ones may use
 * instead (statx, faccessat2): a rebuild against another must not make it be killed.
 */
#pragma once

#include <stdint.h>

/* Harmless with any arguments, and made by every program; NULL is behind the last one. */
extern const char *const common_calls[];

#define CONDITIONS_MAX 2

/* (argument & mask) == value; with mask 0 there is none. */
struct condition {
	unsigned argument;
	uint64_t mask;
	uint64_t value;
};

/* What happens to a call that meets all of these. Rules of the same call stand beside each other; a
 * call that no rule is about is killed. */
struct rule {
	const char *name;
	uint32_t action;
	struct condition conditions[CONDITIONS_MAX];
};

/* Of every program; behind the last one name is NULL. */
extern const struct rule common_rules[];

/* Those of one program ("hook", "nri", "scrape") beside the common ones; both end this process if
 * there is no program of the name. */
const char *const *calls_of(const char *program);
const struct rule *rules_of(const char *program);

/* The number of a call on this architecture, or a negative one if it has none. */
int call_number(const char *name);

/* ---- the target ---- */

/* The architecture whose system calls a filter is about: that of the programs, not of who builds.
 */

/* By libseccomp's name ("x86_64", "aarch64"); empty or NULL is this machine's. Ends this process if
 * libseccomp does not know it, or if its words are in another byte order than this machine's, since
 * an argument's halves then lie the other way. */
void target_choose(const char *name);

/* SCMP_ARCH_*, which are also the kernel's AUDIT_ARCH_* (linux/audit.h) */
uint32_t target_architecture(void);
