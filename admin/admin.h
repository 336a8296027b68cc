/* SPDX-License-Identifier: Apache-2.0 */
/* What an administrator runs: a file for each option. */
#ifndef OCI_RDMA_ADMIN_H
#define OCI_RDMA_ADMIN_H

#include <stddef.h>

#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/options.h"
#include "core/policy/policy.h"

/* Each prints on stdout, or on stderr why not, and returns the exit status. */

/*
 * --check-config: checks the files, each our config.json or a hooks.d file, as its keys say;
 * without files the node's config.json, all hooks.d files that engines read and that speak of us,
 * and the engines' handlers with the shim. Also whether those that are checked together fit each
 * other. A line for each, "ok" or what is wrong.
 */
int check_config(const struct options *options, char *const *files, size_t n_files);

/* ---- for check_config.c: the engines' handlers that are the shim (check_engines.c) ---- */

/* What was found of a file */
struct result {
	const char *what;
	const char *note;       /* behind "ok": "", or begins with a space */
	const char *problem;    /* a line that names it; NULL: it is right */
	struct hooks_file file; /* a hooks.d file that is right; else zero */
};

struct results {
	struct arena arena;
	struct result *item;
	size_t n;
	size_t room;
};

/* problem, file: NULL for none. If there is no memory, only the arena says so. */
void results_add(struct results *results, const char *what, const char *note,
		 const struct err *problem, const struct hooks_file *file);

/* Looks at CRI-O's handlers, containerd's, with all its files, and Docker's runtimes. An engine
 * without the shim is not spoken of. root: the node. config: NULL: it cannot be read. */
void check_engines(struct results *results, int root, const struct crio *crio,
		   const struct config *config);

/* ---- the rest ---- */

/*
 * --crio-handler: a drop-in with a handler for this node: the table of CRI-O's own handler for the
 * runtime that shim ends in, with shim as its runtime_path. printed: what `crio status config`
 * printed, "-" for stdin; NULL for the node's files. Nothing is printed if CRI-O would not start
 * with it, or its pods could not.
 */
int crio_handler(const struct options *options, const char *shim, const char *printed);

/*
 * --containerd-handler: tables to be appended to config.toml: all that containerd's own handler for
 * the runtime that shim ends in says otherwise than by default, with shim as its BinaryName and our
 * annotations handed on. printed: what `containerd config dump` printed. Nothing is printed if its
 * pods could not start.
 */
int containerd_handler(const struct options *options, const char *shim, const char *printed);

/* What an engine has printed, for both. printed: a path, or "-" for stdin */
int read_printed(struct arena *arena, const char *printed, struct fs_text *ret_text,
		 struct err *err);

/*
 * --cdi: the node's HCAs as a CDI spec, for engines on hosts without Kubernetes: a device for each
 * HCA by its ibdev name and by its address, and one of all; with the hooks, whose arguments ask,
 * since choosing a device is asking. Only device files are named, no numbers: the engine looks at
 * these when a container is created. file: replaced by the spec, or removed if the node has no HCA;
 * NULL: printed, and no HCA is an error.
 */
int cdi(const struct options *options, const char *file);

/*
 * --lock: flock(1), for install/kubernetes/node-install, whose image's busybox lacks it: takes the
 * exclusive lock of the caller's open file, and waits for it. It holds until the caller closes that
 * file or ends (flock(2)).
 */
int lock_descriptor(const char *descriptor);

#endif
