/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for people: facts in their places, "-" for unknown ones */
#include "tests/unit/unit.h"

#include "core/policy/policy.h"
#include "explain/entry_points.h"
#include "explain/plan_json.h"
#include "explain/plan_text.h"

/* ---- a container that was granted one device ---- */

static const struct port full_port = {.number = 1,
				      .state = "ACTIVE",
				      .link_layer = "Ethernet",
				      .rate_gbps = 400,
				      .gid_index = 3,
				      .gid = "::ffff:10.0.103.6"};
static const struct device full_device = {.ibdev = "mlx5_6",
					  .pci = "0000:3b:02.6",
					  .pf = "0000:3b:00.0",
					  .kind = DEVICE_VF,
					  .source = SOURCE_SRIOV,
					  .netdev = "net1",
					  .place = {.path = "sys/devices/pci0000:3a/0000:3b:02.6",
						    .has_numa_node = true,
						    .numa_node = 1,
						    .iommu = "identity"}};
static const struct gpu full_gpu = {
	.pci = "0000:18:00.0",
	.place = {.path = "sys/devices/pci0000:17/0000:18:00.0", .has_numa_node = true}};

/* Everything that rows change */
struct scene {
	struct container container;
	enum rdma_mode mode;
	struct port ports[2];
	struct device device;
	struct gpu gpu;
	struct setting settings[2];
	struct warning warning;
};

static void set_scene(struct scene *s)
{
	struct container *container = &s->container;

	*s = (struct scene){
		.container = CONTAINER_NONE,
		.mode = RDMA_MODE_SHARED,
		.ports = {full_port, {.number = 2, .gid_index = -1}},
		.device = full_device,
		.gpu = full_gpu,
		.settings = {{.name = "NCCL_IB_HCA", .value = "=mlx5_6"},
			     {.name = "UCX_NET_DEVICES", .value = "mlx5_6:1", .scope = SCOPE_ENV}},
		.warning = {.code = "port_down", .message = "mlx5_6: port 1 is DOWN"},
	};
	s->device.port = s->ports;
	s->device.n_ports = 1;
	container->id = "940942ebb876fe6079df";
	container->spec.identity.name = "trainer";
	container->spec.identity.pod = "h-kim-0";
	container->spec.identity.pod_namespace = "team-a";
	container->devices = (struct devices){.item = &s->device, .n = 1};
	container->plan.decision = DECISION_GRANT;
	container->plan.reason = "1 device";
	container->plan.adds_rlimit = true;
	container->plan.memlock = MEMLOCK_UNLIMITED;
	container->plan.settings = s->settings;
	container->plan.n_settings = 2;
}

/* ---- what each row changes ---- */

/* actions, separated by commas */
#define CHANGE(name, ...)                                                                          \
	static void name(struct scene *s)                                                          \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}                                                                                          \
	struct scene

CHANGE(nothing, (void)s);
CHANGE(longest_names, strcpy(s->ports[0].link_layer, "InfiniBand"),
       strcpy(s->device.ibdev, "rocep59s0f0v6"), strcpy(s->device.netdev, "enp59s0f0v6"));
CHANGE(no_names, s->container.spec.identity.name = NULL, s->container.spec.identity.pod = NULL,
       s->container.spec.identity.pod_namespace = NULL, s->container.id = NULL);
CHANGE(no_namespace, s->container.spec.identity.pod_namespace = NULL);
CHANGE(no_pod_name, s->container.spec.identity.pod = "");
CHANGE(nothing_known_of_the_device,
       s->device = (struct device){.ibdev = "rxe0", .kind = DEVICE_VIRTUAL},
       s->device.source = SOURCE_DEVICE);
CHANGE(no_rate, s->ports[0].rate_gbps = 0);
CHANGE(no_link_layer, s->ports[0].link_layer[0] = '\0');
CHANGE(physical_function, s->device.kind = DEVICE_PF, s->device.source = SOURCE_DRA);
CHANGE(scalable_function, s->device.kind = DEVICE_SF);
CHANGE(two_ports, s->device.n_ports = 2);
CHANGE(exclusive_mode, s->mode = RDMA_MODE_EXCLUSIVE);
CHANGE(a_gpu, s->container.gpus = (struct gpus){.item = &s->gpu, .n = 1});
CHANGE(a_gpu_that_is_nowhere, s->gpu.place = (struct pci_place){0}, a_gpu(s));
CHANGE(bytes, s->container.plan.memlock = 8 << 20);
CHANGE(limit_is_there, s->container.plan.adds_rlimit = false);
CHANGE(no_limit, s->container.plan.memlock = 0);
CHANGE(capability, s->container.plan.capabilities = UINT64_C(1) << 14);
CHANGE(mounted, s->container.plan.nccl_conf_mounted = true);
CHANGE(present_and_kept, s->settings[0].state = SETTING_PRESENT,
       s->settings[1].state = SETTING_KEPT);
CHANGE(seccomp, s->container.plan.seccomp = 1);
CHANGE(denied, s->container.plan.decision = DECISION_DENIED,
       s->container.plan.reason = "namespace team-a is not listed");
CHANGE(tcp, s->container.plan.decision = DECISION_TCP, s->container.devices.n = 0);
CHANGE(warned, s->container.warnings.item = &s->warning, s->container.warnings.n = 1);

struct report_case {
	const char *name;
	void (*change)(struct scene *);
	const char *has;
	const char *lacks;
};

static const struct report_case report_cases[] = {
	{"who it is", nothing, "container  trainer  pod team-a/h-kim-0  id 940942ebb876\n",
	 "940942ebb876f"},
	{"nobody knows who", no_names, "container  (no name)\ndecision   grant: 1 device\n", "pod"},
	{"no namespace", no_namespace, "  pod -/h-kim-0  ", NULL},
	{"no name of the pod", no_pod_name, "  pod team-a/-  ", NULL},
	{"a device", nothing,
	 "  mlx5_6     0000:3b:02.6  0000:3b:00.0  net1      ACTIVE  Ethernet 400G      1  "
	 "identity "
	 " PCIDEVICE_*\n",
	 "exclusive"},
	{"a device of which nothing is known", nothing_known_of_the_device,
	 "  rxe0       -             -             -         -       -                  -  -       "
	 " "
	 " linux.devices\n",
	 "GID"},
	{"a port without a rate", no_rate, " ACTIVE  Ethernet           1 ", "400G"},
	{"a port without a link layer", no_link_layer, " ACTIVE  -                  1 ", "400G"},
	{"a physical function has none itself", physical_function,
	 "0000:3b:02.6  -             net1", "0000:3b:00.0"},
	{"what DRA allocated", physical_function, " SRIOVNETWORK_*\n", "PCIDEVICE_"},
	{"a scalable function has one", scalable_function, "0000:3b:02.6  0000:3b:00.0", NULL},
	{"a GID", nothing, "  mlx5_6 port 1: GID 3 is ::ffff:10.0.103.6 (RoCE v2)\n", "port 2"},
	{"a second port, without a GID", two_ports, "\n    port 2: -, -\n", "port 2: GID"},
	{"the exclusive mode", exclusive_mode, "\ndevices (exclusive to their network namespace)\n",
	 NULL},
	{"a GPU, and how far it is", a_gpu,
	 "\ngpus\n  PCI           NUMA  IOMMU     mlx5_6\n  0000:18:00.0     0  -            SYS\n",
	 NULL},
	{"a GPU of which nothing is known", a_gpu_that_is_nowhere,
	 "  0000:18:00.0     -  -              -\n", NULL},
	{"no GPU", nothing, "\nwhat it gets", "gpus"},
	{"no limit of memlock", nothing,
	 "  RLIMIT_MEMLOCK unlimited                         hook, precreate: main process; shim, "
	 "NRI: exec too\n",
	 "bytes"},
	{"a limit in bytes", bytes, "  RLIMIT_MEMLOCK 8388608 bytes ", "unlimited"},
	{"a limit that is there", limit_is_there,
	 " unlimited                         config.json has it already\n", "main process"},
	{"no limit at all", no_limit, "what it gets", "RLIMIT_MEMLOCK"},
	{"a capability", capability, "  CAP_IPC_LOCK  ", NULL},
	{"no capability", nothing, "what it gets", "CAP_"},
	{"a variable", nothing,
	 "  NCCL_IB_HCA==mlx5_6                              hook: /etc/nccl.conf; shim, "
	 "precreate, NRI: env\n",
	 NULL},
	{"a variable of another library", nothing,
	 "  UCX_NET_DEVICES=mlx5_6:1                         shim, precreate, NRI: env\n", NULL},
	{"a mount over nccl.conf", mounted,
	 "  NCCL_IB_HCA==mlx5_6                              shim, precreate, NRI; a mount "
	 "covers nccl.conf\n",
	 "hook: /etc"},
	{"a mount over nccl.conf is nothing to the other library", mounted,
	 "  UCX_NET_DEVICES=mlx5_6:1                         shim, precreate, NRI: env\n", NULL},
	{"a variable that is there", present_and_kept,
	 "NCCL_IB_HCA==mlx5_6                              the environment has it already\n", NULL},
	{"a variable that stays", present_and_kept,
	 "UCX_NET_DEVICES=mlx5_6:1                         the environment sets another value, "
	 "which is kept\n",
	 NULL},
	{"seccomp", seccomp, "  one more rule in linux.seccomp                   shim, precreate\n",
	 NULL},
	{"no seccomp", nothing, "what it gets", "seccomp"},
	{"denied, so it gets nothing", denied,
	 "decision   denied: namespace team-a is not listed\n", "what it gets"},
	{"TCP, so there is no device", tcp, "what it gets", "\ndevices"},
	{"the columns of a device with udev's names, on InfiniBand", longest_names,
	 "  IBDEV         PCI           PF            NETDEV      PORT    LINK            NUMA  "
	 "IOMMU     NAMED BY\n"
	 "  rocep59s0f0v6 0000:3b:02.6  0000:3b:00.0  enp59s0f0v6 ACTIVE  InfiniBand 400G    1  "
	 "identity  PCIDEVICE_*\n",
	 NULL},
	{"a warning", warned, "\nwarnings\n  port_down: mlx5_6: port 1 is DOWN\n", NULL},
	{"no warning", nothing, "what it gets", "warnings"},
};

static void reads(void (*change)(struct scene *), unsigned ways, const char *has, const char *lacks)
{
	struct scene scene;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	set_scene(&scene);
	change(&scene);
	assert_int_equal(report_text(out, &scene.container, scene.mode, ways), 0);
	assert_int_equal(fclose(out), 0);
	assert_has(text, has);
	if (lacks && strstr(text, lacks)) {
		print_error("# must not hold %s: %s\n", lacks, text);
		fail();
	}
	free(text);
	arena_free(&scene.container.arena);
}

UNIT_ROWS(report_cases)
{
	reads(row->change, 0, row->has, row->lacks);
}

/* installed entry points; 0: none, so all are named. What each gives: tests/cli/entry-points.sh */
static const struct ways_case {
	const char *name;
	void (*change)(struct scene *);
	const char *has;
	const char *lacks;
	unsigned ways;
} ways_cases[] = {
	{"nothing is installed", nothing, "\n  None of these is installed on this node.\n", NULL,
	 0},
	{"the hook alone: nccl.conf", nothing, " hook: /etc/nccl.conf\n", ": env", WAY_HOOK},
	{"the hook alone: nothing for another library", nothing,
	 "UCX_NET_DEVICES=mlx5_6:1                         nothing that is installed on this node "
	 "gives it; shim, precreate, NRI would\n",
	 NULL, WAY_HOOK},
	{"the hook alone, a mount over nccl.conf", mounted,
	 "NCCL_IB_HCA==mlx5_6                              nothing that is installed on this node "
	 "gives it; ",
	 "/etc/nccl.conf", WAY_HOOK},
	{"NRI alone: no seccomp", seccomp,
	 "nothing that is installed on this node gives it; shim, precreate would\n", NULL, WAY_NRI},
	{"precreate: a variable", nothing, "  precreate: env\n", "shim", WAY_PRECREATE},
};

UNIT_ROWS(ways_cases)
{
	reads(row->change, row->ways, row->has, row->lacks);
}

/* /dev/full: each write gives ENOSPC, like a full disk. */
UNIT_TEST("what cannot be written is an error")
{
	FILE *out = fopen("/dev/full", "we");
	struct scene scene;

	assert_non_null(out);
	assert_int_equal(setvbuf(out, NULL, _IONBF, 0), 0);
	set_scene(&scene);
	assert_int_equal(report_text(out, &scene.container, scene.mode, 0), -1);
	assert_int_equal(report_json(out, &scene.container, scene.mode), -1);
	(void)fclose(out);
	arena_free(&scene.container.arena);
}

int main(void)
{
	return unit_main("report");
}
