/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "core/base/proc.h"

#define A16 "0123456789abcdef"
#define A A16 A16 A16 A16
#define B16 "fedcba9876543210"
#define B B16 B16 B16 B16

static const struct cgroup_case {
	const char *name;
	const char *cgroups;
	bool names;
} cgroup_cases[] = {
	{"cgroup: CRI-O's, by systemd", "0::/kubepods.slice/kubepods-pod1.slice/crio-" A ".scope\n",
	 true},
	{"cgroup: containerd's", "0::/kubepods/pod4b3e/" A "\n", true},
	{"cgroup: podman's, and the part that crun adds",
	 "0::/machine.slice/libpod-" A ".scope/container\n", true},
	{"cgroup: in one of several lines", "12:pids:/user.slice\n1:name=systemd:/docker/" A "\n",
	 true},
	{"cgroup: another line's container",
	 "12:pids:/docker/" B "\n1:name=systemd:/docker/" A "\n", true},
	{"cgroup: below another container's", "0::/kubepods/pod1/crio-" B "/" A "\n", false},
	{"cgroup: below another container's, deeper",
	 "0::/machine.slice/libpod-" B ".scope/a/crio-" A ".scope/x\n", false},
	{"cgroup: a part of it", "0::/kubepods/crio-" A "0.scope\n", false},
	{"cgroup: another's", "0::/kubepods/crio-" B ".scope\n", false},
};

static void cgroup_is_named(void **state)
{
	const struct cgroup_case *row = *state;

	assert_int_equal(cgroup_names(row->cgroups, A), row->names);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, cgroup_is_named, cgroup_cases);
	return unit_run(&suite, "cgroup");
}
