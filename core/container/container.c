/* SPDX-License-Identifier: Apache-2.0 */
#include "core/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"

int rootfs_open(int bundle, const char *path, struct err *err)
{
	cleanup_fd root = -1;

	if (!path || !path[0])
		return err_set(err, "config.json: root.path is empty");
	root = openat(bundle, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return err_sys(err, errno, "root.path %s", path);
	/* Measured: a hook that believed a root of "/" wrote the node's own /etc/nccl.conf. */
	if (fs_is_own_root(root))
		return err_set(err, "root.path %s is the node's own root: refused", path);
	return take_fd(&root);
}

void container_free(struct container *container)
{
	cleanup_close_fd(&container->fd);
	cleanup_close_fd(&container->root);
	node_close(&container->node);
	container->node = NODE_NONE;
	container->fd = -1;
	container->root = -1;
	arena_free(&container->arena);
}

int container_parse_spec(struct container *container, const char *what, struct err *err)
{
	container->what = what;
	if (spec_parse(&container->arena, what, container->text.bytes, container->text.len,
		       &container->spec, err) < 0)
		return -1;
	container->spec_known = true;
	if (!container->id)
		container->id = container->spec.identity.id;
	return 0;
}

static int read_spec(struct container *container, int bundle, const char *what, const char *name,
		     struct err *err)
{
	container->fd = fs_open(bundle, name, O_RDONLY | O_NOFOLLOW, RESOLVE_BENEATH);
	if (container->fd < 0)
		return err_sys(err, -container->fd, "%s", what);
	if (fs_read_regular(&container->arena, container->fd, SPEC_SIZE_MAX, what, &container->text,
			    err) < 0)
		return -1;
	return container_parse_spec(container, what, err);
}

/* As the runtime will open it, which follows links and knows no openat2. */
static void read_as_the_runtime(struct container *container, int bundle, const char *name)
{
	cleanup_fd fd = openat(bundle, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	struct err ignored;
	bool more;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    fs_read_up_to(&container->arena, fd, SPEC_SIZE_MAX, name, &container->text, &more,
			  &ignored) < 0)
		container->text = (struct fs_text){0};
}

int container_read_spec(struct container *container, int bundle, const char *path, const char *name,
			struct err *err)
{
	const char *what = arena_printf(&container->arena, "%s/%s", path, name);

	if (!what)
		return err_memory(err);
	if (container->bundle < 0)
		container->bundle = bundle;
	if (read_spec(container, bundle, what, name, err) == 0)
		return 0;
	if (!container->text.bytes)
		read_as_the_runtime(container, bundle, name);
	return -1;
}

bool container_names_request(const struct container *container)
{
	static const char annotation[] = "\"" SPEC_ANNOTATION_PREFIX "inject\"";
	const struct fs_text *text = &container->text;

	if (container->spec_known)
		return request_is_made(&container->spec);
	return text->bytes && memmem(text->bytes, text->len, annotation, strlen(annotation));
}

int container_open_root(struct container *container, struct err *err)
{
	if (container->root < 0)
		container->root = rootfs_open(container->bundle, container->spec.root, err);
	return container->root;
}

int container_load_config_at(struct container *container, int sysroot, const char *path,
			     struct err *err)
{
	if (container->has_config)
		return 0;
	if (config_load(&container->arena, sysroot, path, &container->config, err) < 0)
		return -1;
	container->has_config = true;
	return 0;
}

int container_load_config(struct container *container, const struct options *options,
			  struct err *err)
{
	cleanup_fd sysroot = tree_open_root(options->sysroot, err);

	return sysroot < 0 ? -1
			   : container_load_config_at(container, sysroot, options->config, err);
}
