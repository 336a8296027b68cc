/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a node: one file for each container, on a tmpfs, which root alone can read. Its
 * name is
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
 *     stays. One too many pushes out a record of the namespace that has the most: a "nothing"
 *     first, then one of the pod that has the most, the oldest first. A "nothing" pushes out only
 *     another "nothing"; otherwise it is not written.
 *
 * Writers take turns by a lock of the directory, which ends with its process. If a writer is killed
 * at any point, each file is whole; the next writer removes what is no record.
 */
#ifndef OCI_RDMA_RECORD_STORE_H
#define OCI_RDMA_RECORD_STORE_H

#include "core/record/record.h"

#define RECORDS_MAX 1024

/*
 * sysroot: a path. Makes the directories, which must be root's alone. Returns 0, also if there is
 * no room for a "nothing"; -ENOENT if the sysroot has no /run; -EINVAL if the id can be no file's
 * name, or -1, both with the reason in *err.
 */
int record_write(const char *sysroot, const struct record *record, struct err *err);

/*
 * sysroot: a directory descriptor. Returns 1 with *ret_record in the arena; 0 if there is none; or
 * -1 if it cannot be read, or others than root can write it.
 */
int record_read(struct arena *arena, int sysroot, const char *id, struct record *ret_record,
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

/* How many there are of each result, of the last window_ms alone (0: of all). Returns 0, or -1. */
int record_count(int sysroot, int64_t window_ms, size_t ret_n[RECORD_RESULTS], struct err *err);

/*
 * Removes the record of a container that its engine no longer has. It stays if it is of another
 * engine, or so new that the engine may not name its container yet: CRI-O and the kubelet wait 4
 * and 2 minutes for a creation.
 */
#define RECORD_NEW_MS (5 * 60 * INT64_C(1000))
void record_forget(int dir, const struct record_entry *entry, const char *engine);

#endif
