/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "core/process/process.h"

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
	{"cgroup: in a podman pod", "0::/libpod_parent/" B "/libpod-" A "\n", true},
	{"cgroup: in a podman pod, by systemd",
	 "0::/machine.slice/machine-libpod_pod_" B ".slice/libpod-" A ".scope/container\n", true},
	{"cgroup: in a podman pod, below another container's",
	 "0::/libpod_parent/" B "/libpod-" B "/libpod-" A "\n", false},
	{"cgroup: below another container's, which made it look like a pod's",
	 "0::/docker/" B "/libpod_parent/" A "/libpod-" A "\n", false},
	{"cgroup: below another container's, whose name is no pod's",
	 "0::/kubepods/pod1/" B "/libpod-" A "\n", false},
	{"cgroup: a part of it", "0::/kubepods/crio-" A "0.scope\n", false},
	{"cgroup: another's", "0::/kubepods/crio-" B ".scope\n", false},
};

UNIT_ROWS(cgroup_cases)
{
	assert_int_equal(cgroup_names(row->cgroups, A), row->names);
}

static const struct id_case {
	const char *name;
	const char *cgroups;
	const char *id; /* the text from the id on; NULL: none */
} id_cases[] = {
	{"id: CRI-O's", "0::/kubepods.slice/crio-" A ".scope\n", A ".scope\n"},
	{"id: containerd's, of several lines the first", "1:a:/x/" A "\n0::/x/" B "\n",
	 A "\n0::/x/" B "\n"},
	{"id: of two the outer one", "0::/docker/" A "/docker/" B "\n", A "/docker/" B "\n"},
	{"id: behind a podman pod's", "0::/libpod_parent/" B "/libpod-" A "\n", A "\n"},
	{"id: behind a podman pod's, by systemd",
	 "0::/machine.slice/machine-libpod_pod_" B ".slice/libpod-" A ".scope\n", A ".scope\n"},
	{"id: one digit more is none", "0::/docker/" A "0\n", NULL},
	{"id: one digit less is none", "0::/docker/" A16 A16 A16 "0123456\n", NULL},
	{"id: none", "0::/system.slice/sshd.service\n", NULL},
	{"id: nothing", "", NULL},
};

UNIT_ROWS(id_cases)
{
	const char *found = cgroup_find_id(row->cgroups, row->cgroups + strlen(row->cgroups));

	if (row->id)
		assert_string_equal(found, row->id);
	else
		assert_null(found);
}

int main(void)
{
	return unit_main("cgroup");
}
