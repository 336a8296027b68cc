/* SPDX-License-Identifier: Apache-2.0 */
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
	const char *path;
};

/* A line that NCCL reads otherwise than intended */
struct nccl_oddity {
	const char *path;
	const char *line;
	const char *why;
};

struct nccl_file {
	const char *path;
	struct fs_text text;
};

struct nccl_settings {
	struct arena *arena;
	const struct target *target; /* for its environment; NULL: none */
	struct nccl_file file[2];
	size_t n_files;
	struct nccl_oddity *oddity;
	size_t n_oddities;
	size_t oddities_room;
	const char *files; /* files read, "a, b"; or "" */
};

/* First value wins, as in NCCL (src/misc/param.cc, initEnv): environment; $NCCL_CONF_FILE, else
 * $HOME/.nccl.conf; /etc/nccl.conf */
int nccl_settings_read(struct arena *arena, const struct target *target,
		       struct nccl_settings *ret_settings, struct err *err);

int nccl_settings_add_file(struct nccl_settings *settings, const char *path,
			   const struct fs_text *text);

/* The value in effect; NULL if none, or without memory */
const struct nccl_setting *nccl_settings_find(const struct nccl_settings *settings,
					      const char *name);
