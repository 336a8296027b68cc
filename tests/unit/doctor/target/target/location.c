/* SPDX-License-Identifier: Apache-2.0 */
/* Does the doctor run in a container or on a node? Sign by sign */
#include "tests/unit/unit.h"

#include "doctor/target/target.h"

/* The node's namespace, and another */
#define PID "pid:[4026531836]"
#define CGROUP "cgroup:[4026531835]"
#define PID_2 "pid:[4026532001]"
#define CGROUP_2 "cgroup:[4026532002]"

#define CLUSTER "KUBERNETES_SERVICE_HOST=10.96.0.1"
#define NODE false, "is the first one"

static const struct location_case {
	const char *name;
	const char *file;     /* existing file; NULL: none */
	const char *pid;      /* NULL: unreadable */
	const char *cgroup;   /* likewise */
	const char *variable; /* in the environment, after another; NULL: unreadable */
	bool container;
	const char *evidence;
} location_cases[] = {
	{"location: a node", NULL, PID, CGROUP, "B=2", NODE},
	{"location: podman's file", "run/.containerenv", PID, CGROUP, "B=2", true, "containerenv"},
	{"location: a node made from an image of Docker's", ".dockerenv", PID, CGROUP, "B=2", NODE},
	{"location: Docker's file, another pid namespace", ".dockerenv", PID_2, CGROUP, "B=2", true,
	 "/.dockerenv is there"},
	{"location: Docker's file, another cgroup namespace", ".dockerenv", PID, CGROUP_2, "B=2",
	 true, "/.dockerenv is there"},
	{"location: another pid namespace alone", NULL, PID_2, CGROUP, "B=2", true,
	 "is pid:[4026532001], not the node's"},
	{"location: a pod with the node's pid namespace", NULL, PID, CGROUP_2, CLUSTER, true,
	 "KUBERNETES_SERVICE_HOST is set"},
	{"location: another cgroup namespace, as systemd's", NULL, PID, CGROUP_2, "A" CLUSTER,
	 NODE},
	{"location: …and no environment to be read", NULL, PID, CGROUP_2, NULL, NODE},
	{"location: a node's shell that names a cluster", NULL, PID, CGROUP, CLUSTER, NODE},
	{"location: namespaces that cannot be read", NULL, NULL, NULL, "B=2", false,
	 "cannot be read: taken for the node"},
};

static void make_self(int dir, const struct location_case *row)
{
	cleanup_fd variables = -1;

	unit_write(dir, "run/.keep", "", 0644);
	unit_write(dir, "proc/self/ns/.keep", "", 0644);
	if (row->pid)
		assert_int_equal(symlinkat(row->pid, dir, "proc/self/ns/pid"), 0);
	if (row->cgroup)
		assert_int_equal(symlinkat(row->cgroup, dir, "proc/self/ns/cgroup"), 0);
	if (row->file)
		unit_write(dir, row->file, "", 0644);
	if (!row->variable)
		return;
	/* As the kernel shows it: each variable ends with NUL */
	variables = openat(dir, "proc/self/environ", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(dprintf(variables, "A=1%c%s%c", 0, row->variable, 0) > 0);
}

UNIT_ROWS(location_cases)
{
	WITH_DIR(dir);
	struct location location;

	make_self(dir.fd, row);
	assert_int_equal(location_find(&arena, dir.fd, &location), 0);
	assert_int_equal(location.container, row->container);
	assert_has(location.evidence, row->evidence);
}

int main(void)
{
	return unit_main("location");
}
