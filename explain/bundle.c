/* SPDX-License-Identifier: Apache-2.0 */

#include "explain/bundle.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/process/process.h"
#include "lib/files.h"
#include "lib/trusted_link.h"

/* ---- runtimes' state files ---- */

/* runc's state.json repeats the whole spec. */
#define STATE_MAX (16 * 1024 * 1024)
#define CGROUP_MAX (64 * 1024)

/* libcontainer's label "bundle=PATH" (libcontainer/utils) */
static const char *read_labels(struct json_document *doc, const struct json_node *labels)
{
	const char *bundle = NULL;

	json_each(item, labels) {
		const char *label = item->type == JSON_STRING ? json_string(doc, item) : "";

		if (text_starts_with(label, "bundle="))
			bundle = label + strlen("bundle=");
	}
	return bundle;
}

static int state_file_read(struct arena *arena, int root, const char *path,
			   struct state_file *ret_file, struct err *err)
{
	bool crun = strcmp(text_base_name(path), STATE_FILE_CRUN) == 0;
	struct json_document doc;
	const struct json_node *state;
	struct state_file file;
	struct fs_text text;
	int status = tree_read(arena, root, path, STATE_MAX, &text);

	if (status < 0)
		return err_sys(err, -status, "%s", path);
	if (json_parse(&doc, arena, path, text.bytes, text.len, 0, err) < 0)
		return -1;
	state = doc.root;
	file.pid = json_int64(
		&doc, json_get(&doc, state, crun ? "pid" : "init_process_pid", JSON_NUMBER), 0);
	/* Shows pid reuse, as in crun (src/libcrun/status.c) and runc
	 * (libcontainer/container.go). */
	file.start = json_uint64(&doc,
				 json_get(&doc, state,
					  crun ? "process-start-time" : "init_process_start",
					  JSON_NUMBER),
				 0);
	if (crun)
		file.bundle = json_get_string(&doc, state, "bundle");
	else
		file.bundle = read_labels(
			&doc, json_get(&doc, json_get(&doc, state, "config", JSON_OBJECT), "labels",
				       JSON_ARRAY | JSON_NULL));
	if (doc.failed)
		return -1;
	*ret_file = file;
	return 0;
}

/* ---- containers ---- */

#define TASKS "io.containerd.runtime.v2.task"

/* DIR/NAMESPACE/ID (containerd's core/runtime/v2/bundle.go) */
static const char *const task_dirs[] = {
	"/run/containerd/" TASKS,
	"/run/docker/containerd/daemon/" TASKS,
	"/run/k3s/containerd/" TASKS,
	NULL,
};

/* Files that mark a container's directory */
enum keeper { CRUN, RUNC, CONTAINERD, STORAGE };

static const char *const kept[][2] = {
	[CRUN] = {STATE_FILE_CRUN},
	[RUNC] = {STATE_FILE_RUNC},
	[CONTAINERD] = {"config.json", "init.pid"},
	[STORAGE] = {"userdata/config.json", "userdata/pidfile"},
};

static const struct place {
	enum keeper keeper;
	const char *top;
	/* NULL: top itself; else NAME + below for each NAME in top ending in suffix */
	const char *suffix;
	const char *below;
} places[] = {
	{CRUN, "/run/crun", NULL, NULL},
	{RUNC, "/run/runc", NULL, NULL},
	{CRUN, "/run/user", "", "/crun"},
	{RUNC, "/run/user", "", "/runc"},
	{STORAGE, "/run/containers/storage", "-containers", ""},
	{STORAGE, "/var/lib/containers/storage", "-containers", ""},
};

struct search {
	struct arena *arena;
	int root;
	const char *id;
	struct bundle found;
	const char *task; /* if containerd's */
	const char *other;
	const char *untrusted; /* a match others could have written */
	bool lists;
	const char **ids;
	size_t n_ids;
	size_t ids_room;
};

static bool is_trusted(const struct search *search, const char *path)
{
	struct err ignored;
	cleanup_fd fd = trust_open_linked(search->root, path, path, &ignored);

	return fd >= 0;
}

static void accept_config(struct search *search, const char *path)
{
	if (is_trusted(search, path))
		search->found.config = path;
	else if (tree_exists(search->root, path))
		search->found.not_believed = path;
}

/* path is trusted */
static void read_state(struct search *search, const char *path)
{
	struct bundle *found = &search->found;
	struct state_file file = {0};
	struct err ignored;
	char *config;

	/* Other places may have a readable state; the first one wins. */
	if (found->pid_path ||
	    state_file_read(search->arena, search->root, path, &file, &ignored) < 0)
		return;
	found->pid = file.pid;
	found->start = file.start;
	found->pid_path = path;
	if (!file.bundle)
		return;
	config = arena_printf(search->arena, "%s/config.json", file.bundle);
	if (config)
		accept_config(search, config);
}

static void read_files(struct search *search, const char *config, const char *pidfile)
{
	struct bundle *found = &search->found;
	char line[32];

	if (!found->config)
		accept_config(search, config);
	if (!found->pid_path && is_trusted(search, pidfile) &&
	    tree_read_line(search->root, pidfile, line, sizeof(line)) > 0) {
		found->pid = strtoll(line, NULL, 10);
		found->pid_path = pidfile;
	}
}

/* True for the first match, its repetition, or an exact one, which replaces another. */
static bool accept_id(struct search *search, const char *id)
{
	const char *found = search->found.id;

	if (!found || strcmp(id, found) == 0)
		return true;
	if (strcmp(found, search->id) == 0)
		return false;
	if (strcmp(id, search->id) == 0) {
		search->found = (struct bundle){0};
		search->task = NULL;
		search->other = NULL;
		return true;
	}
	search->other = id;
	return false;
}

/* Only containerd's ids are per namespace. False for a second match. */
static bool accept_home(struct search *search, enum keeper keeper, const char *home)
{
	if (keeper != CONTAINERD)
		return true;
	if (search->task) {
		search->other = home;
		return false;
	}
	search->task = home;
	return true;
}

static int look_at_place(struct search *search, enum keeper keeper, const char *home,
			 const char *id)
{
	const char *path[2] = {NULL, NULL};
	bool exists = false;
	bool trusted = false;

	for (size_t i = 0; i < 2 && kept[keeper][i]; i++) {
		path[i] = arena_printf(search->arena, "%s/%s", home, kept[keeper][i]);
		if (!path[i])
			return -1;
		exists |= tree_exists(search->root, path[i]);
		trusted |= is_trusted(search, path[i]);
	}
	if (!trusted) {
		if (exists)
			search->untrusted = home;
		return 0;
	}
	if (!accept_id(search, id) || !accept_home(search, keeper, home))
		return 0;
	search->found.id = id;
	if (path[1])
		read_files(search, path[0], path[1]);
	else
		read_state(search, path[0]);
	return 0;
}

/* ---- search ---- */

static int look_in(struct search *search, enum keeper keeper, const char *dir)
{
	const char **ids;
	int n = tree_list(search->arena, search->root, dir, "", &ids);

	for (int i = 0; search->lists && i < n; i++) {
		const char **added =
			arena_push(search->arena, search->ids, search->n_ids, search->ids_room);

		if (!added)
			return -1;
		*added = ids[i];
	}
	for (int i = 0; !search->lists && i < n; i++) {
		char *home;

		if (!text_starts_with(ids[i], search->id))
			continue;
		home = arena_printf(search->arena, "%s/%s", dir, ids[i]);
		if (!home || look_at_place(search, keeper, home, ids[i]) < 0)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static int look_in_place(struct search *search, const struct place *place)
{
	const char **names;
	int n;

	if (!place->suffix)
		return look_in(search, place->keeper, place->top);
	n = tree_list(search->arena, search->root, place->top, place->suffix, &names);
	for (int i = 0; i < n; i++) {
		char *dir =
			arena_printf(search->arena, "%s/%s%s", place->top, names[i], place->below);

		if (!dir || look_in(search, place->keeper, dir) < 0)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static int say_untrusted(const struct search *search, struct err *err)
{
	cleanup_fd home = tree_open_dir(search->root, search->untrusted);
	struct stat st;

	if (home < 0 || fstat(home, &st) < 0 || st.st_uid == 0 || st.st_uid == geteuid())
		return err_set(err,
			       "container '%s': users other than root can write to %s, so that its "
			       "files are not trusted",
			       search->id, search->untrusted);
	return err_set(err,
		       "container '%s' belongs to uid %u (%s), so only that user trusts its files; "
		       "run this command as that user (the doctor also takes --pid PID)",
		       search->id, st.st_uid, search->untrusted);
}

static int look_everywhere(struct search *search)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (look_in_place(search, &places[i]) < 0)
			return -1;
	}
	for (const char *const *dir = task_dirs; *dir; dir++) {
		const struct place place = {CONTAINERD, *dir, "", ""};

		if (look_in_place(search, &place) < 0)
			return -1;
	}
	return 0;
}

static int say_none(const struct search *search, struct err *err)
{
	if (search->untrusted)
		return say_untrusted(search, err);
	return err_set(err,
		       "no container '%s' was found in crun or runc below /run and /run/user/*, in "
		       "containers/storage below /run and /var/lib, and in the bundles of "
		       "containerd and Docker; list the containers with `crictl ps`, `podman ps`, "
		       "`docker ps` or `ctr -n NAMESPACE containers ls`",
		       search->id);
}

static int say_ambiguous(const struct search *search, struct err *err)
{
	if (search->task && search->other[0] == '/')
		return err_set(err,
			       "'%s' names two containers, in %s and in %s; give the directory of "
			       "one of them",
			       search->id, search->task, search->other);
	return err_set(err, "'%s' is the beginning of two ids, %s and %s; give more of the id",
		       search->id, search->found.id, search->other);
}

int bundle_find(struct arena *arena, int root, const char *id, struct bundle *ret_bundle,
		struct err *err)
{
	struct search search = {.arena = arena, .root = root, .id = id};

	if (!id[0] || strchr(id, '/') || text_has_control(id))
		return err_set(err, "'%s' is not a container id", id);
	if (look_everywhere(&search) < 0)
		return err_memory(err);
	if (!search.found.id)
		return say_none(&search, err);
	if (search.other)
		return say_ambiguous(&search, err);
	*ret_bundle = search.found;
	return 0;
}

bool bundle_has_process(struct arena *arena, int root, const struct bundle *bundle)
{
	char path[64];
	struct fs_text text;

	snprintf(path, sizeof(path), "proc/%" PRId64 "/cgroup", bundle->pid);
	if (bundle->pid > 1 && tree_read(arena, root, path, CGROUP_MAX, &text) == 0 &&
	    cgroup_names(text.bytes, bundle->id))
		return true;
	snprintf(path, sizeof(path), "proc/%" PRId64 "/stat", bundle->pid);
	return bundle->start && bundle->start == process_stat_read(root, path, PROCESS_STAT_START);
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int bundle_each(struct arena *arena, int root,
		int (*look)(void *context, const struct bundle *bundle), void *context)
{
	struct search all = {.arena = arena, .root = root, .id = "", .lists = true};
	int status = look_everywhere(&all);

	if (all.n_ids > 1)
		qsort(all.ids, all.n_ids, sizeof(*all.ids), compare_ids);
	for (size_t i = 0; status == 0 && i < all.n_ids; i++) {
		cleanup_arena own = {0};
		struct bundle bundle;
		struct err ignored;

		/* Runtime and engine may both keep it. */
		if (i && strcmp(all.ids[i], all.ids[i - 1]) == 0)
			continue;
		if (bundle_find(&own, root, all.ids[i], &bundle, &ignored) == 0)
			status = look(context, &bundle);
	}
	return status;
}
