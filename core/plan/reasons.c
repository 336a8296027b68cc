/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/reasons.h"

#include "core/base/text.h"
#include "core/plan/planning.h"
#include "core/spec/spec.h"

const char *asked_how(const struct planning *p)
{
	return p->request->by_hook ? "asked for by the hook's arguments (" SPEC_ASK ")"
				   : "annotated";
}

const char *namespace_reason(const struct planning *p)
{
	const struct identity *identity = &p->spec->identity;
	const char *name = identity->pod_namespace ? identity->pod_namespace : "(unknown)";
	const char *path = p->config->path;

	if (identity->doubt)
		return arena_printf(p->arena,
				    "the pod's namespace is unknown, and only \"*\" in the "
				    "namespaces of %s would admit it: the container has %s",
				    path, identity->doubt);
	return arena_printf(p->arena, "namespace %s is not among the namespaces of %s", name, path);
}

const char *tcp_reason(const struct planning *p)
{
	return arena_printf(p->arena, "%s, but " NO_DEVICE " (on_no_device: tcp)", asked_how(p));
}

const char *no_device_reason(const struct planning *p)
{
	return arena_printf(p->arena,
			    "%s, but " NO_DEVICE "; if this container needs none, let the "
			    "annotation " SPEC_ANNOTATION_PREFIX "containers name only those that "
			    "do",
			    asked_how(p));
}

const char *memory_reason(const struct planning *p)
{
	unsigned long long limit = p->spec->memory_limit;
	unsigned long long memory = p->node_memory;
	const char *path = p->config->path;

	if (!limit)
		return arena_printf(p->arena, "no memory limit (require_memory_limit in %s)", path);
	if (!memory)
		return arena_printf(p->arena,
				    "the node's memory is not known (/proc/meminfo), so that the "
				    "memory limit may be above it (require_memory_limit in %s)",
				    path);
	return arena_printf(p->arena,
			    "the memory limit of %llu bytes is not below the node's %llu "
			    "(require_memory_limit in %s)",
			    limit, memory, path);
}

const char *shortage_reason(const struct planning *p)
{
	return arena_printf(
		p->arena,
		"RLIMIT_MEMLOCK is %llu bytes at most, since this engine cannot raise its hard "
		"limit: give it CAP_SYS_RESOURCE on the node, or, if it is rootless, set "
		"LimitMEMLOCK=infinity in a drop-in of user@.service, or memlock in "
		"/etc/security/limits.d, and log in again",
		(unsigned long long)p->memlock_max);
}

const char *withheld_reason(struct arena *arena, uint64_t capabilities)
{
	const char *const *name = capability_names(arena, capabilities);
	struct arena_text list = {.arena = arena};

	for (; name && *name; name++)
		arena_append(&list, " %s", *name);
	if (!name || list.failed)
		return NULL;
	return arena_printf(arena,
			    "this engine cannot give%s, which its bounding set lacks: add it to "
			    "CapabilityBoundingSet= of its service, or remove it from "
			    "\"capabilities\" in config.json",
			    list.text);
}
