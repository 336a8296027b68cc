/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target's main without libFuzzer: TARGET DIRECTORY… runs each file there. TAP on stdout. */
#include <dirent.h>

#include "fuzz.h"

static size_t run_file(int dir, const char *name)
{
	cleanup_arena arena = {0};
	cleanup_fd fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	struct fs_text text;
	struct err err;
	uint8_t *exact;

	if (fs_read_regular(&arena, fd, 1 << 24, name, &text, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	/* Nothing behind the input that may be read */
	exact = malloc(text.len ? text.len : 1);
	promise(exact);
	memcpy(exact, text.bytes, text.len);
	fprintf(stderr, "# %s\n", name);
	(void)LLVMFuzzerTestOneInput(exact, text.len);
	free(exact);
	return 1;
}

static size_t run_directory(const char *path)
{
	cleanup_dir *dir = opendir(path);
	const struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			n += run_file(dirfd(dir), entry->d_name);
	}
	return n;
}

int main(int argc, char **argv)
{
	size_t n = 0;

	for (int i = 1; i < argc; i++)
		n += run_directory(argv[i]);
	printf("%s - %s: %zu inputs\n", n ? "ok" : "not ok", text_base_name(argv[0]), n);
	return n ? 0 : 1;
}
