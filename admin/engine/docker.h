/* SPDX-License-Identifier: Apache-2.0 */
/* How Docker is configured, as far as a runtime with the shim depends on it */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define DOCKER_CONFIG "etc/docker/daemon.json"

struct docker_runtime {
	const char *name;
	const char *path; /* "": it has none, as one of containerd's own kind (runtimeType) */
};

struct docker {
	const char *default_runtime; /* "runc" where nothing is said */
	const char *data_root;       /* where its containers are kept */
	struct docker_runtime *runtime;
	size_t n_runtimes;
};

/* What a daemon without a daemon.json has */
struct docker docker_defaults(void);

/* The text of a daemon.json. Returns 0 or -1. */
int docker_read_text(struct arena *arena, const struct fs_text *text, struct docker *ret_docker,
		     struct err *err);

/* NULL: there is none of that name, or it is built in. */
const struct docker_runtime *docker_find_runtime(const struct docker *docker, const char *name);
