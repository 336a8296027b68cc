/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our lines put behind those of an image: lines "NAME=value" for ours, an empty line, and the
 * image's /etc/nccl.conf. NCCL then reads all of the image's values, and ours where the image has
 * none.
 */
#include "core/nccl_conf.h"
#include "fuzz.h"
#include "nccl_reader.h"

#define FILE_NAME "etc/nccl.conf"

/* What the config and the plan let through (policy/policy.h) */
static bool is_ours(const char *line)
{
	size_t name = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return name && name < 64 && line[name] == '=' && line[name + 1] &&
	       !text_has_control(line) && strlen(line + name + 1) <= 1023;
}

static struct fs_text read_back(struct arena *arena, int root)
{
	cleanup_fd fd = openat(root, FILE_NAME, O_RDONLY | O_CLOEXEC);
	struct fs_text text;
	struct err err;

	must(fs_read(arena, fd, 1 << 24, FILE_NAME, &text, &err));
	return text;
}

static void check_values(const struct fs_text *image, const struct fs_text *file, const char *lines)
{
	char name[1024];
	char value[1024];
	char want[1024];
	char got[1024];

	for (int version = 0; version < NCCL_VERSIONS; version++) {
		for (size_t at = 0;
		     nccl_next_variable(image->bytes, image->len, version, &at, name, value);)
			promise(nccl_file_value(image->bytes, image->len, version, name, want) &&
				nccl_file_value(file->bytes, file->len, version, name, got) &&
				strcmp(got, want) == 0);
		for (size_t at = 0;
		     nccl_next_variable(lines, strlen(lines), version, &at, name, value);) {
			if (nccl_file_value(image->bytes, image->len, version, name, want))
				continue;
			promise(nccl_file_value(lines, strlen(lines), version, name, want) &&
				nccl_file_value(file->bytes, file->len, version, name, got) &&
				strcmp(got, want) == 0);
		}
	}
}

static void check_merge(int root, const struct fs_text *image, const char *lines)
{
	cleanup_arena arena = {0};
	struct fs_text file;
	struct err err;
	bool changed;

	fuzz_write(root, FILE_NAME, image->bytes, image->len);
	if (nccl_conf_write(root, lines, &changed, &err) < 0) {
		(void)fuzz_failed(&err);
		changed = false;
		lines = "";
	}
	file = read_back(&arena, root);
	promise(changed ||
		(file.len == image->len && memcmp(file.bytes, image->bytes, file.len) == 0));
	/* A block of ours, which such an image was committed with, is not the image's. */
	if (!strstr(image->bytes, "# oci-rdma-hook"))
		check_values(image, &file, lines);
	if (changed) {
		must(nccl_conf_write(root, lines, &changed, &err));
		promise(!changed);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int root = -1;
	cleanup_arena arena = {0};
	const char *lines = "";
	struct fs_text image;

	if (root < 0) {
		root = fuzz_directory();
		must(mkdirat(root, "etc", 0755));
	}
	for (const char *line; *(line = fuzz_line(&arena, &data, &size));) {
		if (is_ours(line))
			lines = arena_printf(&arena, "%s%s\n", lines, line);
	}
	image = fuzz_text(&arena, data, size);
	check_merge(root, &image, lines);
	return 0;
}
