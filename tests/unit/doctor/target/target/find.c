/* SPDX-License-Identifier: Apache-2.0 */
/* What the doctor knows of the process or container that it examines */
#include "tests/unit/unit.h"

#include "doctor/target/target.h"
#include "lib/files.h"

#define ID "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define OURS "4026531840"
#define ITS "4026532001"

/* Both namespaces have this number. */
static void link_both(int dir, const char *number, const char *process)
{
	static const char *const names[] = {"net", "mnt"};
	char text[64], path[64];

	for (size_t i = 0; number && i < LENGTH(names); i++) {
		snprintf(text, sizeof(text), "%s:[%s]", names[i], number);
		snprintf(path, sizeof(path), "proc/%s/ns/%s", process, names[i]);
		assert_int_equal(symlinkat(text, dir, path), 0);
	}
}

static void find(struct arena *arena, int root, bool recorded, struct target_choice choice,
		 struct target *ret_target)
{
	struct err err;

	assert_int_equal(target_find(arena, root, recorded, &(struct location){0}, &choice,
				     ret_target, &err),
			 0);
}

static void make_process(int dir)
{
	unit_write(dir, "proc/77/ns/.keep", "", 0644);
	unit_write(dir, "proc/77/environ", "A=1", 0644);
	unit_write(dir, "proc/self/ns/.keep", "", 0644);
}

/* ---- namespaces ---- */

static const struct namespace_case {
	const char *name;
	const char *ours; /* a namespace's number; NULL: not visible */
	const char *its;
	bool recorded;
	bool other; /* enters its network */
	bool container;
} namespace_cases[] = {
	{"target: namespaces of its own", OURS, ITS, false, true, true},
	{"target: the same namespaces", OURS, OURS, false, false, false},
	{"target: namespaces of its own, recorded: nothing to enter", OURS, ITS, true, false, true},
	{"target: its namespaces cannot be seen", OURS, NULL, false, false, false},
	{"target: our namespaces cannot be seen", NULL, ITS, false, false, false},
};

UNIT_ROWS(namespace_cases)
{
	WITH_DIR(dir);
	cleanup_target target = TARGET_NONE;

	make_process(dir.fd);
	link_both(dir.fd, row->ours, "self");
	link_both(dir.fd, row->its, "77");
	find(&arena, dir.fd, row->recorded, (struct target_choice){.pid = 77}, &target);
	assert_int_equal(target.netns, row->its ? strtoull(row->its, NULL, 10) : 0);
	assert_int_equal(target.other_netns, row->other);
	assert_int_equal(target.container, row->container);
}

/* ---- a container's process ---- */

#define POD "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define CGROUP "0::/machine.slice/libpod-" ID ".scope\n"
#define STAT "77 (sleep) S 1 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 4242 0 0"

static const struct container_case {
	const char *name;
	const char *pid;
	const char *cgroup; /* NULL: no such file */
	const char *stat;
	bool runs;
} container_cases[] = {
	{"target: its cgroup names the container", "77", CGROUP, NULL, true},
	{"target: its cgroup names the container, below a podman pod's", "77",
	 "0::/libpod_parent/" POD "/libpod-" ID "\n", NULL, true},
	{"target: it began when the runtime says, no cgroup to be read", "77", NULL, STAT, true},
	{"target: neither can be read", "77", NULL, NULL, false},
	{"target: the process id is another process' by now", "77", "0::/\n",
	 "77 (sleep) S 1 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 4243 0 0", false},
	{"target: the container has ended", "0", CGROUP, STAT, false},
};

static void make_container(int dir, const struct container_case *row)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "{\"pid\":%s,\"process-start-time\":4242,\"bundle\":\"/bundle\"}", row->pid);
	unit_write(dir, "run/crun/" ID "/status", text, 0600);
	unit_write(dir, "bundle/config.json",
		   "{\"ociVersion\":\"1.0.2\",\"process\":{\"env\":[\"B=2\"]}}", 0600);
	make_process(dir);
	if (row->cgroup)
		unit_write(dir, "proc/77/cgroup", row->cgroup, 0644);
	if (row->stat)
		unit_write(dir, "proc/77/stat", row->stat, 0644);
}

/* A running container's environment is its process', otherwise its spec's. */
UNIT_ROWS(container_cases)
{
	WITH_DIR(dir);
	cleanup_target target = TARGET_NONE;

	make_container(dir.fd, row);
	find(&arena, dir.fd, true, (struct target_choice){.container = ID}, &target);
	assert_int_equal(target.pid, row->runs ? 77 : 0);
	assert_int_equal(target.main_pid, target.pid);
	assert_true(target.container && target.has_spec);
	assert_string_equal(target.env_path,
			    row->runs ? "/proc/77/environ" : "/bundle/config.json");
	assert_string_equal(target_getenv(&target, row->runs ? "A" : "B"), row->runs ? "1" : "2");
}

/* ---- its root ---- */

/* A recorded process' links lead below its directory, not to this machine's root. */
UNIT_TEST("target: the root of a recorded process stays in the tree")
{
	WITH_DIR(dir);
	cleanup_target target = TARGET_NONE;

	make_process(dir.fd);
	unit_write(dir.fd, "proc/77/tree/of/it", "", 0644);
	assert_int_equal(symlinkat("/tree", dir.fd, "proc/77/root"), 0);
	find(&arena, dir.fd, true, (struct target_choice){.pid = 77}, &target);
	assert_true(tree_exists(target.root, "of/it"));
}

UNIT_TEST("target: nothing stays open")
{
	cleanup_arena arena = {0};
	struct target target = TARGET_NONE;
	cleanup_fd root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	find(&arena, root, false, (struct target_choice){0}, &target);
	assert_true(target.proc >= 0 && target.root >= 0);
	target_close(&target);
	assert_int_equal(fcntl(target.proc, F_GETFD), -1);
	assert_int_equal(fcntl(target.root, F_GETFD), -1);
}

int main(void)
{
	return unit_main("target_find");
}
