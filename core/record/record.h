/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was decided about a container: what it got, or why not, by which policy, and when. A record
 * grants nothing: no entry point gives a container anything because of one.
 *
 * A node has one file for each container, on a tmpfs, which root alone can read. Its name is
 *
 *	NAMESPACE_POD-UID_CONTAINER_RESULT_CLOCK_ID.json
 *
 * The first three are empty if they are not known. CLOCK is clock_ms() at the write, in
 * hexadecimal: a clock that no administrator sets. So a listing shows everything that decides what
 * stays:
 *
 *   - The next record of a container of a pod replaces the last one of that name, also if it has
 *     another id: a container that is created again and again has one record.
 *   - There are never more than RECORDS_MAX files, also while one replaces another: so one less
 *     stays. One too many pushes out the records of pods that the kubelet has no more. If there are
 *     none, it pushes out a record of the namespace that has the most: a "nothing" first, then one
 *     of the pod that has the most, the oldest first. A "nothing" pushes out another "nothing", or
 *     a record of a namespace that has more than its own; otherwise it is not written.
 *
 * Writers take turns by a lock, which ends with its process: of a file beside the directory that
 *only root can open, since any user who could open it might lock it. If a writer is killed at any
 *point, each file is whole; the next writer removes what is no record.
 */
#pragma once

#include "core/json/fields.h"

/* Below the sysroot. The reporter's pods mount no other directory of the node's /run. */
#define RECORD_DIR "run/oci-rdma-hook/records"
#define RECORD_LOCK_NAME "records.lock" /* beside it */
#define RECORDS_MAX 1024
/* Of an event's note as well (pkg/apis/core/validation/events.go, NoteLengthLimit) */
#define RECORD_REASON_MAX 1024

enum record_result {
	RECORD_NOTHING, /* it does not ask, or there was nothing to give */
	RECORD_GRANTED,
	RECORD_DENIED,
	RECORD_FAILED, /* it should have got something, and did not */
	RECORD_MISSED, /* no NRI plugin was connected when it was created */
	RECORD_MENDED, /* it was missed; its processes have the limit since */
	RECORD_RESULTS,
};

/* "granted", "missed", …; in the order of the enum, ended by NULL */
extern const char *const record_result_names[];

struct record {
	const char *id;
	const char *container; /* its name; NULL here and below: not known */
	const char *pod;
	const char *pod_namespace;
	const char *pod_uid;
	const char *engine; /* whose plugin may remove the record: "containerd /run/nri/nri.sock" */
	const char *cgroup; /* of one that was missed, below the sysroot */
	enum record_result result;
	const char *entry_point; /* "createRuntime", "nri", … */
	const char *policy;      /* path of its policy file, as the entry point sees it */
	const char *reason;
	const char *devices;           /* "mlx5_6,mlx5_7" */
	uint64_t memlock;              /* that the plan gives, in bytes; 0: none */
	bool tell;                     /* the pod's author should know: oci-rdma-events posts it */
	int64_t time;                  /* seconds since 1970; record_write() sets it */
	struct json_pairs annotations; /* ours, without the prefix, as the entry point saw them */
	struct json_pairs settings;    /* variables of the plan */
};

/*
 * sysroot: a directory descriptor. Returns 1 with *ret_record in the arena; 0 if there is none; or
 * -1 if it cannot be read, or others than root can write it.
 */
int record_read(struct arena *arena, int sysroot, const char *id, struct record *ret_record,
		struct err *err);

/* The same of a file in RECORD_DIR, dir. 0: it has gone meanwhile. */
int record_load(struct arena *arena, int dir, const char *file, struct record *ret_record,
		struct err *err);

/* What a file's name says */
struct record_entry {
	const char *file;
	const char *pod_namespace; /* "": not known; also the next two */
	const char *pod_uid;
	const char *container;
	const char *id;
	enum record_result result;
	int64_t clock;
};

/* dir: RECORD_DIR. By namespace and pod, in the arena. locked: the caller has the lock, and
 * what is no record is removed. Returns how many, or -1 without memory. */
int record_list(struct arena *arena, int dir, bool locked, struct record_entry **ret_entries);

#define RECORD_NAME_SIZE 256 /* NAME_MAX, and a NUL */

/* A file's name for the record, of now. False if its id cannot be in one. */
bool record_name_make(const struct record *record, char name[RECORD_NAME_SIZE]);

/* entry->file: the name. Returns 1 with the rest of *entry in the arena, 0 if that is no record's
 * name, or -1 without memory. */
int record_name_split(struct arena *arena, struct record_entry *entry);

/* The file's text, in the arena; NULL with the reason. Cuts the record to size. */
const char *record_text(struct arena *arena, struct record *record, size_t *ret_len,
			struct err *err);
