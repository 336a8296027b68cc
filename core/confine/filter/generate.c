/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate PROGRAM [ARCHITECTURE]: prints the system calls that a program of ours makes (hook or
 * nri) as a BPF program, in C, for an architecture by libseccomp's name or this machine's. Runs
 * when that is built, so that libseccomp is neither linked nor waited for on a node.
 */
#include <stdio.h>

#include "core/confine/filter/check.h"
#include "core/confine/filter/program.h"
#include "core/confine/filter/target.h"

int main(int argc, char **argv)
{
	const char *program = argc > 1 ? argv[1] : "";
	static struct sock_filter instructions[PROGRAM_MAX];
	size_t n;

	target_choose(argc > 2 ? argv[2] : NULL);
	n = program_make(program, instructions);
	check_program(program, instructions);
	for (size_t i = 0; i < n; i++)
		(void)printf("{0x%02x, %u, %u, 0x%08x},\n", instructions[i].code,
			     instructions[i].jt, instructions[i].jf, instructions[i].k);
	return ferror(stdout) || fflush(stdout) != 0;
}
