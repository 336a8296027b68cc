/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of the pods and containers that are there when the plugin connects, and how much */
#include "tests/unit/nri/nri.h"

#include <sys/stat.h>

#include "core/note/note.h"
#include "nri/missed.h"

#define VERBS 231
#define STOPPED 4
#define CLAIM "PCIDEVICE_A="
#define OURS "oci-rdma-hook.io/"

static void put_entry(struct buffer *to, uint32_t field, const char *key, const char *value)
{
	struct buffer entry = empty_buffer();

	put_text(&entry, 1, key);
	put_text(&entry, 2, value);
	put_inside(to, field, &entry);
}

static void put_device(struct buffer *platform, uint64_t major)
{
	struct buffer device = empty_buffer();

	put_text(&device, 1, "/dev/infiniband/uverbs6");
	put_text(&device, 2, "c");
	put_number(&device, 3, major);
	put_inside(platform, 2, &device);
}

static void put_rule(struct buffer *platform, const char *access)
{
	struct buffer resources = empty_buffer();
	struct buffer rule = empty_buffer();

	put_number(&rule, 1, 1);
	put_text(&rule, 2, "a");
	put_text(&rule, 5, access);
	put_inside(&resources, 7, &rule);
	put_inside(platform, 3, &resources);
}

/* A value of as many bytes; it lives until the next one. */
static char *value_of(size_t len)
{
	static char value[65536];

	assert_true(len < sizeof(value));
	memset(value, 'x', len);
	value[len] = '\0';
	return value;
}

static struct synchronize empty_synchronize(void)
{
	return (struct synchronize){.sysroot = "/nonexistent"};
}

#define cleanup_synchronize __attribute__((cleanup(synchronize_free))) struct synchronize

/* ---- which containers ---- */

static const struct kept_case {
	const char *name;
	uint64_t major;     /* of a device; 0: none */
	const char *env;    /* NULL: none */
	const char *access; /* of a rule for all devices; NULL: none */
	uint64_t state;
	size_t kept;
} kept_cases[] = {
	{"a verbs device", VERBS, NULL, NULL, 3, 1},
	{"a verbs device, stopped", VERBS, NULL, NULL, STOPPED, 0},
	{"a verbs device and a claim", VERBS, CLAIM "x", NULL, 3, 1},
	{"a GPU", 195, NULL, NULL, 3, 0},
	{"a claim without a device is its author's word", 0, CLAIM "x", NULL, 3, 0},
	{"a claim beside a GPU", 195, CLAIM "x", NULL, 3, 0},
	{"a claim beside a rule for all devices", 0, CLAIM "x", "rwm", 3, 1},
	{"a claim beside a rule for all devices, stopped", 0, CLAIM "x", "rwm", STOPPED, 0},
	{"a claim beside a rule that allows no writing", 0, CLAIM "x", "rm", 3, 0},
	{"a rule for all devices, and no claim", 0, "A=b", "rwm", 3, 0},
};

static void hear_container(struct synchronize *synchronize, const struct kept_case *row,
			   const char *env)
{
	struct buffer container = empty_buffer();
	struct buffer platform = empty_buffer();

	put_text(&container, 1, "id");
	put_text(&container, 2, "pod");
	put_number(&container, 4, row->state);
	if (env)
		put_text(&container, 8, env);
	if (row->major)
		put_device(&platform, row->major);
	if (row->access)
		put_rule(&platform, row->access);
	put_inside(&container, 11, &platform);
	synchronize_container(synchronize, &(struct message){container.bytes, container.len});
	buffer_free(&container);
}

static void is_kept(void **state)
{
	const struct kept_case *row = *state;
	cleanup_synchronize synchronize = empty_synchronize();

	hear_container(&synchronize, row, row->env);
	assert_int_equal(synchronize.n_containers, row->kept);
	assert_int_equal(synchronize.left_out, 0);
	if (row->kept)
		assert_string_equal(synchronize.containers[0].id, "id");
}

/* ---- how much of them ---- */

/* Whether the reduced message has it */
static bool has(const struct message *message, const char *text)
{
	return memmem(message->bytes, message->len, text, strlen(text)) != NULL;
}

static const struct bound_case {
	const char *name;
	size_t len; /* of a value */
	bool kept;
} claim_cases[] = {
	{"claims of 4 KiB are kept", 4096 - 13, true},
	{"a claim beyond 4 KiB is left out, and a shorter one behind it kept", 4096 - 13 + 1,
	 false},
};

static void claims_are_bounded(void **state)
{
	const struct bound_case *row = *state;
	cleanup_synchronize synchronize = empty_synchronize();
	struct buffer container = empty_buffer();
	struct buffer platform = empty_buffer();
	char *entry = value_of(row->len);

	put_text(&container, 1, "id");
	put_text(&container, 8, CLAIM "A");
	memcpy(entry, CLAIM "L", strlen(CLAIM "L"));
	put_text(&container, 8, entry);
	put_text(&container, 8, row->kept ? "PATH=/" : CLAIM "C");
	put_device(&platform, VERBS);
	put_inside(&container, 11, &platform);
	synchronize_container(&synchronize, &(struct message){container.bytes, container.len});
	assert_int_equal(synchronize.n_containers, 1);
	assert_true(has(&synchronize.containers[0].message, CLAIM "A"));
	assert_int_equal(has(&synchronize.containers[0].message, CLAIM "L"), row->kept);
	assert_int_equal(has(&synchronize.containers[0].message, CLAIM "C"), !row->kept);
	assert_false(has(&synchronize.containers[0].message, "PATH"));
	buffer_free(&container);
}

static const struct bound_case annotation_cases[] = {
	{"annotations of 1 KiB are kept", 1024 - 20 - 18, true},
	{"an annotation beyond 1 KiB is left out, and a shorter one behind it kept",
	 1024 - 20 - 18 + 1, false},
};

static void annotations_are_bounded(void **state)
{
	const struct bound_case *row = *state;
	cleanup_synchronize synchronize = empty_synchronize();
	struct buffer pod = empty_buffer();

	put_text(&pod, 1, "id");
	put_entry(&pod, 6, OURS "a", "12");
	put_entry(&pod, 6, "other", value_of(2000));
	put_entry(&pod, 6, OURS "l", value_of(row->len));
	put_entry(&pod, 6, row->kept ? "more" : OURS "c", "1");
	synchronize_pod(&synchronize, &(struct message){pod.bytes, pod.len});
	assert_int_equal(synchronize.n_pods, 1);
	assert_true(has(&synchronize.pods[0].message, OURS "a"));
	assert_int_equal(has(&synchronize.pods[0].message, OURS "l"), row->kept);
	assert_int_equal(has(&synchronize.pods[0].message, OURS "c"), !row->kept);
	assert_false(has(&synchronize.pods[0].message, "other"));
	buffer_free(&pod);
}

/* ---- the room ---- */

static void hear_pod(struct synchronize *synchronize, const char *id, const char *key)
{
	struct buffer pod = empty_buffer();

	put_text(&pod, 1, id);
	put_text(&pod, 2, value_of(2000));
	put_entry(&pod, 6, key, "true");
	synchronize_pod(synchronize, &(struct message){pod.bytes, pod.len});
	buffer_free(&pod);
}

/* Until there is no room for one more of the kind */
static void fill_with_pods(struct synchronize *synchronize, const char *key)
{
	size_t before;

	do {
		before = synchronize->n_pods;
		hear_pod(synchronize, "p", key);
	} while (synchronize->n_pods > before);
}

/* Pods that do not ask leave room for those that ask, and both for what has a device. */
static void there_is_room_for_what_has_a_device(void **state)
{
	static const struct kept_case device = {.major = VERBS, .state = 3};
	static const struct kept_case privileged = {.access = "rwm", .state = 3};
	cleanup_synchronize synchronize = empty_synchronize();
	size_t n;

	(void)state;
	fill_with_pods(&synchronize, "other");
	assert_int_equal(synchronize.left_out, 0);
	assert_in_range(synchronize.used, SYNCHRONIZE_SIZE_MAX / 3 - 3000,
			SYNCHRONIZE_SIZE_MAX / 3);
	hear_pod(&synchronize, "asks", OURS "inject");
	assert_non_null(synchronize_find_pod(&synchronize, "asks"));
	assert_null(synchronize_find_pod(&synchronize, "ask"));
	fill_with_pods(&synchronize, OURS "inject");
	assert_int_equal(synchronize.left_out, 1);
	assert_in_range(synchronize.used, SYNCHRONIZE_SIZE_MAX / 3 * 2 - 3000,
			SYNCHRONIZE_SIZE_MAX / 3 * 2);
	hear_container(&synchronize, &privileged, CLAIM "x");
	n = synchronize.n_containers;
	for (int i = 0; i < 100; i++)
		hear_container(&synchronize, &privileged, CLAIM "x");
	assert_in_range(synchronize.n_containers, n, 50);
	assert_int_equal(synchronize.left_out, 1 + 101 - synchronize.n_containers);
	n = synchronize.n_containers;
	hear_container(&synchronize, &device, NULL);
	assert_int_equal(synchronize.n_containers, n + 1);
	while (n < synchronize.n_containers) {
		n = synchronize.n_containers;
		hear_container(&synchronize, &device, CLAIM "x");
	}
	assert_in_range(synchronize.used, SYNCHRONIZE_SIZE_MAX - 3000, SYNCHRONIZE_SIZE_MAX);
}

static void what_is_no_message_is_nothing(void **state)
{
	cleanup_synchronize synchronize = empty_synchronize();
	const struct message garbage = {(const unsigned char *)"\x07", 1};

	(void)state;
	synchronize_pod(&synchronize, &garbage);
	synchronize_container(&synchronize, &garbage);
	assert_int_equal(synchronize.left_out + synchronize.n_pods + synchronize.n_containers, 0);
}

/* ---- notes ---- */

static const struct note_case {
	const char *name;
	bool whole;
	const char *note;
	bool old;
	bool kept;
} note_cases[] = {
	{"a note whose container is gone goes", true, "gone", true, false},
	{"a note of a container that may be made now stays", true, "gone", false, true},
	{"a note stays if a part could not be read", false, "gone", true, true},
	{"a note whose container is there stays", true, "id", true, true},
	{"a note of an id that begins as one that is there goes", true, "id2", true, false},
	{"a note of an id with which one begins that is there goes", true, "i", true, false},
};

static void notes_go(void **state)
{
	static const struct kept_case running = {.state = 3};
	static const struct timespec long_ago[2] = {{.tv_sec = 1795000000}, {.tv_sec = 1795000000}};
	const struct note_case *row = *state;
	cleanup_unit_dir dir = unit_dir_make();
	cleanup_synchronize synchronize = {.sysroot = dir.path};
	char path[128];

	(void)snprintf(path, sizeof(path), NOTE_DIR "/%s.json", row->note);
	unit_write(dir.fd, path, "{}", 0600);
	assert_int_equal(fchmodat(dir.fd, NOTE_DIR, 0700, 0), 0);
	if (row->old)
		assert_int_equal(utimensat(dir.fd, path, long_ago, 0), 0);
	hear_container(&synchronize, &running, NULL);
	assert_int_equal(synchronize.n_containers, 0);
	synchronize_finish(&synchronize, row->whole);
	assert_int_equal(faccessat(dir.fd, path, F_OK, 0) == 0, row->kept);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE_AS(&suite, "kept: ", is_kept, kept_cases);
	UNIT_TABLE(&suite, claims_are_bounded, claim_cases);
	UNIT_TABLE(&suite, annotations_are_bounded, annotation_cases);
	unit_add(&suite, "pods that do not ask leave room for those that do, and all for devices",
		 there_is_room_for_what_has_a_device, NULL);
	unit_add(&suite, "what is no message is nothing", what_is_no_message_is_nothing, NULL);
	UNIT_TABLE(&suite, notes_go, note_cases);
	return unit_run(&suite, "nri_synchronize");
}
