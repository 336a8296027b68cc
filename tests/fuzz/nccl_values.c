/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the doctor makes of NCCL's lists and files, which a pod's author writes: the same as NCCL
 * itself, by nccl_reader.c. The first line is a list, the rest an nccl.conf.
 */
#include "doctor/nccl/nccl_list.h"
#include "doctor/nccl/nccl_settings.h"
#include "fuzz.h"
#include "nccl_reader.h"

static void check_list(const char *text)
{
	static const char *const names[] = {"mlx5_1", "mlx5_10", "eth0", "=", ":", "m"};
	struct nccl_list list;

	nccl_list_parse(text, &list);
	promise(list.n <= NCCL_LIST_MAX);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (int port = -1; port <= 2; port++)
			promise(nccl_list_selects(&list, names[i], port) ==
				nccl_selects(text, names[i], port));
	}
}

/* NCCL 2.24 and later keep 1023 bytes of each, cut long lines and drop a CR: not to be copied. */
static bool is_plain(const char *file)
{
	while (*file) {
		size_t len = strcspn(file, "\n");

		if (len > 1000 || memchr(file, '\r', len))
			return false;
		file += len + (file[len] == '\n');
	}
	return true;
}

static void check_file(struct arena *arena, const char *file)
{
	struct nccl_settings settings = {.arena = arena, .files = ""};
	const struct fs_text text = {arena_strdup(arena, file), strlen(file)};
	char name[1024];
	char value[1024];

	must(nccl_settings_add_file(&settings, "/etc/nccl.conf", &text));
	if (!is_plain(file))
		return;
	for (size_t at = 0; nccl_next_variable(file, strlen(file), NCCL_NEW, &at, name, value);) {
		const struct nccl_setting *setting = nccl_settings_find(&settings, name);

		promise(setting && nccl_file_value(file, strlen(file), NCCL_NEW, name, value) &&
			strcmp(setting->value, value) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_arena arena = {0};

	check_list(fuzz_line(&arena, &data, &size));
	check_file(&arena, arena_strndup(&arena, size ? (const char *)data : "", size));
	return 0;
}
