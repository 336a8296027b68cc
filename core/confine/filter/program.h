/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules as a BPF program that costs little to install: a bit for each number, in words of 32,
 * and a list of those that depend on an argument.
 *
 * A process that makes a hundred system calls pays less for them than for the filter's way into
 * the kernel: every instruction is translated twice (net/core/filter.c, bpf_migrate_filter(), and
 * the JIT compiler in several passes), and since Linux 5.11 the filter is emulated for each number
 * that there is, to find those that are allowed whatever their arguments (kernel/seccomp.c,
 * seccomp_cache_prepare()). The emulation ends at an instruction that it does not know; so this
 * program begins with one.
 */
#ifndef OCI_RDMA_FILTER_PROGRAM_H
#define OCI_RDMA_FILTER_PROGRAM_H

#include <linux/filter.h>
#include <stddef.h>

#define PROGRAM_MAX 4096

/* program: calls_of()'s. Returns how many instructions it has. Ends the process if it cannot be
 * made. */
size_t program_make(const char *program, struct sock_filter instructions[PROGRAM_MAX]);

#endif
