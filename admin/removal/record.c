/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/record.h"

#include <fcntl.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/reader.h"

#define RECORD_SIZE_MAX (256 * 1024)
#define HASH_DIGITS 16

/* "<id>@<hash of --root>.json" */
static bool has_name_of_record(const char *name)
{
	const char *hash = strrchr(name, '@');

	return hash && hash != name && strspn(hash + 1, "0123456789abcdef") == HASH_DIGITS &&
	       strcmp(hash + 1 + HASH_DIGITS, ".json") == 0;
}

/* The members that each version of the shim has written, and no other program of ours */
struct old_record {
	const char *bundle;
	const char *config;
	uint64_t inode;
};

static const struct json_shape bundle = {.types = JSON_STRING,
					 JSON_FIELD(STRING, struct old_record, bundle)};
static const struct json_shape config = {.types = JSON_STRING,
					 JSON_FIELD(STRING, struct old_record, config)};
static const struct json_shape inode = {.types = JSON_NUMBER,
					JSON_FIELD(UINT64, struct old_record, inode)};
static const struct json_shape record_shape = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"bundle", &bundle}, {"config", &config}, {"inode", &inode}),
};

/* "<id>.json", as earlier versions called it, may be any program's file: its content decides. */
static bool has_content_of_record(int dir, const char *name)
{
	cleanup_arena arena = {0};
	cleanup_fd fd = fs_open_regular(dir, name);
	struct old_record record = {0};
	struct fs_text text;
	struct err ignored;

	return fd >= 0 &&
	       fs_read_regular(&arena, fd, RECORD_SIZE_MAX, name, &text, &ignored) == 0 &&
	       json_read(&arena, &(struct json_source){name, text.bytes, text.len, 0},
			 &record_shape, &record, &ignored) == 0 &&
	       record.bundle && record.config && record.inode;
}

bool is_record(int dir, const char *name)
{
	if (name[0] == '.')
		return false;
	return has_name_of_record(name) ||
	       (text_ends_with(name, ".json") && has_content_of_record(dir, name));
}
