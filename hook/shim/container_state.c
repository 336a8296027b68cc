/* SPDX-License-Identifier: Apache-2.0 */
#include "hook/shim/container_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/rootless.h"
#include "core/base/text.h"
#include "core/container/container.h"
#include "core/json/document.h"
#include "core/spec/spec.h"
#include "hook/shim/runtime_args.h"

/* crun always uses XDG_RUNTIME_DIR (libcrun/status.c, get_run_directory); runc if rootless, except
 * as root with USER=root in a user namespace (main.go, shouldHonorXDGRuntimeDir). */
static const char *default_root(struct arena *arena, unsigned runtime)
{
	const char *own = getenv("XDG_RUNTIME_DIR");
	const char *user = getenv("USER");
	bool is_own = own && own[0] &&
		      (runtime == CRUN ||
		       (rootless() && (geteuid() != 0 || !user || strcmp(user, "root") != 0)));

	return arena_printf(arena, "%s/%s", is_own ? own : "/run",
			    runtime == CRUN ? "crun" : "runc");
}

/* The last label: runc appends the bundle to the annotations (libcontainer/specconv,
 * CreateLibcontainerConfig), one of which may be called "bundle". */
static int parse_bundle(struct arena *arena, const char *what, const struct fs_text *text,
			const char **ret_bundle, struct err *err)
{
	struct json_document doc;
	const struct json_node *config;
	const struct json_node *last = NULL;
	const char *label;

	if (json_parse(&doc, arena, what, text->bytes, text->len, 0, err) < 0)
		return -1;
	config = json_get(&doc, doc.root, "config", JSON_OBJECT);
	json_each(item, json_get(&doc, config, "labels", JSON_ARRAY))
		last = item;
	label = json_string(&doc, last);
	if (doc.failed)
		return -1;
	if (!label || !text_starts_with(label, "bundle=/"))
		return err_set(err, "%s: the last label is not the bundle", what);
	*ret_bundle = label + strlen("bundle=");
	return 0;
}

/* Returns 1, or 0 if absent. */
static int read_text_file(struct arena *arena, const char *path, const char *name,
			  const char **ret_what, struct fs_text *ret_text, struct err *err)
{
	cleanup_fd dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cleanup_fd fd =
		dir < 0 ? -errno : fs_open(dir, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);

	*ret_what = arena_printf(arena, "%s/%s", path, name);
	if (!*ret_what)
		return err_memory(err);
	if (fd < 0)
		return fd == -ENOENT ? 0 : err_sys(err, -fd, "%s", *ret_what);
	return fs_read_regular(arena, fd, SPEC_SIZE_MAX, *ret_what, ret_text, err) < 0 ? -1 : 1;
}

static int read_config(struct container *container, const struct runtime_args *args,
		       unsigned runtime, struct err *err)
{
	struct arena *arena = &container->arena;
	const char *root = args->root;
	const char *home;
	const char *path;
	const char *what;
	struct fs_text state;
	int status;

	/* The runtime refuses such an id. */
	if (!(args->runtimes & runtime) || strchr(args->id, '/'))
		return 0;
	if (!root)
		root = default_root(arena, runtime);
	path = home = root ? arena_printf(arena, "%s/%s", root, args->id) : NULL;
	if (!home)
		return err_memory(err);
	if (runtime == RUNC) {
		status = read_text_file(arena, home, "state.json", &what, &state, err);
		if (status <= 0)
			return status;
		if (parse_bundle(arena, what, &state, &path, err) < 0)
			return -1;
	}
	status =
		read_text_file(arena, path, "config.json", &container->what, &container->text, err);
	return status == 0 && path != home ? err_sys(err, ENOENT, "%s", container->what) : status;
}

int created_read_process(struct container *container, const struct runtime_args *args,
			 struct err *err)
{
	const struct fs_text *text = &container->text;
	/* Every config.json with a grant has one. */
	static const char *const words[] = {"oci-rdma-hook", "infiniband", "/vfio/",
					    "RLIMIT_MEMLOCK"};
	size_t word = 0;
	int status = read_config(container, args, CRUN, err);

	if (status == 0)
		status = read_config(container, args, RUNC, err);
	if (status <= 0)
		return status;
	while (word < 4 && !memmem(text->bytes, text->len, words[word], strlen(words[word])))
		word++;
	if (word == 4)
		return 0;
	return spec_parse_process(&container->arena, container->what, text->bytes, text->len,
				  &container->spec, err) < 0
		       ? -1
		       : 1;
}
