/* SPDX-License-Identifier: Apache-2.0 */
/* What NCCL reads in the target: values, lists, levels */
#ifndef OCI_RDMA_DOCTOR_NCCL_H
#define OCI_RDMA_DOCTOR_NCCL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "doctor/target/target.h"

/* ---- which values NCCL sees, and from where (nccl_settings.c) ---- */

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

/* A file that was read, whole */
struct nccl_file {
	const char *path;
	struct fs_text text;
};

struct nccl_settings {
	struct arena *arena;
	const struct target *target; /* of the environment; NULL: none */
	struct nccl_file file[2];
	size_t n_files;
	struct nccl_oddity *oddity;
	size_t n_oddities;
	size_t oddities_room;
	const char *files; /* those that were read, "a, b"; "" for none */
};

/* In the order of NCCL's src/misc/param.cc, initEnv: the environment wins; then the file that
 * NCCL_CONF_FILE names, else $HOME/.nccl.conf; /etc/nccl.conf last. The first one keeps the name.
 */
int nccl_settings_read(struct arena *arena, const struct target *target,
		       struct nccl_settings *ret_settings, struct err *err);

/* One more file, behind those that are there already. -1 without memory */
int nccl_settings_add_file(struct nccl_settings *settings, const char *path,
			   const struct fs_text *text);

/* The one that holds; NULL if there is none, or no memory */
const struct nccl_setting *nccl_settings_find(const struct nccl_settings *settings,
					      const char *name);

/* ---- lists (nccl_list.c) ---- */

/* The lists that NCCL_IB_HCA and NCCL_SOCKET_IFNAME hold: "[^][=]name[:port],…" (NCCL's
 * src/misc/utils.cc, parseStringList and matchIfList; src/transport/net_ib/init.cc). */

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
