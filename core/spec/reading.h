/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the readers of config.json's parts share: a file for each part, named as its member of
 * config.json is, and in it the shape of what is wanted of that part. parse.c puts them together.
 *
 * A shape's .take and .leave get the struct spec_reading as their context; they return 0, or -1
 * with the reason. All that they keep lives in its arena.
 */
#ifndef OCI_RDMA_SPEC_READING_H
#define OCI_RDMA_SPEC_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/reader.h"
#include "core/spec/spec.h"

/* One entry of linux.namespaces */
struct spec_namespace {
	const char *type; /* NULL: it says none; so is path */
	const char *path;
};

struct spec_reading {
	struct arena *arena;
	struct spec spec; /* what has been read so far */
	struct identity_keys keys;
	/* the array item that is being read */
	struct spec_rlimit rlimit;
	bool odd_rlimit; /* one of its values is no number of bytes */
	struct spec_device device;
	struct spec_rule rule;
	struct spec_namespace namespace;
	struct spec_mapping mapping;
	struct {
		uint32_t calls; /* as seccomp_bit has them */
		bool refuses;
	} seccomp_rule;
	struct {
		bool ours;
		bool asks;
	} hook;
	/* linux.resources, in bytes */
	uint64_t memory_limit; /* memory.limit; 0: none */
	bool has_memory_max;   /* unified has memory.max */
	uint64_t memory_max;   /* 0: none */
	/* room in the growing arrays, in items */
	size_t annotations_room;
	size_t env_room;
	size_t memlock_room;
	size_t mounts_room;
	size_t sources_room;
	size_t devices_room;
	size_t uid_room;
	size_t gid_room;
};

/* A scalar that goes into a field of struct spec_reading as it is */
#define STORE(name, wanted, kind, field)                                                           \
	static const struct json_shape name = {.types = (wanted),                                  \
					       JSON_FIELD(kind, struct spec_reading, field)}

/* The place of an array or object */
#define SPAN(field) JSON_FIELD(SPAN, struct spec_reading, field)

extern const struct json_shape spec_annotations_shape; /* annotations */
extern const struct json_shape spec_process_shape;     /* process, or a process.json */
extern const struct json_shape spec_linux_shape;       /* linux */
extern const struct json_shape spec_resources_shape;   /* linux.resources */
extern const struct json_shape spec_seccomp_shape;     /* linux.seccomp */
extern const struct json_shape spec_hooks_shape;       /* hooks */

#endif
