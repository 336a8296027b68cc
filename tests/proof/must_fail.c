/* SPDX-License-Identifier: Apache-2.0 */
/* Which container the hook keeps from starting: serve_bundle() with the real container_find(),
 * container_plan(), plan_decide(), outcome_decide() and deadline, when every file, device and
 * system call that it asks may answer anything or fail. 2 devices in linux.devices, 1 mounted file.
 * Not looked into: parsers, which fail or give any spec, policy and request; logs. */
#include "core/report/outcome.h"
#include "hook/caller.h"

#define container_read_spec real_read_spec
#define container_names_request real_names_request
#define container_names_device real_names_device
#include "core/container/container.c"
#undef container_read_spec
#undef container_names_request
#undef container_names_device
#define outcome_log real_outcome_log
#include "core/report/outcome.c"
#undef outcome_log
#include "core/container/container_devices.c"
#define plan_fill real_plan_fill
#define plan_nccl_lines real_nccl_lines
#include "core/plan/plan.c"
#undef plan_fill
#undef plan_nccl_lines
#undef WHAT
#include "hook/stage.c"

#include "tests/proof/any.h"

struct config nondet_config(void);
struct request nondet_request(void);

static struct run run;
static struct container *const c = &run.container;
static struct config policy; /* as a file that can be read says it */
static struct request asked; /* as annotations that can be read say it */
static struct spec_device listed[2] = {{.path = "/dev/kfd"}, {.path = "/dev/x"}};
static struct device found[8];
static const char *functions[8] = {"", "", "", "", "", "", "", ""};
static bool names_request;  /* our annotation is in the text of a spec that cannot be parsed, or in
			       the spec */
static bool no_memory;      /* while devices were looked up */
static bool names_device;   /* as is the path of a verbs device */
static bool in_time = true; /* outcome_decide() has not ended yet */

/* ---- what the hook reads ---- */

int container_read_spec(struct container *container, int bundle, const char *path, const char *name,
			struct err *err)
{
	container->text.bytes = any_text();
	container->spec_known = container->text.bytes && nondet_bool();
	return container->spec_known ? 0 : -1;
}

int config_load(struct arena *arena, int sysroot, const char *path, struct config *ret_config,
		struct err *err)
{
	bool readable = nondet_bool();

	*ret_config = readable ? policy : nondet_config();
	return readable ? 0 : -1;
}

int request_read(const struct spec *spec, const char *what, struct request *ret_request,
		 struct err *err)
{
	if (nondet_bool())
		return -1;
	*ret_request = asked;
	return 0;
}

enum node_number node_find_number(const struct node *node, struct arena *arena, int64_t major,
				  int64_t minor, struct devices *devices)
{
	arena->failed |= nondet_bool();
	no_memory |= arena->failed;
	devices->n += nondet_bool();
	devices->n_vfio += nondet_bool();
	return NUMBER_OTHER;
}

void node_find_address(const struct node *node, struct arena *arena, const char *address,
		       struct devices *devices)
{
	devices->n += nondet_bool();
}

void node_find_all(const struct node *node, struct arena *arena, bool vfs_only,
		   struct devices *devices)
{
	devices->n += nondet_bool();
}

size_t spec_addresses(struct arena *arena, const struct spec *spec,
		      const char *const **ret_addresses)
{
	static const char *const one[] = {"a"};

	*ret_addresses = one;
	return nondet_bool();
}

STUB(void, node_read_ports, (const struct node *node, struct arena *arena, struct device *device),
     (void)0)
STUB(void, node_read_gids, (const struct node *node, struct device *device), (void)0)
STUB(void, node_read_host_netdev,
     (const struct node *node, struct arena *arena, struct device *device), (void)0)
STUB(void, node_read_pod_netdevs,
     (const struct node *node, struct arena *arena, struct devices *devices, const char *sandbox),
     (void)0)
STUB(void, pci_read_place, (const struct node *node, struct pci_place *place), (void)0)
STUB(void, devices_sort, (struct devices * devices), (void)0)
STUB(void, nccl_conf_remove_block, (struct fs_text * text), (void)0)

static int any_status(void)
{
	int status = nondet_int();

	assume(status >= -1 && status <= 1);
	return status;
}

STUB(int, any_failure, (void), nondet_bool() ? 0 : -1)
STUB(bool, request_is_made, (const struct spec *spec), names_request || spec->asked)
STUB(bool, container_names_request, (const struct container *container), names_request)
STUB(bool, container_names_device, (const struct container *container), names_device)
STUB(bool, devices_any, (const struct devices *devices), devices->n || devices->n_vfio)
STUB(bool, config_allows_namespace, (const struct config *config, const char *name), nondet_bool())
STUB(bool, spec_device_may_count, (const struct spec_device *device), nondet_bool())
STUB(bool, rootless, (void), nondet_bool())
STUB(bool, text_is, (const char *text, const char *word), nondet_bool())
STUB(bool, text_starts_with, (const char *text, const char *prefix), nondet_bool())
STUB(bool, fs_is_own_root, (int dir), nondet_bool())
STUB(int, node_open, (const char *sysroot, struct node *ret_node, struct err *err), any_failure())
STUB(int, tree_open_root, (const char *path, struct err *err), any_failure())
STUB(int, stat, (const char *path, struct stat *st), any_failure())
STUB(unsigned, gnu_dev_major, (unsigned long number), 0)
STUB(unsigned, gnu_dev_minor, (unsigned long number), 0)
STUB(uint64_t, node_memory, (const struct node *node), nondet_uint64())
STUB(int, openat, (int dir, const char *path, int flags, ...), any_failure())
STUB(void, cleanup_close_fd, (const int *fd), (void)0)
STUB(int, nccl_conf_read,
     (struct arena * arena, int root, struct fs_text *ret_text, struct err *err), any_failure())
STUB(const char *, nccl_conf_mount, (const struct spec *spec), any_text())
STUB(bool, gpu_list_driver, (const struct node *node, struct arena *arena, struct gpus *gpus),
     nondet_bool())
STUB(const char *, text_base_name, (const char *path), path)
STUB(const char *, caller_bundle, (struct arena * arena, pid_t pid), any_text())
STUB(int, open, (const char *path, int flags, ...), any_failure())
STUB(pid_t, getppid, (void), 2)

/* ---- what it does ---- */

STUB(int, plan_fill, (const struct planning *p, struct err *err), any_failure())
STUB(const char *, plan_nccl_lines, (struct arena * arena, const struct plan *plan), any_text())
STUB(void, rccl_conf_link, (int root), (void)0)
STUB(int, process_open,
     (int64_t pid, const char *id, const char *cgroup, int *ret_pidfd, struct err *err),
     any_status())
STUB(int, process_raise_memlock,
     (pid_t pid, int pidfd, uint64_t bytes, bool *ret_changed, struct err *err), any_failure())
STUB(int, nccl_conf_write, (int root, const char *lines, bool *ret_changed, struct err *err),
     any_failure())
STUB(const char *, spec_cgroup_name, (const struct spec *spec), any_text())

void deadline_set_must_fail(bool fail)
{
	prove(!fail || !in_time || !c->devices_known || devices_any(&c->devices) || c->plan.fail,
	      "late: a container without a device starts");
	prove(!fail || !run.outcome.repeats, "late: a container that runs is not failed");
	prove(!fail || c->has_config, "late: without a policy the container starts");
	prove(!fail || policy.fail_on_error || c->plan.fail,
	      "late: the container starts unless the policy says on_error: fail");
}

void outcome_log(struct container *container, const struct outcome *outcome)
{
	in_time = false;
}

/* ---- texts ---- */

STUB(const char *, log_failure,
     (const struct container *container, const char *reason, const char *entry_point), "text")
STUB(void, report_to_caller, (const char *line), (void)0)

STUB(int, err_sys, (struct err * err, int errnum, const char *format, ...), -1)
STUB(int, err_memory, (struct err * err), -1)
STUB(int, err_of_arena, (const struct arena *arena, struct err *err), arena->failed ? -1 : 0)
STUB(char *, arena_printf, (struct arena * arena, const char *format, ...), "text")
STUB(uint64_t, rootless_memlock_max, (void), nondet_uint64())
STUB(const char *, asked_how, (const struct planning *p), any_text())
STUB(const char *, namespace_reason, (const struct planning *p), "text")
STUB(const char *, no_device_reason, (const struct planning *p), "text")
STUB(const char *, tcp_reason, (const struct planning *p), "text")
STUB(const char *, memory_reason, (const struct planning *p), "text")
STUB(const char *, shortage_reason, (const struct planning *p), "text")
STUB(const char *, withheld_reason, (struct arena * arena, uint64_t capabilities), "text")
STUB(const char *, devices_count_text, (const struct devices *devices, struct arena *arena), "text")
STUB(int, warnings_add,
     (struct arena * arena, struct warnings *warnings, const char *code, const char *format, ...),
     0)

int main(void)
{
	static const struct options options = {.sysroot = "/", .ask = false};
	const struct outcome *outcome = &run.outcome;
	const char *source = "/dev/infiniband/uverbs0";
	bool device;
	bool on_no_device;

	policy = nondet_config();
	asked = nondet_request();
	for (int i = 0; i < 2; i++) {
		listed[i].character = nondet_bool();
		listed[i].major = nondet_int64();
		listed[i].minor = nondet_int64();
	}
	names_request = nondet_bool();
	names_device = nondet_bool();
	/* A request that asks is made; a policy and a request have a limit. */
	assume(asked.inject != INJECT_ASKED || names_request);
	assume(policy.memlock > 0 && asked.memlock > 0);
	assume(policy.on_no_device == NO_DEVICE_IGNORE || policy.on_no_device == NO_DEVICE_TCP ||
	       policy.on_no_device == NO_DEVICE_FAIL);
	run.container = CONTAINER_NONE;
	c->devices.item = found;
	c->devices.vfio = functions;
	c->spec.devices = listed;
	c->spec.n_devices = nondet_size();
	c->spec.verbs_sources = &source;
	c->spec.n_verbs_sources = nondet_size();
	c->spec.every_device = nondet_bool();
	c->spec.has_memlock = nondet_bool();
	c->spec.memlock_soft = nondet_uint64();
	c->spec.memlock_hard = nondet_uint64();
	c->spec.memory_limit = nondet_uint64();
	c->spec.identity.sandbox = nondet_bool();
	c->spec.identity.kubernetes = nondet_bool();
	c->spec.user_namespace = nondet_bool();
	c->spec.network_namespace = nondet_bool();
	c->spec.root = any_text();
	c->spec.identity.doubt = any_text();
	assume(c->spec.n_devices <= 2 && c->spec.n_verbs_sources <= 1);
	run.state.bundle = nondet_bool() ? "/bundle" : "";
	run.state.asks = nondet_bool();
	run.outcome.asks = &run.state.asks;
	run.outcome.options = &options;
	run.outcome.repeats = nondet_bool();

	int status = serve_bundle(&run);

	device = devices_any(&c->devices);
	on_no_device = c->plan.fail && asked.inject == INJECT_ASKED &&
		       policy.on_no_device == NO_DEVICE_FAIL;
	prove(status == outcome->must_fail, "the exit status is the outcome");
	prove(!status || !run.outcome.repeats, "a container that runs is not failed");
	prove(!status || !c->devices_known || device || on_no_device,
	      "a container without a device starts, unless on_no_device says fail");
	prove(!c->devices_known || !no_memory,
	      "devices are not known if there was no memory for them");
	prove(!status || c->has_config, "without a policy every container starts");
	prove(!status || policy.fail_on_error || policy.fail_on_denied || on_no_device,
	      "a container fails only by a policy that says fail");
	prove(!status || c->devices_known || policy.fail_on_error,
	      "not examined: a container fails only by on_error");
	prove(!status || c->devices_known || run.state.asks || policy.opt_in == OPT_IN_DEVICE,
	      "not examined: a container that does not ask starts");
	prove(!status || c->devices_known || names_device || (!c->text.bytes && !c->spec_known),
	      "not examined: a container whose text names no verbs device starts");
	prove(!status || outcome->result == RECORD_DENIED || outcome->result == RECORD_FAILED,
	      "a container that fails is denied or failed");
	prove(outcome->reason ||
		      (outcome->result != RECORD_DENIED && outcome->result != RECORD_FAILED),
	      "a denial or failure has a reason");
	return 0;
}
