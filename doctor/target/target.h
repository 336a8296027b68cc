/* SPDX-License-Identifier: Apache-2.0 */
/* This process, another, or a container, running or not */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/node/node.h"
#include "core/spec/spec.h"

/* Fixed inode numbers of the first namespaces (include/linux/proc_ns.h) */
#define FIRST_CGROUP_NAMESPACE UINT64_C(0xeffffffb)
#define FIRST_PID_NAMESPACE UINT64_C(0xeffffffc)
#define FIRST_USER_NAMESPACE UINT64_C(0xeffffffd)

struct location {
	bool container;
	const char *evidence;
};

int location_find(struct arena *arena, int root, struct location *ret_location);

/* Inode of a namespace ("pid"); 0 if hidden. proc: the process's directory */
uint64_t location_namespace(int proc, const char *name);

struct target {
	const char *name; /* "process 4711" */
	const char *id;   /* the container's, or NULL */
	int64_t pid;      /* 0: not running, or this process */
	int64_t main_pid; /* the container's first process; 0: unknown */
	bool container;   /* is, or is in, a container */

	int proc;              /* its /proc directory; negative: none */
	const char *proc_path; /* "/proc/self" */
	int root;              /* negative: none */
	uint64_t netns;        /* 0: unknown */
	bool other_netns;      /* not ours */

	const char **env; /* "NAME=value" */
	size_t n_env;
	const char *env_path; /* its source; NULL: unreadable */

	bool has_spec; /* its config.json was found */
	struct spec spec;
	const char *spec_path;
};

#define TARGET_NONE ((struct target){.proc = -1, .root = -1})

/* From the command line; pid 0 and id NULL: this process */
struct target_choice {
	int64_t pid;
	const char *container; /* an id or its beginning */
};

/* recorded: root is not "/". What is unreadable stays unset, and checks report it. Fails only if
 * the target does not exist or is not unique. */
int target_find(struct arena *arena, int root, bool recorded, const struct location *location,
		const struct target_choice *choice, struct target *ret_target, struct err *err);
void target_close(struct target *target);

#define cleanup_target __attribute__((cleanup(target_close))) struct target

/* From its /proc directory, like tree_read(); -ESRCH if none */
int target_read(struct arena *arena, const struct target *target, const char *name, size_t max,
		struct fs_text *ret_text);

/* The number behind "CapEff:" in its status; -1 if absent */
int64_t target_status(struct arena *arena, const struct target *target, const char *name, int base);

/* Like getenv(3) */
const char *target_getenv(const struct target *target, const char *name);

/* Enters its network namespace: only in a check's process. Returns 0 or -errno. */
int target_enter_network(const struct target *target);

/* Of its /sys, in its namespace. The target closes .root; -1 without sysfs. */
struct node target_node(const struct target *target);
