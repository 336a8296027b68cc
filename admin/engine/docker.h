/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define DOCKER_CONFIG "etc/docker/daemon.json"

struct docker_runtime {
	const char *name;
	const char *path; /* "": none, as with runtimeType */
};

struct docker {
	const char *default_runtime; /* "runc" if not set */
	struct docker_runtime *runtime;
	size_t n_runtimes;
};

/* Of daemon.json */
int docker_read_text(struct arena *arena, const struct fs_text *text, struct docker *ret_docker,
		     struct err *err);

/* NULL: unknown or built in */
const struct docker_runtime *docker_find_runtime(const struct docker *docker, const char *name);
