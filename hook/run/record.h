/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container was granted when it was created, kept from create to delete: an exec needs no
 * second look at the node, and gets what the container got even if a policy has changed since.
 *
 * One file per container below the state directory (on a tmpfs: it outlives the engine, not the
 * node), owned by root and readable by nobody else.
 */
#ifndef OCI_RDMA_RECORD_H
#define OCI_RDMA_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "apply/spec_edit.h"
#include "base/arena.h"
#include "base/err.h"

/* A config.json, to be recognised again */
struct record_file {
	uint64_t device;
	uint64_t inode;
	uint64_t mtime; /* nanoseconds since the epoch */
};

struct record {
	const char *config; /* absolute path of the container's config.json */
	struct record_file file;
	const char *root;     /* the runtime's --root; "" if it was not given */
	const char *pid_file; /* "" if it was not given */
	struct grant grant;
};

/* Fills in .file from a descriptor. Returns 0 or -errno. */
int record_identify(int fd, struct record_file *ret_file);

int record_save(const char *state_dir, const char *id, const struct record *record,
		struct err *err);

/* Returns 1 with *ret_record in the arena, 0 if there is none, or -1. */
int record_load(struct arena *arena, const char *state_dir, const char *id,
		struct record *ret_record, struct err *err);

/* A record that does not exist is no error. */
void record_remove(const char *state_dir, const char *id);

/*
 * False if the record is of an earlier container of that id: another --root, or its config.json is
 * gone or not the one that was recorded.
 */
bool record_is_current(const struct record *record, const char *root);

#endif
