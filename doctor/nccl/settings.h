/* SPDX-License-Identifier: Apache-2.0 */
/* Which values NCCL sees in the target, and from where. */
#ifndef OCI_RDMA_DOCTOR_NCCL_SETTINGS_H
#define OCI_RDMA_DOCTOR_NCCL_SETTINGS_H

#include <stddef.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/target/target.h"

#define NCCL_FILE_MAX (256 * 1024) /* of a file that NCCL reads */

struct nccl_setting {
	const char *name;
	const char *value;
	const char *path; /* where it stands */
};

/* A line of a file that NCCL reads otherwise than it was meant; only of NCCL's own variables */
struct nccl_oddity {
	const char *path;
	const char *line;
	const char *why;
};

struct nccl_settings {
	/* As they are found. The first of one name holds; the others are not looked for, since a
	 * file may have as many lines as an image's author likes. */
	struct nccl_setting *item;
	size_t n;
	size_t room;
	struct nccl_oddity *oddity;
	size_t n_oddities;
	size_t oddities_room;
	const char *files; /* those that were read, "a, b"; "" for none */
};

/*
 * In the order of NCCL's src/misc/param.cc, initEnv: the environment wins; then the file that
 * NCCL_CONF_FILE names, else $HOME/.nccl.conf; /etc/nccl.conf last. The first one keeps the name.
 */
int nccl_settings_read(struct arena *arena, const struct target *target,
		       struct nccl_settings *ret_settings, struct err *err);

/* The lines of one file, behind what is there already. text is split in place. */
int nccl_settings_add_file(struct arena *arena, const char *path, char *text,
			   struct nccl_settings *settings);

/* How many of them NCCL reads: variables of its own, each once. Returns -1 without memory. */
ssize_t nccl_settings_count(struct arena *arena, const struct nccl_settings *settings);

/* The one that holds, or NULL */
const struct nccl_setting *nccl_settings_find(const struct nccl_settings *settings,
					      const char *name);

#endif
