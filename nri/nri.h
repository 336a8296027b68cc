/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's command line and what it starts, and the parts of its loop (plugin.c). */
#ifndef OCI_RDMA_NRI_H
#define OCI_RDMA_NRI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/err.h"
#include "core/confine/confine.h"
#include "core/options.h"
#include "nri/wire/wire.h"

/* ---- the command line (nri_options.c) ---- */

struct nri_options {
	struct options node;
	const char *socket;   /* NULL: NRI_SOCKET below the sysroot */
	const char *metrics;  /* file for a Prometheus collector; NULL: none */
	const char *instance; /* one of several on a node, by its status file; NULL: the only one */
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

/* ---- --check (nri_check.c) ---- */

/* Returns 0, or -1 with the reason if the policy cannot be used, so that nothing is granted. */
int nri_policy_check(const struct options *node, struct err *err);

/* Says whether NRI is on here, and what the plugins do. Returns 0 if one is connected and has a
 * policy that can be used, else 1. */
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
/* No client may take longer. A collector on a busy node may be slow, and waits for 10 s. */
#define SCRAPE_PATIENCE_MS 5000

/* Returns the exit status. It ends by SIGTERM or SIGINT. */
int scrape_run(const struct nri_options *options);

/* ---- a connection's bytes (connection.c) ---- */

/* The socket to the runtime. It never blocks. */

/* Returns a descriptor that the caller owns, or -1. */
int link_connect(const char *path, struct err *err);

/* Returns how much it read, 0 if there is nothing now, or -1: the connection is over. */
ssize_t link_read(int fd, void *bytes, size_t size, struct err *err);

/* Sends what it can, and takes that out. Returns 0 or -1. */
int link_write(int fd, struct buffer *out, struct err *err);

/* ---- the plugin's own file (executable.c) ---- */

#define OWN_FILE_LINK "/proc/self/exe"

/* Whether the file of this program is gone, and no other one is in its place. False also if that
 * cannot be told. link: OWN_FILE_LINK, or what stands for it in a test. path: gets the file's. */
bool own_file_is_removed(const char *link, char *path, size_t size);

/* ---- what is dropped (nri_confinement.c) ---- */

/* What the plugin and its children need */
extern const struct confinement nri_confinement;

/* What --serve-metrics needs, once its socket is there */
extern const struct confinement scrape_confinement;

#endif
