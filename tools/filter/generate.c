/* SPDX-License-Identifier: Apache-2.0 */
/* generate PROGRAM [ARCHITECTURE] prints BPF in C: nodes need no libseccomp. */
#include <linux/filter.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/filter/rules.h"

#define PROGRAM_MAX 4096

/*
 * Since Linux 5.11 the kernel emulates a filter for each call number (kernel/seccomp.c,
 * seccomp_cache_prepare()): 100 us per start, more than a hundred calls save. An unknown
 * instruction, like this one, stops it.
 */
static const struct sock_filter front = BPF_STMT(BPF_LDX | BPF_IMM, 0);

static void must(int status, const char *what)
{
	if (status == 0)
		return;
	fprintf(stderr, "seccomp filter: %s: error %d\n", what, -status);
	exit(1);
}

static void add_rule(scmp_filter_ctx filter, const struct rule *rule)
{
	struct scmp_arg_cmp arguments[CONDITIONS_MAX];
	/* This machine's number, which libseccomp translates (seccomp_rule_add(3)) */
	int number = seccomp_syscall_resolve_name(rule->name);
	unsigned n = 0;

	for (; n < CONDITIONS_MAX && rule->conditions[n].mask; n++)
		arguments[n] = (struct scmp_arg_cmp){
			rule->conditions[n].argument,
			SCMP_CMP_MASKED_EQ,
			rule->conditions[n].mask,
			rule->conditions[n].value,
		};
	if (call_number(rule->name) >= 0)
		must(seccomp_rule_add_array(filter, rule->action, number, n, arguments),
		     rule->name);
}

static void add_calls(scmp_filter_ctx filter, const char *const *calls)
{
	for (size_t i = 0; calls[i]; i++)
		add_rule(filter, &(struct rule){.name = calls[i], .action = SCMP_ACT_ALLOW});
}

static void add_filter_rules(scmp_filter_ctx filter, const struct rule *rules)
{
	for (const struct rule *rule = rules; rule->name; rule++)
		add_rule(filter, rule);
}

static void use_target(scmp_filter_ctx filter)
{
	uint32_t native = seccomp_arch_native();

	if (target_architecture() == native)
		return;
	must(seccomp_arch_add(filter, target_architecture()), "its architecture");
	must(seccomp_arch_remove(filter, native), "this architecture");
}

/* Optimize for length (1, the default): a binary tree (2) costs 15 us per start. */
static scmp_filter_ctx make_filter(const char *program)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);

	if (!filter)
		must(-1, "memory");
	must(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "arch");
	must(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 1), "optimization");
	use_target(filter);
	add_calls(filter, common_calls);
	add_calls(filter, calls_of(program));
	add_filter_rules(filter, common_rules);
	add_filter_rules(filter, rules_of(program));
	return filter;
}

static void print_program(const struct sock_filter *instructions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("{0x%02x, %u, %u, 0x%08x},\n", instructions[i].code, instructions[i].jt,
		       instructions[i].jf, instructions[i].k);
}

int main(int argc, char **argv)
{
	static struct sock_filter instructions[PROGRAM_MAX];
	FILE *exported = tmpfile();
	scmp_filter_ctx filter;
	size_t n;

	if (!exported)
		must(-1, "temporary file");
	target_choose(argc > 2 ? argv[2] : NULL);
	filter = make_filter(argc > 1 ? argv[1] : "");
	must(seccomp_export_bpf(filter, fileno(exported)), "export");
	seccomp_release(filter);
	rewind(exported);
	n = fread(instructions, sizeof(instructions[0]), PROGRAM_MAX, exported);
	(void)fclose(exported);
	if (n == 0 || n == PROGRAM_MAX)
		must(-1, "its length");
	print_program(&front, 1);
	print_program(instructions, n);
	return ferror(stdout) || fflush(stdout) != 0;
}
