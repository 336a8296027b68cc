/* SPDX-License-Identifier: Apache-2.0 */
/* Containers in NRI messages, and our answers */
#include "tests/unit/nri/nri.h"

#include "nri/message/message.h"
#include "nri/message/message_spec.h"
#include "nri/wire/field.h"
#include "nri/wire/ttrpc.h"

/* ---- a container's message ---- */

/* A request with a pod and a container */
struct asked {
	struct buffer pod;
	struct buffer container;
	struct buffer platform; /* the container's "linux" */
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
	const struct message pod = message_of(&asked->pod);
	struct message container;

	if (asked->platform.len)
		put_inside(&asked->container, 11, &asked->platform);
	container = message_of(&asked->container);
	return message_spec(&asked->arena,
			    message_unpack(&asked->arena, &nri__pod_sandbox__descriptor, &pod),
			    message_unpack(&asked->arena, &nri__container__descriptor, &container),
			    &asked->spec, &asked->err);
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

/* Annotations and labels of this kind are the author's; fields are the runtime's. */
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
} namespace_cases[] = {
	{"namespace: user", "user", "/proc/7/ns/user", true},
	{"namespace: the pod's network", "network", "/run/netns/pod", false},
	{"namespace: a new network", "network", "", false},
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

/* linux.resources */
static const struct resources_case {
	const char *name;
	bool has_limit;
	int64_t limit;
	const char *unified; /* memory.max; NULL: none */
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
	int64_t major; /* -1: absent */
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
	struct buffer resources = empty_buffer();
	struct buffer rule = empty_buffer();
	struct buffer number = empty_buffer();
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

/* Two bytes an entry become a structure each: bound them. */
UNIT_TEST("what a message unpacks to is bounded")
{
	/* Too large: the first one's list itself; all of the second one's together */
	static const size_t n[] = {4 * 1024 * 1024, 500000};

	for (size_t i = 0; i < LENGTH(n); i++) {
		cleanup_buffer platform = empty_buffer();
		cleanup_arena arena = {0};
		struct message message;

		for (size_t entry = 0; entry < n[i]; entry++)
			put(&platform, "\x12\x00", 2);
		message = message_of(&platform);
		assert_null(message_unpack(&arena, &nri__linux_container__descriptor, &message));
		message.len = 2000;
		assert_non_null(
			message_unpack(&arena, &nri__linux_container__descriptor, &message));
	}
}

/* ---- what we write ---- */

UNIT_TEST("a refusal's text is UTF-8, in one line")
{
	cleanup_arena arena = {0};
	struct message message;
	const Nri__Response *response;

	assert_int_equal(
		message_refusal(&arena, TTRPC_INTERNAL, "cut \xe2\x82 and\nbroken", &message), 0);
	response = message_unpack(&arena, &nri__response__descriptor, &message);
	assert_int_equal(response->status->code, 13);
	assert_string_equal(response->status->message, "cut ?? and?broken");
}

int main(void)
{
	return unit_main("nri_message");
}
