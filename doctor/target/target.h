/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the doctor looks at: this process, another one, or a container, running or not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/node/node.h"
#include "core/spec/spec.h"

/* The first namespaces have fixed inode numbers (include/linux/proc_ns.h), so that a process can
 * tell whether it is in one of them. */
#define FIRST_CGROUP_NAMESPACE UINT64_C(0xeffffffb)
#define FIRST_PID_NAMESPACE UINT64_C(0xeffffffc)
#define FIRST_USER_NAMESPACE UINT64_C(0xeffffffd)

/* Where this program runs */
struct location {
	bool container;
	const char *evidence;
};

/* root: the sysroot. Returns 0, or -1 without memory. */
int location_find(struct arena *arena, int root, struct location *ret_location);

/* The inode number of a process' namespace ("pid"); 0 if it is not shown. proc: its directory */
uint64_t location_namespace(int proc, const char *name);

/* ---- the target (target.c) ---- */

struct target {
	const char *name; /* "this process", "process 4711", "container 0123456789ab" */
	const char *id;   /* of the container; NULL */
	int64_t pid;      /* 0: not running, or this process */
	int64_t main_pid; /* its container's first process; 0: not known */
	bool container;   /* it runs in a container, or is one */

	int proc;              /* its directory below /proc; negative: none */
	const char *proc_path; /* "/proc/self" */
	int root;              /* its root directory; negative: none */
	uint64_t netns;        /* its network namespace; 0: not known */
	bool other_netns;      /* not ours */

	const char **env; /* "NAME=value" */
	size_t n_env;
	const char *env_path; /* where that was read; NULL: it could not be */

	bool has_spec; /* its container's config.json was found */
	struct spec spec;
	const char *spec_path;
};

#define TARGET_NONE ((struct target){.proc = -1, .root = -1})

/* What the command line asks for; pid 0 and id NULL: this process */
struct target_choice {
	int64_t pid;
	const char *container; /* an id, or the beginning of one */
};

/* root: the sysroot; recorded: it is not "/". What of the target cannot be read stays unset, and
 * the checks say so; an error is only a target that does not exist or is not unique. */
int target_find(struct arena *arena, int root, bool recorded, const struct location *location,
		const struct target_choice *choice, struct target *ret_target, struct err *err);
void target_close(struct target *target);

#define cleanup_target __attribute__((cleanup(target_close))) struct target

/* A file of its /proc directory, as tree_read does; -ESRCH without one. */
int target_read(struct arena *arena, const struct target *target, const char *name, size_t max,
		struct fs_text *ret_text);

/* The number behind "Seccomp:", "CapEff:" … in its status, in this base; -1 if it is not there */
int64_t target_status(struct arena *arena, const struct target *target, const char *name, int base);

/* The value in its environment (as getenv(3) finds it), or NULL */
const char *target_getenv(const struct target *target, const char *name);

/* Enters the target's network: only for a check's own process. Returns 0 or -errno. */
int target_enter_network(const struct target *target);

/* The node as the target's own /sys shows it: with the ports and interfaces that only its network
 * namespace has. .root is the target's, which closes it; -1 if that has no sysfs there. */
struct node target_node(const struct target *target);
