/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/setting.h"

#include <string.h>

#include "core/nccl_conf.h"

/*
 * True if the image's nccl.conf sets it. It is then no part of the plan; otherwise the environment,
 * which NCCL reads before, said otherwise. A mount hides that file. Returns -1 without memory.
 */
static int is_in_image(struct arena *arena, const struct facts *facts, const struct plan *plan,
		       struct warnings *warnings, const char *name, const char *value)
{
	const struct fs_text *conf = facts->image_conf;
	const char *present;
	size_t len = 0;

	if (plan->nccl_conf_mounted || !conf || !conf->bytes)
		return 0;
	present = nccl_conf_value(conf, name, &len);
	if (!present)
		return 0;
	if ((len != strlen(value) || memcmp(present, value, len) != 0) &&
	    warnings_add(arena, warnings, "conf_already_set",
			 "the image's /etc/nccl.conf sets %s=%.*s, which is kept; oci-rdma-hook "
			 "would set %s",
			 name, (int)(len > 128 ? 128 : len), present, value) < 0)
		return -1;
	return 1;
}

static int append(struct arena *arena, struct plan *plan, const struct setting *setting)
{
	struct setting *larger = arena_grow(arena, plan->settings, plan->n_settings,
					    &plan->settings_room, sizeof(*larger));

	if (!larger)
		return -1;
	plan->settings = larger;
	plan->settings[plan->n_settings++] = *setting;
	return 0;
}

int setting_add(struct arena *arena, const struct facts *facts, struct plan *plan,
		struct warnings *warnings, enum setting_scope scope, const char *name,
		const char *value)
{
	const char *present = spec_getenv(facts->spec, name);
	struct setting setting = {.name = name, .value = value, .scope = scope};
	int in_image = 0;

	if (!value)
		return -1;
	if (strlen(value) > CONFIG_VALUE_MAX)
		return warnings_add(arena, warnings, "value_too_long",
				    "%s is not set, because its value would be longer than the %d "
				    "bytes that NCCL reads",
				    name, CONFIG_VALUE_MAX);
	if (present)
		setting.state = strcmp(present, value) == 0 ? SETTING_PRESENT : SETTING_KEPT;
	else if (scope == SCOPE_NCCL)
		in_image = is_in_image(arena, facts, plan, warnings, name, value);
	if (in_image)
		return in_image < 0 ? -1 : 0;
	if (setting.state == SETTING_KEPT &&
	    warnings_add(arena, warnings, "env_already_set",
			 "the container's environment sets %s=%.128s, which is kept; oci-rdma-hook "
			 "would set %s",
			 name, present, value) < 0)
		return -1;
	return append(arena, plan, &setting);
}
