/* SPDX-License-Identifier: Apache-2.0 */
#include "core/confine/filter/program.h"

#include <endian.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/confine/filter/rules.h"
#include "core/confine/filter/target.h"

#define BITS 32
#define WORDS 32

#define NR offsetof(struct seccomp_data, nr)
#define ARCH offsetof(struct seccomp_data, arch)
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t))
#define LOW (__BYTE_ORDER == __LITTLE_ENDIAN ? 0 : 4)
#define HIGH (4 - LOW)

/* ---- an assembler: jumps go forward only ---- */

/* Where a jump goes; those from FREE on are between the rules. */
enum { NEXT, FOUND, REST, KILL, ALLOW, FREE, PLACES = 128 };

struct assembly {
	struct sock_filter *code;
	size_t n;
	unsigned yes[PROGRAM_MAX];
	unsigned no[PROGRAM_MAX];
	size_t places[PLACES];
	unsigned n_places;
};

static void too_much(const char *what)
{
	(void)fprintf(stderr, "seccomp filter: too many %s\n", what);
	exit(1);
}

static unsigned new_place(struct assembly *a)
{
	if (a->n_places == PLACES)
		too_much("places");
	return a->n_places++;
}

static void jump(struct assembly *a, uint16_t code, uint32_t k, unsigned yes, unsigned no)
{
	if (a->n == PROGRAM_MAX)
		too_much("instructions");
	a->code[a->n] = (struct sock_filter){.code = code, .k = k};
	a->yes[a->n] = yes;
	a->no[a->n++] = no;
}

static void emit(struct assembly *a, uint16_t code, uint32_t k)
{
	jump(a, code, k, NEXT, NEXT);
}

static void load(struct assembly *a, size_t offset)
{
	emit(a, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void put(struct assembly *a, unsigned place)
{
	a->places[place] = a->n;
}

static uint8_t distance(const struct assembly *a, size_t from, unsigned place)
{
	size_t to = place == NEXT ? from + 1 : a->places[place];

	if (to <= from || to - from - 1 > UINT8_MAX) {
		(void)fprintf(stderr, "seccomp filter: from %zu to %zu is no jump\n", from, to);
		exit(1);
	}
	return (uint8_t)(to - from - 1);
}

static void resolve(struct assembly *a)
{
	for (size_t i = 0; i < a->n; i++) {
		a->code[i].jt = distance(a, i, a->yes[i]);
		a->code[i].jf = distance(a, i, a->no[i]);
	}
}

/* ---- the program ---- */

static void read_allowed(uint32_t words[WORDS], const char *const *calls)
{
	for (size_t i = 0; calls[i]; i++) {
		int number = call_number(calls[i]);

		if (number >= BITS * WORDS)
			too_much("numbers");
		if (number >= 0)
			words[number / BITS] |= UINT32_C(1) << number % BITS;
	}
}

/* Into X the word that the number belongs to */
static void find_word(struct assembly *a, const uint32_t words[WORDS])
{
	size_t n = WORDS;

	while (n > 1 && words[n - 1] == 0)
		n--;
	/* No architecture is without a call in the first word; and see program.h. */
	emit(a, BPF_LDX | BPF_IMM, words[0]);
	load(a, ARCH);
	jump(a, BPF_JMP | BPF_JEQ | BPF_K, target_architecture(), NEXT, KILL);
	load(a, NR);
	for (size_t i = 1; i < n; i++) {
		jump(a, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)i * BITS, NEXT, FOUND);
		emit(a, BPF_LDX | BPF_IMM, words[i]);
	}
	jump(a, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)n * BITS, REST, FOUND);
}

/* Only A is shifted, and only by X: the two change places. */
static void test_bit(struct assembly *a)
{
	put(a, FOUND);
	emit(a, BPF_ALU | BPF_AND | BPF_K, BITS - 1);
	emit(a, BPF_STX, 0);
	emit(a, BPF_MISC | BPF_TAX, 0);
	emit(a, BPF_LD | BPF_MEM, 0);
	emit(a, BPF_ALU | BPF_RSH | BPF_X, 0);
	jump(a, BPF_JMP | BPF_JSET | BPF_K, 1, ALLOW, REST);
}

/* Half an argument */
static void test_half(struct assembly *a, size_t offset, uint64_t mask, uint64_t value, unsigned no)
{
	if ((uint32_t)mask == 0)
		return;
	load(a, offset);
	if ((uint32_t)mask != UINT32_MAX)
		emit(a, BPF_ALU | BPF_AND | BPF_K, (uint32_t)mask);
	jump(a, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)value, NEXT, no);
}

static void test_rule(struct assembly *a, const struct rule *rule, unsigned no)
{
	for (size_t i = 0; i < CONDITIONS_MAX; i++) {
		const struct condition *c = &rule->conditions[i];
		size_t offset = ARGUMENT(c->argument);

		test_half(a, offset + HIGH, c->mask >> 32, c->value >> 32, no);
		test_half(a, offset + LOW, c->mask, c->value, no);
	}
	emit(a, BPF_RET | BPF_K, rule->action);
}

static bool same_call(const struct rule *a, const struct rule *b)
{
	return b->name && strcmp(a->name, b->name) == 0;
}

/* All rules of a call that this architecture has */
static void test_call(struct assembly *a, const struct rule *rule, int number)
{
	unsigned next_call = new_place(a);
	unsigned next_rule;

	jump(a, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, NEXT, next_call);
	for (; same_call(rule, rule + 1); rule++) {
		next_rule = new_place(a);
		test_rule(a, rule, next_rule);
		put(a, next_rule);
	}
	test_rule(a, rule, KILL);
	put(a, next_call);
}

static void test_rules(struct assembly *a)
{
	put(a, REST);
	load(a, NR);
	/* What a tracer puts in the place of a call that it lets fail (strace --inject). No kernel
	 * knows it. */
	jump(a, BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX, ALLOW, NEXT);
	for (const struct rule *rule = rules; rule->name; rule++) {
		int number = call_number(rule->name);
		bool first = rule == rules || !same_call(rule - 1, rule);

		if (first && number >= 0)
			test_call(a, rule, number);
	}
}

size_t program_make(const char *program, struct sock_filter instructions[PROGRAM_MAX])
{
	static struct assembly a;
	uint32_t words[WORDS] = {0};

	a = (struct assembly){.code = instructions, .n_places = FREE};
	read_allowed(words, common);
	read_allowed(words, calls_of(program));
	find_word(&a, words);
	test_bit(&a);
	test_rules(&a);
	put(&a, KILL);
	emit(&a, BPF_RET | BPF_K, SCMP_ACT_KILL_PROCESS);
	put(&a, ALLOW);
	emit(&a, BPF_RET | BPF_K, SCMP_ACT_ALLOW);
	resolve(&a);
	return a.n;
}
