/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's command line and what it starts, and the parts of its loop (plugin.c). */
#ifndef OCI_RDMA_NRI_H
#define OCI_RDMA_NRI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/confine/confine.h"
#include "core/options.h"
#include "nri/wire/wire.h"

/* ---- the command line (options.c) ---- */

struct nri_options {
	struct options node;
	const char *socket;   /* NULL: NRI_SOCKET below the sysroot */
	const char *metrics;  /* file for a Prometheus collector; NULL: none */
	const char *end_with; /* a file whose removal ends the plugin; NULL: none */
	uint16_t port;        /* where only that file is served; 0: it is not */
	bool check;
	bool alive; /* the exit status says no more than that the plugin works */
};

/* Returns -1 to go on with *ret_options, or the exit status. */
int nri_options_parse(int argc, char **argv, struct nri_options *ret_options);

/* The socket's path. Returns 0, or -1 where it is too long for a socket. */
int nri_options_socket(const struct nri_options *options, char *path, size_t size);

/* ---- the plugin (plugin.c) ---- */

/* Serves until SIGTERM or SIGINT. Returns the exit status. */
int plugin_run(const struct nri_options *options);

/* ---- --check (check.c) ---- */

/* Says whether NRI is on here, and what the plugin does. Returns 0 if one is connected or waits to
 * take over, else 1. */
int nri_check(const struct nri_options *options);

/* ---- --serve-metrics (scrape.c) ---- */

/*
 * Answers a collector's HTTP requests with the file of --metrics, in a process and a container of
 * its own, so that the process that serves containers has no listener. It has no capability, reads
 * that file alone, and starts no process: the containers of a pod may share one limit of processes.
 */

/* A collector sends some hundred bytes. */
#define SCRAPE_REQUEST_MAX 8192
#define SCRAPE_FILE_MAX (64 * 1024)
/* One client is served after another, and none may take longer. */
#define SCRAPE_PATIENCE_MS 1000

/* Returns the exit status. It ends by SIGTERM or SIGINT. */
int scrape_run(const struct nri_options *options);

/* ---- a connection's bytes (link.c) ---- */

/* The socket to the runtime. It never blocks. */

/* Between two attempts to connect: at first, and at most */
#define LINK_RETRY_MIN_MS 100
#define LINK_RETRY_MAX_MS 5000

/* How long to wait after that: twice as long */
int link_next_delay(int delay_ms);

/* Connects. *ret_file: the socket's file, by which it is known whether another one has its name
 * since. Returns a descriptor that the caller owns, or -1. */
int link_connect(const char *path, struct stat *ret_file, struct err *err);

/* Takes a descriptor that the runtime has connected: makes it one that does not block. */
int link_take(int fd, struct err *err);

/* Returns how much it read, 0 if there is nothing now, or -1: the connection is over. */
ssize_t link_read(int fd, void *bytes, size_t size, struct err *err);

/* Sends what it can, and takes that out. Returns 0 or -1. */
int link_write(int fd, struct buffer *out, struct err *err);

/* ---- which plugin answers (lock.c) ---- */

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
 *               container (2), hands the lock over (3).
 *   id, before  random numbers: the holder's, and that of the one before it, which may still
 *               answer. A holder that was never registered does not count: it cannot.
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

#define LOCK_NAME "oci-rdma-nri.lock"
/* Between two beats of the holder, and two looks of a plugin that waits */
#define LOCK_BEAT_MS 250
#define LOCK_LOOKS 4

enum lock_stage {
	LOCK_CONNECTS,
	LOCK_REGISTERED,
	LOCK_ASKED,
	LOCK_LEAVES,
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

/* For one that hands it over: true while another plugin waits for it or holds it. */
bool lock_has_successor(const struct lock *lock);

/* Gives it up and frees what it holds. */
void lock_drop(struct lock *lock);

/* The same, in the end: the file goes if no other plugin has it, waits for it or hands it over. */
void lock_end(struct lock *lock);

/* ---- the plugin's own file (own_file.c) ---- */

/* Whether the file of this program is still the one that it was started from, or a file that it was
 * told to end with is still there. */

#define OWN_FILE_LINK "/proc/self/exe"

enum own_file {
	OWN_FILE_SAME, /* or that cannot be told */
	OWN_FILE_REPLACED,
	OWN_FILE_REMOVED,
};

/* link: OWN_FILE_LINK, or what stands for it in a test. path: gets the file's path. */
enum own_file own_file_look(const char *link, char *path, size_t size);

/* Whether a file is there, by its path. */
enum own_file own_file_look_at(const char *path);

/* ---- what is dropped (confinement.c) ---- */

/* What the plugin and its children need */
extern const struct confinement nri_confinement;

/* What --serve-metrics needs, once its socket is there */
extern const struct confinement scrape_confinement;

#endif
