/* SPDX-License-Identifier: Apache-2.0 */
/* process: its environment, limits and capabilities, and where they stand */
#include "core/base/capability.h"
#include "core/spec/parts.h"

static void read_rlimits(struct json_document *doc, const struct json_node *rlimits,
			 struct spec *spec)
{
	struct spec_places *places = &spec->places;

	places->memlock = json_items(doc, rlimits, sizeof(*places->memlock));
	if (!places->memlock)
		return;
	json_each(item, rlimits) {
		const struct json_node *type = json_get(doc, item, "type", JSON_STRING);
		const struct json_node *soft = json_get(doc, item, "soft", JSON_NUMBER);
		const struct json_node *hard = json_get(doc, item, "hard", JSON_NUMBER);

		/* Whether another resource's values are numbers of bytes does not matter. */
		if (!json_equals(type, "RLIMIT_MEMLOCK"))
			continue;
		spec->has_memlock = true;
		spec->memlock_soft = json_uint64(doc, soft, 0);
		spec->memlock_hard = json_uint64(doc, hard, 0);
		places->memlock[places->n_memlock++] = (struct spec_rlimit){
			json_span(item), spec->memlock_soft, spec->memlock_hard};
	}
}

static void read_capabilities(struct json_document *doc, const struct json_node *capabilities,
			      struct spec *spec)
{
	static const char *const names[SPEC_CAPABILITY_SETS] = {
		[SPEC_BOUNDING] = "bounding",       [SPEC_EFFECTIVE] = "effective",
		[SPEC_PERMITTED] = "permitted",     [SPEC_AMBIENT] = "ambient",
		[SPEC_INHERITABLE] = "inheritable",
	};

	for (size_t set = 0; set < SPEC_CAPABILITY_SETS; set++) {
		const struct json_node *list =
			json_locate(doc, capabilities, names[set], JSON_ARRAY | JSON_NULL,
				    &spec->places.sets[set]);

		json_each(item, list) {
			int number = capability_number(json_string(doc, item));

			/* Ignore unknown capabilities: we never add one that we cannot name. */
			if (number >= 0)
				spec->capabilities[set] |= UINT64_C(1) << number;
		}
	}
}

void spec_read_process(struct json_document *doc, const struct json_node *process,
		       struct spec *spec)
{
	struct spec_places *places = &spec->places;
	const unsigned array = JSON_ARRAY | JSON_NULL;

	spec->env = json_strings(doc, json_locate(doc, process, "env", array, &places->env),
				 &spec->n_env);
	read_rlimits(doc, json_locate(doc, process, "rlimits", array, &places->rlimits), spec);
	read_capabilities(doc,
			  json_locate(doc, process, "capabilities", JSON_OBJECT | JSON_NULL,
				      &places->capabilities),
			  spec);
}
