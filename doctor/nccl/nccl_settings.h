/* SPDX-License-Identifier: Apache-2.0 */
/* Which values NCCL sees in the target, and from where */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
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

/* A file that was read, whole */
struct nccl_file {
	const char *path;
	struct fs_text text;
};

struct nccl_settings {
	struct arena *arena;
	const struct target *target; /* of the environment; NULL: none */
	struct nccl_file file[2];
	size_t n_files;
	struct nccl_oddity *oddity;
	size_t n_oddities;
	size_t oddities_room;
	const char *files; /* those that were read, "a, b"; "" for none */
};

/* In the order of NCCL's src/misc/param.cc, initEnv: the environment wins; then the file that
 * NCCL_CONF_FILE names, else $HOME/.nccl.conf; /etc/nccl.conf last. The first one keeps the name.
 */
int nccl_settings_read(struct arena *arena, const struct target *target,
		       struct nccl_settings *ret_settings, struct err *err);

/* One more file, behind those that are there already. -1 without memory */
int nccl_settings_add_file(struct nccl_settings *settings, const char *path,
			   const struct fs_text *text);

/* The one that holds; NULL if there is none, or no memory */
const struct nccl_setting *nccl_settings_find(const struct nccl_settings *settings,
					      const char *name);
