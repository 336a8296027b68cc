/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A note for each container that an entry point has decided about: what it got, or why not, by
 * which policy, and when. The dry run, the doctor and the next start of the plugin read it, because
 * containerd's config.json does not have a pod's annotations.
 *
 * One file per container (its id) in NOTE_DIR (a shelf, see below). A note grants nothing: no entry
 * point gives a container anything because of a note.
 */
#ifndef OCI_RDMA_NOTE_H
#define OCI_RDMA_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

/* ---- a shelf of small files (shelf.c) ---- */

/*
 * A directory of small files below /run/oci-rdma-hook, on a tmpfs: one for each container, or for
 * each thing that happened to it. Root owns the directory and the files, and nobody else can read
 * them. The size of a file and their number are bounded: one more removes the oldest.
 */

#define SHELF_PARENT "run/oci-rdma-hook"
#define SHELF_SUFFIX ".json"
#define SHELF_ID_MAX 128
#define SHELF_NAME_SIZE 160

struct shelf {
	const char *path; /* below the sysroot, in SHELF_PARENT */
	size_t size_max;
	size_t n_max;
};

/*
 * The name of a container's file: "ID.json", or "ID.KIND.json". Returns 0, or -1 if id is not an id
 * as engines make them.
 */
int shelf_name(const char *id, const char *kind, char name[SHELF_NAME_SIZE]);

/* sysroot: a descriptor. Returns a descriptor that the caller owns, -ENOENT, or -1 with the reason:
 * others than root can write it. */
int shelf_open(const struct shelf *shelf, int sysroot, struct err *err);

/*
 * Replaces a file. sysroot: a path. Makes the directories, which must be root's alone. Returns 0,
 * -ENOENT if the sysroot has no /run, or -1 with the reason.
 */
int shelf_write(const struct shelf *shelf, const char *sysroot, const char *name, const char *text,
		size_t len, struct err *err);

/*
 * dir: of shelf_open(). Returns 1 with the text in the arena, and with the path for errors; 0 if
 * there is no such file; or -1 if it cannot be read, or others than root can write it.
 */
int shelf_read(struct arena *arena, const struct shelf *shelf, int dir, const char *name,
	       const char **ret_what, struct fs_text *ret_text, struct err *err);

/* ---- notes (note.c) ---- */

/* Below the sysroot. The DaemonSet's pod mounts this directory of the node, and no other. */
#define NOTE_DIR SHELF_PARENT "/decisions"
#define NOTE_SIZE_MAX (16 * 1024)
/* Beyond so many the oldest is removed. */
#define NOTES_MAX 4096

enum note_result {
	NOTE_NOTHING, /* it does not ask, or there was nothing to give */
	NOTE_GRANTED,
	NOTE_DENIED,
	NOTE_FAILED, /* it should have got something, and did not */
	NOTE_MISSED, /* it was created while the entry point was away */
	NOTE_MENDED, /* it was missed; its processes have the limit since */
};

struct note_pair {
	const char *name;
	const char *value;
};

struct note {
	const char *id;
	const char *name; /* NULL here and below: not known */
	const char *pod;
	const char *pod_namespace;
	enum note_result result;
	const char *reason;
	const char *entry_point;       /* "nri" */
	const char *policy;            /* path of its policy file, as the entry point sees it */
	const char *time;              /* "2026-11-21T20:22:43Z"; note_write() sets it */
	uint64_t memlock;              /* that the plan gives, in bytes; 0: none */
	struct note_pair *annotations; /* ours, without the prefix, as the entry point saw them */
	size_t n_annotations;
	struct note_pair *settings; /* variables of the plan */
	size_t n_settings;
};

/* "granted", "missed", …; in the order of the enum, ended by NULL */
extern const char *const note_result_names[];
const char *note_result_name(enum note_result result);

/*
 * Replaces the container's note. sysroot: a path. Makes the directories, which must be root's
 * alone. If the text is longer than NOTE_SIZE_MAX, variables and annotations are left out. Returns
 * 0, or -1 with the reason.
 */
int note_write(const char *sysroot, const struct note *note, struct err *err);

/*
 * sysroot: a directory descriptor. Returns 1 with *ret_note in the arena; 0 if there is none; or -1
 * if it cannot be read, or others than root can write it.
 */
int note_read(struct arena *arena, int sysroot, const char *id, struct note *ret_note,
	      struct err *err);

/* A note that does not exist is no error. */
void note_remove(const char *sysroot, const char *id);

/*
 * Whether the container may be one that its engine is still creating: then the engine does not name
 * it, and its note must stay. Longer than CRI-O and the kubelet wait for a creation (4 and 2
 * minutes).
 */
#define NOTE_NEW_S 300
bool note_is_new(const char *sysroot, const char *id);

/* The ids that have a note, in byte order, in the arena. Returns how many, or -1 without memory. */
int note_list(struct arena *arena, const char *sysroot, const char ***ret_ids);

/* "2026-11-21T20:22:43Z" from seconds since 1970; "" if that cannot be said. */
#define NOTE_TIME_SIZE 32
void note_time(int64_t seconds, char text[NOTE_TIME_SIZE]);

/* ---- records for a pod's author (refusal.c) ---- */

/*
 * A record for each container of a pod that was left without what it asks for, for its author:
 * oci-rdma-events posts it as an event of the pod. Each entry point leaves it, beside its line in
 * the journal. A record is one file in REFUSAL_DIR (a shelf, see below), for each container and
 * result; it stays until it is the oldest of too many, or until the node boots.
 */

/* Below the sysroot. The reporter's pod mounts this directory of the node, and no other. */
#define REFUSAL_DIR SHELF_PARENT "/refusals"
#define REFUSAL_SIZE_MAX (8 * 1024)
#define REFUSALS_MAX 1024
/* Bytes of a reason: an event's note is as long (pkg/apis/core/validation/events.go,
 * NoteLengthLimit)
 */
#define REFUSAL_REASON_MAX 1024

struct refusal {
	const char *id;        /* the container's */
	const char *container; /* its name; NULL: not known */
	const char *pod;
	const char *pod_namespace;
	const char *pod_uid; /* NULL: not known */
	enum note_result result;
	const char *reason;
	const char *entry_point; /* "createRuntime", "nri", … */
	int64_t time;            /* seconds since 1970; refusal_leave() sets it */
};

/*
 * sysroot: a path. A refusal without a pod, a namespace and an engine's id leaves nothing: podman
 * and Docker have no events. A reason that is too long is cut, and one of several lines is made
 * one. Returns 0, or -1 with the reason.
 */
int refusal_leave(const char *sysroot, const struct refusal *refusal, struct err *err);

/*
 * Reads one of the files. dir: of refusal_open(). Returns 1 with *ret_refusal in the arena; 0 if
 * there is no such file; or -1 with the reason.
 */
int refusal_read(struct arena *arena, int dir, const char *name, struct refusal *ret_refusal,
		 struct err *err);

/* The directory, below a sysroot's descriptor, as shelf_open() */
int refusal_open(int sysroot, struct err *err);

#endif
