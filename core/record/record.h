/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was decided about a container, and why. A record grants nothing.
 *
 * A tmpfs holds one file per container, readable by root alone, with the name
 *
 *	NAMESPACE_POD-UID_CONTAINER_RESULT_CLOCK_ID.json
 *
 * The first three may be empty. CLOCK is clock_ms() in hexadecimal, which no administrator sets.
 *
 *   - A record replaces that of the same pod and container name, whatever the id.
 *   - There are at most RECORDS_MAX files, also during a replacement. First, records go of pods
 *     that the kubelet no longer has; else one of the namespace with the most: a "nothing" first,
 *     then of the pod with the most, the oldest first. A "nothing" pushes out only a "nothing", or
 *     a record of a namespace that has more than its own; else it is not written.
 *
 * Writers serialize by flock(2) on a file that only root can open, because any user who can open it
 * could lock it; the lock ends with its process. A killed writer leaves whole files only, and the
 * next one removes what is not a record.
 */
#pragma once

#include "core/json/fields.h"

/* below the sysroot; the reporter's pods mount nothing else of /run */
#define RECORD_DIR "run/oci-rdma-hook/records"
#define RECORD_LOCK_NAME "records.lock"
#define RECORDS_MAX 1024
/* an event note's limit (pkg/apis/core/validation/events.go, NoteLengthLimit) */
#define RECORD_REASON_MAX 1024

enum record_result {
	RECORD_NOTHING, /* or nothing to give */
	RECORD_GRANTED,
	RECORD_DENIED,
	RECORD_FAILED, /* a grant was due, and failed */
	RECORD_MISSED, /* no NRI plugin was connected */
	RECORD_MENDED,
	RECORD_RESULTS,
};

/* Ended by NULL */
extern const char *const record_result_names[];

struct record {
	const char *id;
	const char *container; /* NULL here and below: unknown */
	const char *pod;
	const char *pod_namespace;
	const char *pod_uid;
	const char *engine; /* may remove the record: "containerd /run/nri/nri.sock" */
	const char *cgroup; /* below the sysroot */
	enum record_result result;
	const char *entry_point;
	const char *policy; /* as the entry point sees it */
	const char *reason;
	const char *devices;           /* "mlx5_6,mlx5_7" */
	uint64_t memlock;              /* 0: none */
	bool tell;                     /* oci-rdma-events posts it for the pod's author */
	int64_t time;                  /* record_write() sets it */
	struct json_pairs annotations; /* without the prefix */
	struct json_pairs settings;
};

/* Returns 1, or 0 if there is none. An error if others than root can write it */
int record_read(struct arena *arena, int sysroot, const char *id, struct record *ret_record,
		struct err *err);

/* Returns as record_read() */
int record_load(struct arena *arena, int dir, const char *file, struct record *ret_record,
		struct err *err);

struct record_entry {
	const char *file;
	const char *pod_namespace; /* "" in all three: unknown */
	const char *pod_uid;
	const char *container;
	const char *id;
	enum record_result result;
	int64_t clock;
};

/* By namespace and pod. locked: the caller has the lock; removes files that are not records.
 * Returns how many, or -1 without memory. */
int record_list(struct arena *arena, int dir, bool locked, struct record_entry **ret_entries);

#define RECORD_NAME_SIZE 256 /* NAME_MAX, and a NUL */

/* False if the id cannot be in a file name. */
bool record_name_make(const struct record *record, char name[RECORD_NAME_SIZE]);

/* Returns 1, 0 if it is not a record's name, or -1 without memory. */
int record_name_split(struct arena *arena, struct record_entry *entry);

/* Cut to size */
const char *record_text(struct arena *arena, struct record *record, size_t *ret_len,
			struct err *err);
