/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what is installed on a node can work. */
#ifndef OCI_RDMA_INSTALLATION_H
#define OCI_RDMA_INSTALLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admin/engine/engine.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/policy/policy.h"

/* ---- the policy (config_check.c) ---- */

/* What a policy can say and cannot mean: no namespaces; the policy is used all the same. */
int config_check(const struct config *config, struct err *err);

/*
 * The list of runtimes, which need not be there: whether it can be read, and names one that can be
 * run, and never the shim itself. sysroot: the node; a tree without /usr/bin is taken for files
 * alone, in which no runtime is looked for. Returns 0 or -1.
 */
int runtimes_check(struct arena *arena, int sysroot, struct err *err);

/* ---- a hooks.d file, checked before it is switched on (hooks_file.c) ---- */

#define HOOKS_FILE_SIZE_MAX (64 * 1024)

/* The kubelet gives a container's creation 2 minutes (runtimeRequestTimeout). */
#define HOOKS_TIMEOUT_MAX 120

enum hooks_stage {
	HOOKS_CREATE_RUNTIME = 1 << 0,
	HOOKS_PRESTART = 1 << 1,
	HOOKS_POSTSTART = 1 << 2,
	HOOKS_PRECREATE = 1 << 3, /* podman's alone */
	HOOKS_CREATE_CONTAINER = 1 << 4,
	HOOKS_START_CONTAINER = 1 << 5,
	HOOKS_POSTSTOP = 1 << 6,
};

#define HOOKS_OUR_STAGES (HOOKS_CREATE_RUNTIME | HOOKS_PRESTART | HOOKS_POSTSTART | HOOKS_PRECREATE)
#define HOOKS_ALL_STAGES                                                                           \
	(HOOKS_OUR_STAGES | HOOKS_CREATE_CONTAINER | HOOKS_START_CONTAINER | HOOKS_POSTSTOP)

struct hooks_file {
	const char *path; /* hook.path, absolute */
	size_t path_line;
	const char **args;
	size_t n_args;
	size_t args_line;
	int64_t timeout; /* seconds; 0: the file does not say */
	size_t timeout_line;
	unsigned stages; /* HOOKS_* */
	size_t stages_line;
	bool always; /* whatever the container is; else annotations or commands decide */
	size_t when_line;
};

/*
 * Reads it as the hooks package of CRI-O and podman does (containers/common,
 * pkg/hooks/docs/oci-hooks.5.md). Of ours it refuses also what they take and what cannot work:
 * unknown keys, conditions that no container meets or none that asks, arguments that the executable
 * refuses, a stage that they do not match. Patterns are compiled as POSIX extended ones, which Go's
 * RE2 comes close to: not the same.
 *
 * text: NUL-terminated behind len. what: the file as errors name it.
 */
int hooks_file_read(struct arena *arena, const char *text, size_t len, const char *what, bool ours,
		    struct hooks_file *ret_file, struct err *err);

/* "createRuntime, poststart", in the arena; NULL without memory */
const char *hooks_stages_text(struct arena *arena, unsigned stages);

/* "opt_in": "device" serves nobody whose container the engine does not show us. */
int hooks_file_check_opt_in(const struct hooks_file *file, const struct config *config,
			    const char *what, struct err *err);

/* timeout_min: our own deadline in seconds. An engine's must be above it. */
int hooks_file_check_timeout(const struct hooks_file *file, int64_t timeout_min, const char *what,
			     struct err *err);

/* ---- hooks.d files where engines read them (hooks_dir.c) ---- */

/*
 * The directories of podman, and in OpenShift of CRI-O, below the sysroot, the one whose files win
 * with podman first (in OpenShift the last one's do); ends with NULL. A hooks_dir in
 * containers.conf that is none of these is not looked for: name its files.
 */
extern const char *const hooks_dirs[];

/* Where hooks.d files are checked */
struct hooks_place {
	int root;    /* a descriptor: where a file's path begins if it is absolute */
	int sysroot; /* a descriptor: the node */
	const char *const *crio_dirs; /* CRI-O's hooks_dir, ends with NULL; NULL without a CRI-O */
	int64_t timeout_min;          /* hooks_file_check_timeout; -1: any */
};

struct hooks_found {
	const char *path;       /* absolute, below the sysroot */
	bool crio_reads;        /* else podman alone */
	bool ours;              /* it runs oci-rdma-hook, or speaks of it and cannot be read */
	const char *fault;      /* why no engine takes it, and CRI-O does not start; NULL */
	const char *problem;    /* of ours: one line that names the file; NULL: it is right */
	const char *unread;     /* the same: CRI-O runs the hook neither by this file nor another */
	struct hooks_file file; /* without fault */
	/* The file of the same name that is in force in its place (oci-hooks(5): that in the
	 * directory that is read last); NULL: it is in force itself, or would be */
	const char *override;
};

/*
 * Checks the text of a hooks.d file, the executable that it names (below the sysroot: a regular
 * file that can be run, as trusted), and that it is not a precreate file in a directory that CRI-O
 * reads, with which CRI-O does not start. path: a relative one begins at the working directory.
 * Returns 0 or -1.
 */
int hooks_check_text(struct arena *arena, const struct hooks_place *place, const char *path,
		     const struct fs_text *text, struct hooks_file *ret_file, struct err *err);

/*
 * Every *.json file of crio_dirs and hooks_dirs, in the order in which they are read; ours are
 * checked. *ret_found is in the arena. Returns 0, also when files have problems, or -1 without
 * memory.
 */
int hooks_list(struct arena *arena, const struct hooks_place *place, struct hooks_found **ret_found,
	       size_t *ret_n, struct err *err);

/* ---- whether an engine, and its containers, start with a handler that is the shim (handler.c)
 * ----
 */

/* The runtime that a shim of this path stands before: "crun" of "…/oci-rdma-runtime-crun", a part
 * of the argument; "" for that without a name, which takes the first of a list. */
const char *handler_runtime_name(const char *shim);

/* Whether a handler can be made for a shim of this path: it is absolute, can stand in TOML between
 * quotes, and tells its runtime. usual, other: runtimes that the error names. Returns 0 or -1. */
int handler_check_name(const char *shim, const char *usual, const char *other, struct err *err);

/*
 * CRI-O asks for each handler's monitor when it starts, and does not start without (pkg/config,
 * TranslateMonitorFields). root: the node. Returns 0 or -1.
 */
int handler_check_monitor(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err);

/*
 * What the shim would run for the handler must be what CRI-O's own handler of that runtime runs:
 * another one may be too old for the config.json that this CRI-O writes. Returns 0 or -1.
 */
int handler_check_runtime(struct arena *arena, int root, const struct crio *crio,
			  const struct crio_handler *handler, struct err *err);

/*
 * The same for one of containerd's, and that the annotations of its pods reach the shim. own: what
 * containerd runs for its own handler of that runtime; "" if that is looked for in PATH. Returns 0
 * or -1.
 */
int handler_check_containerd(struct arena *arena, int root,
			     const struct containerd_handler *handler, const char *own,
			     const struct config *config, struct err *err);

/* What is wrong with a handler, in the order in which an engine meets it */
enum handler_fault {
	HANDLER_RIGHT,
	HANDLER_NO_PROGRAM,    /* CRI-O leaves the handler out */
	HANDLER_NO_MONITOR,    /* CRI-O does not start */
	HANDLER_OTHER_RUNTIME, /* than CRI-O's own handler runs */
	HANDLER_WRONG,         /* containerd's: why says what */
};

struct handler_verdict {
	enum handler_fault fault;
	int error;               /* of HANDLER_NO_PROGRAM: an errno */
	const char *replaced_by; /* containerd's: a file whose tables may take its place, or NULL */
	struct err why;          /* the fault in one line, with file and handler */
};

/* The whole judgement of a handler, with the shim or without, which --check-config and the doctor
 * report in their own words. */
void handler_judge_crio(struct arena *arena, int root, const struct crio *crio,
			const struct crio_handler *handler, struct handler_verdict *ret_verdict);

/* The same for one of containerd's that is the shim */
void handler_judge_containerd(struct arena *arena, int root, const struct containerd *containerd,
			      const struct containerd_handler *handler, const struct config *config,
			      struct handler_verdict *ret_verdict);

/* Whether containers of a runtime of Docker's that is the shim would start. Returns 0 or -1. */
int handler_check_docker(struct arena *arena, int root, const struct docker_runtime *runtime,
			 struct err *err);

#endif
