/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/target/container_state.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/tree.h"
#include "core/json/reader.h"

/* runc's state.json holds the whole spec again. */
#define STATE_MAX (16 * 1024 * 1024)

struct search {
	struct arena *arena;
	int root;
	const char *id;
	struct container_state found;
	const char *other; /* a second container that the beginning fits */
	const char *bundle;
};

/* ---- crun and runc ---- */

static int take_label(void *context, const struct json_value *value, struct err *err)
{
	struct search *search = context;
	const char *label;

	/* libcontainer keeps the bundle among its labels (libcontainer/utils, "bundle=PATH"). */
	if (value->type != JSON_STRING)
		return 0;
	if (json_string(search->arena, value, &label, err) < 0)
		return -1;
	if (text_starts_with(label, "bundle="))
		search->bundle = label + strlen("bundle=");
	return 0;
}

static const struct json_shape pid = {.types = JSON_NUMBER,
				      .store = JSON_STORE_INT64,
				      .offset = offsetof(struct search, found.pid)};
static const struct json_shape bundle = {.types = JSON_STRING,
					 .store = JSON_STORE_STRING,
					 .offset = offsetof(struct search, bundle)};
static const struct json_shape label = {.types = ~0U, .take = take_label};
static const struct json_shape labels = {.types = JSON_ARRAY | JSON_NULL, .each = &label};
static const struct json_shape runc_config = {
	.types = JSON_OBJECT, .members = (const struct json_member[]){{"labels", &labels}, {0}}};
static const struct json_shape crun_status = {
	.types = JSON_OBJECT,
	.members = (const struct json_member[]){{"pid", &pid}, {"bundle", &bundle}, {0}}};
static const struct json_shape runc_state = {
	.types = JSON_OBJECT,
	.members = (const struct json_member[]){
		{"init_process_pid", &pid}, {"config", &runc_config}, {0}}};

/* A state that cannot be read is as good as none: there are other places. */
static void read_runtime_state(struct search *search, const char *path)
{
	bool crun = strcmp(text_base_name(path), "status") == 0;
	struct fs_text text;
	struct err ignored;

	if (tree_read(search->arena, search->root, path, STATE_MAX, &text) < 0)
		return;
	if (json_read(search->arena, &(struct json_source){path, text.bytes, text.len, 0},
		      crun ? &crun_status : &runc_state, search, &ignored) < 0)
		return;
	search->found.pid_path = path;
	if (search->bundle)
		search->found.config =
			arena_printf(search->arena, "%s/config.json", search->bundle);
}

/* ---- podman's and CRI-O's storage ---- */

static void read_storage(struct search *search, const char *dir)
{
	char *config = arena_printf(search->arena, "%s/userdata/config.json", dir);
	char *pidfile = arena_printf(search->arena, "%s/userdata/pidfile", dir);
	char line[32];

	if (!config || !pidfile)
		return;
	if (!search->found.config && tree_exists(search->root, config))
		search->found.config = config;
	if (!search->found.pid_path &&
	    tree_read_line(search->root, pidfile, line, sizeof(line)) > 0) {
		search->found.pid = strtoll(line, NULL, 10);
		search->found.pid_path = pidfile;
	}
}

/* ---- the search ---- */

/* An id that is given in full is no beginning of another. */
static bool is_wanted(struct search *search, const char *id)
{
	const char *found = search->found.id;

	if (!found || strcmp(id, found) == 0)
		return true;
	if (strcmp(found, search->id) == 0)
		return false;
	if (strcmp(id, search->id) == 0) {
		search->found = (struct container_state){0};
		search->bundle = NULL;
		search->other = NULL;
		return true;
	}
	search->other = id;
	return false;
}

/*
 * dir: one that has a directory for each container. state: the runtime's file in that, or NULL for
 * storage. Returns 0, or -1 without memory.
 */
static int look_in(struct search *search, const char *dir, const char *state)
{
	const char **ids;
	int n = tree_list(search->arena, search->root, dir, "", &ids);

	for (int i = 0; i < n; i++) {
		char *home = arena_printf(search->arena, "%s/%s", dir, ids[i]);
		char *proof = home ? arena_printf(search->arena, "%s/%s", home,
						  state ? state : "userdata")
				   : NULL;

		if (!proof)
			return -1;
		if (!text_starts_with(ids[i], search->id) || !tree_exists(search->root, proof) ||
		    !is_wanted(search, ids[i]))
			continue;
		search->found.id = ids[i];
		if (state)
			read_runtime_state(search, proof);
		else
			read_storage(search, home);
	}
	return n < 0 ? -1 : 0;
}

/* Each directory below top, with "below" behind it, whose name ends in suffix */
static int look_in_each(struct search *search, const char *top, const char *suffix,
			const char *below, const char *state)
{
	const char **names;
	int n = tree_list(search->arena, search->root, top, suffix, &names);

	for (int i = 0; i < n; i++) {
		char *dir = arena_printf(search->arena, "%s/%s%s", top, names[i], below);

		if (!dir || look_in(search, dir, state) < 0)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static int look_everywhere(struct search *search)
{
	if (look_in(search, "/run/crun", "status") < 0 ||
	    look_in(search, "/run/runc", "state.json") < 0 ||
	    look_in_each(search, "/run/user", "", "/crun", "status") < 0 ||
	    look_in_each(search, "/run/user", "", "/runc", "state.json") < 0 ||
	    look_in_each(search, "/run/containers/storage", "-containers", "", NULL) < 0)
		return -1;
	return look_in_each(search, "/var/lib/containers/storage", "-containers", "", NULL);
}

int container_state_find(struct arena *arena, int root, const char *id,
			 struct container_state *ret_state, struct err *err)
{
	struct search search = {.arena = arena, .root = root, .id = id};

	if (!id[0] || strchr(id, '/') || text_has_control(id))
		return err_set(err, "'%s' is no container id", id);
	if (look_everywhere(&search) < 0)
		return err_memory(err);
	if (!search.found.id)
		return err_set(err,
			       "no container '%s' in /run/crun, /run/runc, /run/user/*/crun and "
			       "/run/containers/storage; `crictl ps` and `podman ps` list them",
			       id);
	if (search.other)
		return err_set(err, "'%s' is the beginning of %s and of %s; give more of the id",
			       id, search.found.id, search.other);
	*ret_state = search.found;
	return 0;
}
