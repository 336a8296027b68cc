/* SPDX-License-Identifier: Apache-2.0 */
/* The shim's memory of the last config that could be read */
#include "hook/shim/shim.h"

#include <limits.h>

#include "tests/unit/unit.h"

/* What a test has around it: a node with a /run, and what is to be remembered on it */
struct scene {
	struct unit_dir dir;
	struct arena arena;
	struct options options;
	const char *runtimes[2];
	struct config chosen;
	struct config loaded;
};

/* *scene stays where it is: its parts point to each other. */
static void scene_make(struct scene *scene)
{
	*scene = (struct scene){.dir = unit_dir_make(), .runtimes = {"/a/crun", "/b/runc"}};
	scene->options.sysroot = scene->dir.path;
	scene->chosen = (struct config){.runtimes = scene->runtimes,
					.n_runtimes = LENGTH(scene->runtimes),
					.state_dir = "/s"};
	assert_int_equal(mkdirat(scene->dir.fd, "run", 0755), 0);
}

static void scene_remove(struct scene *scene)
{
	arena_free(&scene->arena);
	unit_dir_remove(&scene->dir);
}

#define cleanup_scene __attribute__((cleanup(scene_remove))) struct scene

static void save(const struct scene *scene)
{
	last_choice_save(&scene->options, &scene->chosen);
}

static int load(struct scene *scene)
{
	return last_choice_load(&scene->arena, &scene->options, &scene->loaded);
}

/* The one file that is in /run */
static const char *find_link(struct scene *scene)
{
	DIR *stream = fdopendir(openat(scene->dir.fd, "run", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const char *path = NULL;
	const struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream))) {
		if (entry->d_name[0] == '.')
			continue;
		assert_null(path);
		path = arena_printf(&scene->arena, "run/%s", entry->d_name);
	}
	(void)closedir(stream);
	assert_non_null(path);
	return path;
}

UNIT_TEST("last choice: kept for each config")
{
	cleanup_scene scene;
	const struct config *loaded = &scene.loaded;

	scene_make(&scene);
	assert_int_equal(load(&scene), -1);
	save(&scene);
	assert_int_equal(load(&scene), 0);
	assert_string_equal(loaded->state_dir, "/s");
	assert_int_equal(loaded->n_runtimes, 2);
	assert_string_equal(loaded->runtimes[0], "/a/crun");
	assert_string_equal(loaded->runtimes[1], "/b/runc");
	/* Another config's is another one. */
	scene.options.config = "/etc/other.json";
	assert_int_equal(load(&scene), -1);
}

UNIT_TEST("last choice: written where it has changed")
{
	cleanup_scene scene;
	const char *path;
	ino_t inode;

	scene_make(&scene);
	save(&scene);
	path = find_link(&scene);
	inode = unit_stat(scene.dir.fd, path).st_ino;
	save(&scene);
	assert_int_equal(unit_stat(scene.dir.fd, path).st_ino, inode);
	assert_int_equal(unlinkat(scene.dir.fd, path, 0), 0);
	save(&scene);
	assert_string_equal(find_link(&scene), path);
	/* A directory in its place cannot be replaced: nothing else stays, either. */
	assert_int_equal(unlinkat(scene.dir.fd, path, 0), 0);
	assert_int_equal(mkdirat(scene.dir.fd, path, 0755), 0);
	save(&scene);
	assert_string_equal(find_link(&scene), path);
}

/* What a link cannot hold is not remembered. */
UNIT_TEST("last choice: too long for a link")
{
	static char longest[2 * PATH_MAX];
	cleanup_scene scene;
	/* "/s\n", "\n/b/runc" and the NUL */
	const size_t most = PATH_MAX -
			    strlen("/s\n"
				   "\n/b/runc") -
			    1;

	scene_make(&scene);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[0] = '/';
	scene.runtimes[0] = longest;
	save(&scene);
	assert_int_equal(load(&scene), -1);
	longest[most + 1] = '\0';
	save(&scene);
	assert_int_equal(load(&scene), -1);
	longest[most] = '\0';
	save(&scene);
	assert_int_equal(load(&scene), 0);
	assert_string_equal(scene.loaded.runtimes[1], "/b/runc");
	memset(longest, '/', sizeof(longest) - 1);
	scene.options.sysroot = longest;
	save(&scene);
	assert_int_equal(load(&scene), -1);
}

UNIT_TEST("last choice: our own link alone")
{
	cleanup_scene scene;
	const char *path;

	scene_make(&scene);
	save(&scene);
	scene.chosen.state_dir = "/t";
	save(&scene);
	path = find_link(&scene);
	assert_int_equal(load(&scene), 0);
	assert_string_equal(scene.loaded.state_dir, "/t");
	if (geteuid() == 0) {
		assert_int_equal(fchownat(scene.dir.fd, path, 12345, 12345, AT_SYMLINK_NOFOLLOW),
				 0);
		assert_int_equal(load(&scene), -1);
	}
	assert_int_equal(unlinkat(scene.dir.fd, path, 0), 0);
	unit_write(scene.dir.fd, path, "/s\n/a/crun", 0644);
	assert_int_equal(load(&scene), -1);
}

int main(void)
{
	return unit_main("last_choice");
}
