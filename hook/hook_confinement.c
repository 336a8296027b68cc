/* SPDX-License-Identifier: Apache-2.0 */

#include "hook/hook_confinement.h"

#include <linux/capability.h>

static const struct sock_filter instructions[] = {
#include "confine/hook.inc"

#include "core/confine/confine.h"
};

/*
 * CHOWN, DAC_OVERRIDE, FOWNER: nccl.conf in another user's root file system.
 * SETUID, SETGID: same if idmapped, by setfsuid(2); the filter refuses setuid(2).
 * SYS_RESOURCE: raises another process' hard limit (kernel/sys.c, do_prlimit).
 */
const struct confinement hook_confinement = {
	.capabilities = CONFINE_CAPABILITY(CAP_CHOWN) | CONFINE_CAPABILITY(CAP_DAC_OVERRIDE) |
			CONFINE_CAPABILITY(CAP_FOWNER) | CONFINE_CAPABILITY(CAP_SETUID) |
			CONFINE_CAPABILITY(CAP_SETGID) | CONFINE_CAPABILITY(CAP_SYS_RESOURCE),
	.instructions = instructions,
	.n_instructions = sizeof(instructions) / sizeof(instructions[0]),
};
