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

/* ---- --check-config: what the installers ask before they switch a hook on ---- */

/*
 * Checks the files, each our config.json or a hooks.d file, as what is in it says; without files
 * the node's config.json, all hooks.d files that engines read and that speak of us, and CRI-O's
 * handlers with the shim. Also whether those that are checked together fit each other. Prints a
 * line for each: "ok" on stdout, or on stderr what is wrong. Changes nothing. Returns the exit
 * status: 0 if all are right, else 1.
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

/* problem, file: NULL for none. Returns 0, or -1 without memory. */
int results_add(struct results *results, const char *what, const char *note,
		const struct err *problem, const struct hooks_file *file);

/* Looks at CRI-O's handlers, containerd's, with all its files, and Docker's runtimes. An engine
 * without the shim is not spoken of. root: the node. config: NULL: it cannot be read.
 * Returns 0, or -1 without memory. */
int check_engines(struct results *results, int root, const struct crio *crio,
		  const struct config *config);

/* ---- --crio-handler (crio_handler.c) ---- */

/* The drop-in that gives CRI-O a handler with the shim, made for this node. */

/*
 * Prints it on stdout: the table of CRI-O's own handler for the runtime that shim ends in, with
 * shim as its runtime_path. printed: what `crio status config` printed, "-" for stdin; NULL for the
 * node's files. Prints nothing where CRI-O would not start with it, or its pods could not, but on
 * stderr why. Returns the exit status.
 */
int crio_handler(const struct options *options, const char *shim, const char *printed);

/* What an engine has printed, for both handlers. printed: a path, or "-" for stdin */
int read_printed(struct arena *arena, const char *printed, struct fs_text *ret_text,
		 struct err *err);

/* ---- --containerd-handler (containerd_handler.c) ---- */

/* The tables that give containerd a handler with the shim, made for this node. */

/*
 * Prints them on stdout, to be appended to config.toml: all that containerd's own handler for the
 * runtime that shim ends in says otherwise than by default, with shim as its BinaryName and our
 * annotations handed on. printed: what `containerd config dump` printed, "-" for stdin. Prints
 * nothing where its pods could not start, but on stderr why. Returns the exit status.
 */
int containerd_handler(const struct options *options, const char *shim, const char *printed);

/* ---- --cdi (cdi.c) ---- */

/* The node's HCAs as a CDI spec, for engines on hosts without Kubernetes. */

/*
 * A device for each HCA by its ibdev name and by its address, and one of all; with the hooks, whose
 * arguments ask, since choosing a device is asking. Only device files are named, no numbers: the
 * engine looks at these when a container is created.
 *
 * file: is replaced by the spec, at once and whole, or removed where the node has no HCA, of which
 * there is no spec; NULL: printed, and no HCA is an error. Returns the exit status.
 */
int cdi(const struct options *options, const char *file);

/* ---- --lock (lock.c) ---- */

/* flock(1) of the node, for install/kubernetes/node-install, whose image has only a busybox
 * without it */

/*
 * Takes the exclusive lock of an open file, and waits until it is free. The lock is the open
 * file's, which the caller also has: it holds until the caller closes it or ends (flock(2)).
 * Returns the exit status.
 */
int lock_descriptor(const char *descriptor);

#endif
