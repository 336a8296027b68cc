/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's record of a container: whose it is, and when it is no longer believed. By it an exec
 * is granted without a look at its devices. */
#include "hook/shim/shim.h"

#include "tests/unit/unit.h"

#define SECOND UINT64_C(1000000000)

/* What a test has around it: a state directory, a config.json, and a record of it */
struct scene {
	struct unit_dir dir;
	struct arena arena;
	const char *state_dir;
	struct record record; /* to be saved */
	struct record loaded;
	struct err err;
};

static struct scene scene_make(void)
{
	struct scene scene = {.dir = unit_dir_make()};
	struct stat st;

	scene.state_dir = arena_printf(&scene.arena, "%s/state", scene.dir.path);
	unit_write(scene.dir.fd, "config.json", "{}", 0644);
	st = unit_stat(scene.dir.fd, "config.json");
	scene.record = (struct record){
		.bundle = arena_strdup(&scene.arena, scene.dir.path),
		.config = arena_printf(&scene.arena, "%s/config.json", scene.dir.path),
		.root = "/r",
		.pid_file = "/pid",
		.grant = {.memlock = 4096, .capabilities = 1 << 14},
	};
	assert_int_equal(record_identify(&st, &scene.record), 0);
	return scene;
}

static void scene_remove(struct scene *scene)
{
	arena_free(&scene->arena);
	unit_dir_remove(&scene->dir);
}

#define cleanup_scene __attribute__((cleanup(scene_remove))) struct scene

static const struct record_key key = {"abc", "/r", "/usr/bin/crun"};

static int save(struct scene *scene, const struct record_key *whose)
{
	return record_save(scene->state_dir, whose, &scene->record, &scene->err);
}

/* exists: what it must say of that */
static int load(struct scene *scene, const struct record_key *whose, bool exists)
{
	bool said = !exists;
	int status = record_load(&scene->arena, scene->state_dir, whose, &scene->loaded, &said,
				 &scene->err);

	assert_int_equal(said, exists);
	return status;
}

/* The file of that record, below the scene's directory */
static const char *path_of(struct scene *scene, const struct record_key *whose)
{
	struct record_name name;

	assert_int_equal(record_name(whose, &name), 0);
	return arena_printf(&scene->arena, "state/%s", name.text);
}

/* ---- when it is believed ---- */

static void replace_config(const struct scene *scene)
{
	unit_write(scene->dir.fd, "new", "{}", 0644);
	assert_int_equal(renameat(scene->dir.fd, "new", scene->dir.fd, "config.json"), 0);
}

static void link_config(const struct scene *scene)
{
	assert_int_equal(renameat(scene->dir.fd, "config.json", scene->dir.fd, "behind.json"), 0);
	assert_int_equal(symlinkat("behind.json", scene->dir.fd, "config.json"), 0);
}

static void remove_config(const struct scene *scene)
{
	assert_int_equal(unlinkat(scene->dir.fd, "config.json", 0), 0);
}

static const struct config_case {
	const char *name;
	void (*change)(const struct scene *scene);
	unsigned device; /* more than it is */
	bool current;
} config_cases[] = {
	{"the config.json that it was made for", NULL, 0, true},
	{"another file in its place", replace_config, 0, false},
	{"a link in its place, to itself", link_config, 0, false},
	{"nothing in its place", remove_config, 0, false},
	{"a file of that number on another file system", NULL, 1, false},
};

UNIT_ROWS_AS("record: ", config_cases)
{
	cleanup_scene scene = scene_make();

	scene.record.device += row->device;
	if (row->change)
		row->change(&scene);
	assert_int_equal(record_is_current(&scene.record, 0), row->current);
}

/* Nanoseconds since the node's start, in the kernel's clock ticks */
static uint64_t start_of(const char *stat)
{
	FILE *file = fopen(stat, "re");
	char line[1024];
	unsigned long long ticks = 0;

	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	(void)fclose(file);
	assert_int_equal(sscanf(strrchr(line, ')'),
				") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
				"%*d %*d %*d %llu",
				&ticks),
			 1);
	return (uint64_t)ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

static const struct start_case {
	const char *name;
	int64_t made; /* nanoseconds after the process' start */
	bool current;
} start_cases[] = {
	{"made when the process started", 0, true},
	{"made a second later: the clock's ticks are coarse", (int64_t)SECOND, true},
	{"made more than a second later: that process is none of the container's",
	 (int64_t)SECOND + 1, false},
	{"made five minutes earlier, which is as long as a runtime has", -300 * (int64_t)SECOND,
	 true},
	{"made more than five minutes earlier", -300 * (int64_t)SECOND - 1, false},
};

UNIT_ROWS_AS("record: ", start_cases)
{
	cleanup_scene scene = scene_make();
	uint64_t start = start_of("/proc/self/stat");

	if (row->made < 0 && start < (uint64_t)-row->made)
		skip(); /* a machine that runs for less */
	scene.record.created = start + (uint64_t)row->made;
	assert_int_equal(record_is_current(&scene.record, getpid()), row->current);
	assert_true(record_is_current(&scene.record, 0));
}

/* /proc/PID/stat has the name as it is: the start stands in another line then. */
UNIT_TEST("a process' name of two lines changes nothing")
{
	cleanup_scene scene = scene_make();
	char before[16];
	bool current;

	scene.record.created = start_of("/proc/self/stat");
	assert_int_equal(prctl(PR_GET_NAME, before), 0);
	assert_int_equal(prctl(PR_SET_NAME, "a) S 1\n"), 0);
	current = record_is_current(&scene.record, getpid());
	assert_int_equal(prctl(PR_SET_NAME, before), 0);
	assert_true(current);
}

UNIT_TEST("record: a process that is gone is none of the container's")
{
	cleanup_scene scene = scene_make();
	pid_t child = unit_fork();

	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(record_is_current(&scene.record, child));
	scene.record.created = 0; /* a machine's first second */
	assert_false(record_is_current(&scene.record, -1));
	scene.record.created = start_of("/proc/1/stat");
	assert_false(record_is_current(&scene.record, 1));
}

/* ---- whose it is ---- */

UNIT_TEST("record: kept as it was, until it is removed")
{
	static const struct setting settings[] = {{.name = "A", .value = "1"},
						  {.name = "B", .value = "two words"}};
	cleanup_scene scene = scene_make();
	struct record *record = &scene.record;
	struct record *loaded = &scene.loaded;

	record->grant.settings = settings;
	record->grant.n_settings = LENGTH(settings);
	assert_int_equal(save(&scene, &key), 0);
	assert_int_equal(load(&scene, &key, true), 1);
	assert_string_equal(loaded->bundle, record->bundle);
	assert_string_equal(loaded->config, record->config);
	assert_string_equal(loaded->root, "/r");
	assert_string_equal(loaded->pid_file, "/pid");
	assert_int_equal(loaded->device, record->device);
	assert_int_equal(loaded->inode, record->inode);
	assert_int_equal(loaded->created, record->created);
	assert_int_equal(loaded->grant.memlock, 4096);
	assert_int_equal(loaded->grant.capabilities, 1 << 14);
	assert_int_equal(loaded->grant.n_settings, 2);
	assert_string_equal(loaded->grant.settings[1].name, "B");
	assert_string_equal(loaded->grant.settings[1].value, "two words");
	record_remove(scene.state_dir, &key);
	assert_int_equal(load(&scene, &key, false), 0);
}

static const struct key_case {
	const char *name;
	struct record_key saved;
	struct record_key other;
	bool same;
} key_cases[] = {
	{"another id", {"abc", "/r", "crun"}, {"abd", "/r", "crun"}, false},
	{"another --root", {"abc", "/r", "crun"}, {"abc", "/s", "crun"}, false},
	{"--root given, and not", {"abc", "/r", "crun"}, {"abc", "", "crun"}, false},
	{"no --root, another runtime", {"abc", "", "/a/crun"}, {"abc", "", "/a/runc"}, false},
	{"no --root, the runtime elsewhere", {"abc", "", "/a/crun"}, {"abc", "", "/b/crun"}, true},
	{"a --root, another runtime", {"abc", "/r", "/a/crun"}, {"abc", "/r", "/a/runc"}, true},
	{"--root in other words", {"abc", "/usr/none", "c"}, {"abc", "/usr/.//none/./", "c"}, true},
	{"--root, relative", {"abc", "none", "c"}, {"abc", "./none", "c"}, true},
	{"a --root below another", {"abc", "/usr/none", "c"}, {"abc", "/usr/none/x", "c"}, false},
};

UNIT_ROWS_AS("record: whose: ", key_cases)
{
	cleanup_scene scene = scene_make();

	scene.record.root = row->saved.root;
	assert_int_equal(save(&scene, &row->saved), 0);
	assert_int_equal(load(&scene, &row->other, row->same), row->same);
	record_remove(scene.state_dir, &row->other);
	assert_int_equal(load(&scene, &row->saved, !row->same), !row->same);
}

/* A runtime makes its root when it first needs it: what is there of the path decides. */
UNIT_TEST("record: whose: --root behind a link")
{
	cleanup_scene scene = scene_make();
	struct arena *arena = &scene.arena;
	struct record_name name;
	struct record_name behind_link;

	unit_write(scene.dir.fd, "real/there/file", "", 0644);
	assert_int_equal(symlinkat("real", scene.dir.fd, "link"), 0);
	for (const char *const *end = (const char *const[]){"/there", "/there/not", "/a/b/c", NULL};
	     *end; end++) {
		const char *root = arena_printf(arena, "%s/real%s", scene.dir.path, *end);
		const char *other = arena_printf(arena, "%s/link%s", scene.dir.path, *end);

		assert_int_equal(record_name(&(struct record_key){"abc", root, "c"}, &name), 0);
		assert_int_equal(record_name(&(struct record_key){"abc", other, "c"}, &behind_link),
				 0);
		assert_string_equal(name.text, behind_link.text);
	}
}

UNIT_TEST("record: an id is no path")
{
	static const char *const ids[] = {"", "../x", "a/b", "/"};
	cleanup_scene scene = scene_make();

	unit_write(scene.dir.fd, "x.json", "{}", 0600);
	for (size_t i = 0; i < LENGTH(ids); i++) {
		const struct record_key bad = {ids[i], "/r", "crun"};

		assert_int_equal(save(&scene, &bad), -1);
		assert_has(scene.err.text, "is not a container id");
		assert_int_equal(record_prepare(scene.state_dir, &scene.err), 0);
		assert_int_equal(load(&scene, &bad, false), 0);
		record_remove(scene.state_dir, &bad);
	}
	assert_non_null(unit_read(&scene.arena, scene.dir.fd, "x.json"));
}

/* An earlier version's: the name says no --root. */
UNIT_TEST("record: an earlier version's belongs to its --root")
{
	static const struct record_key other = {"abc", "/s", "/usr/bin/crun"};
	cleanup_scene scene = scene_make();
	int dir = scene.dir.fd;

	assert_int_equal(save(&scene, &key), 0);
	assert_int_equal(renameat(dir, path_of(&scene, &key), dir, "state/abc.json"), 0);
	assert_int_equal(load(&scene, &other, false), 0);
	record_remove(scene.state_dir, &other);
	assert_int_equal(load(&scene, &key, true), 1);
	record_remove(scene.state_dir, &key);
	assert_int_equal(load(&scene, &key, false), 0);
}

/* ---- where it is ---- */

UNIT_TEST("record: state_dir is made for us alone, where one is to be written")
{
	cleanup_scene scene = scene_make();
	mode_t before;

	assert_int_equal(load(&scene, &key, false), 0);
	assert_int_equal(unit_stat(scene.dir.fd, "state").st_mode, 0);
	before = umask(0200);
	assert_int_equal(record_prepare(scene.state_dir, &scene.err), 0);
	(void)umask(before);
	assert_int_equal(unit_stat(scene.dir.fd, "state").st_mode & 07777, 0700);
	assert_int_equal(record_prepare(scene.state_dir, &scene.err), 0);
	assert_int_equal(save(&scene, &key), 0);
}

static void make_link(const struct scene *scene)
{
	assert_int_equal(renameat(scene->dir.fd, "state", scene->dir.fd, "elsewhere"), 0);
	assert_int_equal(symlinkat("elsewhere", scene->dir.fd, "state"), 0);
}

static void give_away(const struct scene *scene)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(fchownat(scene->dir.fd, "state", 12345, 12345, 0), 0);
}

static void make_file(const struct scene *scene)
{
	assert_int_equal(renameat(scene->dir.fd, "state", scene->dir.fd, "elsewhere"), 0);
	unit_write(scene->dir.fd, "state", "", 0600);
}

static void give_to_group(const struct scene *scene)
{
	assert_int_equal(fchmodat(scene->dir.fd, "state", 0720, 0), 0);
}

static void give_to_all(const struct scene *scene)
{
	assert_int_equal(fchmodat(scene->dir.fd, "state", 01702, 0), 0);
}

static const struct state_case {
	const char *name;
	void (*change)(const struct scene *scene);
	const char *said;
} state_cases[] = {
	{"one that its group may write", give_to_group, "must belong to root alone"},
	{"one that all may write", give_to_all, "must belong to root alone"},
	{"another's", give_away, "must belong to root alone"},
	{"a link", make_link, "state: Not a directory"},
	{"a file", make_file, "state: Not a directory"},
};

UNIT_ROWS_AS("record: no state_dir: ", state_cases)
{
	cleanup_scene scene = scene_make();

	assert_int_equal(save(&scene, &key), 0);
	row->change(&scene);
	assert_int_equal(load(&scene, &key, false), -1);
	assert_has(scene.err.text, row->said);
	assert_int_equal(record_prepare(scene.state_dir, &scene.err), -1);
	assert_has(scene.err.text, row->said);
	assert_int_equal(save(&scene, &key), -1);
	assert_has(scene.err.text, row->said);
}

UNIT_TEST("record: what cannot be written is said")
{
	cleanup_scene scene = scene_make();
	const char *path = path_of(&scene, &key);

	scene.state_dir = arena_printf(&scene.arena, "%s/none/state", scene.dir.path);
	assert_int_equal(record_prepare(scene.state_dir, &scene.err), -1);
	assert_has(scene.err.text, "none/state: No such file");
	scene.state_dir = arena_printf(&scene.arena, "%s/state", scene.dir.path);
	unit_write(scene.dir.fd, arena_printf(&scene.arena, "%s/in-the-way", path), "", 0600);
	assert_int_equal(save(&scene, &key), -1);
	assert_has(scene.err.text, path);
	assert_has(scene.err.text, "state/abc@");
}

static const struct text_case {
	const char *name;
	const char *text;
} text_cases[] = {
	{"empty", ""},
	{"no config", "{\"bundle\":\"/b\"}"},
	{"no bundle", "{\"config\":\"/c\"}"},
	{"a key that nobody writes", "{\"bundle\":\"/b\",\"config\":\"/c\",\"more\":1}"},
	{"a number that is none", "{\"bundle\":\"/b\",\"config\":\"/c\",\"memlock\":-1}"},
	{"no JSON", "hello"},
	{"cut off", "{\"bundle\":\"/b\",\"config\":\"/c\",\"memlo"},
	{"an array", "[]"},
	{"two values", "{\"bundle\":\"/b\",\"config\":\"/c\"}{}"},
	{"config null", "{\"bundle\":\"/b\",\"config\":null}"},
	{"inode a text", "{\"bundle\":\"/b\",\"config\":\"/c\",\"inode\":\"1\"}"},
	{"env an array", "{\"bundle\":\"/b\",\"config\":\"/c\",\"env\":[]}"},
	{"a value that is no text", "{\"bundle\":\"/b\",\"config\":\"/c\",\"env\":{\"A\":1}}"},
};

/* Not readable is not "none": that container was granted something. */
UNIT_ROWS_AS("record: broken is not none: ", text_cases)
{
	cleanup_scene scene = scene_make();
	const char *path = path_of(&scene, &key);

	assert_int_equal(record_prepare(scene.state_dir, &scene.err), 0);
	unit_write(scene.dir.fd, path, row->text, 0600);
	assert_int_equal(load(&scene, &key, true), -1);
	assert_has(scene.err.text, path);
}

UNIT_TEST("record: broken is not none: a link")
{
	cleanup_scene scene = scene_make();
	const char *path = path_of(&scene, &key);

	assert_int_equal(save(&scene, &key), 0);
	assert_int_equal(renameat(scene.dir.fd, path, scene.dir.fd, "state/real"), 0);
	assert_int_equal(symlinkat("real", scene.dir.fd, path), 0);
	assert_int_equal(load(&scene, &key, true), -1);
	assert_has(scene.err.text, "Too many levels of symbolic links");
}

/* ---- where they are ---- */

#define NOBODY 65534

static bool state_dir_is(const char *state_dir, const char *runtime_dir, const char *want)
{
	const struct config config = {.state_dir = state_dir};
	cleanup_arena arena = {0};

	if (runtime_dir)
		(void)setenv("XDG_RUNTIME_DIR", runtime_dir, 1);
	else
		(void)unsetenv("XDG_RUNTIME_DIR");
	return strcmp(state_dir_find(&arena, &config), want) == 0;
}

/* An engine of root's has its records in /run, whatever its environment says. */
static int look_as_root(UNUSED const void *context)
{
	return !state_dir_is(CONFIG_STATE_DIR, "/run/user/0", CONFIG_STATE_DIR);
}

/* QEMU's emulation has threads, and so makes no user namespace; there another user does as well. */
static int look_without_root(UNUSED const void *context)
{
	if (unshare(CLONE_NEWUSER) < 0 && setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return UNIT_NOT_HERE;
	return !state_dir_is(CONFIG_STATE_DIR, "/run/user/7", "/run/user/7/oci-rdma-hook") ||
	       !state_dir_is(CONFIG_STATE_DIR, NULL, CONFIG_STATE_DIR) ||
	       !state_dir_is(CONFIG_STATE_DIR, "user/7", CONFIG_STATE_DIR) ||
	       !state_dir_is("/srv/records", "/run/user/7", "/srv/records");
}

static void in_a_child(int (*look)(const void *))
{
	assert_int_equal(unit_result_of(look, NULL), 0);
}

UNIT_TEST_FOR_ROOT("record: where: an engine of root's, whatever its environment says")
{
	in_a_child(look_as_root);
}

UNIT_TEST("record: where: an engine of its user's")
{
	in_a_child(look_without_root);
}

int main(void)
{
	return unit_main("record");
}
