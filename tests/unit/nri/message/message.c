/* SPDX-License-Identifier: Apache-2.0 */
/* A container as a runtime tells it, and what it is told */
#include "tests/unit/nri/nri.h"

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
	buffer_free(&asked->pod);
	buffer_free(&asked->container);
}

#define cleanup_asked __attribute__((cleanup(free_asked))) struct asked

static int read_asked(struct asked *asked)
{
	const struct message pod = {asked->pod.bytes, asked->pod.len};

	if (asked->platform.len)
		put_inside(&asked->container, 11, &asked->platform);
	return message_read_container(
		&asked->arena, &pod,
		&(struct message){asked->container.bytes, asked->container.len}, &asked->spec,
		&asked->err);
}

UNIT_TEST("annotations: the container's win over the pod's")
{
	cleanup_asked asked = empty_asked();

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
UNIT_TEST("identity: the message's fields, no annotation")
{
	cleanup_asked asked = empty_asked();

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

UNIT_TEST("identity: no control character")
{
	cleanup_asked asked = empty_asked();

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

UNIT_TEST("limits: the last one holds, and another one is not memlock")
{
	cleanup_asked asked = empty_asked();
	cleanup_asked other = empty_asked();

	put_rlimit(&asked.container, "RLIMIT_MEMLOCK", 9, 8);
	put_rlimit(&asked.container, "RLIMIT_NOFILE", 7, 7);
	put_rlimit(&asked.container, "RLIMIT_MEMLOCK", 5, 4);
	assert_int_equal(read_asked(&asked), 0);
	assert_true(asked.spec.has_memlock);
	assert_int_equal(asked.spec.memlock_soft, 4);
	assert_int_equal(asked.spec.memlock_hard, 5);
	put_rlimit(&other.container, "RLIMIT_NOFILE", 7, 7);
	assert_int_equal(read_asked(&other), 0);
	assert_false(other.spec.has_memlock);
}

UNIT_TEST("annotations: bounded")
{
	cleanup_asked asked = empty_asked();

	for (size_t i = 0; i < SPEC_ANNOTATIONS_MAX + 1; i++)
		put_entry(&asked.container, 6,
			  arena_printf(&asked.arena, "oci-rdma-hook.io/x%zu", i), "x");
	assert_int_equal(read_asked(&asked), -1);
	assert_has(asked.err.text, "more than ");
}

UNIT_TEST("mounts")
{
	struct buffer mount = empty_buffer();
	cleanup_asked asked = empty_asked();

	put_text(&mount, 1, "/etc/nccl.conf");
	put_inside(&asked.container, 9, &mount);
	assert_int_equal(read_asked(&asked), 0);
	assert_int_equal(asked.spec.n_mounts, 1);
	assert_string_equal(asked.spec.mounts[0], "/etc/nccl.conf");
}

/* ---- linux ---- */

static const struct namespace_case {
	const char *name;
	const char *type;
	const char *path;
	bool user;
	const char *network_path; /* of the network namespace; NULL: the container has a new one */
} namespace_cases[] = {
	{"namespace: user", "user", "/proc/7/ns/user", true, NULL},
	{"namespace: the pod's network", "network", "/run/netns/pod", false, "/run/netns/pod"},
	{"namespace: a new network", "network", "", false, NULL},
};

UNIT_ROWS(namespace_cases)
{
	struct buffer namespace = empty_buffer();
	cleanup_asked asked = empty_asked();

	put_text(&namespace, 1, row->type);
	put_text(&namespace, 2, row->path);
	put_inside(&asked.platform, 1, &namespace);
	assert_int_equal(read_asked(&asked), 0);
	assert_int_equal(asked.spec.user_namespace, row->user);
	assert_int_equal(asked.spec.network_namespace, !row->user);
	if (row->network_path)
		assert_string_equal(asked.spec.network_path, row->network_path);
	else
		assert_null(asked.spec.network_path);
}

static const struct type_case {
	const char *name;
	const char *type;
	bool character;
} type_cases[] = {
	{"device: c", "c", true},          {"device: u is c", "u", true},
	{"device: b", "b", false},         {"device: no type", "", false},
	{"device: a word", "char", false},
};

UNIT_ROWS(type_cases)
{
	cleanup_asked asked = empty_asked();

	put_device(&asked.platform, row->type, 231);
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

UNIT_ROWS(resources_cases)
{
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

UNIT_ROWS(rule_cases)
{
	cleanup_asked asked = empty_asked();

	put_rule(&asked.platform, row->allow, row->type, row->access, row->major);
	assert_int_equal(read_asked(&asked), 0);
	assert_int_equal(asked.spec.every_device, row->every_device);
}

/* Two bytes an entry become a structure each: there is an end to it. */
UNIT_TEST("what a message unpacks to is bounded")
{
	/* The list of the first is too large itself, of the second all that is in it. */
	static const size_t n[] = {2 * 1024 * 1024 - 1000, 500000};

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
UNIT_TEST("unlimited is written as Go writes it")
{
	static const unsigned char want[] = {
		0x0a, 0x28, 0x3a, 0x26, 0x0a, 0x0e, 'R',  'L',  'I',  'M',  'I',  'T',  '_',  'M',
		'E',  'M',  'L',  'O',  'C',  'K',  0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0x01, 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
	const struct message_adjustment adjustment = {
		.sets_memlock = true, .memlock_soft = UINT64_MAX, .memlock_hard = UINT64_MAX};
	cleanup_arena arena = {0};
	struct message message;

	assert_int_equal(message_adjust(&arena, &adjustment, &message), 0);
	assert_int_equal(message.len, sizeof(want));
	assert_memory_equal(message.bytes, want, sizeof(want));
}

UNIT_TEST("a refusal's text is UTF-8, in one line")
{
	WITH_ARENA;
	struct message message;
	const char *text;
	int status;

	assert_int_equal(
		message_refusal(&arena, TTRPC_INTERNAL, "cut \xe2\x82 and\nbroken", &message), 0);
	assert_int_equal(message_read_response(&arena, &message, &status, &text, &err), 0);
	assert_int_equal(status, 13);
	assert_string_equal(text, "cut ?? and?broken");
}

/* ---- a glance ---- */

#define CLAIM "PCIDEVICE_A=x"

static const struct glance_case {
	const char *name;
	const char *type;
	uint64_t major; /* of a device; 0: none */
	const char *env;
	uint64_t state;
	bool kept;
} glance_cases[] = {
	{"a verbs device", "c", 231, "A=b", 3, true},
	{"a verbs device, created", "c", 231, "A=b", 1, true},
	{"a verbs device, unbuffered", "u", 231, "A=b", 3, true},
	{"the 33rd verbs device and more", "c", 511, "A=b", 3, true},
	{"a verbs device, stopped", "c", 231, "A=b", 4, false},
	{"a block device", "b", 231, "A=b", 3, false},
	{"a device without a type", "", 231, "A=b", 3, false},
	{"a type of two letters", "cc", 231, "A=b", 3, false},
	{"a GPU", "c", 195, "A=b", 3, false},
	{"a claim", "c", 0, CLAIM, 3, true},
	{"a claim, stopped", "c", 0, CLAIM, 4, false},
};

UNIT_ROWS_AS("glance: ", glance_cases)
{
	cleanup_buffer container = empty_buffer();
	struct buffer platform = empty_buffer();
	struct message_glance glance;

	put_text(&container, 1, "id");
	put_number(&container, 4, row->state);
	put_text(&container, 8, row->env);
	if (row->major)
		put_device(&platform, row->type, row->major);
	put_device(&platform, "c", 1);
	put_inside(&container, 11, &platform);
	message_glance(&(struct message){container.bytes, container.len}, &glance);
	assert_int_equal(glance.may_have_device && !glance.stopped, row->kept);
	assert_int_equal(glance.id_len, 2);
	assert_memory_equal(glance.id, "id", 2);
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

UNIT_ROWS_AS("found: ", find_cases)
{
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
	{"a pod and a container", false, BYTES("\x0a\x01p\x12\1c"), "p c"},
	{"a container alone", false, BYTES("\x12\1c"), " c"},
	{"an empty container", false, BYTES("\x12\x00"), " "},
	{"no container", false, BYTES("\x0a\x01p"), NULL},
	{"a container that is a number", false, BYTES("\x10\x01"), NULL},
	{"cut", false, BYTES("\x12\1c\x0a\x07"), NULL},
	{"the event of a start", true, BYTES("\x08\x06\x12\x01p\x1a\1c"), "p c"},
	{"another event", true, BYTES("\x08\x05\x12\x01p\x1a\1c"), NULL},
	{"no event", true, BYTES("\x12\x01p\x1a\1c"), NULL},
};

UNIT_ROWS_AS("parts: ", parts_cases)
{
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
	return unit_main("nri_message");
}
