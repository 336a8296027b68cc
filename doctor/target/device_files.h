/* SPDX-License-Identifier: Apache-2.0 */
/* The device files below a root's /dev/infiniband, and what the kernel says of their numbers */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/node/node.h"
#include "core/spec/spec.h"

#define DEVICE_DIR "dev/infiniband"

struct device_file {
	const char *name; /* "uverbs6" */
	int refused; /* the errno of its stat: what it is, and its number, are not known; or 0 */
	int64_t major;
	int64_t minor;
	const char *ibdev;  /* the verbs device that has this number; NULL: none has it */
	const char *uverbs; /* its own name, "uverbs6" */
};

struct device_files {
	struct device_file *item; /* uverbsN only, by name */
	size_t n;
	size_t room;
	size_t n_refused; /* how many of them could not be looked at */
	bool rdma_cm;
	bool readable; /* false: the root's /dev could not be looked at */
	bool late;     /* nor did it answer in DEVICE_FILES_SECONDS */
};

/* A container may mount a file system there that never answers. */
#define DEVICE_FILES_SECONDS 5

/* root: of the target. A child process looks there. The devices are added to devices, sorted by
 * name. In a recorded tree a regular file with the line MAJOR:MINOR stands for a device file. */
int device_files_read(struct arena *arena, const struct node *node, int root,
		      struct device_files *ret_files, struct devices *devices, struct err *err);

/* Opens one of root's files for reading and writing. The file is its container's, which may put
 * another one there at any time, and opening some devices does something: the file is held, and
 * opened only if it still is a device of that number. Returns a descriptor that the caller owns, or
 * -errno; -ESTALE if it is another by now. */
int device_file_open(int root, const struct device_file *file);

/* Every verbs device that sysfs shows, sorted by name */
int device_files_all(struct arena *arena, const struct node *node, struct devices *devices,
		     struct err *err);

/* Looks up the numbers of a spec's linux.devices instead, where its root cannot be looked at. */
int device_files_of_spec(struct arena *arena, const struct node *node, const struct spec *spec,
			 struct device_files *ret_files, struct devices *devices, struct err *err);
