/* SPDX-License-Identifier: Apache-2.0 */
/* A container's device files, which may be swapped meanwhile */
#include <sys/sysmacros.h>

#include "doctor/target/device_files.h"
#include "tests/unit/unit.h"

/* Harmless kernel devices: /dev/null and /dev/zero */
#define OWN 3
#define OTHER 5
#define NUMBER(n) makedev(1, n)

static void make_device(const struct unit_dir *root, const char *name, mode_t type, unsigned number)
{
	char path[64];

	(void)mkdirat(root->fd, "dev", 0755);
	(void)mkdirat(root->fd, DEVICE_DIR, 0755);
	snprintf(path, sizeof(path), DEVICE_DIR "/%s", name);
	assert_int_equal(mknodat(root->fd, path, type | 0600, NUMBER(number)), 0);
}

static int open_one(const struct unit_dir *root, unsigned device_major)
{
	const struct device_file file = {.name = "uverbs0", .major = device_major, .minor = OWN};

	return device_file_open(root->fd, &file);
}

static const struct open_case {
	const char *name;
	unsigned device_major; /* wanted number */
	mode_t type;           /* of the existing file; 0: a link */
	unsigned number;
	int want; /* 0 or -errno */
} open_cases[] = {
	{"device file: it is opened", 1, S_IFCHR, OWN, 0},
	{"device file: one of another minor number is not", 1, S_IFCHR, OTHER, -ESTALE},
	{"device file: one of another major number is not", 231, S_IFCHR, OWN, -ESTALE},
	{"device file: a FIFO in its place is not", 1, S_IFIFO, 0, -ESTALE},
	{"device file: a block device of its number is not", 1, S_IFBLK, OWN, -ESTALE},
	{"device file: a link does not lead out of the root", 1, 0, 0, -ENOENT},
};

UNIT_ROWS_FOR_ROOT(open_cases)
{
	cleanup_unit_dir root = unit_dir_make();
	cleanup_fd fd = -1;
	struct stat st;

	make_device(&root, row->type ? "uverbs0" : "other", row->type, row->number);
	if (!row->type)
		assert_int_equal(symlinkat("/dev/null", root.fd, DEVICE_DIR "/uverbs0"), 0);
	fd = open_one(&root, row->device_major);
	assert_int_equal(fd < 0 ? fd : 0, row->want);
	assert_true(fd < 0 || (fstat(fd, &st) == 0 && st.st_rdev == NUMBER(OWN)));
}

/* Only verbs devices' files, by number; the kernel says what they are. */
UNIT_TEST_FOR_ROOT("device files: those of verbs devices, by their numbers")
{
	WITH_DIR(root);
	const struct node node = {.root = root.fd, .char_devices = -1};
	struct device_files files;
	struct devices devices = {0};

	unit_write(root.fd, DEVICE_DIR "/uverbs3", "231:195", 0600); /* on a live node */
	make_device(&root, "uverbs10", S_IFCHR, OWN);
	make_device(&root, "uverbs2", S_IFCHR, OTHER);
	make_device(&root, "uverbs4", S_IFBLK, OWN);
	make_device(&root, "umad0", S_IFCHR, OWN);
	assert_int_equal(device_files_read(&arena, &node, root.fd, &files, &devices, &err), 0);
	assert_true(files.readable);
	assert_false(files.rdma_cm);
	assert_int_equal(files.n, 2);
	assert_string_equal(files.item[0].name, "uverbs2");
	assert_true(files.item[0].major == 1 && files.item[0].minor == OTHER);
	assert_string_equal(files.item[1].name, "uverbs10");
	assert_true(files.item[1].major == 1 && files.item[1].minor == OWN);
	assert_int_equal(devices.n, 0);
	make_device(&root, "rdma_cm", S_IFCHR, OTHER);
	assert_int_equal(device_files_read(&arena, &node, root.fd, &files, &devices, &err), 0);
	assert_true(files.rdma_cm);
	assert_int_equal(device_files_read(&arena, &node, -1, &files, &devices, &err), 0);
	assert_false(files.readable || files.rdma_cm || files.n);
}

/* Runs until killed */
static int swap(const void *root)
{
	cleanup_fd fd = openat(((const struct unit_dir *)root)->fd, DEVICE_DIR,
			       O_PATH | O_DIRECTORY | O_CLOEXEC);

	while (renameat2(fd, "uverbs0", fd, "other", RENAME_EXCHANGE) == 0)
		;
	return 1;
}

#define ROUNDS_EACH 2000

/* Until each was met this often: the machine may be busy. */
UNIT_TEST_FOR_ROOT("device file: one that is swapped all the time is never opened as another")
{
	cleanup_unit_dir root = unit_dir_make();
	size_t opened = 0;
	size_t refused = 0;
	size_t wrong = 0;
	pid_t pid;

	make_device(&root, "uverbs0", S_IFCHR, OWN);
	make_device(&root, "other", S_IFCHR, OTHER);
	pid = unit_start(swap, &root);
	while (!wrong && (opened < ROUNDS_EACH || refused < ROUNDS_EACH)) {
		cleanup_fd fd = open_one(&root, 1);
		struct stat st;

		opened += fd >= 0;
		refused += fd == -ESTALE;
		wrong += (fd < 0 && fd != -ESTALE) ||
			 (fd >= 0 && (fstat(fd, &st) < 0 || st.st_rdev != NUMBER(OWN)));
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	return unit_main("device_files");
}
