/* SPDX-License-Identifier: Apache-2.0 */
/* plan_decide() for any container, policy, request and devices: "no proven device, no grant", and
 * who may fail. memlock_raise() for any limit. Not looked into: texts, and the list of namespaces
 * (tests/proof/namespaces.c). */
#include "core/plan/plan.c"
#include "core/process/memlock.c"

#include "tests/proof/any.h"

struct spec nondet_spec(void);
struct config nondet_config(void);
struct request nondet_request(void);
struct devices nondet_devices(void);
struct planning nondet_planning(void);

static bool admitted;
static struct arena arena;

STUB(bool, devices_any, (const struct devices *devices), devices->n || devices->n_vfio)

STUB(bool, config_allows_namespace, (const struct config *config, const char *name), admitted)

STUB(int, err_of_arena, (const struct arena *asked, struct err *err), asked->failed ? -1 : 0)

STUB(const char *, asked_how, (const struct planning *p), any_text())
STUB(const char *, namespace_reason, (const struct planning *p), any_text())
STUB(const char *, no_device_reason, (const struct planning *p), any_text())
STUB(const char *, tcp_reason, (const struct planning *p), any_text())
STUB(const char *, memory_reason, (const struct planning *p), any_text())

/* These two lie in the arena: NULL means that there was no memory. */
const char *shortage_reason(const struct planning *p)
{
	const char *text = any_text();

	arena.failed |= !text;
	return text;
}

STUB(const char *, withheld_reason, (struct arena * in, uint64_t capabilities),
     shortage_reason(NULL))
STUB(const char *, devices_count_text, (const struct devices *devices, struct arena *in),
     any_text())
STUB(char *, arena_printf, (struct arena * in, const char *format, ...), any_text())

static void prove_plan(void)
{
	struct spec spec = nondet_spec();
	struct config config = nondet_config();
	struct request request = nondet_request();
	struct devices devices = nondet_devices();
	struct planning p = nondet_planning();
	struct plan plan;
	struct err err;
	bool asks = request.inject == INJECT_ASKED;
	bool device = devices.n || devices.n_vfio;
	bool finite = config.memlock != MEMLOCK_UNLIMITED || request.memlock != MEMLOCK_UNLIMITED;
	uint64_t least = config.memlock < request.memlock ? config.memlock : request.memlock;

	spec.identity.doubt = any_text();
	p.arena = &arena;
	p.spec = &spec;
	p.config = &config;
	p.request = &request;
	p.devices = &devices;
	p.plan = &plan;
	admitted = nondet_bool();
	/* What reading policy and annotations guarantees */
	assume(request.memlock > 0 && config.memlock > 0);
	assume(config.opt_in == OPT_IN_ANNOTATION || config.opt_in == OPT_IN_DEVICE);
	assume(config.on_no_device == NO_DEVICE_IGNORE || config.on_no_device == NO_DEVICE_TCP ||
	       config.on_no_device == NO_DEVICE_FAIL);
	assume(asks || request.inject == INJECT_UNSAID || request.inject == INJECT_REFUSED);

	int status = plan_decide(&p, &err);
	bool grant = plan.decision == DECISION_GRANT;

	prove(!grant || device, "no grant without a proven device");
	prove(!grant || admitted, "no grant in a namespace that the policy does not admit");
	prove(!grant || !spec.identity.sandbox, "no grant to a sandbox");
	prove(!grant || asks || (request.inject == INJECT_UNSAID && config.opt_in == OPT_IN_DEVICE),
	      "no grant that nobody asked for");
	prove(!grant || !request.excludes_this_container,
	      "no grant to another container of the pod");
	prove(!grant || !config.require_memory_limit ||
		      (spec.memory_limit && spec.memory_limit < p.node_memory),
	      "no grant without a required memory limit");
	prove(grant || (!plan.memlock && !plan.adds_rlimit && !plan.capabilities && !plan.granted &&
			!plan.seccomp),
	      "nothing is given without a grant");
	prove(plan.memlock <= least, "no more memlock than the policy and the pod say");
	prove(!(plan.granted & ~config.capabilities),
	      "no capability that the policy does not list");
	prove(!(plan.capabilities & ~plan.granted), "no capability is added that is not granted");
	prove(!plan.granted || devices.n, "no capability by vfio alone");
	prove(!plan.granted || !finite || config.says_capabilities,
	      "beside a finite limit only listed capabilities");
	prove(!plan.fail || plan.decision == DECISION_DENIED, "only a denial fails a container");
	prove(!plan.fail || device || (config.on_no_device == NO_DEVICE_FAIL && asks),
	      "without a device only on_no_device fails a container");
	prove(!plan.fail || asks || config.fail_on_error,
	      "a container that does not ask fails by on_error alone");
	prove(plan.decision != DECISION_TCP ||
		      (!device && config.on_no_device == NO_DEVICE_TCP && asks && admitted),
	      "tcp only without a device, if the policy says so");
	prove(status < 0 || !grant || !config.fail_on_error ||
		      (!plan.low_limit_reason && !plan.missing_capabilities_reason),
	      "with on_error: fail, all or nothing");
	prove(status < 0 || !grant || plan.memlock == least || plan.low_limit_reason,
	      "a grant of less memlock says so");
}

static void prove_raise(void)
{
	struct rlimit64 limit = {nondet_uint64(), nondet_uint64()};
	struct rlimit64 old = limit;
	uint64_t bytes = nondet_uint64();
	bool changed = memlock_raise(&limit, bytes);

	prove(limit.rlim_cur >= old.rlim_cur && limit.rlim_max >= old.rlim_max,
	      "no limit is lowered");
	prove(limit.rlim_cur >= bytes && limit.rlim_max >= bytes, "both limits are high enough");
	prove(changed == (limit.rlim_cur != old.rlim_cur || limit.rlim_max != old.rlim_max),
	      "a change is told");
	prove(changed || (limit.rlim_cur == old.rlim_cur && limit.rlim_max == old.rlim_max),
	      "what is high enough stays");
	prove(limit.rlim_cur <= limit.rlim_max || old.rlim_cur > old.rlim_max,
	      "the soft limit stays within the hard one");
}

int main(void)
{
	prove_plan();
	prove_raise();
	return 0;
}
