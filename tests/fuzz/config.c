/* SPDX-License-Identifier: Apache-2.0 */
/* The administrator's config.json. Root's own, but a typing error in it meets every container. */
#include "core/policy/policy.h"
#include "fuzz.h"

static int sysroot = -1;

static int make_sysroot(void)
{
	int fd = fuzz_directory();

	must(mkdirat(fd, "etc", 0755));
	must(mkdirat(fd, "etc/oci-rdma-hook", 0755));
	return fd;
}

static void check_value(const char *value)
{
	promise(!value ||
		(value[0] && !text_has_control(value) && strlen(value) <= CONFIG_VALUE_MAX));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};
	struct config config;
	struct err err;

	if (sysroot < 0)
		sysroot = make_sysroot();
	fuzz_write(sysroot, CONFIG_PATH, (const char *)data, size);
	if (config_load(&arena, sysroot, NULL, &config, &err) < 0)
		return fuzz_failed(&err);
	promise(size <= CONFIG_SIZE_MAX && config.memlock > 0);
	check_value(config.nccl.socket_ifname);
	check_value(config.nccl.gdr_level);
	for (size_t i = 0; i < config.nccl.n_extra; i++) {
		check_value(config.nccl.extra[i].value);
		promise(!strpbrk(config.nccl.extra[i].name, "=\n#"));
	}
	for (size_t i = 0; i < config.n_namespaces; i++)
		promise(config_allows_namespace(&config, config.namespaces[i]));
	promise(config_allows_namespace(&config, "team-a") || config.n_namespaces == 0 ||
		strcmp(config.namespaces[0], "*") != 0);
	promise(config.n_namespaces || !config_allows_namespace(&config, NULL));
	return 0;
}
