/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decision about a container, and why. A record grants nothing.
 *
 * A tmpfs holds one file per container, readable by root alone:
 *
 *	NAMESPACE_POD-UID_CONTAINER_RESULT_CLOCK_ID.json
 *
 * The first three may be empty. CLOCK: clock_ms(), which nobody can set, in hexadecimal.
 *
 *   - A record replaces that of the same pod and container name, whatever the id.
 *   - At most RECORDS_MAX files exist, even during a replacement. Records of pods that the kubelet
 *     no longer has go first, then one of the namespace with the most: a "nothing", then of the pod
 *     with the most, the oldest. A "nothing" pushes out only a "nothing", or a record of a
 *     namespace with more than its own; else it is not written.
 *
 * Writers take flock(2), which ends with its process, on a file that only root can open: who can
 * open a file can lock it. A killed writer leaves only whole files; the next removes other files.
 */
#pragma once

#include "core/json/fields.h"

/* below the sysroot; the reporter's pods mount nothing else of /run */
#define RECORD_DIR "run/oci-rdma-hook/records"
#define RECORD_LOCK_NAME "records.lock" /* beside it */
#define RECORDS_MAX 1024
/* an event note's NoteLengthLimit (pkg/apis/core/validation/events.go) */
#define RECORD_REASON_MAX 1024

enum record_result {
	RECORD_NOTHING, /* not asked for, or nothing to give */
	RECORD_GRANTED,
	RECORD_DENIED,
	RECORD_FAILED, /* a grant was due, and failed */
	RECORD_MISSED, /* no NRI plugin was connected */
	RECORD_MENDED, /* missed; its processes got the limit later */
	RECORD_RESULTS,
};

/* indexed by the enum, ended by NULL */
extern const char *const record_result_names[];

struct record {
	const char *id;
	const char *container; /* its name; NULL here and below: unknown */
	const char *pod;
	const char *pod_namespace;
	const char *pod_uid;
	const char *engine; /* whose plugin may remove the record: "containerd /run/nri/nri.sock" */
	const char *cgroup; /* of a missed one, below the sysroot */
	enum record_result result;
	const char *entry_point; /* "createRuntime", "nri", … */
	const char *policy;      /* its file, as the entry point sees it */
	const char *reason;
	const char *devices;           /* "mlx5_6,mlx5_7" */
	uint64_t memlock;              /* bytes; 0: none */
	bool tell;                     /* oci-rdma-events posts it for the pod's author */
	int64_t time;                  /* seconds since 1970; record_write() sets it */
	struct json_pairs annotations; /* ours, without the prefix */
	struct json_pairs settings;    /* the plan's */
};

/* Returns 1, 0 if there is none, or -1, also if others than root can write it. */
int record_read(struct arena *arena, int sysroot, const char *id, struct record *ret_record,
		struct err *err);

/* dir: RECORD_DIR. Returns as record_read(). */
int record_load(struct arena *arena, int dir, const char *file, struct record *ret_record,
		struct err *err);

struct record_entry {
	const char *file;
	const char *pod_namespace; /* "" here and in the next two: unknown */
	const char *pod_uid;
	const char *container;
	const char *id;
	enum record_result result;
	int64_t clock;
};

/* Sorted by namespace and pod. locked: the caller has the lock; removes other files. Returns the
 * number, or -1 without memory. */
int record_list(struct arena *arena, int dir, bool locked, struct record_entry **ret_entries);

#define RECORD_NAME_SIZE 256 /* NAME_MAX and NUL */

/* False if the id fits no file name */
bool record_name_make(const struct record *record, char name[RECORD_NAME_SIZE]);

/* Parses entry->file. Returns 1, 0 if it is not a record's name, or -1 without memory. */
int record_name_split(struct arena *arena, struct record_entry *entry);

/* Cut to JSON_FIELDS_SIZE_MAX; NULL with err set */
const char *record_text(struct arena *arena, struct record *record, size_t *ret_len,
			struct err *err);
