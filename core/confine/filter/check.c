/* SPDX-License-Identifier: Apache-2.0 */
#include "core/confine/filter/check.h"

#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/confine/filter/program.h"
#include "core/confine/filter/rules.h"
#include "core/confine/filter/target.h"

#define NUMBERS 1024
#define X32 0x40000000
#define ARGUMENTS 6

static void must(int status, const char *what)
{
	if (status == 0)
		return;
	(void)fprintf(stderr, "seccomp filter: %s: error %d\n", what, -status);
	exit(1);
}

/* ---- libseccomp's program ---- */

static void add_rule(scmp_filter_ctx filter, const struct rule *rule)
{
	struct scmp_arg_cmp arguments[CONDITIONS_MAX];
	/* By this machine's number, which libseccomp translates (seccomp_rule_add(3)) */
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

static void export(scmp_filter_ctx filter, struct sock_filter instructions[PROGRAM_MAX])
{
	FILE *program = tmpfile();
	size_t n;

	if (!program)
		must(-1, "temporary file");
	must(seccomp_export_bpf(filter, fileno(program)), "export");
	rewind(program);
	n = fread(instructions, sizeof(instructions[0]), PROGRAM_MAX, program);
	if (n == 0 || n == PROGRAM_MAX)
		must(-1, "its length");
	(void)fclose(program);
}

static void add_calls(scmp_filter_ctx filter, const char *const *calls)
{
	for (size_t i = 0; calls[i]; i++)
		add_rule(filter, &(struct rule){.name = calls[i], .action = SCMP_ACT_ALLOW});
}

static void use_target(scmp_filter_ctx filter)
{
	uint32_t native = seccomp_arch_native();

	if (target_architecture() == native)
		return;
	must(seccomp_arch_add(filter, target_architecture()), "its architecture");
	must(seccomp_arch_remove(filter, native), "this architecture");
}

static void make_reference(const char *program, struct sock_filter instructions[PROGRAM_MAX])
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);

	if (!filter)
		must(-1, "memory");
	must(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "arch");
	use_target(filter);
	add_calls(filter, common);
	add_calls(filter, calls_of(program));
	for (const struct rule *rule = rules; rule->name; rule++)
		add_rule(filter, rule);
	export(filter, instructions);
	seccomp_release(filter);
}

/* ---- what a program says (net/core/filter.c, kernel/seccomp.c) ---- */

struct machine {
	uint32_t a;
	uint32_t x;
	uint32_t memory[BPF_MEMWORDS];
};

static void jump(const struct machine *m, const struct sock_filter *i, size_t *at)
{
	switch (i->code) {
	case BPF_JMP | BPF_JA:
		*at += i->k;
		return;
	case BPF_JMP | BPF_JEQ | BPF_K:
		*at += m->a == i->k ? i->jt : i->jf;
		return;
	case BPF_JMP | BPF_JGE | BPF_K:
		*at += m->a >= i->k ? i->jt : i->jf;
		return;
	case BPF_JMP | BPF_JGT | BPF_K:
		*at += m->a > i->k ? i->jt : i->jf;
		return;
	case BPF_JMP | BPF_JSET | BPF_K:
		*at += m->a & i->k ? i->jt : i->jf;
		return;
	default:
		must(-i->code, "an unknown jump");
	}
}

static void compute(struct machine *m, const struct sock_filter *i, const struct seccomp_data *data)
{
	switch (i->code) {
	case BPF_LD | BPF_W | BPF_ABS:
		memcpy(&m->a, (const char *)data + i->k, sizeof(m->a));
		return;
	case BPF_LD | BPF_MEM:
		m->a = m->memory[i->k];
		return;
	case BPF_LDX | BPF_IMM:
		m->x = i->k;
		return;
	case BPF_STX:
		m->memory[i->k] = m->x;
		return;
	case BPF_MISC | BPF_TAX:
		m->x = m->a;
		return;
	case BPF_ALU | BPF_AND | BPF_K:
		m->a &= i->k;
		return;
	case BPF_ALU | BPF_RSH | BPF_X:
		m->a >>= m->x;
		return;
	default:
		must(-i->code, "an unknown instruction");
	}
}

static uint32_t run(const struct sock_filter *program, const struct seccomp_data *data)
{
	struct machine machine = {0};

	for (size_t at = 0;; at++) {
		const struct sock_filter *i = &program[at];

		if (i->code == (BPF_RET | BPF_K))
			return i->k;
		if (BPF_CLASS(i->code) == BPF_JMP)
			jump(&machine, i, &at);
		else
			compute(&machine, i, data);
	}
}

/* ---- both ---- */

static void compare(const struct sock_filter *ours, const struct sock_filter *reference,
		    const struct seccomp_data *data)
{
	uint32_t got = run(ours, data);
	uint32_t want = run(reference, data);

	/* libseccomp kills it; program.c says what it is. */
	if (data->nr == -1 && data->arch == target_architecture())
		want = SCMP_ACT_ALLOW;
	if (got == want)
		return;
	(void)fprintf(stderr, "seccomp filter: call %d with %#llx: %#x, but by libseccomp %#x\n",
		      data->nr, (unsigned long long)data->args[0], got, want);
	exit(1);
}

/* Arguments that meet the rule; where it says nothing, all ones */
static void meet(const struct rule *rule, struct seccomp_data *data)
{
	memset(data->args, 0xff, sizeof(data->args));
	for (size_t i = 0; i < CONDITIONS_MAX; i++) {
		const struct condition *c = &rule->conditions[i];

		data->args[c->argument] = (data->args[c->argument] & ~c->mask) | c->value;
	}
}

static void compare_number(const struct sock_filter *ours, const struct sock_filter *reference,
			   uint32_t arch, int number)
{
	struct seccomp_data data = {.nr = number, .arch = arch};

	compare(ours, reference, &data);
	for (const struct rule *rule = rules; rule->name; rule++) {
		meet(rule, &data);
		compare(ours, reference, &data);
	}
}

/* What meets a rule, and then does not by one bit */
static void compare_bits(const struct sock_filter *ours, const struct sock_filter *reference,
			 const struct rule *rule)
{
	struct seccomp_data data = {.nr = call_number(rule->name), .arch = target_architecture()};

	meet(rule, &data);
	for (unsigned i = 0; data.nr >= 0 && i < ARGUMENTS * 64; i++) {
		data.args[i / 64] ^= UINT64_C(1) << i % 64;
		compare(ours, reference, &data);
		data.args[i / 64] ^= UINT64_C(1) << i % 64;
	}
}

void check_program(const char *program, const struct sock_filter *instructions)
{
	static struct sock_filter reference[PROGRAM_MAX];
	uint32_t target = target_architecture();

	make_reference(program, reference);
	for (int number = -NUMBERS; number < NUMBERS; number++) {
		compare_number(instructions, reference, target, number);
		compare_number(instructions, reference, target, number | X32);
		compare_number(instructions, reference, target ^ 1, number);
	}
	for (const struct rule *rule = rules; rule->name; rule++)
		compare_bits(instructions, reference, rule);
}
