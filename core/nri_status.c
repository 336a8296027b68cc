/* SPDX-License-Identifier: Apache-2.0 */
#include "core/nri_status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/proc.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/json/writer.h"

/* ---- what was created while no plugin was connected ---- */

/* ---- written ---- */

static void put_item(yajl_gen gen, const struct nri_missed *item)
{
	(void)yajl_gen_map_open(gen);
	json_put_text(gen, "id", item->id);
	json_put_text(gen, "container", item->who);
	json_put_string(gen, "mended");
	(void)yajl_gen_bool(gen, item->mended);
	(void)yajl_gen_map_close(gen);
}

/* Puts the member "missed" of the status. */
static void nri_missed_put(yajl_gen gen, const struct nri_missed_status *status)
{
	json_put_string(gen, "missed");
	(void)yajl_gen_map_open(gen);
	json_put_uint64(gen, "open", status->open);
	json_put_uint64(gen, "unseen", status->unseen);
	json_put_string(gen, "containers");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < status->n; i++)
		put_item(gen, &status->item[i]);
	(void)yajl_gen_array_close(gen);
	(void)yajl_gen_map_close(gen);
}

/* ---- read ---- */

static const char *get_text(struct json_document *doc, const struct json_node *object,
			    const char *key, const char *absent)
{
	const struct json_node *node = json_get(doc, object, key, JSON_STRING | JSON_NULL);

	return node ? json_string(doc, node) : absent;
}

static uint64_t get_count(struct json_document *doc, const struct json_node *object,
			  const char *key)
{
	return json_uint64(doc, json_get(doc, object, key, JSON_NUMBER), 0);
}

static void read_missed(struct json_document *doc, const struct json_node *missed,
			struct nri_missed_status *status)
{
	const struct json_node *items = json_get(doc, missed, "containers", JSON_ARRAY);
	struct nri_missed *item = json_items(doc, items, sizeof(*item));

	if (!item)
		return;
	status->open = get_count(doc, missed, "open");
	status->unseen = get_count(doc, missed, "unseen");
	json_each(node, items) {
		item[status->n++] = (struct nri_missed){
			.id = get_text(doc, node, "id", ""),
			.who = get_text(doc, node, "container", ""),
			.mended = json_bool(doc, json_get(doc, node, "mended", JSON_BOOL), false),
		};
	}
	status->item = item;
}

/* ---- the whole status ---- */

/* ---- written ---- */

static void put_counters(yajl_gen gen, const struct nri_counters *counters)
{
	json_put_string(gen, "containers");
	(void)yajl_gen_map_open(gen);
	json_put_uint64(gen, "served", counters->containers);
	json_put_uint64(gen, "granted", counters->granted);
	json_put_uint64(gen, "denied", counters->denied);
	json_put_uint64(gen, "failed", counters->failed);
	json_put_uint64(gen, "given_up", counters->given_up);
	(void)yajl_gen_map_close(gen);
	json_put_string(gen, "answers");
	(void)yajl_gen_map_open(gen);
	json_put_uint64(gen, "microseconds", counters->answer_us);
	json_put_uint64(gen, "slowest", counters->slowest_us);
	(void)yajl_gen_map_close(gen);
}

static int put_status(yajl_gen gen, void *context)
{
	const struct nri_status *status = context;

	(void)yajl_gen_map_open(gen);
	json_put_integer(gen, "schema", true, 1);
	json_put_integer(gen, "pid", true, status->pid);
	json_put_uint64(gen, "started", status->started);
	json_put_integer(gen, "alive_ms", true, status->alive_ms);
	json_put_member(gen, "socket", status->socket);
	json_put_member(gen, "connected_since", status->since);
	json_put_member(gen, "trouble", status->trouble);
	json_put_string(gen, "runtime");
	(void)yajl_gen_map_open(gen);
	json_put_member(gen, "name", status->runtime);
	json_put_member(gen, "version", status->version);
	(void)yajl_gen_map_close(gen);
	put_counters(gen, &status->counters);
	nri_missed_put(gen, &status->missed);
	(void)yajl_gen_map_close(gen);
	return 0;
}

const char *nri_status_text(struct arena *arena, const struct nri_status *status, size_t *ret_len)
{
	return json_write(arena, true, put_status, (void *)status, ret_len);
}

/* ---- read ---- */

static void read_counters(struct json_document *doc, struct nri_counters *counters)
{
	const struct json_node *containers = json_get(doc, doc->root, "containers", JSON_OBJECT);
	const struct json_node *answers = json_get(doc, doc->root, "answers", JSON_OBJECT);

	counters->containers = get_count(doc, containers, "served");
	counters->granted = get_count(doc, containers, "granted");
	counters->denied = get_count(doc, containers, "denied");
	counters->failed = get_count(doc, containers, "failed");
	counters->given_up = get_count(doc, containers, "given_up");
	counters->answer_us = get_count(doc, answers, "microseconds");
	counters->slowest_us = get_count(doc, answers, "slowest");
}

static void read_status(struct json_document *doc, struct nri_status *status)
{
	const struct json_node *root = doc->root;
	const struct json_node *runtime = json_get(doc, root, "runtime", JSON_OBJECT);

	status->pid = json_int64(doc, json_get(doc, root, "pid", JSON_NUMBER), 0);
	status->started = get_count(doc, root, "started");
	status->alive_ms = json_int64(doc, json_get(doc, root, "alive_ms", JSON_NUMBER), 0);
	status->socket = get_text(doc, root, "socket", NULL);
	status->since = get_text(doc, root, "connected_since", NULL);
	status->trouble = get_text(doc, root, "trouble", NULL);
	status->runtime = get_text(doc, runtime, "name", NULL);
	status->version = get_text(doc, runtime, "version", NULL);
	read_counters(doc, &status->counters);
	read_missed(doc, json_get(doc, root, "missed", JSON_OBJECT), &status->missed);
}

void nri_status_name(const char *instance, char name[NRI_STATUS_NAME_SIZE])
{
	(void)snprintf(name, NRI_STATUS_NAME_SIZE, "nri%s%.*s.json", instance ? "-" : "",
		       NRI_INSTANCE_MAX, instance ? instance : "");
}

int nri_status_read(struct arena *arena, int sysroot, const char *name,
		    struct nri_status *ret_status, struct err *err)
{
	char what[sizeof("/" NRI_STATUS_DIR "/") + NRI_STATUS_NAME_SIZE];
	struct nri_status status = {0};
	struct json_document doc;
	struct fs_text text;
	cleanup_fd fd = -1;

	(void)snprintf(what, sizeof(what), "/" NRI_STATUS_DIR "/%s", name);
	fd = tree_open_stored(sysroot, what + 1);
	if (fd == -EINVAL)
		return err_set(err, "%s: not a regular file", what);
	if (fd < 0) {
		(void)err_sys(err, -fd, "%s", what);
		return fd == -ENOENT ? -ENOENT : -1;
	}
	if (fs_read_regular(arena, fd, NRI_STATUS_SIZE_MAX, what, &text, err) < 0 ||
	    json_parse(&doc, arena, what, text.bytes, text.len, 0, err) < 0)
		return -1;
	read_status(&doc, &status);
	if (doc.failed)
		return -1;
	*ret_status = status;
	return 0;
}

/* ---- the process ---- */

uint64_t nri_status_start_of(int64_t pid)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	return process_stat_read(AT_FDCWD, path, PROCESS_STAT_START);
}

/* ---- those of the node ---- */

/* By the name that the process gives itself; another user's is not the node's. */
static bool is_named_so(int sysroot, const char *pid)
{
	char path[64];
	char name[sizeof(NRI_NAME)];
	struct stat st;

	/* The directory belongs to the effective user, dumpable or not (the kernel's
	 * task_dump_owner). */
	(void)snprintf(path, sizeof(path), "proc/%.20s", pid);
	if (fstatat(sysroot, path, &st, 0) < 0 || st.st_uid != geteuid())
		return false;
	(void)snprintf(path, sizeof(path), "proc/%.20s/comm", pid);
	return fs_read_line(sysroot, path, name, sizeof(name)) > 0 && strcmp(name, NRI_NAME) == 0;
}

static int open_parent(int root, const char *path)
{
	static char parent[PATH_MAX];

	(void)snprintf(parent, sizeof(parent), "%.*s", (int)(text_base_name(path) - path), path);
	return fs_open(root, parent, O_PATH | O_DIRECTORY, RESOLVE_IN_ROOT);
}

/*
 * The root of any container may take the name, and write a file. What it cannot have, unless it was
 * given it, is the directory of the node's NRI socket, which is root's alone (containerd/nri makes
 * it so, pkg/adaptation): with that, it may change every container of the node.
 */
static bool has_nodes_socket(int sysroot, int root, const char *socket)
{
	cleanup_fd own = socket ? open_parent(root, socket) : -1;
	cleanup_fd nodes = socket ? open_parent(sysroot, socket) : -1;
	struct stat st;

	return own >= 0 && nodes >= 0 && fs_same_file(own, nodes) && fstat(nodes, &st) == 0 &&
	       st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO));
}

/* Older than a plugin that works lets it become */
static bool hangs(const struct nri_status *status)
{
	struct timespec now;

	if (!status->alive_ms || clock_gettime(CLOCK_MONOTONIC, &now) < 0)
		return false;
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - status->alive_ms >
	       NRI_STATUS_OLD_MS;
}

/* What is found, the better the higher */
enum rank {
	RANK_NONE,
	RANK_ENDED,
	RANK_HANGS,
	RANK_UNCONNECTED,
	RANK_SERVES,
};

/* Many more than a node has plugins */
#define FILES_MAX 16

struct search {
	struct arena *arena;
	int sysroot;
	enum rank rank;
	struct nri_status status; /* the best, with the sums of all */
	size_t n_missed;
};

/* What two plugins name is one container. */
static int add_missed(struct search *search, const struct nri_missed_status *found, struct err *err)
{
	struct nri_missed_status *all = &search->status.missed;
	struct nri_missed *larger =
		arena_alloc(search->arena, (all->n + found->n) * sizeof(*larger));
	uint64_t same = 0;

	if (!larger)
		return err_memory(err);
	for (size_t i = 0; i < all->n; i++)
		larger[i] = all->item[i];
	for (size_t i = 0; i < found->n; i++) {
		bool known = false;

		for (size_t k = 0; k < all->n && !known; k++)
			known = strcmp(larger[k].id, found->item[i].id) == 0;
		if (known)
			same += !found->item[i].mended;
		else
			larger[search->n_missed++] = found->item[i];
	}
	all->item = larger;
	all->n = search->n_missed;
	all->open += found->open > same ? found->open - same : 0;
	all->unseen += found->unseen;
	return 0;
}

static void add_counters(struct nri_counters *all, const struct nri_counters *found)
{
	all->containers += found->containers;
	all->granted += found->granted;
	all->denied += found->denied;
	all->failed += found->failed;
	all->given_up += found->given_up;
	all->answer_us += found->answer_us;
	if (found->slowest_us > all->slowest_us)
		all->slowest_us = found->slowest_us;
}

/* runs: its process does. Returns 0 or -1. */
static int offer(struct search *search, const struct nri_status *found, bool runs, bool recorded,
		 struct err *err)
{
	enum rank rank = !runs                       ? RANK_ENDED
			 : !recorded && hangs(found) ? RANK_HANGS
			 : found->since              ? RANK_SERVES
						     : RANK_UNCONNECTED;
	struct nri_status kept = search->status;

	/* One that has ended has nothing to say of the containers of now. */
	if (runs && add_missed(search, &found->missed, err) < 0)
		return -1;
	kept.missed = search->status.missed;
	add_counters(&kept.counters, &found->counters);
	kept.n_found++;
	kept.n_connected += rank == RANK_SERVES && !found->trouble;
	if (rank > search->rank)
		search->status = *found;
	if (rank > search->rank)
		search->rank = rank;
	search->status.missed = kept.missed;
	search->status.counters = kept.counters;
	search->status.n_found = kept.n_found;
	search->status.n_connected = kept.n_connected;
	return 0;
}

/* The files of status in a root, of the node or of a container. Returns how many, or -1. */
static int list_files(struct arena *arena, int root, const char ***ret_names, struct err *err)
{
	int n = tree_list(arena, root, NRI_STATUS_DIR, ".json", ret_names);
	int kept = 0;

	if (n < 0)
		return err_memory(err);
	for (int i = 0; i < n; i++) {
		if (text_starts_with((*ret_names)[i], "nri") &&
		    strlen((*ret_names)[i]) < NRI_STATUS_NAME_SIZE && kept < FILES_MAX)
			(*ret_names)[kept++] = (*ret_names)[i];
	}
	return kept;
}

/* In a container its process id is another; the time when it started is the same. */
static int look_into_container(struct search *search, const char *pid, struct err *err)
{
	char path[64];
	cleanup_fd root = -1;
	const char **names;
	uint64_t started;
	int n;

	(void)snprintf(path, sizeof(path), "proc/%.20s/root", pid);
	root = openat(search->sysroot, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || fs_same_file(root, search->sysroot))
		return 0;
	(void)snprintf(path, sizeof(path), "proc/%.20s/stat", pid);
	started = process_stat_read(search->sysroot, path, PROCESS_STAT_START);
	n = list_files(search->arena, root, &names, err);
	for (int i = 0; i < n; i++) {
		struct nri_status found = {0};

		if (nri_status_read(search->arena, root, names[i], &found, err) < 0) {
			if (err->memory)
				return -1;
			continue;
		}
		if (found.started == started &&
		    has_nodes_socket(search->sysroot, root, found.socket) &&
		    offer(search, &found, true, false, err) < 0)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static int look_into_containers(struct search *search, struct err *err)
{
	cleanup_dir *dir = NULL;
	const struct dirent *entry;

	if (tree_open_listing(search->sysroot, "proc", &dir) < 0)
		return err_memory(err);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    is_named_so(search->sysroot, entry->d_name) &&
		    look_into_container(search, entry->d_name, err) < 0)
			return -1;
	}
	return 0;
}

/* The files of the node itself. Returns 0, also if there are none; or -1. */
static int look_at_own(struct search *search, bool recorded, struct err *err)
{
	const char **names;
	int n = list_files(search->arena, search->sysroot, &names, err);

	for (int i = 0; i < n; i++) {
		struct nri_status found = {0};
		int status = nri_status_read(search->arena, search->sysroot, names[i], &found, err);
		bool runs = recorded ||
			    (found.started && nri_status_start_of(found.pid) == found.started);

		if (status < 0 && status != -ENOENT)
			return -1;
		if (status == 0 && offer(search, &found, runs, recorded, err) < 0)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static int conclude(const struct search *search, struct nri_status *ret_status, struct err *err)
{
	if (search->rank == RANK_NONE) {
		(void)err_set(err, "no " NRI_NAME " runs");
		return -ENOENT;
	}
	*ret_status = search->status;
	return search->rank == RANK_ENDED ? -ESRCH : search->rank == RANK_HANGS ? -ETIMEDOUT : 0;
}

int nri_status_find(struct arena *arena, int sysroot, bool recorded, struct nri_status *ret_status,
		    struct err *err)
{
	struct search search = {.arena = arena, .sysroot = sysroot};

	if (look_at_own(&search, recorded, err) < 0 || look_into_containers(&search, err) < 0)
		return -1;
	return conclude(&search, ret_status, err);
}

/*
 * In a container of hostPID the first process has another root, or one that may not be looked at
 * without its capabilities (the kernel's ptrace_may_access). Where process ids are a container's
 * own, its first process has its root, and nobody else is to be seen.
 */
static bool is_first_process_root(int sysroot)
{
	cleanup_fd first = openat(sysroot, "proc/1/root", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return first >= 0 && fs_same_file(first, sysroot);
}

int nri_status_find_own(struct arena *arena, int sysroot, struct nri_status *ret_status,
			struct err *err)
{
	struct search search = {.arena = arena, .sysroot = sysroot};

	if (is_first_process_root(sysroot))
		return nri_status_find(arena, sysroot, false, ret_status, err);
	if (look_at_own(&search, false, err) < 0)
		return -1;
	return conclude(&search, ret_status, err);
}
