/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runtime tells of the containers that are there already (Synchronize).
 *
 *   pod, container    each is looked at as it comes by; most are forgotten at once
 *   finish            all have come by: the notes of containers that are gone are removed, and what
 *                     was kept can be decided about (nri/missed.h)
 *
 * Kept are the containers that may have a verbs device, and the pods, as far as the room goes:
 * those with an annotation of ours have more of it. A runtime may send a container before its pod,
 * in another message. What there is no room for is counted. No file is opened for a container that
 * is not kept.
 */
#ifndef OCI_RDMA_NRI_SYNCHRONIZE_H
#define OCI_RDMA_NRI_SYNCHRONIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "nri/message/message.h"

/* The bound of what is kept. A pod takes some hundred bytes, a container a thousand. */
#define SYNCHRONIZE_SIZE_MAX (768 * 1024)

struct known {
	const char *id;
	struct message message; /* reduced (message_reduce_pod, message_reduce_container) */
};

struct synchronize {
	const char *sysroot;
	struct arena arena; /* owns all that is below */
	size_t used;
	struct known *pods;
	size_t n_pods;
	size_t pods_room;
	struct known *containers;
	size_t n_containers;
	size_t containers_room;
	size_t left_out; /* containers with a device, or pods with an annotation */
	bool begun;
	const char **notes; /* ids, in byte order */
	bool *is_there;     /* of each: its container is there */
	size_t n_notes;
};

/* message NULL: it was too long. */
void synchronize_pod(struct synchronize *synchronize, const struct message *message);
void synchronize_container(struct synchronize *synchronize, const struct message *message);

/* whole: all that the runtime sent could be read. Otherwise no note is removed. */
void synchronize_finish(struct synchronize *synchronize, bool whole);

/* The pod of that id, or NULL */
const struct message *synchronize_find_pod(const struct synchronize *synchronize, const char *id);

/* Frees all, for the next connection. */
void synchronize_free(struct synchronize *synchronize);

#endif
