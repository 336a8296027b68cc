/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/removal/removal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/json/document.h"
#include "core/policy/policy.h"

/* Below the directory of drop-ins: those that --crio-handler has made, which go with the shim */
#define OWN_DROPIN "/" CRIO_DROPINS "/60-oci-rdma-hook"

/* Our own drop-in goes before the executable does; any other is its author's. */
static void look_at_handlers(struct needs *needs)
{
	const struct crio *crio = &needs->crio;

	for (size_t i = 0; i < crio->n_handlers; i++) {
		const struct crio_handler *handler = &crio->handler[i];

		if (!names_shim(handler->runtime_path))
			continue;
		if (crio->default_runtime && strcmp(crio->default_runtime, handler->name) == 0)
			needs_say(needs,
				  "%s: handler %s is CRI-O's default (%s), and CRI-O does not "
				  "start without its program: set another default_runtime first",
				  handler->file, handler->name, crio->default_file);
		else if (!text_starts_with(handler->file, OWN_DROPIN))
			needs_say(needs,
				  "%s: handler %s runs %s: remove the handler first, then run "
				  "systemctl restart crio",
				  handler->file, handler->name, handler->runtime_path);
	}
}

/* ---- the shim's records ---- */

#define RECORD_SIZE_MAX (256 * 1024)
#define HASH_DIGITS 16

/* "<id>@<hash of --root>.json" */
static bool has_name_of_record(const char *name)
{
	const char *hash = strrchr(name, '@');

	return hash && hash != name && strspn(hash + 1, "0123456789abcdef") == HASH_DIGITS &&
	       strcmp(hash + 1 + HASH_DIGITS, ".json") == 0;
}

/* "<id>.json", as earlier versions called it, may be any program's file: its content decides. */
static bool has_content_of_record(int dir, const char *name)
{
	cleanup_arena arena = {0};
	cleanup_fd fd = fs_open_regular(dir, name);
	struct json_document doc;
	struct fs_text text;
	struct err ignored;

	/* The members that each version of the shim has written, and no other program of ours */
	return fd >= 0 &&
	       fs_read_regular(&arena, fd, RECORD_SIZE_MAX, name, &text, &ignored) == 0 &&
	       json_parse(&doc, &arena, name, text.bytes, text.len, 0, &ignored) == 0 &&
	       json_get(&doc, doc.root, "bundle", JSON_STRING) &&
	       json_get(&doc, doc.root, "config", JSON_STRING) &&
	       json_uint64(&doc, json_get(&doc, doc.root, "inode", JSON_NUMBER), 0);
}

/* True for the record of a container that was created through the shim (hook/shim/shim.h).
 * The NRI plugin and the hook keep files in the same directory, which do not need the shim. */
static bool is_record(int dir, const char *name)
{
	if (name[0] == '.')
		return false;
	return has_name_of_record(name) ||
	       (text_ends_with(name, ".json") && has_content_of_record(dir, name));
}

/* What the shim remembers: also containers of engines without conmon, if they were granted
 * something. */
static int look_at_records(struct needs *needs, const char *state_dir, struct err *err)
{
	cleanup_dir *dir = NULL;
	const char *name;

	if (needs_open(needs, state_dir, &dir) < 0)
		return err_memory(err);
	while ((name = needs_next(needs, dir, state_dir))) {
		if (needs_has_seen(needs, name) || !is_record(dirfd(dir), name))
			continue;
		needs_say(needs,
			  "container %.128s was created through the shim: remove the container "
			  "first; if it no longer exists, remove the file %s/%.128s",
			  name, state_dir, name);
	}
	return 0;
}

static int look(struct needs *needs, const struct options *options, struct err *err)
{
	struct config config;
	struct err unusable;

	/* Without a usable policy the shim keeps its records where it does by default. */
	if (config_load(needs->arena, needs->root, options->config, &config, &unusable) < 0 &&
	    config_defaults(needs->arena, &config, err) < 0)
		return -1;
	if (crio_read(needs->arena, needs->root, &needs->crio, err) < 0)
		return -1;
	for (size_t i = 0; i < needs->crio.n_problems; i++)
		needs_say(needs, "%s: so it is not known which handlers this file has",
			  needs->crio.problem[i]);
	look_at_handlers(needs);
	if (needs_of_pods(needs, err) < 0 || needs_of_monitors(needs, err) < 0 ||
	    needs_of_containerd(needs, err) < 0 || needs_of_docker(needs, err) < 0)
		return -1;
	return look_at_records(needs, config.state_dir, err);
}

int removal_check(const struct options *options)
{
	cleanup_arena arena = {0};
	struct err err;
	cleanup_fd root = tree_open_root(options->sysroot, &err);
	struct needs needs = {.arena = &arena, .root = root};

	if (root < 0 || look(&needs, options, &err) < 0) {
		(void)fprintf(stderr, ADMIN_NAME ": %s\n", err.text);
		return 1;
	}
	return needs.n ? 1 : 0;
}
