/* SPDX-License-Identifier: Apache-2.0 */

#include "doctor/target/device_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/node/node.h"
#include "core/spec/spec.h"
#include "lib/child.h"
#include "lib/files.h"

#define RDMA_CM "rdma_cm"
#define VERBS "uverbs"

/* "231:198" */
static bool parse_number(const char *text, int64_t *ret_major, int64_t *ret_minor)
{
	char *end;

	*ret_major = strtoll(text, &end, 10);
	if (end == text || *end != ':')
		return false;
	text = end + 1;
	*ret_minor = strtoll(text, &end, 10);
	return end != text && !*end;
}

/* Returns -ENODEV if no character device, or -errno: SELinux may refuse the stat. */
static int number_of(const struct node *node, int root, const char *path, int64_t *ret_major,
		     int64_t *ret_minor)
{
	cleanup_fd fd = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);
	char line[32];
	struct stat st;

	if (fd < 0)
		return fd == -EACCES || fd == -EPERM ? fd : -ENODEV;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISCHR(st.st_mode)) {
		*ret_major = major(st.st_rdev);
		*ret_minor = minor(st.st_rdev);
		return 0;
	}
	return node->recorded && tree_read_line(root, path, line, sizeof(line)) > 0 &&
			       parse_number(line, ret_major, ret_minor)
		       ? 0
		       : -ENODEV;
}

static int keep_file(struct arena *arena, const struct node *node, const struct device_file *file,
		     struct device_files *files, struct devices *devices, struct err *err)
{
	struct device_file *kept = arena_push(arena, files->item, files->n, files->room);
	size_t before = devices->n;

	if (!kept)
		return err_memory(err);
	*kept = *file;
	if (file->refused) {
		files->n_refused++;
		return 0;
	}
	(void)node_find_number(node, arena, file->major, file->minor, devices);
	if (devices->n > before) {
		const struct device *device = &devices->item[before];

		kept->ibdev = arena_strdup(arena, device->ibdev);
		kept->uverbs = arena_strdup(arena, device->uverbs);
		if (!kept->ibdev || !kept->uverbs)
			return err_memory(err);
	}
	return 0;
}

static int compare_ibdevs(const void *a, const void *b)
{
	return text_compare_natural(((const struct device *)a)->ibdev,
				    ((const struct device *)b)->ibdev);
}

static int compare_files(const void *a, const void *b)
{
	return text_compare_natural(((const struct device_file *)a)->name,
				    ((const struct device_file *)b)->name);
}

static void sort_files(struct device_files *files)
{
	if (files->n > 1)
		qsort(files->item, files->n, sizeof(*files->item), compare_files);
}

/* Two files may have one number. */
static void sort_devices(struct devices *devices)
{
	size_t kept = 0;

	if (devices->n > 1)
		qsort(devices->item, devices->n, sizeof(*devices->item), compare_ibdevs);
	for (size_t i = 0; i < devices->n; i++) {
		if (kept && strcmp(devices->item[kept - 1].uverbs, devices->item[i].uverbs) == 0)
			continue;
		devices->item[kept++] = devices->item[i];
	}
	devices->n = kept;
}

/* From the child, for each file; without a name: done */
struct seen {
	int64_t major;
	int64_t minor;
	int64_t refused;
	char name[NAME_MAX + 1];
};

struct look {
	const struct node *node;
	int root;
};

static const struct seen nothing;

static void tell_seen(int out, const char *name, const struct seen *what)
{
	struct seen seen = *what;

	snprintf(seen.name, sizeof(seen.name), "%s", name);
	(void)fs_write(out, &seen, sizeof(seen));
}

static bool look_at_verbs(const struct look *look, struct arena *arena, int out)
{
	const char **names;
	int n = tree_list(arena, look->root, DEVICE_DIR, "", &names);

	for (int i = 0; i < n; i++) {
		char path[sizeof(DEVICE_DIR) + NAME_MAX + 1];
		struct seen seen = {0};

		snprintf(path, sizeof(path), DEVICE_DIR "/%s", names[i]);
		if (text_starts_with(names[i], VERBS))
			seen.refused =
				-number_of(look->node, look->root, path, &seen.major, &seen.minor);
		else if (strcmp(names[i], RDMA_CM) != 0)
			continue;
		if (seen.refused != ENODEV)
			tell_seen(out, names[i], &seen);
	}
	return n >= 0;
}

static void look_in_child(void *context, int out)
{
	const struct look *look = context;
	cleanup_arena arena = {0};

	if (look_at_verbs(look, &arena, out))
		tell_seen(out, "", &nothing);
}

static int accept_seen(struct arena *arena, const struct node *node, const struct seen *seen,
		       struct device_files *files, struct devices *devices, struct err *err)
{
	struct device_file file = {
		.major = seen->major, .minor = seen->minor, .refused = (int)seen->refused};

	if (strcmp(seen->name, RDMA_CM) == 0) {
		files->rdma_cm = true;
		return 0;
	}
	file.name = arena_strdup(arena, seen->name);
	return file.name ? keep_file(arena, node, &file, files, devices, err) : err_memory(err);
}

static int receive_seen(struct arena *arena, const struct node *node, const struct child *child,
			struct device_files *files, struct devices *devices, struct err *err)
{
	struct seen seen;
	int status;

	while ((status = child_read(child, &seen, sizeof(seen))) > 0) {
		if (!seen.name[0])
			return 1;
		if (!memchr(seen.name, '\0', sizeof(seen.name)))
			return -EPROTO;
		if (accept_seen(arena, node, &seen, files, devices, err) < 0)
			return -ENOMEM;
	}
	return status;
}

int device_files_read(struct arena *arena, const struct node *node, int root,
		      struct device_files *ret_files, struct devices *devices, struct err *err)
{
	struct look look = {.node = node, .root = root};
	struct device_files files = {0};
	struct child child;
	int status;

	if (root < 0) {
		*ret_files = files;
		return 0;
	}
	if (child_start(&child, NULL, look_in_child, &look, DEVICE_FILES_SECONDS * 1000, err) < 0)
		return -1;
	status = receive_seen(arena, node, &child, &files, devices, err);
	(void)child_end(&child);
	if (status == -ENOMEM)
		return -1;
	if (status != 1) { /* a part would look complete */
		files = (struct device_files){.late = status == -ETIMEDOUT};
		devices->n = 0;
	}
	files.readable = status == 1;
	sort_files(&files);
	sort_devices(devices);
	*ret_files = files;
	return err_of_arena(arena, err);
}

static bool is_of_number(int fd, const struct device_file *file)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == file->major &&
	       minor(st.st_rdev) == file->minor;
}

int device_file_open(int root, const struct device_file *file)
{
	char path[320];
	char self[32];
	cleanup_fd held = -1;
	cleanup_fd fd = -1;

	snprintf(path, sizeof(path), DEVICE_DIR "/%s", file->name);
	held = fs_open(root, path, O_PATH, RESOLVE_IN_ROOT);
	if (held < 0)
		return held;
	if (!is_of_number(held, file))
		return -ESTALE;
	/* This link leads to the held file, even if moved (proc_pid_get_link). */
	snprintf(self, sizeof(self), "/proc/self/fd/%d", held);
	fd = open(self, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	return is_of_number(fd, file) ? steal_fd(&fd) : -ESTALE;
}

int device_files_of_spec(struct arena *arena, const struct node *node, const struct spec *spec,
			 struct device_files *ret_files, struct devices *devices, struct err *err)
{
	struct device_files files = {.readable = true};

	for (size_t i = 0; i < spec->n_devices; i++) {
		const struct spec_device *device = &spec->devices[i];
		struct device_file file = {.name = text_base_name(device->path),
					   .major = device->major,
					   .minor = device->minor};

		if (!text_starts_with(device->path, "/" DEVICE_DIR "/"))
			continue;
		if (strcmp(file.name, RDMA_CM) == 0)
			files.rdma_cm = true;
		if (text_starts_with(file.name, VERBS) &&
		    keep_file(arena, node, &file, &files, devices, err) < 0)
			return -1;
	}
	sort_files(&files);
	sort_devices(devices);
	*ret_files = files;
	return err_of_arena(arena, err);
}

int device_files_all(struct arena *arena, const struct node *node, struct devices *devices,
		     struct err *err)
{
	/* Without /sys/dev/char, sysfs cannot be trusted. */
	if (node->char_devices >= 0)
		node_find_all(node, arena, false, devices);
	sort_devices(devices);
	return err_of_arena(arena, err);
}
