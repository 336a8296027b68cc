/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "admin/installation/hooks_file.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

/* Below the sysroot, NULL-terminated. podman prefers the first, OpenShift's CRI-O the last
 * (machine-config-operator, templates/…/crio.yaml). Other hooks_dir of containers.conf are not
 * searched: name their files. */
extern const char *const hooks_dirs[];

struct hooks_place {
	int root;                     /* descriptor, for absolute paths */
	int sysroot;                  /* the node's */
	const char *const *crio_dirs; /* its hooks_dir, NULL-terminated; NULL without CRI-O */
	int64_t timeout_min;          /* hooks_file_check_timeout; -1: any */
};

struct hooks_found {
	const char *path;       /* below the sysroot */
	bool crio_reads;        /* else only podman */
	bool ours;              /* runs oci-rdma-hook, or names it but is unreadable */
	const char *fault;      /* why engines refuse it and CRI-O does not start, or NULL */
	const char *problem;    /* of ours: one line with the file's name, or NULL */
	const char *unread;     /* likewise: no file makes CRI-O run the hook */
	struct hooks_file file; /* unless fault */
	/* the file of that name in force (oci-hooks(5): the last directory read wins), or NULL */
	const char *override;
};

/* Checks the file, its executable (below the sysroot: regular, trusted), and that CRI-O reads no
 * precreate file (it would not start). path may be relative to the working directory */
int hooks_check_text(struct arena *arena, const struct hooks_place *place, const char *path,
		     const struct fs_text *text, struct hooks_file *ret_file, struct err *err);

/* All *.json of crio_dirs and hooks_dirs in reading order, in the arena; checks ours. Fails only
 * without memory: files may have problems. */
int hooks_list(struct arena *arena, const struct hooks_place *place, struct hooks_found **ret_found,
	       size_t *ret_n, struct err *err);
