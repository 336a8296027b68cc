/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/capability.h"

#include <string.h>

/* linux/capability.h, by their numbers; as characters, since pointers would be relocated at each
 * start */
static const char known[][24] = {
	"CAP_CHOWN",
	"CAP_DAC_OVERRIDE",
	"CAP_DAC_READ_SEARCH",
	"CAP_FOWNER",
	"CAP_FSETID",
	"CAP_KILL",
	"CAP_SETGID",
	"CAP_SETUID",
	"CAP_SETPCAP",
	"CAP_LINUX_IMMUTABLE",
	"CAP_NET_BIND_SERVICE",
	"CAP_NET_BROADCAST",
	"CAP_NET_ADMIN",
	"CAP_NET_RAW",
	"CAP_IPC_LOCK",
	"CAP_IPC_OWNER",
	"CAP_SYS_MODULE",
	"CAP_SYS_RAWIO",
	"CAP_SYS_CHROOT",
	"CAP_SYS_PTRACE",
	"CAP_SYS_PACCT",
	"CAP_SYS_ADMIN",
	"CAP_SYS_BOOT",
	"CAP_SYS_NICE",
	"CAP_SYS_RESOURCE",
	"CAP_SYS_TIME",
	"CAP_SYS_TTY_CONFIG",
	"CAP_MKNOD",
	"CAP_LEASE",
	"CAP_AUDIT_WRITE",
	"CAP_AUDIT_CONTROL",
	"CAP_SETFCAP",
	"CAP_MAC_OVERRIDE",
	"CAP_MAC_ADMIN",
	"CAP_SYSLOG",
	"CAP_WAKE_ALARM",
	"CAP_BLOCK_SUSPEND",
	"CAP_AUDIT_READ",
	"CAP_PERFMON",
	"CAP_BPF",
	"CAP_CHECKPOINT_RESTORE",
};

#define KNOWN ((int)(sizeof(known) / sizeof(known[0])))

int capability_number(const char *name)
{
	size_t prefix = strlen("CAP_");

	if (strncmp(name, "CAP_", prefix) != 0)
		return -1;
	for (int number = 0; number < KNOWN; number++) {
		/* Most differ here; a container names some seventy. */
		if (known[number][prefix] == name[prefix] &&
		    strcmp(known[number] + prefix, name + prefix) == 0)
			return number;
	}
	return -1;
}

const char *const *capability_names(struct arena *arena, uint64_t set)
{
	const char **names =
		arena_alloc(arena, ((size_t)__builtin_popcountll(set) + 1) * sizeof(*names));
	size_t n = 0;

	if (!names)
		return NULL;
	for (int number = 0; number < KNOWN; number++) {
		if (set >> number & 1)
			names[n++] = known[number];
	}
	return names;
}
