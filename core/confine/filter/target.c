/* SPDX-License-Identifier: Apache-2.0 */
#include "core/confine/filter/target.h"

#include <linux/audit.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t chosen;

void target_choose(const char *name)
{
	uint32_t native = seccomp_arch_native();

	chosen = name && *name ? seccomp_arch_resolve_name(name) : native;
	if (chosen != 0 && ((chosen ^ native) & __AUDIT_ARCH_LE) == 0)
		return;
	(void)fprintf(stderr, "seccomp filter: no filter for %s can be made here\n", name);
	exit(1);
}

uint32_t target_architecture(void)
{
	return chosen;
}
