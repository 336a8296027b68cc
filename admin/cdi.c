/* SPDX-License-Identifier: Apache-2.0 */

#include "admin/cdi.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/stderr_line.h"
#include "core/base/text.h"
#include "core/command_line.h"
#include "core/json/writer.h"
#include "core/node/node.h"
#include "core/spec/spec.h"
#include "lib/files.h"

#define KIND "oci-rdma-hook.io/hca"
#define ALL "all"
#define DEVICE_DIR "/dev/infiniband/"

/* First with annotations (CDI specification, "Released versions") */
#define CDI_VERSION "0.6.0"

static const char note[] =
	"This file is only for hosts without Kubernetes: on a Kubernetes node, anybody who may "
	"name a CDI device would get HCAs that no device plugin has allocated to the pod.";

struct rendering {
	struct arena *arena;
	struct devices devices;
	bool has_rdma_cm;
	const char *program;
	const char *config; /* NULL: not passed on */
	const char *sysroot;
};

static int read_node(struct rendering *r, const char *sysroot, struct err *err)
{
	cleanup_node node = NODE_NONE;

	if (node_open(sysroot, &node, err) < 0)
		return -1;
	node_find_all(&node, r->arena, false, &r->devices);
	devices_sort(&r->devices);
	/* There while rdma_ucm is loaded (drivers/infiniband/core/ucma.c). */
	r->has_rdma_cm = tree_exists(node.root, "sys/class/misc/rdma_cm");
	return err_of_arena(r->arena, err);
}

/* Hooks run in the bundle. */
static int absolute(struct rendering *r, const char *path, const char **ret_path, struct err *err)
{
	char full[PATH_MAX];

	if (!realpath(path, full))
		return err_sys(err, errno, "%.256s", path);
	*ret_path = arena_strdup(r->arena, full);
	return *ret_path ? 0 : err_memory(err);
}

static int find_arguments(struct rendering *r, const struct options *options, struct err *err)
{
	const char *beside;

	if (absolute(r, "/proc/self/exe", &r->program, err) < 0)
		return -1;
	beside = arena_printf(r->arena, "%.*s" HOOK_NAME,
			      (int)(text_base_name(r->program) - r->program), r->program);
	if (!beside)
		return err_memory(err);
	if (absolute(r, beside, &r->program, err) < 0 ||
	    (options->config && absolute(r, options->config, &r->config, err) < 0))
		return -1;
	if (strcmp(options->sysroot, "/") == 0)
		return 0;
	return absolute(r, options->sysroot, &r->sysroot, err);
}

/* Names begin and end alphanumeric (pkg/parser, ValidateDeviceName); engines ignore a file with an
 * invalid or duplicate one. */
static bool is_cdi_name(const char *name)
{
	return isalnum((unsigned char)name[0]) && isalnum((unsigned char)name[strlen(name) - 1]) &&
	       strcmp(name, ALL) != 0;
}

/* Devices of one function share its address. */
static bool is_named_before(const struct devices *devices, size_t end, const char *address)
{
	for (size_t i = 0; i < devices->n; i++) {
		if (strcmp(devices->item[i].ibdev, address) == 0 ||
		    (i < end && strcmp(devices->item[i].address, address) == 0))
			return true;
	}
	return false;
}

/* ---- text: only paths need escapes ---- */

#define NODE_TEXT "{\"path\": \"" DEVICE_DIR "%s\", \"permissions\": \"rw\"}"

/* NULL: any */
static void append_cdi_device(struct arena_text *text, const struct devices *devices,
			      const char *name, const char *ibdev, const char *address)
{
	const char *comma = "";

	arena_append(text, "    {\"name\": \"%s\", \"containerEdits\": {\"deviceNodes\": [", name);
	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];

		if ((ibdev && strcmp(device->ibdev, ibdev) != 0) ||
		    (address && strcmp(device->address, address) != 0))
			continue;
		arena_append(text, "%s\n      " NODE_TEXT, comma, device->uverbs);
		comma = ",";
	}
	arena_append(text, "]}}");
}

static void append_cdi_devices(struct arena_text *text, const struct devices *devices)
{
	for (size_t i = 0; i < devices->n; i++) {
		const struct device *device = &devices->item[i];

		if (is_cdi_name(device->ibdev)) {
			append_cdi_device(text, devices, device->ibdev, device->ibdev, NULL);
			arena_append(text, ",\n");
		}
		if (is_cdi_name(device->address) && !is_named_before(devices, i, device->address)) {
			append_cdi_device(text, devices, device->address, NULL, device->address);
			arena_append(text, ",\n");
		}
	}
	append_cdi_device(text, devices, ALL, NULL, NULL);
}

static void append_option(struct arena_text *text, const char *name, const char *path)
{
	const char *quoted = path ? json_quote(text->arena, path) : NULL;

	if (quoted)
		arena_append(text, "\"%s\", %s, ", name, quoted);
}

static void append_hook(struct arena_text *text, const struct rendering *r, const char *stage)
{
	const char *program = json_quote(r->arena, r->program);

	arena_append(text,
		     "      {\"hookName\": \"%s\", \"path\": %s,\n"
		     "       \"args\": [\"" HOOK_NAME "\", ",
		     stage, program ? program : "");
	append_option(text, "--config", r->config);
	append_option(text, "--sysroot", r->sysroot);
	arena_append(text,
		     "\"" SPEC_ASK "\", \"%s\"],\n"
		     "       \"env\": [\"PATH=/usr/sbin:/usr/bin:/sbin:/bin\"], \"timeout\": 10}",
		     stage);
}

/* Applied once for any number of devices. */
static struct arena_text cdi_text(const struct rendering *r)
{
	struct arena_text text = {.arena = r->arena};

	arena_append(&text,
		     "{\n  \"cdiVersion\": \"" CDI_VERSION "\",\n  \"kind\": \"" KIND "\",\n"
		     "  \"annotations\": {\n    \"oci-rdma-hook.io/note\": \"%s\",\n"
		     "    \"oci-rdma-hook.io/rendered-by\": \"" ADMIN_NAME " " VERSION " --cdi\"\n"
		     "  },\n  \"containerEdits\": {\n",
		     note);
	if (r->has_rdma_cm)
		arena_append(&text, "    \"deviceNodes\": [" NODE_TEXT "],\n", "rdma_cm");
	arena_append(&text, "    \"hooks\": [\n");
	append_hook(&text, r, "createRuntime");
	arena_append(&text, ",\n");
	append_hook(&text, r, "poststart");
	arena_append(&text, "]\n  },\n  \"devices\": [\n");
	append_cdi_devices(&text, &r->devices);
	arena_append(&text, "]\n}\n");
	return text;
}

/* Older engines refuse a spec without devices. */
static int put_no_device(const char *file, struct err *err)
{
	if (!file)
		return err_set(
			err,
			"this node has no HCA, so that there is nothing to write into a CDI spec");
	if (unlink(file) < 0 && errno != ENOENT)
		return err_sys(err, errno, "%.256s", file);
	stderr_line(ADMIN_NAME, "this node has no HCA, so that there is no CDI spec");
	return 0;
}

static int render_cdi(struct rendering *r, const struct options *options, const char *file,
		      struct err *err)
{
	struct arena_text text;

	if (read_node(r, options->sysroot, err) < 0 || find_arguments(r, options, err) < 0)
		return -1;
	if (!r->devices.n)
		return put_no_device(file, err);
	text = cdi_text(r);
	if (err_of_arena(r->arena, err) < 0)
		return -1;
	/* Engines read .json and .yaml, not the temporary name. */
	if (file)
		return replace_own_path(file, text.text, text.len, err);
	(void)fwrite(text.text, 1, text.len, stdout);
	return 0;
}

int cdi(const struct options *options, const char *file)
{
	cleanup_arena arena = {0};
	struct rendering r = {.arena = &arena};
	struct err err;

	if (render_cdi(&r, options, file, &err) == 0)
		return !command_line_printed(ADMIN_NAME);
	stderr_line(ADMIN_NAME, err.text);
	return 1;
}
