/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

#include "core/base/text.h"

int load(struct arena *arena, const char *text, struct config *config, struct err *err)
{
	cleanup_unit_dir root = unit_dir_make();

	unit_write(root.fd, CONFIG_PATH, text, 0644);
	return config_load(arena, root.fd, NULL, config, err);
}

static const char *or_null(const char *text)
{
	return text ? text : "null";
}

static const char *join(struct arena *arena, const char *const *item, size_t n)
{
	const char *all = "";

	for (size_t i = 0; i < n; i++)
		all = arena_printf(arena, "%s%s,", all, item[i]);
	return all;
}

static const char *join_capabilities(struct arena *arena, uint64_t capabilities)
{
	const char *all = "";

	for (const char *const *names = capability_names(arena, capabilities); *names; names++)
		all = arena_printf(arena, "%s%s,", all, *names);
	return all;
}

static const char *join_extra(struct arena *arena, const struct config *config)
{
	const char *all = "";

	for (size_t i = 0; i < config->nccl.n_extra; i++)
		all = arena_printf(arena, "%s%s=%s,", all, config->nccl.extra[i].name,
				   config->nccl.extra[i].value);
	return all;
}

#define KEYS_MAX 32

struct shown {
	const char *key;
	const char *value;
};

/* A row per key with its value; a row without a key ends it. */
static void show(struct arena *arena, const struct config *config, struct shown shown[KEYS_MAX])
{
	static const char *const no_device[] = {"ignore", "tcp", "fail"};
	static const char *const boolean[] = {"false", "true"};
	const struct shown rows[] = {
		{"opt_in", config->opt_in == OPT_IN_DEVICE ? "device" : "annotation"},
		{"namespaces", join(arena, config->namespaces, config->n_namespaces)},
		{"devices", config->vfio ? "verbs,vfio" : "verbs"},
		{"memlock", arena_printf(arena, "%llu", (unsigned long long)config->memlock)},
		{"require_memory_limit", boolean[config->require_memory_limit]},
		{"capabilities", join_capabilities(arena, config->capabilities)},
		{"nccl.hca", boolean[config->nccl.hca]},
		{"nccl.socket_ifname", or_null(config->nccl.socket_ifname)},
		{"nccl.gid_index", config->nccl.gid_index ? config->nccl.gid_index : "auto"},
		{"nccl.gdr_level", or_null(config->nccl.gdr_level)},
		{"nccl.extra", join_extra(arena, config)},
		{"frameworks.ucx", boolean[config->frameworks.ucx]},
		{"frameworks.nvshmem", boolean[config->frameworks.nvshmem]},
		{"frameworks.deepep", boolean[config->frameworks.deepep]},
		{"frameworks.gloo", boolean[config->frameworks.gloo]},
		{"on_no_device", no_device[config->on_no_device]},
		{"on_denied", config->fail_on_denied ? "fail" : "warn"},
		{"on_error", config->fail_on_error ? "fail" : "warn"},
		{"on_missed", config->on_missed == MISSED_MEND     ? "mend"
			      : config->on_missed == MISSED_REFUSE ? "refuse"
								   : "report"},
		{"privileged_scan", boolean[config->privileged_scan]},
		{"seccomp", config->amend_seccomp ? "amend" : "warn"},
		{0},
	};

	_Static_assert(LENGTH(rows) <= KEYS_MAX, "more keys than there is room for");
	memcpy(shown, rows, sizeof(rows));
}

void check_keys(const struct config *config, const char *changed, const char *value)
{
	WITH_ARENA;
	struct shown found[KEYS_MAX];
	struct shown standard[KEYS_MAX];
	struct config defaults = config_defaults();
	bool met = !changed;

	show(&arena, config, found);
	show(&arena, &defaults, standard);
	for (size_t i = 0; found[i].key; i++) {
		bool this = changed && strcmp(found[i].key, changed) == 0;

		assert_string_equal(found[i].value, this ? value : standard[i].value);
		met |= this;
	}
	assert_true(met);
	assert_string_equal(config->path, FILE_NAME);
}

int main(void)
{
	return unit_main("config");
}
