/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container was granted when it was created, kept from create to delete: an exec needs no
 * second look at the node, and gets what the container got even if a policy has changed since.
 *
 * One file per container (id and --root) below the state directory (on a tmpfs: it outlives the
 * engine, not the node), owned by root and readable by nobody else.
 */
#ifndef OCI_RDMA_RECORD_H
#define OCI_RDMA_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/policy/policy.h"
#include "hook/apply/spec_edit.h"

/*
 * The policy's state_dir; for an engine that is its user's own (rootless podman), where the policy
 * does not name another, oci-rdma-hook in the user's runtime directory, since /run is root's. NULL
 * without memory.
 */
const char *state_dir_find(struct arena *arena, const struct config *config);

/* Whose record it is: an id means a container only together with the runtime's --root. */
struct record_key {
	const char *id;
	const char *root;    /* "": not given; then it is that of this runtime */
	const char *runtime; /* its path */
};

struct record_name {
	char text[NAME_MAX + 1];
};

/* "<id>@<hash of --root>.json". Returns 0, or -1 if that can be no container's id. */
int record_name(const struct record_key *key, struct record_name *ret_name);

struct record {
	const char *bundle; /* absolute path */
	const char *config; /* absolute path of the container's config.json */
	uint64_t device;    /* of that file, with the inode */
	uint64_t inode;
	uint64_t created;     /* nanoseconds since the node's start, suspends included */
	const char *root;     /* the runtime's --root; "" if it was not given */
	const char *pid_file; /* "" if it was not given */
	struct grant grant;
};

/* Fills in device, inode and created; st: of the config.json. Returns 0 or -errno. */
int record_identify(const struct stat *st, struct record *record);

/* Makes the state directory, if it is not there: before a container is changed, not after. */
int record_prepare(const char *state_dir, struct err *err);

/* Replaces the container's record, at once and whole. Returns 0, or -1 with the reason. */
int record_save(const char *state_dir, const struct record_key *key, const struct record *record,
		struct err *err);

/*
 * Returns 1 with *ret_record in the arena, 0 if there is none, or -1. *ret_exists: there is one,
 * readable or not, so that the container is one that was granted something.
 */
int record_load(struct arena *arena, const char *state_dir, const struct record_key *key,
		struct record *ret_record, bool *ret_exists, struct err *err);

/* A record that does not exist is no error. */
void record_remove(const char *state_dir, const struct record_key *key);

/*
 * False if the record is of an earlier container of that id: its config.json is gone or another
 * file (a runtime between us and the last one may have rewritten it in its place), or its process,
 * pid, is gone or did not start when the record was made. pid 0: not known, which says nothing
 * against it.
 */
bool record_is_current(const struct record *record, pid_t pid);

#endif
