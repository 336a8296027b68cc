/* SPDX-License-Identifier: Apache-2.0 */
/* Which file is read, within bounds */
#include "suite.h"

#include <limits.h>

UNIT_TEST("file: an absent one is the defaults")
{
	static const char *const present[] = {"x", "etc/x", "etc/oci-rdma-hook/x"};

	for (size_t i = 0; i < LENGTH(present); i++) {
		WITH_DIR(root);
		struct config config;

		unit_write(root.fd, present[i], "", 0644);
		assert_int_equal(config_load(&arena, root.fd, NULL, &config, &err), 0);
		check_keys(&config, NULL, NULL);
		assert_string_equal(config.path, FILE_NAME);
	}
}

UNIT_TEST("file: a named one must exist")
{
	WITH_DIR(root);
	struct config config;
	const char *path = arena_printf(&arena, "%s/absent.json", root.path);

	assert_true(config_load(&arena, root.fd, path, &config, &err) < 0);
	assert_has(err.text, path);
	assert_has(err.text, "No such file or directory");
	assert_true(config_load(&arena, root.fd, "", &config, &err) < 0);
}

UNIT_TEST("file: a named one is read, and the default is not")
{
	WITH_DIR(root);
	struct config config;
	const char *path = arena_printf(&arena, "%s/named.json", root.path);

	unit_write(root.fd, CONFIG_PATH, "broken", 0644);
	unit_write(root.fd, "named.json", "{\"opt_in\":\"device\"}", 0644);
	assert_int_equal(config_load(&arena, root.fd, path, &config, &err), 0);
	assert_int_equal(config.opt_in, OPT_IN_DEVICE);
	assert_string_equal(config.path, path);
	unit_write(root.fd, "named.json", "{\n\"x\":1}", 0644);
	assert_int_equal(config_load(&arena, root.fd, path, &config, &err), -1);
	assert_has(err.text, arena_printf(&arena, "%s: line 2: x: unknown key", path));
}

/* Relative to the working directory, not to the sysroot */
UNIT_TEST("file: a named one may be relative")
{
	WITH_DIR(root);
	cleanup_fd before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct config config = {0};
	int status;

	unit_write(root.fd, "conf/named.json", "{\"opt_in\":\"device\"}", 0644);
	assert_int_equal(fchdir(root.fd), 0);
	status = config_load(&arena, -1, "conf/named.json", &config, &err);
	assert_int_equal(fchdir(before), 0);
	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	assert_int_equal(config.opt_in, OPT_IN_DEVICE);
	assert_string_equal(config.path, "conf/named.json");
}

UNIT_TEST("file: a path that is too long is an error")
{
	WITH_ARENA;
	struct config config;
	char path[PATH_MAX + 100];

	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_true(config_load(&arena, -1, path, &config, &err) < 0);
	assert_one_line(&err);
}

UNIT_TEST("file: 256 KiB are read, one byte more is not")
{
	for (size_t size = CONFIG_SIZE_MAX; size <= CONFIG_SIZE_MAX + 1; size++) {
		WITH_ARENA;
		struct config config;
		char *text = arena_alloc(&arena, size + 1);
		int status;

		assert_non_null(text);
		memset(text, ' ', size);
		memcpy(text, "{}", 2);
		status = load(&arena, text, &config, &err);
		assert_int_equal(status, size > CONFIG_SIZE_MAX ? -1 : 0);
		if (status < 0)
			assert_has(err.text, FILE_NAME ": larger than 262144 bytes");
	}
}
