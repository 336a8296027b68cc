/* SPDX-License-Identifier: Apache-2.0 */
/* A container as a runtime tells it, and what it is told */
#include "nri.h"

#include "core/container.h"
#include "nri/message/message.h"
#include "nri/wire/ttrpc.h"

/* ---- a container's message ---- */

static void read_container(struct arena *arena, struct buffer *payload, struct spec *ret_spec)
{
	struct err err;

	assert_int_equal(message_read_container(arena,
						&(struct message){payload->bytes, payload->len},
						ret_spec, &err),
			 0);
	buffer_free(payload);
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
	struct buffer pod = empty_buffer();
	struct buffer container = empty_buffer();
	struct buffer payload = empty_buffer();
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
	put_entry(&pod, 6, "oci-rdma-hook.io/inject", "true");
	put_entry(&pod, 6, "oci-rdma-hook.io/memlock", "1Gi");
	put_entry(&pod, 6, "other", "x");
	put_entry(&container, 6, "oci-rdma-hook.io/inject", "false");
	put_inside(&payload, 1, &pod);
	put_container(&payload, &container);
	read_container(&arena, &payload, &spec);
	assert_int_equal(spec.n_annotations, 2);
	assert_string_equal(spec_annotation(&spec, "inject")->value, "false");
	assert_string_equal(spec_annotation(&spec, "memlock")->value, "1Gi");
}

/* Labels and annotations of that kind are the author's; the fields are the runtime's. */
static void identity_is_the_messages(void **state)
{
	struct buffer pod = empty_buffer();
	struct buffer container = empty_buffer();
	struct buffer payload = empty_buffer();
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
	put_text(&pod, 4, "team-b");
	put_entry(&pod, 6, "io.kubernetes.pod.namespace", "team-a");
	put_entry(&pod, 6, "io.kubernetes.cri.sandbox-namespace", "team-a");
	put_entry(&container, 6, "io.kubernetes.container.name", "forged");
	put_entry(&container, 6, "io.kubernetes.cri-o.ContainerType", "sandbox");
	put_text(&container, 3, "real");
	put_inside(&payload, 1, &pod);
	put_container(&payload, &container);
	read_container(&arena, &payload, &spec);
	assert_string_equal(spec.identity.pod_namespace, "team-b");
	assert_string_equal(spec.identity.name, "real");
	assert_false(spec.identity.sandbox);
}

static void names_hold_no_control_character(void **state)
{
	struct buffer container = empty_buffer();
	struct buffer payload = empty_buffer();
	cleanup_arena arena = {0};
	struct spec spec;
	struct err err;

	(void)state;
	put_text(&container, 3, "a\nb");
	put_container(&payload, &container);
	assert_int_equal(message_read_container(&arena,
						&(struct message){payload.bytes, payload.len},
						&spec, &err),
			 -1);
	assert_one_line(&err);
	buffer_free(&payload);
}

static void last_rlimit_holds(void **state)
{
	static const struct {
		const char *type;
		uint64_t hard;
		uint64_t soft;
	} rows[] = {{"RLIMIT_MEMLOCK", 9, 8}, {"RLIMIT_NOFILE", 7, 7}, {"RLIMIT_MEMLOCK", 5, 4}};
	struct buffer container = empty_buffer();
	struct buffer payload = empty_buffer();
	cleanup_arena arena = {0};
	struct spec spec;

	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct buffer rlimit = empty_buffer();

		put_text(&rlimit, 1, rows[i].type);
		put_varint(&rlimit, 2 << 3);
		put_varint(&rlimit, rows[i].hard);
		put_varint(&rlimit, 3 << 3);
		put_varint(&rlimit, rows[i].soft);
		put_inside(&container, 13, &rlimit);
	}
	put_container(&payload, &container);
	read_container(&arena, &payload, &spec);
	assert_true(spec.has_memlock);
	assert_int_equal(spec.memlock_soft, 4);
	assert_int_equal(spec.memlock_hard, 5);
}

/* Two bytes an entry become a structure each: there is an end to it. */
static void memory_is_bounded(void **state)
{
	size_t n = 2 * 1024 * 1024 - 1000;
	struct buffer platform = empty_buffer();
	struct buffer container = empty_buffer();
	struct buffer payload = empty_buffer();
	cleanup_arena arena = {0};
	struct spec spec;
	struct err err;

	(void)state;
	for (size_t i = 0; i < n; i++)
		put(&platform, "\x12\x00", 2);
	put_inside(&container, 11, &platform);
	put_container(&payload, &container);
	assert_int_equal(message_read_container(&arena,
						&(struct message){payload.bytes, payload.len},
						&spec, &err),
			 -1);
	assert_one_line(&err);
	buffer_free(&payload);
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
	UNIT_TABLE(&suite, may_matter, matter_cases);
	return unit_run(&suite, "nri_message");
}
