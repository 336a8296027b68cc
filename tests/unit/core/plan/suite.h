/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in, plan out */
#pragma once

#include "tests/unit/unit.h"

#include "core/plan/plan.h"
#include "core/policy/policy.h"

#define CONFIG_FILE "/etc/oci-rdma-hook/config.json"
#define CHOWN (UINT64_C(1) << 0)
#define IPC_LOCK (UINT64_C(1) << 14)
#define RESOURCE (UINT64_C(1) << 24)
#define NO_CAPABILITY (UINT64_C(1) << 63)
#define UNLIMITED MEMLOCK_UNLIMITED
#define MI (UINT64_C(1024) * 1024)
#define ITEMS_MAX 4
#define ENV_MAX 8

#define SETUP(...) LIST(__VA_ARGS__)
/* Parts of a setup that many rows have */
#define ONE_DEVICE .devices = {{"mlx5_6"}}
#define ASKED .inject = INJECT_ASKED
#define TWO .devices = {{"mlx5_6", "net1"}, {"mlx5_10", "net2"}}
#define TCP_SETUP ASKED, .on_no_device = NO_DEVICE_TCP

/* ---- facts, where 0 and NULL stand for the defaults ---- */

struct port_setup {
	const char *state;
	const char *link_layer;
	int gid_index; /* 0: none */
};

struct device_setup {
	const char *ibdev;
	const char *netdev;
	struct port_setup port[ITEMS_MAX];
	const char *path; /* below sys/devices */
};

struct gpu_setup {
	const char *path;
	const char *model;
};

struct setup {
	/* config */
	enum config_opt_in opt_in;
	const char *allowed; /* a namespace; NULL: "*"; "": none */
	uint64_t memlock;
	bool require_memory_limit;
	uint64_t capabilities;
	bool no_hca;
	const char *ifname;
	const char *gid;
	const char *gdr_level;
	bool gloo;
	bool ucx;
	bool nvshmem;
	bool deepep;
	bool amend_seccomp;
	struct config_variable extra[ITEMS_MAX];
	enum config_no_device on_no_device;
	/* request */
	enum request_inject inject;
	bool by_hook;
	bool excludes_this_container;
	uint64_t less_memlock;
	bool no_nccl;
	/* spec */
	bool sandbox;
	uint64_t memory_limit;
	uint64_t node_memory;
	uint64_t memlock_max;
	uint64_t lacking;
	bool user_namespace;
	bool every_device;
	bool fail_on_error;
	const char *pod_namespace;
	const char *doubt;
	const char *env[ENV_MAX];
	const char *mounts[ITEMS_MAX];
	const char *image_conf; /* its text; NULL: none */
	struct seccomp_profile seccomp;
	bool has_memlock;
	uint64_t soft;
	uint64_t hard;
	uint64_t sets[SPEC_CAPABILITY_SETS];
	/* node */
	struct device_setup devices[ITEMS_MAX];
	const char *vfio[ITEMS_MAX];
	struct gpu_setup gpus[ITEMS_MAX];
};

struct bench {
	struct arena arena;
	struct config config;
	struct request request;
	struct spec spec;
	struct devices devices;
	struct gpus gpus;
	uint64_t node_memory;
	uint64_t memlock_max;
	uint64_t lacking;
	struct fs_text image_conf;
	struct plan plan;
	struct warnings warnings;
};

#define cleanup_bench __attribute__((cleanup(bench_free))) struct bench

void bench_free(struct bench *bench);
void add_device(struct bench *bench, const struct device_setup *from);
/* The decision alone */
void decide_plan(struct bench *bench, struct plan *ret_plan);
void make_plan(struct bench *bench);
void set_up(struct bench *bench, const struct setup *setup);
/* decide_plan() and the rest */
struct bench plan_of(const struct setup *setup);
