/* SPDX-License-Identifier: Apache-2.0 */
/* The file name of a container's record below the state directory */
#ifndef OCI_RDMA_RECORD_NAME_H
#define OCI_RDMA_RECORD_NAME_H

#include <limits.h>

/* Whose record it is: an id means a container only together with the runtime's --root. */
struct record_key {
	const char *id;
	const char *root;    /* "": not given; then it is that of this runtime */
	const char *runtime; /* its path */
};

struct record_name {
	char text[NAME_MAX + 1];
};

/* "<id>@<hash of --root>.json". Returns 0, or -1 if that can be no container's id. */
int record_name(const struct record_key *key, struct record_name *ret_name);

/* "<id>.json", as earlier versions called it. Containers that run during an upgrade keep theirs. */
int record_old_name(const struct record_key *key, struct record_name *ret_name);

#endif
