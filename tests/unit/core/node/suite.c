/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

/* A VF's verbs device: by number (231:198), class and bus */
static const struct entry usual[] = {
	{"sys/dev/char/231:198", "> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/"
				 "infiniband_verbs/uverbs6"},
	{"sys/class/infiniband_verbs/uverbs6",
	 "> ../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6/infiniband_verbs/uverbs6"},
	{"sys/bus/pci/devices/0000:3b:02.6",
	 "> ../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6"},
	{VERBS "/ibdev", "mlx5_6\n"},
	{FUNCTION "/physfn", "> ../0000:3b:00.0"},
	{PORT "/link_layer", "Ethernet\n"},
};

static void make(int root, const struct entry *entry)
{
	char inside[256];

	if (!entry->text) {
		snprintf(inside, sizeof(inside), "%s/x", entry->path);
		unit_write(root, inside, "", 0644);
		return;
	}
	(void)unlinkat(root, entry->path, 0);
	unit_write(root, entry->path, entry->text, 0644);
	if (entry->text[0] != '>')
		return;
	(void)unlinkat(root, entry->path, 0);
	assert_int_equal(symlinkat(entry->text + 2, root, entry->path), 0);
}

void make_all(int root, const struct entry *entries, size_t n)
{
	for (size_t i = 0; i < n && entries[i].path; i++)
		make(root, &entries[i]);
}

struct node open_node(const struct unit_dir *dir)
{
	struct node node = NODE_NONE;
	struct err err;

	assert_int_equal(node_open(dir->path, &node, &err), 0);
	return node;
}

void make_usual(int root)
{
	make_all(root, usual, LENGTH(usual));
}

struct node usual_node(const struct unit_dir *dir, const struct entry *odd)
{
	make_usual(dir->fd);
	make_all(dir->fd, odd, ENTRIES_MAX);
	return open_node(dir);
}

void remove_below(int root, const char *path)
{
	int fd = openat(root, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		unit_empty(fd);
		(void)close(fd);
	}
	assert_int_equal(unlinkat(root, path, fd >= 0 ? AT_REMOVEDIR : 0), 0);
}

int main(void)
{
	return unit_main("node");
}
