/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the doctor looks at: this process, another one, or a container, running or not. */
#ifndef OCI_RDMA_DOCTOR_TARGET_H
#define OCI_RDMA_DOCTOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/spec/spec.h"
#include "doctor/target/location.h"

struct target {
	const char *name; /* "this process", "process 4711", "container 0123456789ab" */
	const char *id;   /* of the container; NULL */
	int64_t pid;      /* 0: not running, or this process */
	int64_t main_pid; /* its container's first process; 0: not known */
	bool container;   /* it runs in a container, or is one */

	int proc;              /* its directory below /proc; -1 */
	const char *proc_path; /* "/proc/self" */
	int root;              /* its root directory; -1 */
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

/*
 * root: the sysroot; recorded: it is not "/". What of the target cannot be read stays unset, and
 * the checks say so; an error is only a target that does not exist or is not unique.
 */
int target_find(struct arena *arena, int root, bool recorded, const struct location *location,
		const struct target_choice *choice, struct target *ret_target, struct err *err);
void target_close(struct target *target);

#define cleanup_target __attribute__((cleanup(target_close))) struct target

/* A file of its /proc directory, as tree_read does; -ESRCH without one. */
int target_read(struct arena *arena, const struct target *target, const char *name, size_t max,
		struct fs_text *ret_text);

/*
 * The environment that a process began with, "NAME=value" each, in the arena. proc: its directory.
 * Returns how many, or -errno; -ENOMEM without memory.
 */
ssize_t target_environ(struct arena *arena, int proc, const char ***ret_env);

/* The value in its environment (as getenv(3) finds it), or NULL */
const char *target_getenv(const struct target *target, const char *name);

/* Makes this process see the target's network. Returns 0 or -errno. Only for a check's own process.
 */
int target_enter_network(const struct target *target);

#endif
