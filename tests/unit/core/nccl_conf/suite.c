/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

#define SETTINGS_MAX 32

int clear_conf(int root, struct err *err)
{
	bool changed;

	return nccl_conf_write(root, "", &changed, err);
}

int write_conf(int root, const char *lines, bool *ret_changed, struct err *err)
{
	int before = unit_descriptors();
	int status;

	*err = (struct err){0};
	status = nccl_conf_write(root, lines, ret_changed, err);
	assert_int_equal(unit_descriptors(), before);
	return status;
}

void must_change(int root, const char *lines)
{
	struct err err;
	bool changed = false;
	int status = write_conf(root, lines, &changed, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	assert_true(changed);
}

void must_not_change(int root, const char *lines)
{
	ino_t inode = unit_stat(root, CONF).st_ino;
	struct err err;
	bool changed = true;
	int status = write_conf(root, lines, &changed, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(status, 0);
	assert_false(changed);
	assert_true(unit_stat(root, CONF).st_ino == inode);
}

void must_fail(int root, const char *reason)
{
	struct err err;
	bool changed = true;

	assert_int_equal(write_conf(root, LINES, &changed, &err), -1);
	assert_has(err.text, reason);
	assert_has(err.text, "etc");
	assert_one_line(&err);
	assert_false(changed);
}

/* NCCL's setEnvFile (src/misc/param.cc): splits at the first '='; ignores lines without one;
 * setenv(…, 0), so the first of a name wins. '#' in column 0 is a comment since 2.24. */
struct settings {
	const char *name[SETTINGS_MAX];
	const char *value[SETTINGS_MAX];
	size_t n;
};

static void nccl_set(struct settings *settings, const char *name, const char *value)
{
	for (size_t i = 0; i < settings->n; i++) {
		if (strcmp(settings->name[i], name) == 0)
			return;
	}
	assert_true(settings->n < SETTINGS_MAX);
	settings->name[settings->n] = name;
	settings->value[settings->n++] = value;
}

static void nccl_read(struct arena *arena, const char *text, bool comments,
		      struct settings *settings)
{
	char *copy = arena_strdup(arena, text);

	for (char *line; (line = strsep(&copy, "\n"));) {
		char *equals = strchr(line, '=');

		if (!equals || (comments && line[0] == '#'))
			continue;
		*equals = '\0';
		nccl_set(settings, line, equals + 1);
	}
}

static const char *render(struct arena *arena, const struct settings *settings)
{
	const char *text = "";

	for (size_t i = 0; i < settings->n; i++)
		text = arena_printf(arena, "%s[%s]=[%s];", text, settings->name[i],
				    settings->value[i]);
	return text;
}

void check_reading(const char *text, const char *image, const char *lines)
{
	for (int comments = 0; comments < 2; comments++) {
		cleanup_arena arena = {0};
		struct settings want = {.n = 0};
		struct settings got = {.n = 0};

		nccl_read(&arena, image, comments, &want);
		nccl_read(&arena, lines, comments, &want);
		nccl_read(&arena, text, comments, &got);
		assert_string_equal(render(&arena, &got), render(&arena, &want));
	}
}

static const char victim_text[] = "HOST_SECRET=1\n";

struct victim victim_make(void)
{
	struct victim victim = {.dir = unit_dir_make()};

	unit_write(victim.dir.fd, "nccl.conf", victim_text, 0600);
	victim.before = unit_stat(victim.dir.fd, "nccl.conf");
	return victim;
}

void victim_remove(struct victim *victim)
{
	unit_dir_remove(&victim->dir);
}

void must_be_untouched(struct victim *victim)
{
	cleanup_arena arena = {0};
	struct stat now = unit_stat(victim->dir.fd, "nccl.conf");

	assert_true(now.st_ino == victim->before.st_ino);
	assert_int_equal(now.st_mode, victim->before.st_mode);
	assert_int_equal(now.st_uid, victim->before.st_uid);
	assert_true(now.st_mtim.tv_sec == victim->before.st_mtim.tv_sec &&
		    now.st_mtim.tv_nsec == victim->before.st_mtim.tv_nsec);
	assert_string_equal(unit_read(&arena, victim->dir.fd, "nccl.conf"), victim_text);
	assert_int_equal(unit_entries(victim->dir.fd, "."), 1);
}

const char *target_of(struct arena *arena, const char *target, const struct victim *victim)
{
	const char *percent = strchr(target, '%');

	if (!percent)
		return target;
	return arena_printf(arena, "%.*s%s%s", (int)(percent - target), target, victim->dir.path,
			    percent + 1);
}

int main(void)
{
	return unit_main("nccl_conf");
}
