/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was decided about a container: what it got, or why not, by which policy, and when. A record
 * grants nothing: no entry point gives a container anything because of one.
 */
#ifndef OCI_RDMA_RECORD_H
#define OCI_RDMA_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/fields.h"

/* Below the sysroot. The reporter's pods mount no other directory of the node's /run. */
#define RECORD_DIR "run/oci-rdma-hook/records"
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

/* "granted", "missed", …; in the order of the enum, ended by NULL */
extern const char *const record_result_names[];

/*
 * Its text, in the arena. The reason becomes one line of RECORD_REASON_MAX bytes; variables and
 * annotations are left out if the text would be longer than JSON_FIELDS_SIZE_MAX. NULL with the
 * reason.
 */
const char *record_text(struct arena *arena, const struct record *record, size_t *ret_len,
			struct err *err);

/* dir: RECORD_DIR. Returns 1 with *ret_record in the arena; 0: the file has gone meanwhile; or -1.
 */
int record_load(struct arena *arena, int dir, const char *file, struct record *ret_record,
		struct err *err);

#endif
