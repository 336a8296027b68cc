/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

void bench_free(struct bench *bench)
{
	arena_free(&bench->arena);
}

static void set_config(struct bench *bench, const struct setup *setup)
{
	struct config *config = &bench->config;
	const char **names = arena_alloc(&bench->arena, sizeof(*names));

	names[0] = setup->allowed ? setup->allowed : "*";
	*config = (struct config){
		.path = CONFIG_FILE,
		.opt_in = setup->opt_in,
		.namespaces = names,
		.n_namespaces = names[0][0] != '\0',
		.memlock = setup->memlock ? setup->memlock : UNLIMITED,
		.require_memory_limit = setup->require_memory_limit,
		.capabilities = setup->capabilities ? setup->capabilities : IPC_LOCK,
		.on_no_device = setup->on_no_device,
	};
	config->says_capabilities = setup->capabilities != 0;
	if (setup->capabilities == NO_CAPABILITY)
		config->capabilities = 0;
	config->nccl.hca = !setup->no_hca;
	config->nccl.socket_ifname = setup->ifname;
	config->nccl.gid_index = setup->gid;
	config->nccl.gdr_level = setup->gdr_level;
	config->frameworks.gloo = setup->gloo;
	config->frameworks.ucx = setup->ucx;
	config->frameworks.nvshmem = setup->nvshmem;
	config->frameworks.deepep = setup->deepep;
	config->amend_seccomp = setup->amend_seccomp;
	config->fail_on_error = setup->fail_on_error;
	config->nccl.extra = (struct config_variable *)setup->extra;
	while (config->nccl.n_extra < ITEMS_MAX && setup->extra[config->nccl.n_extra].name)
		config->nccl.n_extra++;
}

static void set_spec(struct bench *bench, const struct setup *setup)
{
	struct spec *spec = &bench->spec;

	*spec = (struct spec){
		.identity = {.sandbox = setup->sandbox,
			     .pod_namespace = setup->pod_namespace,
			     .doubt = setup->doubt},
		.memory_limit = setup->memory_limit,
		.env = (const char **)setup->env,
		.mounts = (const char **)setup->mounts,
		.seccomp = setup->seccomp,
		.has_memlock = setup->has_memlock,
		.memlock_soft = setup->soft,
		.memlock_hard = setup->hard,
	};
	bench->node_memory = setup->node_memory;
	memcpy(spec->capabilities, setup->sets, sizeof(spec->capabilities));
	while (spec->n_env < ENV_MAX && setup->env[spec->n_env])
		spec->n_env++;
	while (spec->n_mounts < ITEMS_MAX && setup->mounts[spec->n_mounts])
		spec->n_mounts++;
}

void add_device(struct bench *bench, const struct device_setup *from)
{
	struct device *device = &bench->devices.item[bench->devices.n++];

	snprintf(device->ibdev, sizeof(device->ibdev), "%s", from->ibdev);
	device->place.path = from->path;
	snprintf(device->netdev, sizeof(device->netdev), "%s", from->netdev ? from->netdev : "");
	device->port = arena_alloc(&bench->arena, ITEMS_MAX * sizeof(*device->port));
	for (; device->n_ports < ITEMS_MAX && from->port[device->n_ports].state;
	     device->n_ports++) {
		const struct port_setup *setup = &from->port[device->n_ports];
		struct port *port = &device->port[device->n_ports];

		port->number = (unsigned)device->n_ports + 1;
		port->gid_index = setup->gid_index ? setup->gid_index : -1;
		snprintf(port->state, sizeof(port->state), "%s", setup->state);
		snprintf(port->link_layer, sizeof(port->link_layer), "%s",
			 setup->link_layer ? setup->link_layer : "Ethernet");
	}
}

static struct planning planning_of(struct bench *bench, struct plan *plan)
{
	return (struct planning){
		.arena = &bench->arena,
		.spec = &bench->spec,
		.config = &bench->config,
		.request = &bench->request,
		.devices = &bench->devices,
		.gpus = &bench->gpus,
		.image_conf = &bench->image_conf,
		.node_memory = bench->node_memory,
		.memlock_max = bench->memlock_max,
		.lacking = bench->lacking,
		.plan = plan,
		.warnings = &bench->warnings,
	};
}

void decide_plan(struct bench *bench, struct plan *ret_plan)
{
	struct planning planning = planning_of(bench, ret_plan);
	struct err err = {0};

	/* Poison, so that unset members show */
	memset(ret_plan, 0xff, sizeof(*ret_plan));
	assert_int_equal(plan_decide(&planning, &err), 0);
	assert_string_equal(err.text, "");
}

void make_plan(struct bench *bench)
{
	struct planning planning = planning_of(bench, &bench->plan);
	struct err err = {0};

	assert_int_equal(plan_decide(&planning, &err), 0);
	if (plan_gives(&bench->plan))
		assert_int_equal(plan_fill(&planning, &err), 0);
	assert_string_equal(err.text, "");
	/* The shim's exec passes on only what the config knows. */
	for (size_t i = 0; i < bench->plan.n_settings; i++)
		assert_true(config_knows_variable(&bench->config, bench->plan.settings[i].name));
}

void set_up(struct bench *bench, const struct setup *setup)
{
	set_config(bench, setup);
	set_spec(bench, setup);
	bench->request = (struct request){
		.inject = setup->inject,
		.excludes_this_container = setup->excludes_this_container,
		.by_hook = setup->by_hook,
		.memlock = setup->less_memlock ? setup->less_memlock : UNLIMITED,
		.nccl = !setup->no_nccl,
	};
	bench->memlock_max = setup->memlock_max;
	bench->lacking = setup->lacking;
	if (setup->image_conf)
		bench->image_conf = (struct fs_text){
			.bytes = arena_strdup(&bench->arena, setup->image_conf),
			.len = strlen(setup->image_conf),
		};
	bench->spec.user_namespace = setup->user_namespace;
	bench->spec.every_device = setup->every_device;
	bench->gpus.item = arena_alloc(&bench->arena, ITEMS_MAX * sizeof(struct gpu));
	for (; bench->gpus.n < ITEMS_MAX && setup->gpus[bench->gpus.n].path; bench->gpus.n++) {
		struct gpu *gpu = &bench->gpus.item[bench->gpus.n];

		gpu->place.path = setup->gpus[bench->gpus.n].path;
		snprintf(gpu->model, sizeof(gpu->model), "%s",
			 setup->gpus[bench->gpus.n].model ? setup->gpus[bench->gpus.n].model : "");
	}
	bench->devices.item = arena_alloc(&bench->arena, ITEMS_MAX * sizeof(struct device));
	for (size_t i = 0; i < ITEMS_MAX && setup->devices[i].ibdev; i++)
		add_device(bench, &setup->devices[i]);
	bench->devices.vfio = (const char **)setup->vfio;
	while (bench->devices.n_vfio < ITEMS_MAX && setup->vfio[bench->devices.n_vfio])
		bench->devices.n_vfio++;
}

struct bench plan_of(const struct setup *setup)
{
	struct bench bench = {0};

	set_up(&bench, setup);
	make_plan(&bench);
	return bench;
}

int main(void)
{
	return unit_main("plan");
}
