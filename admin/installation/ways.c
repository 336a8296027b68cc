/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>

#include "admin/engine/engine.h"
#include "admin/installation/installation.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/nri_status.h"

/* Far more than any engine's configuration has */
#define FILE_MAX ((size_t)1024 * 1024)

/* ---- hooks.d ---- */

static unsigned way_of_stages(unsigned stages)
{
	unsigned ways = stages & (HOOKS_CREATE_RUNTIME | HOOKS_PRESTART) ? WAY_HOOK : 0;

	return stages & HOOKS_PRECREATE ? ways | WAY_PRECREATE : ways;
}

static int find_hooks(struct arena *arena, int sysroot, const struct crio *crio, unsigned *ways,
		      struct err *err)
{
	const struct hooks_place place = {
		.root = sysroot,
		.sysroot = sysroot,
		.crio_dirs = crio_list_hooks_dirs(arena, crio),
		.timeout_min = -1,
	};
	struct hooks_found *found;
	size_t n;

	if (!place.crio_dirs)
		return err_memory(err);
	if (hooks_check_all(arena, &place, &found, &n, err) < 0)
		return err->memory ? -1 : 0;
	for (size_t i = 0; i < n; i++) {
		if (!found[i].problem)
			*ways |= way_of_stages(found[i].file.stages);
	}
	return 0;
}

/* ---- the shim ---- */

/* Where podman, containerd and Docker are told of a runtime; CRI-O's files are read as such. */
static const char *const shim_files[] = {
	"etc/containers/containers.conf",
	"usr/share/containers/containers.conf",
	"etc/containers/containers.conf.d/oci-rdma-hook.conf",
	"etc/containerd/config.toml",
	"etc/docker/daemon.json",
};

/* A line that names it, and is no comment of TOML's */
static bool names_it(const char *text)
{
	const char *found;
	const char *end;

	for (const char *line = text; *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		line += strspn(line, " \t");
		found = strstr(line, "/" SHIM_NAME);
		if (!found)
			return false;
		if (line[0] != '#' && found < end)
			return true;
	}
	return false;
}

static int find_in_file(struct arena *arena, int sysroot, const char *path, unsigned *ways,
			struct err *err)
{
	cleanup_fd fd = fs_open(sysroot, path, O_RDONLY, RESOLVE_IN_ROOT);
	struct fs_text text;

	if (fd < 0)
		return 0;
	if (fs_read_regular(arena, fd, FILE_MAX, path, &text, err) < 0)
		return err->memory ? -1 : 0;
	if (names_it(text.bytes))
		*ways |= WAY_SHIM;
	return 0;
}

/* Also in the files that containerd's configuration imports */
static int find_in_containerd(struct arena *arena, int sysroot, unsigned *ways, struct err *err)
{
	struct containerd containerd;

	if (containerd_read(arena, sysroot, CONTAINERD_CONFIG, &containerd, err) < 0)
		return err->memory ? -1 : 0;
	for (size_t i = 0; i < containerd.n_handlers; i++) {
		if (names_shim(containerd.handler[i].binary))
			*ways |= WAY_SHIM;
	}
	return 0;
}

static int find_shim(struct arena *arena, int sysroot, const struct crio *crio, unsigned *ways,
		     struct err *err)
{
	for (size_t i = 0; i < crio->n_handlers; i++) {
		if (names_shim(crio->handler[i].runtime_path))
			*ways |= WAY_SHIM;
	}
	for (size_t i = 0; i < sizeof(shim_files) / sizeof(shim_files[0]); i++) {
		if (find_in_file(arena, sysroot, shim_files[i], ways, err) < 0)
			return -1;
	}
	return find_in_containerd(arena, sysroot, ways, err);
}

/* ---- the NRI plugin ---- */

static int find_nri(struct arena *arena, int sysroot, bool recorded, unsigned *ways,
		    struct err *err)
{
	struct nri_status status;

	if (nri_status_find(arena, sysroot, recorded, &status, err) < 0)
		return err->memory ? -1 : 0;
	if (status.since)
		*ways |= WAY_NRI;
	return 0;
}

int ways_find(struct arena *arena, int sysroot, bool recorded, unsigned *ret_ways, struct err *err)
{
	unsigned ways = 0;
	struct crio crio;

	if (crio_read(arena, sysroot, &crio, err) < 0 ||
	    find_hooks(arena, sysroot, &crio, &ways, err) < 0 ||
	    find_shim(arena, sysroot, &crio, &ways, err) < 0 ||
	    find_nri(arena, sysroot, recorded, &ways, err) < 0)
		return -1;
	*ret_ways = ways;
	return 0;
}

/* ---- their names ---- */

struct ways_names ways_names(unsigned ways)
{
	static const struct {
		enum way way;
		const char *name;
	} known[] = {
		{WAY_HOOK, "hook"},
		{WAY_SHIM, "shim"},
		{WAY_PRECREATE, "precreate"},
		{WAY_NRI, "NRI"},
	};
	struct ways_names names = {""};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (ways & known[i].way)
			text_add_item(names.text, sizeof(names.text), known[i].name);
	}
	return names;
}
