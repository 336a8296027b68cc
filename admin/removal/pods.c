/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "admin/removal/removal.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/json/reader.h"
#include "core/spec/spec.h"

/* What CRI-O writes into a sandbox's config.json, and keeps there from one start to the next */
struct pod {
	const char *type;
	const char *handler;
	const char *name;
	const char *namespace;
};

#define STRING(field)                                                                              \
	{                                                                                          \
		.types = JSON_STRING, JSON_FIELD(STRING, struct pod, field)                        \
	}

static const struct json_shape type = STRING(type);
static const struct json_shape handler = STRING(handler);
static const struct json_shape name = STRING(name);
static const struct json_shape namespace = STRING(namespace);
static const struct json_shape annotations = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"io.kubernetes.cri-o.ContainerType", &type},
		     {"io.kubernetes.cri-o.RuntimeHandler", &handler},
		     {"io.kubernetes.pod.name", &name},
		     {"io.kubernetes.pod.namespace", &namespace}),
};
static const struct json_shape root_shape = {
	.types = JSON_OBJECT,
	JSON_MEMBERS({"annotations", &annotations}),
};

/* The handlers that run the shim, and those that ran it until a drop-in was taken away */
static bool is_ours(const struct crio *crio, const char *called)
{
	const struct crio_handler *found = crio_find_handler(crio, called);

	if (found)
		return names_shim(found->runtime_path);
	return names_handler(called);
}

static const char *or_unknown(const char *text)
{
	return text ? text : "?";
}

/* What is no JSON is no pod that CRI-O could still know. */
static void look_at(struct needs *needs, const char *dir, const char *id)
{
	cleanup_arena arena = {0};
	char *path = arena_printf(&arena, "%s/%s/userdata/config.json", dir, id);
	struct pod pod = {0};
	struct fs_text text;
	struct err ignored;
	int status = path ? tree_read(&arena, needs->root, path, SPEC_SIZE_MAX, &text) : -ENOMEM;

	if (status < 0)
		needs_unread(needs, path ? path : dir, -status);
	if (status < 0 || json_read(&arena, &(struct json_source){path, text.bytes, text.len, 0},
				    &root_shape, &pod, &ignored) < 0)
		return;
	if (pod.type && strcmp(pod.type, "sandbox") == 0 && pod.handler &&
	    is_ours(&needs->crio, pod.handler))
		needs_say(needs,
			  "pod %.253s/%.253s runs under CRI-O's handler %.64s (sandbox %.12s): "
			  "delete the pod first",
			  or_unknown(pod.namespace), or_unknown(pod.name), pod.handler, id);
}

int needs_of_pods(struct needs *needs, struct err *err)
{
	cleanup_dir *dir = NULL;
	const char *id;
	char *path = arena_printf(needs->arena, "%s/overlay-containers", needs->crio.storage);

	if (!path || needs_open(needs, path, &dir) < 0)
		return err_memory(err);
	while ((id = needs_next(needs, dir, path)))
		look_at(needs, path, id);
	return 0;
}
