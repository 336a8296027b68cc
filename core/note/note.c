/* SPDX-License-Identifier: Apache-2.0 */
#include "core/note/note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/json/document.h"
#include "core/json/writer.h"

static const struct shelf notes = {NOTE_DIR, NOTE_SIZE_MAX, NOTES_MAX};

const char *const note_result_names[] = {
	[NOTE_NOTHING] = "nothing", [NOTE_GRANTED] = "granted", [NOTE_DENIED] = "denied",
	[NOTE_FAILED] = "failed",   [NOTE_MISSED] = "missed",   [NOTE_MENDED] = "mended",
	[NOTE_MENDED + 1] = NULL,
};

const char *note_result_name(enum note_result result)
{
	return note_result_names[result];
}

void note_time(int64_t seconds, char text[NOTE_TIME_SIZE])
{
	time_t time = (time_t)seconds;
	struct tm utc;

	if (!gmtime_r(&time, &utc) || !strftime(text, NOTE_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc))
		text[0] = '\0';
}

static int open_sysroot(const char *sysroot)
{
	return open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* ---- written ---- */

static void put_pairs(yajl_gen gen, const char *name, const struct note_pair *pairs, size_t n)
{
	json_put_string(gen, name);
	(void)yajl_gen_map_open(gen);
	for (size_t i = 0; i < n; i++)
		json_put_text(gen, pairs[i].name, pairs[i].value);
	(void)yajl_gen_map_close(gen);
}

static int put_note(yajl_gen gen, void *context)
{
	const struct note *note = context;

	(void)yajl_gen_map_open(gen);
	json_put_integer(gen, "schema", true, 1);
	json_put_member(gen, "id", note->id);
	json_put_member(gen, "container", note->name);
	json_put_member(gen, "pod", note->pod);
	json_put_member(gen, "namespace", note->pod_namespace);
	json_put_text(gen, "result", note_result_name(note->result));
	json_put_member(gen, "reason", note->reason);
	json_put_member(gen, "entry_point", note->entry_point);
	json_put_member(gen, "policy", note->policy);
	json_put_member(gen, "time", note->time);
	json_put_uint64(gen, "memlock", note->memlock);
	put_pairs(gen, "annotations", note->annotations, note->n_annotations);
	put_pairs(gen, "env", note->settings, note->n_settings);
	(void)yajl_gen_map_close(gen);
	return 0;
}

static const char *text_of(struct arena *arena, struct note *note, size_t *ret_len)
{
	const char *text = json_write(arena, true, put_note, note, ret_len);

	if (!text || *ret_len <= NOTE_SIZE_MAX)
		return text;
	note->n_annotations = 0;
	note->n_settings = 0;
	return json_write(arena, true, put_note, note, ret_len);
}

int note_write(const char *sysroot, const struct note *note, struct err *err)
{
	cleanup_arena arena = {0};
	struct note copy = *note;
	char now[NOTE_TIME_SIZE];
	char name[SHELF_NAME_SIZE];
	const char *text;
	size_t len;

	if (!note->id || shelf_name(note->id, NULL, name) < 0)
		return err_set(err, "'%.80s' is not a container id", note->id ? note->id : "");
	note_time(time(NULL), now);
	copy.time = now;
	text = text_of(&arena, &copy, &len);
	if (!text)
		return err_memory(err);
	return shelf_write(&notes, sysroot, name, text, len, err) < 0 ? -1 : 0;
}

/* ---- read ---- */

static struct note_pair *read_pairs(struct json_document *doc, const char *key, size_t *ret_n)
{
	const struct json_node *object = json_get(doc, doc->root, key, JSON_OBJECT);
	struct note_pair *pairs = json_items(doc, object, sizeof(*pairs));
	size_t n = 0;

	if (!pairs)
		return NULL;
	json_each(member, object) {
		pairs[n++] = (struct note_pair){.name = json_key(doc, member),
						.value = json_string(doc, member)};
	}
	*ret_n = n;
	return pairs;
}

static const char *get_text(struct json_document *doc, const char *key)
{
	return json_string(doc, json_get(doc, doc->root, key, JSON_STRING | JSON_NULL));
}

static struct note read_note(struct json_document *doc)
{
	const struct json_node *root = doc->root;
	struct note note = {
		.id = get_text(doc, "id"),
		.name = get_text(doc, "container"),
		.pod = get_text(doc, "pod"),
		.pod_namespace = get_text(doc, "namespace"),
		.result = (enum note_result)json_word(
			doc, json_get(doc, root, "result", JSON_STRING), note_result_names, 0),
		.reason = get_text(doc, "reason"),
		.entry_point = get_text(doc, "entry_point"),
		.policy = get_text(doc, "policy"),
		.time = get_text(doc, "time"),
		.memlock = json_uint64(doc, json_get(doc, root, "memlock", JSON_NUMBER), 0),
	};

	note.annotations = read_pairs(doc, "annotations", &note.n_annotations);
	note.settings = read_pairs(doc, "env", &note.n_settings);
	return note;
}

int note_read(struct arena *arena, int sysroot, const char *id, struct note *ret_note,
	      struct err *err)
{
	struct json_document doc;
	struct note note;
	char name[SHELF_NAME_SIZE];
	cleanup_fd dir = -1;
	struct fs_text text;
	const char *what;
	int found;

	if (shelf_name(id, NULL, name) < 0)
		return 0;
	dir = shelf_open(&notes, sysroot, err);
	if (dir < 0)
		return dir == -ENOENT ? 0 : -1;
	found = shelf_read(arena, &notes, dir, name, &what, &text, err);
	if (found <= 0)
		return found;
	if (json_parse(&doc, arena, what, text.bytes, text.len, 0, err) < 0)
		return -1;
	note = read_note(&doc);
	if (doc.failed)
		return -1;
	*ret_note = note;
	return 1;
}

/* ---- removed ---- */

void note_remove(const char *sysroot, const char *id)
{
	cleanup_fd root = open_sysroot(sysroot);
	struct err ignored;
	cleanup_fd dir = root < 0 ? -1 : shelf_open(&notes, root, &ignored);
	char name[SHELF_NAME_SIZE];

	if (dir >= 0 && shelf_name(id, NULL, name) == 0)
		(void)unlinkat(dir, name, 0);
}

bool note_is_new(const char *sysroot, const char *id)
{
	cleanup_fd root = open_sysroot(sysroot);
	struct err ignored;
	cleanup_fd dir = root < 0 ? -1 : shelf_open(&notes, root, &ignored);
	char name[SHELF_NAME_SIZE];
	time_t now = time(NULL);
	struct stat st;

	return dir >= 0 && shelf_name(id, NULL, name) == 0 &&
	       fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtime <= now &&
	       now - st.st_mtime < NOTE_NEW_S;
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int note_list(struct arena *arena, const char *sysroot, const char ***ret_ids)
{
	cleanup_fd root = open_sysroot(sysroot);
	int n = root < 0 ? 0 : tree_list(arena, root, NOTE_DIR, SHELF_SUFFIX, ret_ids);

	for (int i = 0; i < n; i++) {
		char *id = arena_strndup(arena, (*ret_ids)[i],
					 strlen((*ret_ids)[i]) - strlen(SHELF_SUFFIX));

		if (!id)
			return -1;
		(*ret_ids)[i] = id;
	}
	if (n > 1)
		qsort(*ret_ids, (size_t)n, sizeof(**ret_ids), compare_ids);
	return n;
}
