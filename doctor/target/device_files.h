/* SPDX-License-Identifier: Apache-2.0 */
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
	int refused;      /* stat's errno: type and number are unknown; or 0 */
	int64_t major;
	int64_t minor;
	const char *ibdev;  /* verbs device of this number, or NULL */
	const char *uverbs; /* its kernel name */
};

struct device_files {
	struct device_file *item; /* uverbsN only, by name */
	size_t n;
	size_t room;
	size_t n_refused; /* could not be examined */
	bool rdma_cm;
	bool readable; /* false: /dev is not accessible */
	bool late;     /* no answer in DEVICE_FILES_SECONDS */
};

/* Containers may mount a hung file system there. */
#define DEVICE_FILES_SECONDS 5

/* A child reads the target's root. In a recorded tree, devices are files with a line
 * MAJOR:MINOR. */
int device_files_read(struct arena *arena, const struct node *node, int root,
		      struct device_files *ret_files, struct devices *devices, struct err *err);

/* Opens a device read-write unless a container has swapped it (-ESTALE): opening some devices has
 * effects. Returns an owned descriptor, or -errno. */
int device_file_open(int root, const struct device_file *file);

/* All verbs devices in sysfs, sorted by name */
int device_files_all(struct arena *arena, const struct node *node, struct devices *devices,
		     struct err *err);

/* From the spec's linux.devices, if the root is not accessible */
int device_files_of_spec(struct arena *arena, const struct node *node, const struct spec *spec,
			 struct device_files *ret_files, struct devices *devices, struct err *err);
