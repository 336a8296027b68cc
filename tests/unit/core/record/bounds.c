/* SPDX-License-Identifier: Apache-2.0 */
/* The number of records, whoever writes, and which one goes */
#include <sys/file.h>
#include <sys/mount.h>

#include "core/base/clock.h"
#include "core/base/trust.h"
#include "core/record/store.h"
#include "suite.h"

/* plus one during a replacement */
#define FULL (RECORDS_MAX - 1)

/* ---- which one goes ---- */

/* Existing records: n pods with these containers (a result's first letter each), in order of the
 * clock */
struct before {
	const char *namespace;
	int pods;
	const char *results;
};

static const char *word(char letter)
{
	return letter == 'n' ? "nothing" : letter == 'd' ? "denied" : "granted";
}

static int fill(struct scene *scene, const struct before *before, size_t n)
{
	char path[256];
	char name[32];
	int made = 0;

	for (size_t i = 0; i < n && before[i].namespace; i++) {
		for (int pod = 0; pod < before[i].pods; pod++) {
			for (size_t k = 0; before[i].results[k]; k++) {
				snprintf(name, sizeof(name), "%s-%d-%zu", before[i].namespace, pod,
					 k);
				snprintf(path, sizeof(path),
					 RECORD_DIR "/%s_%d_c%zu_%s_%010x_%s.json",
					 before[i].namespace, pod, k, word(before[i].results[k]),
					 (unsigned)made++, name);
				unit_write(scene->dir.fd, path,
					   "{\"id\":\"a\",\"reason\":\"r\",\"entry_point\":\"x\"}",
					   0600);
			}
		}
	}
	assert_int_equal(fchmodat(scene->dir.fd, RECORD_DIR, 0700, 0), 0);
	return made;
}

static const struct victim_case {
	const char *name;
	struct before before[2];
	const char *namespace; /* the new record's */
	enum record_result result;
	const char *gone; /* NULL: not written */
} victim_cases[] = {
	{"the oldest of the pod that has the most",
	 {{"a", 511, "dd"}, {"b", 1, "g"}},
	 "b",
	 RECORD_DENIED,
	 "a-0-0"},
	{"the new one counts as its namespace's",
	 {{"a", 511, "d"}, {"b", 512, "d"}},
	 "a",
	 RECORD_DENIED,
	 "a-0-0"},
	{"…whichever it is", {{"a", 511, "d"}, {"b", 512, "d"}}, "b", RECORD_DENIED, "b-0-0"},
	{"a namespace whose name begins as another's has its own count",
	 {{"a", 500, "d"}, {"ab", 523, "d"}},
	 "b",
	 RECORD_DENIED,
	 "ab-0-0"},
	{"the namespace counts before the pod",
	 {{"a", 1, "ddddddddddddddddddddddddddddddddddddddddddddd"}, {"b", 978, "d"}},
	 "b",
	 RECORD_DENIED,
	 "b-0-0"},
	{"\"nothing\" of another namespace stays",
	 {{"a", 100, "dgn"}, {"b", 723, "d"}},
	 "a",
	 RECORD_DENIED,
	 "b-0-0"},
	{"…also the only one of a namespace",
	 {{"a", 1, "n"}, {"b", 1022, "d"}},
	 "b",
	 RECORD_DENIED,
	 "b-0-0"},
	{"\"nothing\" of the namespace that has the most",
	 {{"a", 300, "dgn"}, {"b", 123, "n"}},
	 "b",
	 RECORD_DENIED,
	 "a-0-2"},
	{"\"nothing\" pushes out \"nothing\"",
	 {{"a", 300, "dgn"}, {"b", 123, "n"}},
	 "b",
	 RECORD_NOTHING,
	 "a-0-2"},
	{"\"nothing\" of a namespace that has fewer pushes out any record",
	 {{"a", 900, "g"}, {"b", 123, "n"}},
	 "b",
	 RECORD_NOTHING,
	 "a-0-0"},
	{"…also its first, beside one that has all the others",
	 {{"a", 1023, "g"}},
	 "b",
	 RECORD_NOTHING,
	 "a-0-0"},
	{"\"nothing\" of the namespace that has the most pushes out nothing else",
	 {{"a", 900, "d"}, {"b", 123, "n"}},
	 "a",
	 RECORD_NOTHING,
	 NULL},
	{"…nor one of a namespace that would have as many",
	 {{"a", 512, "d"}, {"b", 511, "d"}},
	 "b",
	 RECORD_NOTHING,
	 NULL},
	{"…but one that has one more",
	 {{"a", 513, "d"}, {"b", 510, "d"}},
	 "b",
	 RECORD_NOTHING,
	 "a-0-0"},
};

UNIT_ROWS_AS("one too many: ", victim_cases)
{
	cleanup_scene scene = scene_make();
	int n = fill(&scene, row->before, LENGTH(row->before));
	struct record record = denied;
	struct record_entry *entries;
	int kept = 0;

	assert_int_equal(n, FULL);
	record.id = "new";
	record.pod_namespace = row->namespace;
	record.result = row->result;
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(list_records(&scene, &entries), FULL);
	for (int i = 0; i < FULL; i++)
		kept += row->gone && strcmp(entries[i].id, row->gone) == 0;
	assert_int_equal(kept, 0);
	assert_int_equal(read_record(&scene, "new"), row->gone != NULL);
}

static const struct pods_case {
	const char *name;
	int pods;
} pods_cases[] = {{"of many", 500}, {"of two", 1}};

UNIT_ROWS_AS("the pod that has the most loses one, and no other of its namespace: ", pods_cases)
{
	const struct before before[] = {{"a", row->pods, "d"}, {"z", 1, "d"}, {"b", 1, "d"}};
	cleanup_scene scene = scene_make();
	struct record record = denied;
	struct record_entry *entries;
	char path[128];
	int n = fill(&scene, before, LENGTH(before));

	for (int i = n; i < FULL; i++) {
		snprintf(path, sizeof(path), RECORD_DIR "/a_most_c%d_denied_%010x_m%d.json", i,
			 5000 - i, i);
		unit_write(scene.dir.fd, path, "{}", 0600);
	}
	record.id = "new";
	record.pod_namespace = "b";
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(list_records(&scene, &entries), FULL);
	/* The oldest by the clock in its name, though written last */
	for (int i = 0; i < FULL; i++)
		assert_string_not_equal(entries[i].id, "m1022");
}

UNIT_TEST("a pod whose uid begins as another's has its own count")
{
	cleanup_scene scene = scene_make();
	struct record_entry *entries;
	struct record record = denied;
	char path[128];

	for (int i = 0; i < FULL; i++) {
		snprintf(path, sizeof(path), RECORD_DIR "/a_%s_c%d_denied_%010x_x%d.json",
			 i < FULL / 2 ? "p" : "pa", i, (unsigned)i, i);
		unit_write(scene.dir.fd, path, "{}", 0600);
	}
	assert_int_equal(fchmodat(scene.dir.fd, RECORD_DIR, 0700, 0), 0);
	record.pod_namespace = "a";
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(list_records(&scene, &entries), FULL);
	for (int i = 0; i < FULL; i++)
		assert_string_not_equal(entries[i].id, "x511");
}

UNIT_TEST("a pod that is refused 1,100 times pushes out nobody else's record")
{
	/* 700 of its containers, then the next 200, then one container 200 times */
	static const struct before before[] = {{"others", 300, "d"}};
	cleanup_scene scene = scene_make();
	struct record record = denied;
	struct record_entry *entries;
	char text[128];
	int others = 0;

	(void)fill(&scene, before, LENGTH(before));
	for (int i = 0; i < 700; i++) {
		snprintf(text, sizeof(text), RECORD_DIR "/team-a_" UID "_c%d_denied_%010x_c%d.json",
			 i, 1000 + i, i);
		unit_write(scene.dir.fd, text, "{}", 0600);
	}
	record.id = text;
	for (int i = 700; i < 1100; i++) {
		snprintf(text, sizeof(text), "c%d", i);
		record.container = i < 900 ? text : "same";
		assert_int_equal(write_record(&scene, &record), 0);
	}
	assert_int_equal(list_records(&scene, &entries), FULL);
	for (int i = 0; i < FULL; i++)
		others += strcmp(entries[i].pod_namespace, "others") == 0;
	assert_int_equal(others, 300);
}

UNIT_TEST("the next record of a container pushes out no other")
{
	static const struct before before[] = {{"a", 1022, "d"}};
	cleanup_scene scene = scene_make();
	struct record_entry *entries;
	struct record record = denied;

	(void)fill(&scene, before, LENGTH(before));
	assert_int_equal(write_record(&scene, &denied), 0);
	record.result = RECORD_GRANTED;
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(list_records(&scene, &entries), FULL);
	assert_int_equal(
		faccessat(scene.dir.fd, RECORD_DIR "/a_0_c0_denied_0000000000_a-0-0.json", F_OK, 0),
		0);
}

UNIT_TEST("an excess is worked off, and what is no record goes")
{
	static const struct before before[] = {{"a", 1100, "dn"}};
	static const char *const strays[] = {".oci-rdma-hook.0123456789abcdef",
					     "nri.json",
					     "a_b_c_won_0_x.json",
					     "a_b_c_denied_x_x.json",
					     "a_b_c_denied_0_.json",
					     "a_b_c_denied__x.json",
					     "a_b_c_denied_0g_x.json",
					     "a_b_c_denied_0_x.jsom",
					     "x",
					     "_.json"};
	cleanup_scene scene = scene_make();
	struct record_entry *entries;
	char path[128];

	(void)fill(&scene, before, LENGTH(before));
	for (size_t i = 0; i < LENGTH(strays); i++) {
		snprintf(path, sizeof(path), RECORD_DIR "/%s", strays[i]);
		unit_write(scene.dir.fd, path, "{}", 0600);
	}
	assert_int_equal(list_records(&scene, &entries), 2200);
	assert_int_equal(unit_entries(scene.dir.fd, RECORD_DIR), 2200 + LENGTH(strays));
	assert_int_equal(write_record(&scene, &denied), 0);
	assert_int_equal(unit_entries(scene.dir.fd, RECORD_DIR), FULL);
	assert_int_equal(list_records(&scene, &entries), FULL);
	assert_int_equal(read_record(&scene, ID), 1);
}

/* ---- whoever writes, and when ---- */

#define LOCK "run/oci-rdma-hook/" RECORD_LOCK_NAME

static int open_lock(const struct scene *scene)
{
	int lock = openat(scene->dir.fd, LOCK, O_RDONLY | O_CLOEXEC);

	assert_true(lock >= 0);
	return lock;
}

/* The kubelet creates the directory for config/kubernetes/events: any user can open, and so lock,
 * it. */
UNIT_TEST("the lock is root's alone, and a lock of the directory by others holds up nobody")
{
	cleanup_scene scene = scene_make();
	cleanup_fd dir = -1;

	assert_int_equal(mkdirat(scene.dir.fd, "run/oci-rdma-hook", 0755), 0);
	assert_int_equal(mkdirat(scene.dir.fd, RECORD_DIR, 0755), 0);
	dir = trust_open_dir(scene.dir.fd, RECORD_DIR, &scene.err);
	assert_int_equal(flock(dir, LOCK_EX), 0);
	assert_int_equal(write_record(&scene, &denied), 0);
	assert_int_equal(unit_stat(scene.dir.fd, RECORD_DIR).st_mode & 07777, 0700);
	assert_int_equal(unit_stat(scene.dir.fd, LOCK).st_mode & 07777, 0600);
}

/* The kubelet still has one of the Job's pods; its record is the oldest. */
UNIT_TEST("records of pods that the kubelet has no more go first, whoever wrote them")
{
	static const struct before before[] = {{"jobs", 1022, "g"}, {"z", 1, "g"}};
	cleanup_scene scene = scene_make();
	struct record_entry *entries;
	struct record record = denied;

	(void)fill(&scene, before, LENGTH(before));
	unit_write(scene.dir.fd, "var/lib/kubelet/pods/0/x", "", 0600);
	record.result = RECORD_NOTHING;
	record.pod_namespace = "jobs";
	assert_int_equal(write_record(&scene, &record), 0);
	assert_int_equal(list_records(&scene, &entries), 3);
	assert_string_equal(entries[0].id, "jobs-0-0");
	assert_string_equal(entries[1].id, ID);
	assert_string_equal(entries[2].id, "z-0-0");
}

UNIT_TEST("one who holds the lock for ever keeps a record from being written, and nobody waiting")
{
	cleanup_scene scene = scene_make();
	struct record record = denied;
	cleanup_fd lock = -1;

	assert_int_equal(write_record(&scene, &denied), 0);
	lock = open_lock(&scene);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	record.result = RECORD_GRANTED;
	assert_int_equal(write_record(&scene, &record), -1);
	assert_has(scene.err.text, "is locked by another process");
	assert_one_line(&scene.err);
	assert_int_equal(read_record(&scene, ID), 1);
	assert_int_equal(scene.read.result, RECORD_DENIED);
}

#define WRITERS 40

static int write_for_ever(const void *context)
{
	const struct scene *scene = context;
	unsigned state = (unsigned)getpid();

	for (unsigned i = 0;; i++) {
		struct record record = denied;
		char texts[4][24];
		struct err err;

		state = state * 1103515245 + 12345;
		snprintf(texts[0], sizeof(texts[0]), "team-%u", state >> 16 & 7);
		snprintf(texts[1], sizeof(texts[1]), "%u", state >> 8 & 1023);
		snprintf(texts[2], sizeof(texts[2]), "c%u", state >> 20 & 3);
		snprintf(texts[3], sizeof(texts[3]), "%d-%u", getpid(), i);
		record.pod_namespace = texts[0];
		record.pod_uid = texts[1];
		record.container = texts[2];
		record.id = texts[3];
		record.result = (enum record_result)(state >> 24 & 3);
		(void)record_write(scene->dir.path, &record, &err);
	}
	return 0;
}

struct size {
	int n;
	long bytes;
};

static struct size size_of(const struct scene *scene)
{
	DIR *stream = fdopendir(openat(scene->dir.fd, RECORD_DIR, O_RDONLY | O_CLOEXEC));
	struct size size = {0};
	struct dirent *entry;
	struct stat st;

	assert_non_null(stream);
	while ((entry = readdir(stream))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		size.n++;
		if (fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			size.bytes += st.st_size;
	}
	(void)closedir(stream);
	return size;
}

/* RECORD_STORM_SECONDS: duration (one second in make check). A file that is replaced during a
 * listing can show under both names: without the lock, allow one more file per writer; with the
 * lock, none. */
UNIT_TEST("forty writers, some of them killed: number and bytes are bounded at each moment")
{
	const char *seconds = getenv("RECORD_STORM_SECONDS");
	int64_t end = clock_ms() + (seconds ? atoi(seconds) : 1) * 1000;
	static const struct before before[] = {{"a", 1000, "d"}};
	cleanup_scene scene = scene_make();
	struct record_entry *entries;
	struct record record;
	pid_t writers[WRITERS];
	struct size most = {0};
	cleanup_fd dir = -1;
	cleanup_fd lock = -1;
	int killed = 0;
	int moments = 0;

	(void)fill(&scene, before, LENGTH(before));
	dir = trust_open_dir(scene.dir.fd, RECORD_DIR, &scene.err);
	assert_int_equal(write_record(&scene, &denied), 0);
	lock = open_lock(&scene);
	for (int i = 0; i < WRITERS; i++)
		writers[i] = unit_start(write_for_ever, &scene);
	for (; clock_ms() < end || moments < 10; moments++) {
		int victim = moments % WRITERS;
		struct size size;

		assert_int_equal(kill(writers[victim], SIGKILL), 0);
		assert_int_equal(waitpid(writers[victim], NULL, 0), writers[victim]);
		killed++;
		while (flock(lock, LOCK_EX) < 0)
			;
		size = size_of(&scene);
		assert_int_equal(flock(lock, LOCK_UN), 0);
		most.n = size.n > most.n ? size.n : most.n;
		most.bytes = size.bytes > most.bytes ? size.bytes : most.bytes;
		writers[victim] = unit_start(write_for_ever, &scene);
	}
	for (int i = 0; i < WRITERS; i++) {
		(void)kill(writers[i], SIGKILL);
		assert_int_equal(waitpid(writers[i], NULL, 0), writers[i]);
	}
	print_message("# %d moments, %d killed, at most %d files, %ld bytes\n", moments, killed,
		      most.n, most.bytes);
	assert_in_range(most.n, 1000, RECORDS_MAX);
	assert_true(most.bytes <= (long)RECORDS_MAX * JSON_FIELDS_SIZE_MAX);
	assert_int_equal(write_record(&scene, &denied), 0);
	assert_int_equal(unit_entries(scene.dir.fd, RECORD_DIR),
			 list_records(&scene, &entries)); /* no temporary file */
	for (int i = 0; i < list_records(&scene, &entries); i++)
		if (entries[i].pod_namespace[0] == 't')
			assert_int_equal(record_load(&scene.arena, dir, entries[i].file, &record,
						     &scene.err),
					 1);
}

static int replace_for_ever(const void *context)
{
	const struct scene *scene = context;
	struct record record = denied;
	struct err err;

	for (unsigned i = 0;; i++) {
		record.result = i & 1 ? RECORD_DENIED : RECORD_FAILED;
		(void)record_write(scene->dir.path, &record, &err);
	}
	return 0;
}

UNIT_TEST("a record that is replaced all the time is always found")
{
	cleanup_scene scene = scene_make();
	pid_t writer;

	assert_int_equal(write_record(&scene, &denied), 0);
	writer = unit_start(replace_for_ever, &scene);
	for (int i = 0; i < 2000; i++)
		assert_int_equal(read_record(&scene, ID), 1);
	(void)kill(writer, SIGKILL);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
}

/* ---- disks ---- */

static int fill_disk(const void *context)
{
	struct scene *scene = (struct scene *)context;
	struct record record = denied;
	cleanup_fd run = -1;
	static char page[4096];
	int big;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    chdir(scene->dir.path) < 0 || mount("none", "run", "tmpfs", 0, "size=64k") < 0)
		return UNIT_NOT_HERE;
	scene->dir.fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mount(NULL, "run", NULL, MS_REMOUNT | MS_RDONLY, "size=64k") < 0 ||
	    write_record(scene, &denied) != -1 || !strstr(scene->err.text, "Read-only"))
		return 8;
	if (mount(NULL, "run", NULL, MS_REMOUNT, "size=64k") < 0 ||
	    write_record(scene, &denied) < 0)
		return 1;
	big = open("run/big", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (write(big, page, sizeof(page)) > 0)
		;
	(void)close(big);
	record.result = RECORD_GRANTED;
	if (write_record(scene, &record) != -1 || !strstr(scene->err.text, "No space left"))
		return 2;
	if (read_record(scene, ID) != 1 || scene->read.result != RECORD_DENIED)
		return 3;
	if (unlink("run/big") < 0 || write_record(scene, &record) < 0)
		return 4;
	if (mount(NULL, "run", NULL, MS_REMOUNT | MS_RDONLY, NULL) < 0)
		return 5;
	if (write_record(scene, &denied) != -1 || !strstr(scene->err.text, "Read-only"))
		return 6;
	return read_record(scene, ID) == 1 && scene->read.result == RECORD_GRANTED ? 0 : 7;
}

UNIT_TEST_FOR_ROOT("a full disk, and one that is read-only: an error, and the last record stays")
{
	cleanup_scene scene = scene_make();

	assert_int_equal(unit_result_of(fill_disk, &scene), 0);
}
