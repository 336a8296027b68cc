/* SPDX-License-Identifier: Apache-2.0 */
/* What NCCL reads in the target: values, lists, levels */
#ifndef OCI_RDMA_DOCTOR_NCCL_H
#define OCI_RDMA_DOCTOR_NCCL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/target/target.h"

/* ---- which values NCCL sees, and from where (settings.c) ---- */

#define NCCL_FILE_MAX (256 * 1024) /* of a file that NCCL reads */

struct nccl_setting {
	const char *name;
	const char *value;
	const char *path; /* where it stands */
};

/* A line of a file that NCCL reads otherwise than it was meant; only of NCCL's own variables */
struct nccl_oddity {
	const char *path;
	const char *line;
	const char *why;
};

struct nccl_settings {
	/* As they are found. The first of one name holds; the others are not looked for, since a
	 * file may have as many lines as an image's author likes. */
	struct nccl_setting *item;
	size_t n;
	size_t room;
	struct nccl_oddity *oddity;
	size_t n_oddities;
	size_t oddities_room;
	const char *files; /* those that were read, "a, b"; "" for none */
};

/*
 * In the order of NCCL's src/misc/param.cc, initEnv: the environment wins; then the file that
 * NCCL_CONF_FILE names, else $HOME/.nccl.conf; /etc/nccl.conf last. The first one keeps the name.
 */
int nccl_settings_read(struct arena *arena, const struct target *target,
		       struct nccl_settings *ret_settings, struct err *err);

/* The lines of one file, behind what is there already. text is split in place. */
int nccl_settings_add_file(struct arena *arena, const char *path, char *text,
			   struct nccl_settings *settings);

/* The one that holds, or NULL */
const struct nccl_setting *nccl_settings_find(const struct nccl_settings *settings,
					      const char *name);

/* ---- lists (list.c) ---- */

/*
 * The lists that NCCL_IB_HCA and NCCL_SOCKET_IFNAME hold: "[^][=]name[:port],…" (NCCL's
 * src/misc/utils.cc, parseStringList and matchIfList; src/transport/net_ib/init.cc).
 */

#define NCCL_LIST_MAX 32 /* NCCL reads no more */
#define NCCL_NAME_MAX 63

struct nccl_item {
	char name[NCCL_NAME_MAX + 1];
	int port; /* -1: any */
};

struct nccl_list {
	bool exclude; /* ^: all but these */
	bool exact;   /* =: whole names; else what begins like this */
	struct nccl_item item[NCCL_LIST_MAX];
	size_t n;
};

/* As NCCL reads it, which refuses nothing: what is too long is cut, what is too much left out. */
void nccl_list_parse(const char *value, struct nccl_list *ret_list);

/* True if this item means it; port -1: whatever port. */
bool nccl_item_matches(const struct nccl_list *list, const struct nccl_item *item, const char *name,
		       int port);

/* True if one of the items is just this name. */
bool nccl_list_names(const struct nccl_list *list, const char *name);

/* True if NCCL would take it. An empty list takes all, and "^" none. */
bool nccl_list_selects(const struct nccl_list *list, const char *name, int port);

#endif
