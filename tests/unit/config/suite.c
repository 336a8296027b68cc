/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

#include "core/base/capability.h"

int load(struct arena *arena, const char *text, struct config *config, struct err *err)
{
	cleanup_unit_dir root = unit_dir_make();

	unit_write(root.fd, CONFIG_PATH, text, 0644);
	return config_load(arena, root.fd, NULL, config, err);
}

static const char *const defaults[FIELDS] = {
	[PATH] = FILE_NAME,
	[OPT_IN] = "annotation",
	[NAMESPACES] = "*,",
	[MEMLOCK] = "18446744073709551615",
	[REQUIRE_MEMORY_LIMIT] = "false",
	[CAPABILITIES] = "CAP_IPC_LOCK,",
	[HCA] = "true",
	[SOCKET_IFNAME] = "null",
	[GID_INDEX] = "auto",
	[GDR_LEVEL] = "null",
	[EXTRA] = "",
	[ON_NO_DEVICE] = "ignore",
	[ON_ERROR] = "warn",
	[PRIVILEGED_SCAN] = "false",
	[SECCOMP] = "warn",
	[RUNTIMES] = "/usr/libexec/crio/crun,/usr/bin/crun,/usr/libexec/crio/runc,/usr/bin/runc,",
	[STATE_DIR] = "/run/oci-rdma-hook",
};

static const char *or_null(const char *text)
{
	return text ? text : "null";
}

static const char *join(struct arena *arena, const char **item, size_t n)
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

static const char *gid_index(struct arena *arena, const struct config *config)
{
	if (config->nccl.gid_index == GID_INDEX_NUMBER)
		return arena_printf(arena, "%u", config->nccl.gid_index_number);
	return config->nccl.gid_index == GID_INDEX_LEGACY ? "legacy" : "auto";
}

static void render(struct arena *arena, const struct config *config, const char *fields[FIELDS])
{
	static const char *const no_device[] = {"ignore", "tcp", "fail"};
	static const char *const boolean[] = {"false", "true"};

	fields[PATH] = config->path;
	fields[OPT_IN] = config->opt_in == OPT_IN_DEVICE ? "device" : "annotation";
	fields[NAMESPACES] = join(arena, config->namespaces, config->n_namespaces);
	fields[MEMLOCK] = arena_printf(arena, "%llu", (unsigned long long)config->memlock);
	fields[REQUIRE_MEMORY_LIMIT] = boolean[config->require_memory_limit];
	fields[CAPABILITIES] = join_capabilities(arena, config->capabilities);
	fields[HCA] = boolean[config->nccl.hca];
	fields[SOCKET_IFNAME] = or_null(config->nccl.socket_ifname);
	fields[GID_INDEX] = gid_index(arena, config);
	fields[GDR_LEVEL] = or_null(config->nccl.gdr_level);
	fields[EXTRA] = join_extra(arena, config);
	fields[ON_NO_DEVICE] = no_device[config->on_no_device];
	fields[ON_ERROR] = config->fail_on_error ? "fail" : "warn";
	fields[PRIVILEGED_SCAN] = boolean[config->privileged_scan];
	fields[SECCOMP] = config->amend_seccomp ? "amend" : "warn";
	fields[RUNTIMES] = join(arena, config->runtimes, config->n_runtimes);
	fields[STATE_DIR] = config->state_dir;
}

void check_fields(const struct config *config, enum field changed, const char *value)
{
	cleanup_arena arena = {0};
	const char *fields[FIELDS];

	render(&arena, config, fields);
	for (int i = 0; i < FIELDS; i++)
		assert_string_equal(fields[i], i == (int)changed ? value : defaults[i]);
}

int main(void)
{
	static struct unit_suite suite;

	add_value_tests(&suite);
	add_error_tests(&suite);
	add_file_tests(&suite);
	add_trust_tests(&suite);
	add_name_tests(&suite);
	return unit_run(&suite, "config");
}
