/* SPDX-License-Identifier: Apache-2.0 */
#include "core/plan/setting.h"

#include <string.h>

int setting_add(struct arena *arena, const struct facts *facts, struct plan *plan,
		struct warnings *warnings, enum setting_scope scope, const char *name,
		const char *value)
{
	const char *present = spec_getenv(facts->spec, name);
	struct setting setting = {.name = name, .value = value, .scope = scope};
	struct setting *larger;

	if (!value)
		return -1;
	if (strlen(value) > SETTING_VALUE_MAX)
		return warnings_add(arena, warnings, "value_too_long",
				    "%s would be longer than the %d bytes that NCCL reads: not set",
				    name, SETTING_VALUE_MAX);
	if (present)
		setting.state = strcmp(present, value) == 0 ? SETTING_PRESENT : SETTING_KEPT;
	if (setting.state == SETTING_KEPT &&
	    warnings_add(arena, warnings, "env_already_set",
			 "the container's environment sets %s=%.128s, which stays; we would say %s",
			 name, present, value) < 0)
		return -1;
	larger = arena_grow(arena, plan->settings, plan->n_settings, &plan->settings_room,
			    sizeof(*larger));
	if (!larger)
		return -1;
	plan->settings = larger;
	plan->settings[plan->n_settings++] = setting;
	return 0;
}
