/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system calls that verbs and NCCL need and that a seccomp profile may refuse, and what a
 * profile says of them. Bit n of a set is the n-th of the list.
 */
#ifndef OCI_RDMA_SECCOMP_H
#define OCI_RDMA_SECCOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* linux.seccomp of config.json, as far as it is about these system calls */
struct seccomp_profile {
	bool present;
	bool default_refuses;
	uint32_t allowed; /* by a rule, be it for some arguments only */
	uint32_t refused; /* by a rule of its own */
};

/* How many system calls the list has. */
size_t seccomp_count(void);

/* By place in the list; it is sorted by how much is lost without. */
const char *seccomp_name(size_t place);

/* The bit of a system call's name (len bytes), or 0 if it is none of the list. */
uint32_t seccomp_bit(const char *name, size_t len);

/* True if an action ("SCMP_ACT_ERRNO", len bytes) does not let a call through. */
bool seccomp_action_refuses(const char *action, size_t len);

/* Those that the profile refuses; by_default: because no rule names them, which one more rule
 * mends. */
uint32_t seccomp_refused(const struct seccomp_profile *profile);
uint32_t seccomp_refused_by_default(const struct seccomp_profile *profile);

#endif
