/* SPDX-License-Identifier: Apache-2.0 */
/* A container as a runtime tells it, and what it is told */
#include "tests/unit/nri/nri.h"

#include "core/container/container.h"
#include "nri/message/message.h"
#include "nri/wire/wire.h"

/* ---- a container's message ---- */

/* A request with a pod and a container, as far as the test has filled them */
struct asked {
	struct buffer pod;
	struct buffer container;
	struct buffer platform; /* the container's part "linux" */
	struct arena arena;
	struct spec spec;
	struct err err;
};

static struct asked empty_asked(void)
{
	return (struct asked){
		.pod = empty_buffer(), .container = empty_buffer(), .platform = empty_buffer()};
}

static void free_asked(struct asked *asked)
{
	arena_free(&asked->arena);
}

#define cleanup_asked __attribute__((cleanup(free_asked))) struct asked

static int read_asked(struct asked *asked)
{
	const struct message pod = {asked->pod.bytes, asked->pod.len};
	int status;

	if (asked->platform.len)
		put_inside(&asked->container, 11, &asked->platform);
	status = message_read_container(
		&asked->arena, &pod,
		&(struct message){asked->container.bytes, asked->container.len}, &asked->spec,
		&asked->err);
	buffer_free(&asked->pod);
	buffer_free(&asked->container);
	return status;
}

static void put_entry(struct buffer *to, uint32_t field, const char *key, const char *value)
{
	struct buffer entry = empty_buffer();

	put_text(&entry, 1, key);
	put_text(&entry, 2, value);
	put_inside(to, field, &entry);
}

static void annotations_of_the_container_win(void **state)
{
	cleanup_asked asked = empty_asked();

	(void)state;
	put_entry(&asked.pod, 6, "oci-rdma-hook.io/inject", "true");
	put_entry(&asked.pod, 6, "oci-rdma-hook.io/memlock", "1Gi");
	put_entry(&asked.pod, 6, "other", "x");
	put_entry(&asked.container, 6, "oci-rdma-hook.io/inject", "false");
	assert_int_equal(read_asked(&asked), 0);
	assert_int_equal(asked.spec.n_annotations, 2);
	assert_string_equal(spec_annotation(&asked.spec, "inject")->value, "false");
	assert_string_equal(spec_annotation(&asked.spec, "memlock")->value, "1Gi");
}

/* Labels and annotations of that kind are the author's; the fields are the runtime's. */
static void identity_is_the_messages(void **state)
{
	cleanup_asked asked = empty_asked();

	(void)state;
	put_text(&asked.pod, 4, "team-b");
	put_entry(&asked.pod, 6, "io.kubernetes.pod.namespace", "team-a");
	put_entry(&asked.pod, 6, "io.kubernetes.cri.sandbox-namespace", "team-a");
	put_entry(&asked.container, 6, "io.kubernetes.container.name", "forged");
	put_entry(&asked.container, 6, "io.kubernetes.cri-o.ContainerType", "sandbox");
	put_text(&asked.container, 3, "real");
	assert_int_equal(read_asked(&asked), 0);
	assert_string_equal(asked.spec.identity.pod_namespace, "team-b");
	assert_string_equal(asked.spec.identity.name, "real");
	assert_false(asked.spec.identity.sandbox);
}

static void names_hold_no_control_character(void **state)
{
	cleanup_asked asked = empty_asked();

	(void)state;
	put_text(&asked.container, 3, "a\nb");
	assert_int_equal(read_asked(&asked), -1);
	assert_one_line(&asked.err);
}

static void put_rlimit(struct buffer *container, const char *type, uint64_t hard, uint64_t soft)
{
	struct buffer rlimit = empty_buffer();

	put_text(&rlimit, 1, type);
	put_number(&rlimit, 2, hard);
	put_number(&rlimit, 3, soft);
	put_inside(container, 13, &rlimit);
}

static void last_rlimit_holds(void **state)
{
	cleanup_asked asked = empty_asked();

	(void)state;
	put_rlimit(&asked.container, "RLIMIT_MEMLOCK", 9, 8);
	put_rlimit(&asked.container, "RLIMIT_NOFILE", 7, 7);
	put_rlimit(&asked.container, "RLIMIT_MEMLOCK", 5, 4);
	assert_int_equal(read_asked(&asked), 0);
	assert_true(asked.spec.has_memlock);
	assert_int_equal(asked.spec.memlock_soft, 4);
	assert_int_equal(asked.spec.memlock_hard, 5);
}

static void another_rlimit_is_not_memlock(void **state)
{
	cleanup_asked asked = empty_asked();

	(void)state;
	put_rlimit(&asked.container, "RLIMIT_NOFILE", 7, 7);
	assert_int_equal(read_asked(&asked), 0);
	assert_false(asked.spec.has_memlock);
}

static void annotations_are_bounded(void **state)
{
	cleanup_asked asked = empty_asked();

	(void)state;
	for (size_t i = 0; i < SPEC_ANNOTATIONS_MAX + 1; i++)
		put_entry(&asked.container, 6,
			  arena_printf(&asked.arena, "oci-rdma-hook.io/x%zu", i), "x");
	assert_int_equal(read_asked(&asked), -1);
	assert_has(asked.err.text, "more than ");
}

static void mounts_are_told(void **state)
{
	struct buffer mount = empty_buffer();
	cleanup_asked asked = empty_asked();

	(void)state;
	put_text(&mount, 1, "/etc/nccl.conf");
	put_inside(&asked.container, 9, &mount);
	assert_int_equal(read_asked(&asked), 0);
	assert_int_equal(asked.spec.n_mounts, 1);
	assert_string_equal(asked.spec.mounts[0], "/etc/nccl.conf");
}

/* ---- linux ---- */

static void put_namespace(struct buffer *platform, const char *type, const char *path)
{
	struct buffer namespace = empty_buffer();

	put_text(&namespace, 1, type);
	put_text(&namespace, 2, path);
	put_inside(platform, 1, &namespace);
}

static void namespaces_are_told(void **state)
{
	cleanup_asked user = empty_asked();
	cleanup_asked network = empty_asked();
	cleanup_asked fresh = empty_asked();

	(void)state;
	put_namespace(&user.platform, "user", "/proc/7/ns/user");
	assert_int_equal(read_asked(&user), 0);
	assert_true(user.spec.user_namespace && !user.spec.network_namespace);
	assert_null(user.spec.network_path);

	put_namespace(&network.platform, "network", "/run/netns/pod");
	assert_int_equal(read_asked(&network), 0);
	assert_true(!network.spec.user_namespace && network.spec.network_namespace);
	assert_string_equal(network.spec.network_path, "/run/netns/pod");

	put_namespace(&fresh.platform, "network", "");
	assert_int_equal(read_asked(&fresh), 0);
	assert_true(fresh.spec.network_namespace);
	assert_null(fresh.spec.network_path);
}

static const struct type_case {
	const char *name;
	const char *type;
	bool character;
} type_cases[] = {
	{"device: c", "c", true},       {"device: u is c", "u", true},
	{"device: b", "b", false},      {"device: p", "p", false},
	{"device: no type", "", false}, {"device: a word", "char", false},
};

static void devices_are_told(void **state)
{
	const struct type_case *row = *state;
	struct buffer device = empty_buffer();
	cleanup_asked asked = empty_asked();

	put_text(&device, 1, "/dev/infiniband/uverbs6");
	put_text(&device, 2, row->type);
	put_number(&device, 3, 231);
	put_number(&device, 4, 198);
	put_inside(&asked.platform, 2, &device);
	assert_int_equal(read_asked(&asked), 0);
	assert_int_equal(asked.spec.n_devices, 1);
	assert_int_equal(asked.spec.devices[0].character, row->character);
	assert_int_equal(asked.spec.devices[0].major, 231);
	assert_int_equal(asked.spec.devices[0].minor, 198);
}

/* Of linux.resources */
static const struct resources_case {
	const char *name;
	bool has_limit;
	int64_t limit;
	const char *unified; /* its memory.max; NULL: none */
	uint64_t memory_limit;
} resources_cases[] = {
	{"memory: no limit", false, 0, NULL, 0},
	{"memory: a limit", true, 4096, NULL, 4096},
	{"memory: 0 is none", true, 0, NULL, 0},
	{"memory: -1 is none", true, -1, NULL, 0},
	{"memory: unified alone", false, 0, "8192", 8192},
	{"memory: unified is written last", true, 4096, "8192", 8192},
	{"memory: unified's max takes a limit away", true, 4096, "max", 0},
	{"memory: unified, empty", true, 4096, "", 0},
	{"memory: unified, a unit", true, 4096, "8192k", 0},
	{"memory: unified, below 0", true, 4096, "-1", 0},
};

static void memory_limits_are_told(void **state)
{
	const struct resources_case *row = *state;
	struct buffer number = empty_buffer();
	struct buffer memory = empty_buffer();
	struct buffer resources = empty_buffer();
	cleanup_asked asked = empty_asked();

	put_entry(&resources, 6, "memory.high", "1");
	if (row->unified)
		put_entry(&resources, 6, "memory.max", row->unified);
	if (row->has_limit) {
		put_number(&number, 1, (uint64_t)row->limit);
		put_inside(&memory, 1, &number);
	}
	put_inside(&resources, 1, &memory);
	put_inside(&asked.platform, 3, &resources);
	assert_int_equal(read_asked(&asked), 0);
	assert_true(asked.spec.memory_limit == row->memory_limit);
}

static const struct rule_case {
	const char *name;
	bool allow;
	const char *type;
	const char *access;
	int64_t major; /* -1: not said */
	bool every_device;
} rule_cases[] = {
	{"rule: all of them", true, "a", "rwm", -1, true},
	{"rule: without a type", true, "", "rwm", -1, true},
	{"rule: without a right to write", true, "a", "r", -1, false},
	{"rule: character devices", true, "c", "rwm", -1, true},
	{"rule: block devices", true, "b", "rwm", -1, false},
	{"rule: of one driver", true, "a", "rwm", 231, false},
	{"rule: none of them", false, "a", "rwm", -1, false},
};

static void rules_are_told(void **state)
{
	const struct rule_case *row = *state;
	struct buffer number = empty_buffer();
	struct buffer rule = empty_buffer();
	struct buffer resources = empty_buffer();
	cleanup_asked asked = empty_asked();

	put_number(&rule, 1, row->allow);
	put_text(&rule, 2, row->type);
	put_text(&rule, 5, row->access);
	if (row->major >= 0) {
		put_number(&number, 1, (uint64_t)row->major);
		put_inside(&rule, 3, &number);
	}
	put_inside(&resources, 7, &rule);
	put_inside(&asked.platform, 3, &resources);
	assert_int_equal(read_asked(&asked), 0);
	assert_int_equal(asked.spec.every_device, row->every_device);
}

/* Two bytes an entry become a structure each: there is an end to it. */
static void memory_is_bounded(void **state)
{
	/* The list of the first is too large itself, of the second all that is in it. */
	static const size_t n[] = {2 * 1024 * 1024 - 1000, 500000};

	(void)state;
	for (size_t i = 0; i < LENGTH(n); i++) {
		cleanup_asked asked = empty_asked();

		for (size_t entry = 0; entry < n[i]; entry++)
			put(&asked.platform, "\x12\x00", 2);
		assert_int_equal(read_asked(&asked), -1);
		assert_one_line(&asked.err);
	}
}

/* ---- what we write ---- */

/* 2^64 - 1, as NRI's Go code writes it */
static void unlimited_is_written(void **state)
{
	static const unsigned char want[] = {
		0x0a, 0x28, 0x3a, 0x26, 0x0a, 0x0e, 'R',  'L',  'I',  'M',  'I',  'T',  '_',  'M',
		'E',  'M',  'L',  'O',  'C',  'K',  0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0x01, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
	const struct message_adjustment adjustment = {
		.sets_memlock = true, .memlock_soft = UINT64_MAX, .memlock_hard = UINT64_MAX};
	cleanup_arena arena = {0};
	struct message message;

	(void)state;
	assert_int_equal(message_adjust(&arena, &adjustment, &message), 0);
	assert_int_equal(message.len, sizeof(want));
	assert_memory_equal(message.bytes, want, sizeof(want));
}

static void refusals_are_utf8(void **state)
{
	cleanup_arena arena = {0};
	struct message message;
	const char *text;
	struct err err;
	int status;

	(void)state;
	assert_int_equal(
		message_refusal(&arena, TTRPC_INTERNAL, "cut \xe2\x82 and\nbroken", &message), 0);
	assert_int_equal(message_read_response(&arena, &message, &status, &text, &err), 0);
	assert_int_equal(status, 13);
	assert_string_equal(text, "cut ?? and?broken");
}

/* ---- which containers are looked at ---- */

static const struct matter_case {
	const char *name;
	int64_t major;
	const char *env; /* of a container with every device */
	const char *inject;
	bool matters;
} matter_cases[] = {
	{"dismissed: a container without a device", -1, NULL, NULL, false},
	{"dismissed: /dev/fuse", 10, NULL, NULL, false},
	{"dismissed: an NVIDIA GPU", 195, NULL, NULL, false},
	{"dismissed: major 232", 232, NULL, NULL, false},
	{"dismissed: major 233", 233, NULL, NULL, false},
	{"dismissed: major 255", 255, NULL, NULL, false},
	{"dismissed: major 383", 383, NULL, NULL, false},
	{"dismissed: major 512", 512, NULL, NULL, false},
	{"dismissed: privileged, without an allocation", -1, "PATH=/bin", NULL, false},
	{"dismissed: it says no", 10, NULL, "false", false},
	{"looked at: the verbs devices' major", 231, NULL, NULL, true},
	{"looked at: a major chosen by the kernel, 234", 234, NULL, NULL, true},
	{"looked at: a major chosen by the kernel, 254", 254, NULL, NULL, true},
	{"looked at: a major chosen by the kernel, 384", 384, NULL, NULL, true},
	{"looked at: a major chosen by the kernel, 511", 511, NULL, NULL, true},
	{"looked at: privileged, with an allocation", -1, "PCIDEVICE_A_B=0000:3b:02.6", NULL, true},
	{"looked at: it asks", -1, NULL, "true", true},
};

static void may_matter(void **state)
{
	const struct matter_case *row = *state;
	struct spec_device device = {"/dev/x", true, row->major, 0};
	struct spec_annotation annotation = {"inject", row->inject, 0};
	const char *env[] = {row->env};
	cleanup_container container = CONTAINER_NONE;

	container.spec.devices = &device;
	container.spec.n_devices = row->major >= 0;
	container.spec.annotations = &annotation;
	container.spec.n_annotations = row->inject != NULL;
	container.spec.env = env;
	container.spec.n_env = row->env != NULL;
	container.spec.every_device = row->env != NULL;
	assert_int_equal(container_may_matter(&container), row->matters);
	device.character = false;
	if (row->major >= 0 && !row->inject)
		assert_false(container_may_matter(&container));
}

/* ---- one of many ---- */

#define KNOWN                                                                                      \
	"\x0a\x06\x0a\x01p\x12\x01x\x12\x04\x0a\x02id\x0a\x03\x0a\x01q\x18\x01\x12\x02\x12\x00"

static const struct find_case {
	const char *name;
	enum message_known kind;
	const char *id;
	const char *found; /* NULL: none */
} find_cases[] = {
	{"a pod", MESSAGE_POD, "p", "\x0a\x01p\x12\x01x"},
	{"a later pod", MESSAGE_POD, "q", "\x0a\x01q"},
	{"a container", MESSAGE_CONTAINER, "id", "\x0a\x02id"},
	{"an id of the other kind", MESSAGE_CONTAINER, "p", NULL},
	{"an id that begins as one", MESSAGE_CONTAINER, "id2", NULL},
	{"an id with which one begins", MESSAGE_CONTAINER, "i", NULL},
	{"no id", MESSAGE_CONTAINER, "", NULL},
	{"another field of that text", MESSAGE_POD, "x", NULL},
};

static void is_found(void **state)
{
	const struct find_case *row = *state;
	const struct message known = {(const unsigned char *)KNOWN, sizeof(KNOWN) - 1};
	struct message found;

	assert_int_equal(message_find(&known, row->kind, row->id, &found) != NULL,
			 row->found != NULL);
	if (!row->found)
		return;
	assert_int_equal(found.len, strlen(row->found));
	assert_memory_equal(found.bytes, row->found, found.len);
}

/* ---- one that is about to start ---- */

#define BYTES(text) text, sizeof(text) - 1

static const struct parts_case {
	const char *name;
	bool is_event;
	const char *bytes;
	size_t len;
	const char *said; /* pod and container; NULL: none */
} parts_cases[] = {
	{"a pod and a container", false,
	 BYTES("\x0a\x01p\x12\x01"
	       "c"),
	 "p c"},
	{"a container alone", false,
	 BYTES("\x12\x01"
	       "c"),
	 " c"},
	{"an empty container", false, BYTES("\x12\x00"), " "},
	{"no container", false, BYTES("\x0a\x01p"), NULL},
	{"a container that is a number", false, BYTES("\x10\x01"), NULL},
	{"cut", false,
	 BYTES("\x12\x01"
	       "c\x0a\x07"),
	 NULL},
	{"the event of a start", true,
	 BYTES("\x08\x06\x12\x01p\x1a\x01"
	       "c"),
	 "p c"},
	{"another event", true,
	 BYTES("\x08\x05\x12\x01p\x1a\x01"
	       "c"),
	 NULL},
	{"no event", true,
	 BYTES("\x12\x01p\x1a\x01"
	       "c"),
	 NULL},
};

static void parts_are_found(void **state)
{
	const struct parts_case *row = *state;
	const struct message message = {(const unsigned char *)row->bytes, row->len};
	struct message pod;
	struct message container;
	char said[16];

	assert_int_equal(message_parts(&message, row->is_event, &pod, &container),
			 row->said ? 0 : -1);
	if (!row->said)
		return;
	(void)snprintf(said, sizeof(said), "%.*s %.*s", (int)pod.len,
		       pod.bytes ? (const char *)pod.bytes : "", (int)container.len,
		       (const char *)container.bytes);
	assert_string_equal(said, row->said);
}

int main(void)
{
	static struct unit_suite suite;

	unit_add(&suite, "unlimited is written as Go writes it", unlimited_is_written, NULL);
	unit_add(&suite, "what a message unpacks to is bounded", memory_is_bounded, NULL);
	unit_add(&suite, "a refusal's text is UTF-8, in one line", refusals_are_utf8, NULL);
	unit_add(&suite, "annotations: the container's win over the pod's",
		 annotations_of_the_container_win, NULL);
	unit_add(&suite, "identity: the message's fields, no annotation", identity_is_the_messages,
		 NULL);
	unit_add(&suite, "identity: no control character", names_hold_no_control_character, NULL);
	unit_add(&suite, "limits: the last one holds", last_rlimit_holds, NULL);
	unit_add(&suite, "limits: another one is not memlock", another_rlimit_is_not_memlock, NULL);
	unit_add(&suite, "annotations: bounded", annotations_are_bounded, NULL);
	unit_add(&suite, "mounts", mounts_are_told, NULL);
	unit_add(&suite, "namespaces", namespaces_are_told, NULL);
	UNIT_TABLE(&suite, devices_are_told, type_cases);
	UNIT_TABLE(&suite, memory_limits_are_told, resources_cases);
	UNIT_TABLE(&suite, rules_are_told, rule_cases);
	UNIT_TABLE(&suite, may_matter, matter_cases);
	UNIT_TABLE_AS(&suite, "found: ", is_found, find_cases);
	UNIT_TABLE_AS(&suite, "parts: ", parts_are_found, parts_cases);
	return unit_run(&suite, "nri_message");
}
