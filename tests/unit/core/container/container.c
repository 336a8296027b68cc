/* SPDX-License-Identifier: Apache-2.0 */
/* Can a container matter? By config.json alone: a wrong no costs the grant. */
#include <sys/resource.h>

#include "core/container/container.h"
#include "explain/explain.h"
#include "tests/unit/unit.h"

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
	{"matters: one that says no does not",
	 "\"annotations\":{\"oci-rdma-hook.io/inject\":\"false\"},", "", "", false},
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
	/* With every device, a listed one proves nothing. */
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
	return container_needs_decision(&container);
}

UNIT_ROWS(matter_cases)
{
	assert_int_equal(may_matter(row), row->matters);
}

/* From an NRI message, without a config.json to search */
UNIT_TEST("a message names a device, and a request")
{
	struct spec_device devices[] = {{.path = "/dev/null"}, {.path = "/dev/infiniband/uverbs6"}};
	struct container container = CONTAINER_NONE;

	assert_false(container_names_device(&container));
	assert_false(container_names_request(&container));
	container.spec.devices = devices;
	container.spec.n_devices = 1;
	assert_false(container_names_device(&container));
	container.spec.n_devices = 2;
	assert_true(container_names_device(&container));
	container.spec_known = true;
	assert_false(container_names_request(&container));
	container.spec.asked = true;
	assert_true(container_names_request(&container));
}

static const struct matter_case mounted = {"", MOUNT, "", "", false};
static const struct matter_case not_mounted = {"", "", "", "", false};

/* On a node the pod's author chooses mounts; they allocate nothing. */
UNIT_TEST_FOR_ROOT("matters: a mount on a node does not")
{
	assert_false(may_matter(&mounted));
}

static int look_without_root(UNUSED const void *context)
{
	if (unshare(CLONE_NEWUSER) < 0)
		return UNIT_NOT_HERE;
	return !may_matter(&mounted) || may_matter(&not_mounted);
}

static bool mount_counts(bool kubernetes)
{
	const char *sources[] = {"/dev/infiniband/uverbs0"};
	struct container container = {.spec = {.verbs_sources = sources,
					       .n_verbs_sources = 1,
					       .identity = {.kubernetes = kubernetes}}};

	return container_needs_decision(&container);
}

static int look_at_a_rootless_kubernetes(UNUSED const void *context)
{
	if (unshare(CLONE_NEWUSER) < 0)
		return UNIT_NOT_HERE;
	return !mount_counts(false) || mount_counts(true);
}

static void in_a_child(int (*look)(const void *))
{
	assert_int_equal(unit_result_of(look, NULL), 0);
}

UNIT_TEST("matters: a mount of a rootless engine")
{
	in_a_child(look_without_root);
}

UNIT_TEST("…of a rootless Kubernetes it does not")
{
	in_a_child(look_at_a_rootless_kubernetes);
}

/* ---- what a rootless engine's container is given ---- */

#define PCI_FUNCTION "devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6"
#define FUNCTION PCI_FUNCTION "/infiniband_verbs/uverbs6"

static const struct mounted_case {
	const char *name;
	const char *source; /* NULL: a regular file */
	const char *number; /* of the node's verbs device */
	bool listed;        /* linux.devices also has /dev/null */
	size_t found;
} mounted_cases[] = {
	{"mounted: a device file", "/dev/null", "1:3", false, 1},
	{"mounted: another number", "/dev/null", "1:4", false, 0},
	{"mounted: a device that linux.devices has is one device", "/dev/null", "1:3", true, 1},
	{"mounted: a file that is no device has no number", NULL, "0:0", false, 0},
	{"mounted: nor has one that is gone", "/dev/nothing", "0:0", false, 0},
};

static struct unit_dir node_dir;

static size_t count_mounted(const struct mounted_case *row)
{
	const char *sources[] = {row->source ? row->source : node_dir.path};
	struct spec_device null = {.path = "/dev/null", .character = true, .major = 1, .minor = 3};
	const struct options options = {.sysroot = node_dir.path};
	cleanup_container container = CONTAINER_NONE;
	struct err err;

	container.everything = true;
	container.spec = (struct spec){.verbs_sources = sources,
				       .n_verbs_sources = 1,
				       .devices = &null,
				       .n_devices = row->listed};
	if (unshare(CLONE_NEWUSER) < 0)
		_exit(UNIT_NOT_HERE);
	return container_find(&container, &options, &err) < 0 ? SIZE_MAX : container.devices.n;
}

static int look_at_a_mounted_file(const void *context)
{
	const struct mounted_case *row = context;

	return count_mounted(row) != row->found;
}

UNIT_ROWS(mounted_cases)
{
	cleanup_unit_dir dir = unit_dir_make();
	char link[64];

	node_dir = dir;
	snprintf(link, sizeof(link), "sys/dev/char/%s", row->number);
	unit_write(dir.fd, "sys/dev/char/x", "", 0644);
	unit_write(dir.fd, "sys/" FUNCTION "/ibdev", "mlx5_6\n", 0644);
	assert_int_equal(symlinkat("../../" FUNCTION, dir.fd, link), 0);
	assert_int_equal(unit_result_of(look_at_a_mounted_file, row), 0);
}

#define MI (UINT64_C(1024) * 1024)

/* memlock of a plan for one device under a hard limit of 1 MiB */
static uint64_t planned_memlock(bool engine_of_root)
{
	const struct rlimit limit = {.rlim_cur = MI, .rlim_max = MI};
	const char *namespaces[] = {"*"};
	struct device device = {.ibdev = "mlx5_6"};
	cleanup_container container = CONTAINER_NONE;
	struct err err;

	container.devices = (struct devices){.item = &device, .n = 1};
	container.request = (struct request){.inject = INJECT_ASKED, .memlock = UINT64_MAX};
	container.config = (struct config){
		.path = "c", .namespaces = namespaces, .n_namespaces = 1, .memlock = UINT64_MAX};
	container.has_config = true;
	if (node_open(node_dir.path, &container.node, &err) < 0 ||
	    setrlimit(RLIMIT_MEMLOCK, &limit) < 0 ||
	    (!engine_of_root && unshare(CLONE_NEWUSER) < 0))
		_exit(UNIT_NOT_HERE);
	return container_plan(&container, &err) < 0 ? 0 : container.plan.memlock;
}

static int look_at_roots_memlock(UNUSED const void *context)
{
	return planned_memlock(true) != UINT64_MAX;
}

static int look_at_a_users_memlock(UNUSED const void *context)
{
	return planned_memlock(false) != MI;
}

UNIT_TEST("memlock: a rootless engine's ends at its user's hard limit")
{
	cleanup_unit_dir dir = unit_dir_make();

	node_dir = dir;
	if (geteuid() == 0)
		in_a_child(look_at_roots_memlock);
	in_a_child(look_at_a_users_memlock);
}

/* ---- a container that could not be examined ---- */

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

UNIT_ROWS(text_cases)
{
	static char behind[] = "{\0\"/dev/infiniband/uverbs0\"";
	struct container container = {
		.text = {.bytes = row->text ? (char *)row->text : behind,
			 .len = row->text ? strlen(row->text) : sizeof(behind) - 1}};

	assert_int_equal(container_names_device(&container), row->names);
}

/* ---- what is opened, and kept ---- */

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

UNIT_TEST("what is freed is closed, and once")
{
	WITH_DIR(dir);
	struct container container = CONTAINER_NONE;
	int fd, root, node;

	assert_int_equal(node_open(dir.path, &container.node, &err), 0);
	node = container.node.root;
	container.fd = fd = dup(dir.fd);
	container.root = root = dup(dir.fd);
	assert_non_null(arena_printf(&container.arena, "x"));
	assert_true(is_open(fd) && is_open(root) && is_open(node));
	container_free(&container);
	assert_false(is_open(fd) || is_open(root) || is_open(node));
	/* Reuse the closed numbers. */
	assert_int_equal(dup2(dir.fd, fd), fd);
	assert_int_equal(dup2(dir.fd, root), root);
	assert_int_equal(dup2(dir.fd, node), node);
	container_free(&container);
	assert_true(is_open(fd) && is_open(root) && is_open(node));
	(void)close(fd);
	(void)close(root);
	(void)close(node);
}

UNIT_TEST("what was read is not read again")
{
	static char spec[] = "{\"process\":{\"env\":[\"PCIDEVICE_X=0000:3b:02.6\","
			     "\"PCIDEVICE_Y=a/b\"]},\"linux\":{" EVERY "}}";
	cleanup_container container = CONTAINER_NONE;
	struct err err = {0};

	container.text = (struct fs_text){.bytes = spec, .len = strlen(spec)};
	assert_int_equal(container_parse_spec(&container, "b/config.json", &err), 0);
	assert_string_equal(container.what, "b/config.json");
	/* The plugin reads the policy once for all containers. */
	container.has_config = true;
	assert_int_equal(
		container_load_config(&container, &(struct options){.sysroot = "/nowhere"}, &err),
		0);
}

#define ASKING "{\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\"}"

/* A broken config.json still says whether the failure concerns its author. */
static const struct file_case {
	const char *name;
	const char *text;
	mode_t type;
	const char *error;
	bool asks;
} file_cases[] = {
	{"file: whole", ASKING "}", S_IFREG, "", true},
	{"file: a key that is escaped",
	 "{\"annotations\":{\"oci-rdma-hook.io\\/inject\":\"true\"}}", S_IFREG, "", true},
	{"file: the key's name as a value", "{\"annotations\":{\"x\":\"oci-rdma-hook.io/inject\"}}",
	 S_IFREG, "", false},
	{"file: cut", ASKING, S_IFREG, "b/config.json: ", true},
	{"file: cut, and does not ask", "{\"a\":", S_IFREG, "b/config.json: ", false},
	{"file: a link, as a runtime follows it", ASKING "}", S_IFLNK, "b/config.json: ", true},
	{"file: a directory", "", S_IFDIR, "b/config.json: ", false},
	{"file: a pipe is not waited for", "", S_IFIFO, "b/config.json: ", false},
	{"file: missing", "", 0, "b/config.json: No such file or directory", false},
};

static void make_file(int dir, const struct file_case *row)
{
	switch (row->type) {
	case S_IFREG:
		unit_write(dir, "config.json", row->text, 0644);
		break;
	case S_IFLNK:
		unit_write(dir, "other", row->text, 0644);
		assert_int_equal(symlinkat("other", dir, "config.json"), 0);
		break;
	case S_IFDIR:
		assert_int_equal(mkdirat(dir, "config.json", 0755), 0);
		break;
	case S_IFIFO:
		assert_int_equal(mkfifoat(dir, "config.json", 0644), 0);
		break;
	default:
		break;
	}
}

UNIT_ROWS(file_cases)
{
	WITH_DIR(dir);
	cleanup_container container = CONTAINER_NONE;

	make_file(dir.fd, row);
	assert_int_equal(container_read_spec(&container, dir.fd, "b", "config.json", &err),
			 row->error[0] ? -1 : 0);
	assert_has(err.text, row->error);
	assert_int_equal(container_names_request(&container), row->asks);
}

/* ---- a container that gets nothing ---- */

static size_t ports_of(bool explained)
{
	static char spec[] = "{\"linux\":{\"devices\":[{\"type\":\"c\",\"path\":\"/dev/x\","
			     "\"major\":231,\"minor\":198}]}}";
	const struct options options = {.sysroot = node_dir.path};
	cleanup_container container = CONTAINER_NONE;
	enum rdma_mode mode;
	struct err err = {0};
	int status;

	container.text = (struct fs_text){.bytes = spec, .len = strlen(spec)};
	if (container_parse_spec(&container, "config.json", &err) < 0)
		fail_msg("%s", err.text);
	status = explained ? container_explain(&container, &options, &mode, &err)
			   : container_find(&container, &options, &err);
	if (status == 1)
		status = container_plan(&container, &err);
	if (status < 0)
		fail_msg("%s", err.text);
	assert_int_equal(container.plan.decision, DECISION_NONE);
	assert_int_equal(container.devices.n, 1);
	return container.devices.item[0].n_ports;
}

/* A query may ask the device's firmware: only a dry run makes one. */
UNIT_TEST("nothing given: the dry run alone describes the device")
{
	cleanup_unit_dir dir = unit_dir_make();

	node_dir = dir;
	unit_write(dir.fd, "sys/dev/char/x", "", 0644);
	unit_write(dir.fd, "sys/" FUNCTION "/ibdev", "mlx5_6\n", 0644);
	unit_write(dir.fd, "sys/" PCI_FUNCTION "/infiniband/mlx5_6/ports/1/link_layer",
		   "Ethernet\n", 0644);
	assert_int_equal(symlinkat("../../" FUNCTION, dir.fd, "sys/dev/char/231:198"), 0);
	assert_int_equal(ports_of(true), 1);
	assert_int_equal(ports_of(false), 0);
}

int main(void)
{
	return unit_main("container");
}
