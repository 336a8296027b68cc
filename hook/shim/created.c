/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "hook/shim/shim.h"

#define CONFIG "config.json" /* crun's copy, and the bundle's */
#define STATE "state.json"   /* runc's */

/*
 * A rootless runc goes by XDG_RUNTIME_DIR, unless it is root in a user namespace, and root by name
 * (main.go, shouldHonorXDGRuntimeDir); crun always does (libcrun/status.c, get_run_directory).
 */
static const char *default_root(struct arena *arena, unsigned runtime)
{
	const char *own = getenv("XDG_RUNTIME_DIR");
	const char *user = getenv("USER");

	if (!own || !own[0])
		own = NULL;
	if (runtime == RUNTIME_CRUN)
		return own ? arena_printf(arena, "%s/crun", own) : "/run/crun";
	if (own && rootless() && (geteuid() != 0 || !user || strcmp(user, "root") != 0))
		return arena_printf(arena, "%s/runc", own);
	return "/run/runc";
}

/* ---- parts of a large JSON text ---- */

static size_t behind_string(const struct fs_text *text, size_t i)
{
	for (i++; i < text->len && text->bytes[i] != '"'; i++)
		i += text->bytes[i] == '\\';
	return i + 1;
}

/* Behind the object or array that begins at i */
static size_t behind_value(const struct fs_text *text, size_t i)
{
	size_t depth = 0;

	while (i < text->len) {
		char c = text->bytes[i];

		if (c == '"') {
			i = behind_string(text, i);
			continue;
		}
		i++;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		if (depth == 0)
			return i;
	}
	return i;
}

static size_t skip_blanks(const struct fs_text *text, size_t i)
{
	while (i < text->len && strchr(" \t\r\n", text->bytes[i]))
		i++;
	return i;
}

/*
 * The object or array that is the object's first member of that key; false if there is none. The
 * runtime has read the whole text: to find a member it is enough to look at quotes and brackets, in
 * a tenth of the time that it takes to read a config.json of 20 KB.
 */
static bool find_member(const struct fs_text *object, const char *key, struct fs_text *ret_value)
{
	size_t key_len = strlen(key);
	size_t i = skip_blanks(object, 0) + 1; /* behind '{' */

	while (i < object->len) {
		char c = object->bytes[i];
		size_t begin;

		if (c == '{' || c == '[') {
			i = behind_value(object, i);
			continue;
		}
		if (c != '"') {
			i++;
			continue;
		}
		begin = i + 1;
		i = behind_string(object, i);
		if (i != begin + key_len + 1 || memcmp(object->bytes + begin, key, key_len) != 0)
			continue;
		begin = skip_blanks(object, i);
		if (begin >= object->len || object->bytes[begin] != ':')
			continue;
		begin = skip_blanks(object, begin + 1);
		if (begin >= object->len || !strchr("{[", object->bytes[begin]))
			return false;
		i = behind_value(object, begin);
		*ret_value = (struct fs_text){object->bytes + begin,
					      (i < object->len ? i : object->len) - begin};
		return true;
	}
	return false;
}

/* ---- runc's state ---- */

/*
 * The bundle, which runc appends as the last of the labels. Those in front of it are the
 * container's annotations, of which a pod's author may call one "bundle" (libcontainer/specconv,
 * CreateLibcontainerConfig).
 */
static int parse_bundle(struct arena *arena, const char *what, const struct fs_text *text,
			const char **ret_bundle, struct err *err)
{
	struct fs_text config;
	struct fs_text labels;
	struct json_document doc;
	const struct json_node *last = NULL;
	const char *label;

	if (!find_member(text, "config", &config) || !find_member(&config, "labels", &labels))
		return err_set(err, "%s: has no labels", what);
	if (json_parse(&doc, arena, what, labels.bytes, labels.len, 0, err) < 0)
		return -1;
	json_each(item, doc.root)
		last = item;
	label = json_string(&doc, last);
	if (doc.failed)
		return -1;
	if (!label || !text_starts_with(label, "bundle=/"))
		return err_set(err, "%s: the last label is not the bundle", what);
	*ret_bundle = label + strlen("bundle=");
	return 0;
}

/* ---- its config.json ---- */

static int read_text_file(struct arena *arena, int dir, const char *path, const char *name,
			  const char **ret_what, struct fs_text *ret_text, struct err *err)
{
	const char *what = arena_printf(arena, "%s/%s", path, name);
	cleanup_fd fd = fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);

	if (!what)
		return err_memory(err);
	if (fd < 0)
		return err_sys(err, -fd, "%s", what);
	*ret_what = what;
	return fs_read_regular(arena, fd, SPEC_SIZE_MAX, what, ret_text, err);
}

/* home: where the runtime keeps what it knows of the container. Returns 1, 0 if there is none, or
 * -1. */
static int read_config(struct container *container, unsigned runtime, const char *home,
		       struct err *err)
{
	struct arena *arena = &container->arena;
	const char *kept = runtime == RUNTIME_CRUN ? CONFIG : STATE;
	cleanup_fd dir = open(home, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd bundle = -1;
	const char *path = home;
	const char *what;
	struct fs_text state;

	if (dir < 0 || faccessat(dir, kept, F_OK, 0) < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", home);
	if (runtime == RUNTIME_RUNC) {
		if (read_text_file(arena, dir, home, STATE, &what, &state, err) < 0 ||
		    parse_bundle(arena, what, &state, &path, err) < 0)
			return -1;
		bundle = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (bundle < 0)
			return err_sys(err, errno, "%s", path);
	}
	return read_text_file(arena, bundle < 0 ? dir : bundle, path, CONFIG, &container->what,
			      &container->text, err) < 0
		       ? -1
		       : 1;
}

static int find_config(struct shim *shim, struct err *err)
{
	static const unsigned runtimes[] = {RUNTIME_CRUN, RUNTIME_RUNC};
	struct arena *arena = &shim->container.arena;
	int status = 0;

	if (strchr(shim->args.id, '/'))
		return 0; /* the runtime will refuse it */
	for (size_t i = 0; status == 0 && i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		const char *root = shim->args.root;
		const char *home;

		if (!(shim->args.runtimes & runtimes[i]))
			continue;
		if (!root)
			root = default_root(arena, runtimes[i]);
		home = root ? arena_printf(arena, "%s/%s", root, shim->args.id) : NULL;
		if (!home)
			return err_memory(err);
		status = read_config(&shim->container, runtimes[i], home, err);
	}
	return status;
}

/* Without our annotation, a hook of ours and a verbs device's file nothing was granted. */
static bool speaks_of_rdma(const struct fs_text *text)
{
	return memmem(text->bytes, text->len, "oci-rdma-hook", strlen("oci-rdma-hook")) ||
	       memmem(text->bytes, text->len, "infiniband", strlen("infiniband"));
}

int created_read_process(struct shim *shim, struct err *err)
{
	struct container *container = &shim->container;
	int found = find_config(shim, err);
	struct fs_text process;

	if (found <= 0)
		return found;
	if (!speaks_of_rdma(&container->text) ||
	    !find_member(&container->text, "process", &process))
		return 0;
	return spec_parse_process(&container->arena, container->what, process.bytes, process.len,
				  &container->spec, err) < 0
		       ? -1
		       : 1;
}
