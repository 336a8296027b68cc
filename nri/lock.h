/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One plugin of ours answers on a node: two would both set RLIMIT_MEMLOCK, for which NRI fails the
 * container. The others wait, connected to nothing.
 *
 * The lock is a file beside the runtime's socket, because that directory is all that a unit, a
 * DaemonSet's pod and a plugin that the runtime has started share. The file belongs to root and has
 * mode 0600, so that nobody else can open it, and so hold the lock, whatever the mode of the
 * directory is. A file that is not so is replaced.
 *
 *   flock(2)    the holder has it. The kernel releases it when the holder ends, however it ends; a
 *               child of each waiting plugin waits for that.
 *   beats       a number that grows four times a second while the holder works. A plugin that waits
 *               and sees the same number LOCK_LOOKS times puts a new file in the old one's place:
 *               the holder hangs. Only looks count, not time, so that a node that was frozen as a
 *               whole takes nothing from anybody.
 *   stage       of the holder: it connects (0), is about to be registered (1), was asked about a
 *               container (2).
 *   id, before  random numbers: the holder's, and that of the one before it.
 *   answered    a hash of the container that the one before it has answered for last.
 *   read locks  (fcntl(2), F_OFD_SETLK) of a byte each: somebody waits; somebody hands over.
 *
 * A plugin that has lost the lock, or hands it over, is asked about containers until its connection
 * is closed. It answers, and says for which container, until its successor was asked about one. A
 * runtime asks about one container at a time, and adds a plugin between two (containerd/nri,
 * pkg/adaptation), some moment after Synchronize. So there is at most one container about which
 * both are asked while the stage is still 1: the successor's first one. If the other one has
 * answered for it, the successor is silent. So one of the two answers for each container, and never
 * both.
 *
 * A plugin that the runtime has launched is connected without the lock. Then it is silent, and
 * takes the lock if it is free and nobody hands it over.
 */
#ifndef OCI_RDMA_NRI_LOCK_H
#define OCI_RDMA_NRI_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"

#define LOCK_NAME "oci-rdma-nri.lock"
/* Between two beats of the holder, and two looks of a plugin that waits */
#define LOCK_BEAT_MS 250
#define LOCK_LOOKS 4

enum lock_stage {
	LOCK_CONNECTS,
	LOCK_REGISTERED,
	LOCK_ASKED,
};

struct lock {
	int dir;               /* of the runtime's socket; -1: not open */
	int file;              /* -1: not open */
	bool ours;             /* we have its flock */
	enum lock_stage stage; /* then: ours */
	int succeeded;   /* beats since the successor is registered, see lock_is_succeeded() */
	bool connected;  /* set by a launched plugin: it does not wait, it is silent */
	bool marked;     /* we have the read lock of those that wait */
	pid_t waiter;    /* the child that waits; 0: none */
	uint64_t id;     /* ours; 0: not chosen yet */
	uint64_t before; /* of the holder before us */
	uint64_t beats;  /* ours; or the holder's, as last seen */
	int looks;       /* that have seen the same */
};

#define LOCK_NONE ((struct lock){.dir = -1, .file = -1})

/* socket: the runtime's. Returns 1: it is ours; 0: another plugin has it; or -1. */
int lock_take(struct lock *lock, const char *socket, struct err *err);

/*
 * After lock_take() has returned 0: a child waits, whose end is a SIGCHLD. Without one (no more
 * processes) only lock_watch() notices.
 */
void lock_wait(struct lock *lock);

/* True if the child has ended: lock_take() is to be tried again. */
bool lock_waited(struct lock *lock);

/* A look, every LOCK_BEAT_MS. True if lock_take() is to be tried again, or the lock is ours,
 * because its holder hangs. */
bool lock_watch(struct lock *lock);

/* False once another plugin has put its own file in place of ours, or somebody has removed ours. */
bool lock_is_held(const struct lock *lock);

/* The holder works. */
void lock_beat(struct lock *lock);

/* The holder is about to be asked about containers. */
void lock_serve(struct lock *lock);

/*
 * Asked about a container (0: not known which): whether this plugin answers. False if another
 * plugin of ours does. True without a directory: then no other plugin can be connected.
 */
bool lock_answers(struct lock *lock, uint64_t container);

/* For one that has lost it or hands it over, every few moments: true when its connection is of no
 * more use, because its successor is asked. */
bool lock_is_succeeded(struct lock *lock);

/* True if another plugin waits for it. */
bool lock_is_awaited(const struct lock *lock);

/* Lets the next one have it. Until that one is asked, this one answers. */
void lock_hand_over(struct lock *lock);

/* Gives it up and frees what it holds. */
void lock_drop(struct lock *lock);

/* The same, in the end: the file goes if nobody waits. */
void lock_end(struct lock *lock);

#endif
