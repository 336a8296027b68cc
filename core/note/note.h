/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A note for each container that an entry point has decided about: what it got, or why not, by
 * which policy, and when. The dry run, the doctor and the next start of the plugin read it, because
 * containerd's config.json does not have a pod's annotations.
 *
 * One file per container (its id) in NOTE_DIR (core/note/shelf.h). A note grants nothing: no entry
 * point gives a container anything because of a note.
 */
#ifndef OCI_RDMA_NOTE_H
#define OCI_RDMA_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/note/shelf.h"

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

/* The ids that have a note, in byte order, in the arena. Returns how many, or -1 without memory. */
int note_list(struct arena *arena, const char *sysroot, const char ***ret_ids);

/* "2026-11-21T20:22:43Z" from seconds since 1970; "" if that cannot be said. */
#define NOTE_TIME_SIZE 32
void note_time(int64_t seconds, char text[NOTE_TIME_SIZE]);

#endif
