/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a container can matter, told by its config.json alone: who says no too early grants it
 * nothing. */
#include "unit.h"

#include <sched.h>
#include <sys/wait.h>

#include "core/container/devices.h"

/* What a child says that this machine does not let do what it tests */
#define NOT_HERE 77

#define DEVICE(type, number)                                                                       \
	"\"devices\":[{\"type\":\"" type "\",\"path\":\"/dev/x\",\"major\":" number                \
	",\"minor\":192}]"
#define EVERY "\"resources\":{\"devices\":[{\"allow\":true,\"access\":\"rwm\"}]}"
#define ASKS "\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\"},"
#define MOUNT                                                                                      \
	"\"mounts\":[{\"destination\":\"/dev/infiniband/uverbs0\",\"type\":\"bind\","              \
	"\"source\":\"/dev/infiniband/uverbs0\"}],"

static const struct matter_case {
	const char *name;
	const char *head;
	const char *env;
	const char *linux_section;
	bool matters;
} matter_cases[] = {
	{"matters: nothing", "", "", "", false},
	{"matters: an annotation", ASKS, "", "", true},
	{"matters: major 230 does not", "", "", DEVICE("c", "230"), false},
	{"matters: major 231", "", "", DEVICE("c", "231"), true},
	{"matters: major 231 without buffers", "", "", DEVICE("u", "231"), true},
	{"matters: major 231 of a block device does not", "", "", DEVICE("b", "231"), false},
	{"matters: major 232 does not", "", "", DEVICE("c", "232"), false},
	{"matters: major 233 does not", "", "", DEVICE("c", "233"), false},
	{"matters: major 234, the first that is chosen", "", "", DEVICE("c", "234"), true},
	{"matters: major 254, the last of the first range", "", "", DEVICE("c", "254"), true},
	{"matters: major 255 does not", "", "", DEVICE("c", "255"), false},
	{"matters: major 383 does not", "", "", DEVICE("c", "383"), false},
	{"matters: major 384, the first of the second range", "", "", DEVICE("c", "384"), true},
	{"matters: major 511, the last of the second range", "", "", DEVICE("c", "511"), true},
	{"matters: major 512 does not", "", "", DEVICE("c", "512"), false},
	{"matters: every device, and none is named", "", "", EVERY, false},
	{"matters: every device, and one is named", "", "PCIDEVICE_X=0000:3b:02.6", EVERY, true},
	{"matters: a name without a device does not", "", "PCIDEVICE_X=0000:3b:02.6", "", false},
	/* What it is given besides proves nothing. */
	{"matters: every device, one of them listed", "", "", DEVICE("c", "231") "," EVERY, false},
};

static bool may_matter(const struct matter_case *row)
{
	cleanup_container container = CONTAINER_NONE;
	struct err err = {0};

	container.text.bytes = arena_printf(
		&container.arena, "{%s\"process\":{\"env\":[\"A=1\",\"%s\"]},\"linux\":{%s}}",
		row->head, row->env[0] ? row->env : "B=2", row->linux_section);
	container.text.len = strlen(container.text.bytes);
	if (container_parse_spec(&container, "config.json", &err) < 0)
		fail_msg("%s", err.text);
	return container_may_matter(&container);
}

static void what_can_matter_is_told(void **state)
{
	const struct matter_case *row = *state;

	assert_int_equal(may_matter(row), row->matters);
}

static const struct matter_case mounted = {"", MOUNT, "", "", false};
static const struct matter_case not_mounted = {"", "", "", "", false};

/* On a node a pod's author mounts what he likes: nothing was allocated to him. */
static void a_mount_does_not_matter_on_a_node(void **state)
{
	(void)state;
	assert_false(may_matter(&mounted));
}

static int look_without_root(void)
{
	if (unshare(CLONE_NEWUSER) < 0)
		return NOT_HERE;
	return !may_matter(&mounted) || may_matter(&not_mounted);
}

static bool mount_counts(bool kubernetes)
{
	const char *sources[] = {"/dev/infiniband/uverbs0"};
	const struct spec spec = {.verbs_sources = sources,
				  .n_verbs_sources = 1,
				  .identity = {.kubernetes = kubernetes}};

	return container_mounts_count(&spec);
}

static int look_at_a_rootless_kubernetes(void)
{
	if (unshare(CLONE_NEWUSER) < 0)
		return NOT_HERE;
	return !mount_counts(false) || mount_counts(true);
}

static void in_a_child(int (*look)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(look());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_HERE)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void of_a_rootless_engine_it_does(void **state)
{
	(void)state;
	in_a_child(look_without_root);
}

static void of_a_rootless_kubernetes_it_does_not(void **state)
{
	(void)state;
	in_a_child(look_at_a_rootless_kubernetes);
}

static const struct text_case {
	const char *name;
	const char *text;
	bool names;
} text_cases[] = {
	{"text: nothing", "", false},
	{"text: a verbs device", "{\"path\":\"/dev/infiniband/uverbs0\"", true},
	{"text: the beginning of one", "{\"path\":\"/dev/infiniband/uverb", false},
	{"text: within another path", "{\"path\":\"/x/dev/infiniband/uverbs0\"", false},
	{"text: behind a NUL", NULL, true},
};

static void a_text_names_a_device(void **state)
{
	static char behind[] = "{\0\"/dev/infiniband/uverbs0\"";
	const struct text_case *row = *state;
	struct container container = {
		.text = {.bytes = row->text ? (char *)row->text : behind,
			 .len = row->text ? strlen(row->text) : sizeof(behind) - 1}};

	assert_int_equal(container_names_device(&container), row->names);
}

int main(void)
{
	static struct unit_suite suite;

	UNIT_TABLE(&suite, what_can_matter_is_told, matter_cases);
	unit_add_for_root(&suite, "matters: a mount on a node does not",
			  a_mount_does_not_matter_on_a_node, NULL);
	unit_add(&suite, "…of a rootless Kubernetes it does not",
		 of_a_rootless_kubernetes_it_does_not, NULL);
	unit_add(&suite, "matters: a mount of a rootless engine", of_a_rootless_engine_it_does,
		 NULL);
	UNIT_TABLE(&suite, a_text_names_a_device, text_cases);
	return unit_run(&suite, "container");
}
