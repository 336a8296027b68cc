/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/reader.h"
#include "core/policy/policy.h"
#include "core/policy/trust.h"

struct reading {
	struct arena *arena;
	const char **runtimes;
	size_t n_runtimes;
	size_t runtimes_room;
	bool has_runtimes; /* to their end */
	const char *state_dir;
};

static int check_absolute(const char *path, struct err *err)
{
	return path[0] == '/' && !text_has_control(path) ? 0 : err_set(err, "not an absolute path");
}

static int take_runtime(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	if (json_append_string(r->arena, value, &r->runtimes, &r->n_runtimes, &r->runtimes_room,
			       err) < 0)
		return -1;
	return check_absolute(r->runtimes[r->n_runtimes - 1], err);
}

static int end_runtimes(void *context, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->has_runtimes = true;
	return 0;
}

static int take_state_dir(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	const char *path;

	if (json_string(r->arena, value, &path, err) < 0 || check_absolute(path, err) < 0)
		return -1;
	r->state_dir = path;
	return 0;
}

static const struct json_shape runtime = {.types = JSON_STRING, .take = take_runtime};
static const struct json_shape runtimes = {
	.types = JSON_ARRAY, .leave = end_runtimes, .each = &runtime};
static const struct json_shape state_dir = {.types = JSON_STRING, .take = take_state_dir};
static const struct json_shape root = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"runtimes", &runtimes}, {"state_dir", &state_dir}),
};

static int read_file(struct arena *arena, const char *sysroot, const char *path,
		     struct fs_text *ret_text, struct err *err)
{
	cleanup_fd dir = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd fd = -1;

	if (dir < 0)
		return -1;
	fd = trust_open(path ? AT_FDCWD : dir, path ? path : CONFIG_PATH, !path, CONFIG_PATH, err);
	if (fd < 0)
		return -1;
	return fs_read_regular(arena, fd, CONFIG_SIZE_MAX, CONFIG_PATH, ret_text, err);
}

enum choice choice_read(struct arena *arena, const char *sysroot, const char *path,
			struct config *config)
{
	struct reading reading = {.arena = arena};
	struct fs_text text;
	struct err ignored;
	bool whole;

	if (read_file(arena, sysroot, path, &text, &ignored) < 0)
		return CHOICE_UNKNOWN;
	whole = json_read(arena,
			  &(struct json_source){CONFIG_PATH, text.bytes, text.len, JSON_COMMENTS},
			  &root, &reading, &ignored) == 0;
	if (!whole && !reading.has_runtimes)
		return CHOICE_UNKNOWN;
	if (reading.has_runtimes) {
		config->runtimes = reading.runtimes;
		config->n_runtimes = reading.n_runtimes;
	}
	if (reading.state_dir)
		config->state_dir = reading.state_dir;
	return whole ? CHOICE_SAID : CHOICE_FRONT;
}

/* ---- which runtime it is ---- */

/* CRI-O's own packages bring their runtimes along, newer than the distribution's; Debian's runc is
 * in sbin. */
static const char *find_installed(struct arena *arena, const char *name, runtimes_can_run *can_run,
				  void *context)
{
	static const char *const dirs[] = {"/usr/libexec/crio", "/usr/bin", "/usr/sbin",
					   "/usr/local/bin", "/usr/local/sbin"};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		const char *path = arena_printf(arena, "%s/%s", dirs[i], name);

		if (path && can_run(context, path))
			return path;
	}
	return NULL;
}

const char *runtimes_named(const char *called)
{
	return text_starts_with(called, SHIM_NAME "-") ? called + strlen(SHIM_NAME "-") : NULL;
}

const char *runtimes_find(struct arena *arena, const struct config *config, const char *called,
			  runtimes_can_run *can_run, void *context)
{
	const char *wanted = runtimes_named(called);

	for (size_t i = 0; i < config->n_runtimes; i++) {
		const char *path = config->runtimes[i];

		if ((!wanted || strcmp(text_base_name(path), wanted) == 0) &&
		    can_run(context, path))
			return path;
	}
	return wanted ? find_installed(arena, wanted, can_run, context) : NULL;
}
