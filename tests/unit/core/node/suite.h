/* SPDX-License-Identifier: Apache-2.0 */
/* A node's /sys and /proc */
#pragma once

#include "tests/unit/unit.h"

#include "core/node/node.h"

#define FUNCTION "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6"
#define VERBS FUNCTION "/infiniband_verbs/uverbs6"
#define PORT FUNCTION "/infiniband/mlx5_6/ports/1"
#define ENTRIES_MAX 16

/* A file with its text, a link with its target ("> …"), or a directory (NULL) */
struct entry {
	const char *path;
	const char *text;
};

void make_all(int root, const struct entry *entries, size_t n);
void make_usual(int root);
/* The usual node with these changes */
struct node usual_node(const struct unit_dir *dir, const struct entry *odd);
void remove_below(int root, const char *path);
struct node open_node(const struct unit_dir *dir);
