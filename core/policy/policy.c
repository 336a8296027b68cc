/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/base/trust.h"
#include "core/json/document.h"

/* Kubernetes' (apimachinery's pkg/api/resource/suffix.go); 0: unknown */
static uint64_t unit_factor(const char *suffix)
{
	bool binary = suffix[0] && suffix[1] == 'i';
	const char *letters = binary ? "KMGTPE" : "kMGTPE";
	const char *place = strchr(letters, suffix[0]);
	uint64_t factor = 1;

	if (!suffix[0])
		return 1;
	if (!place || suffix[binary ? 2 : 1])
		return 0;
	for (const char *at = letters; at <= place; at++)
		factor *= binary ? 1024 : 1000;
	return factor;
}

int quantity_parse(const char *text, uint64_t *ret_bytes, struct err *err)
{
	char *suffix = NULL;
	unsigned long long number = strtoull(text, &suffix, 10);
	uint64_t factor;

	if (strcmp(text, "unlimited") == 0) {
		*ret_bytes = MEMLOCK_UNLIMITED;
		return 0;
	}
	if (text[0] < '0' || text[0] > '9')
		return err_set(err,
			       "'%.64s' is not an amount of memory; write an amount such as 64Gi, "
			       "a number of bytes, or unlimited",
			       text);
	factor = unit_factor(suffix);
	if (!factor)
		return err_set(err,
			       "'%.64s' has an unknown unit; known: Ki Mi Gi Ti Pi Ei k M G T P E",
			       text);
	/* Out of range strtoull(3) returns ULLONG_MAX: also too large. */
	if (number > (MEMLOCK_UNLIMITED - 1) / factor)
		return err_set(err, "'%.64s' is larger than 2^64-2 bytes; write unlimited", text);
	if (number == 0)
		return err_set(err, "0 would leave no memory to register; write an amount above 0");
	*ret_bytes = number * factor;
	return 0;
}

static bool get_bool(struct json_document *doc, const struct json_node *object, const char *key,
		     bool absent)
{
	return json_bool(doc, json_get(doc, object, key, JSON_BOOL), absent);
}

/* Default first */
static unsigned get_word(struct json_document *doc, const struct json_node *object, const char *key,
			 const char *const *words)
{
	return json_word(doc, json_get(doc, object, key, JSON_STRING), words);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A string, or a number as written */
static const char *text_of_value(struct json_document *doc, const struct json_node *node)
{
	const char *copy;

	if (node->type == JSON_STRING)
		return json_string(doc, node);
	copy = arena_strndup(doc->arena, node->text, node->len);
	if (!copy)
		json_no_memory(doc);
	return copy ? copy : "";
}

static void read_admitted_namespaces(struct json_document *doc, const struct json_node *list,
				     struct config *config)
{
	if (!list)
		return;
	config->namespaces_line = json_line(doc, list);
	config->namespaces = json_strings(doc, list, &config->n_namespaces);
	json_each(item, list) {
		const char *name = json_string(doc, item);
		/* A DNS label (Kubernetes' ValidateNamespaceName) */
		const char *rest = name + strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

		if (!name[0] || (rest[0] && strcmp(rest, "*") != 0))
			json_fail(doc, item,
				  "'%.64s' is neither a namespace's name nor one with a '*' at its "
				  "end",
				  name);
	}
}

/* "verbs" is required: no other use is known. */
static void read_device_kinds(struct json_document *doc, const struct json_node *list,
			      struct config *config)
{
	bool verbs = !list;

	json_each(item, list) {
		if (json_word(doc, item, WORDS("verbs", "vfio")) == 1)
			config->vfio = true;
		else
			verbs = true;
	}
	if (!verbs)
		json_fail(doc, list, "must contain \"verbs\"");
}

static void read_granted_memlock(struct json_document *doc, const struct json_node *node,
				 struct config *config)
{
	struct err reason;

	if (node && quantity_parse(text_of_value(doc, node), &config->memlock, &reason) < 0)
		json_fail(doc, node, "%s", reason.text);
}

static void read_granted_capabilities(struct json_document *doc, const struct json_node *list,
				      struct config *config)
{
	if (!list)
		return;
	config->says_capabilities = true;
	config->capabilities = 0;
	json_each(item, list) {
		const char *name = json_string(doc, item);
		int number = capability_number(name);

		if (number < 0)
			json_fail(doc, item,
				  "'%.64s' is not a capability; write it as CAP_IPC_LOCK", name);
		else
			config->capabilities |= UINT64_C(1) << number;
	}
}

static void read_gid_index(struct json_document *doc, const struct json_node *node,
			   struct config *config)
{
	if (!node || json_equals(node, "auto"))
		return;
	config->nccl.gid_index = text_of_value(doc, node);
	if (node->type == JSON_STRING && !json_equals(node, "legacy"))
		json_fail(doc, node, "'%.64s' is not one of auto, legacy, or a number",
			  config->nccl.gid_index);
	else if (node->type == JSON_NUMBER && json_uint64(doc, node, 0) > 255)
		json_fail(doc, node, "a GID index is at most 255");
}

/* NCCL maps the old numbers 0 to 5 to LOC, PIX, PXB, PHB, SYS, SYS. */
static void read_gdr_level(struct json_document *doc, const struct json_node *node,
			   struct config *config)
{
	if (!node)
		return;
	if (node->type == JSON_STRING)
		(void)json_word(doc, node, WORDS("LOC", "PIX", "PXB", "PXN", "P2C", "PHB", "SYS"));
	else if (node->len != 1 || node->text[0] > '5')
		json_fail(doc, node, "a number must be from 0 to 5");
	config->nccl.gdr_level = text_of_value(doc, node);
}

/* New keys: see CONTRIBUTING.md. */
static void read_nccl_keys(struct json_document *doc, const struct json_node *nccl,
			   struct config *config)
{
	const struct json_node *ifname =
		json_get(doc, nccl, "socket_ifname", JSON_STRING | JSON_NULL);

	json_known_keys(doc, nccl,
			WORDS("hca", "socket_ifname", "gid_index", "gdr_level", "extra"));
	config->nccl.hca = get_bool(doc, nccl, "hca", config->nccl.hca);
	if (ifname)
		config->nccl.socket_ifname = variable_value(doc, ifname);
	read_gid_index(doc, json_get(doc, nccl, "gid_index", JSON_STRING | JSON_NUMBER), config);
	read_gdr_level(doc, json_get(doc, nccl, "gdr_level", JSON_STRING | JSON_NUMBER | JSON_NULL),
		       config);
}

static void read_frameworks(struct json_document *doc, const struct json_node *frameworks,
			    struct config *config)
{
	json_known_keys(doc, frameworks, WORDS("ucx", "nvshmem", "deepep", "gloo"));
	config->frameworks.ucx = get_bool(doc, frameworks, "ucx", false);
	config->frameworks.nvshmem = get_bool(doc, frameworks, "nvshmem", false);
	config->frameworks.deepep = get_bool(doc, frameworks, "deepep", false);
	config->frameworks.gloo = get_bool(doc, frameworks, "gloo", false);
}

static void read_keys(struct json_document *doc, const struct json_node *root,
		      struct config *config)
{
	const struct json_node *nccl = json_get(doc, root, "nccl", JSON_OBJECT);

	json_known_keys(doc, root,
			WORDS("opt_in", "namespaces", "devices", "memlock", "require_memory_limit",
			      "capabilities", "nccl", "frameworks", "on_no_device", "on_denied",
			      "on_error", "on_missed", "privileged_scan", "seccomp"));
	config->opt_in = get_word(doc, root, "opt_in", WORDS("annotation", "device"));
	read_admitted_namespaces(doc, json_get(doc, root, "namespaces", JSON_ARRAY), config);
	read_device_kinds(doc, json_get(doc, root, "devices", JSON_ARRAY), config);
	read_granted_memlock(doc, json_get(doc, root, "memlock", JSON_STRING | JSON_NUMBER),
			     config);
	config->require_memory_limit = get_bool(doc, root, "require_memory_limit", false);
	read_granted_capabilities(doc, json_get(doc, root, "capabilities", JSON_ARRAY), config);
	read_nccl_keys(doc, nccl, config);
	read_frameworks(doc, json_get(doc, root, "frameworks", JSON_OBJECT), config);
	config->on_no_device = get_word(doc, root, "on_no_device", WORDS("ignore", "tcp", "fail"));
	config->fail_on_denied = get_word(doc, root, "on_denied", WORDS("warn", "fail"));
	config->fail_on_error = get_word(doc, root, "on_error", WORDS("warn", "fail"));
	config->on_missed = get_word(doc, root, "on_missed", WORDS("report", "mend", "refuse"));
	config->privileged_scan = get_bool(doc, root, "privileged_scan", false);
	config->amend_seccomp = get_word(doc, root, "seccomp", WORDS("warn", "amend"));
	extra_read(doc, json_get(doc, nccl, "extra", JSON_OBJECT), config);
}

struct config config_defaults(void)
{
	static const char *const everyone[] = {"*"};
	return (struct config){
		.path = "/" CONFIG_PATH,
		.opt_in = OPT_IN_ANNOTATION,
		.namespaces = everyone,
		.n_namespaces = 1,
		.memlock = MEMLOCK_UNLIMITED,
		.capabilities = UINT64_C(1) << CAP_IPC_LOCK,
		.nccl = {.hca = true},
		.on_no_device = NO_DEVICE_IGNORE,
	};
}

int config_read(struct arena *arena, const struct fs_text *text, const char *what,
		struct config *ret_config, struct err *err)
{
	struct json_document doc;
	struct config config = config_defaults();

	if (json_parse(&doc, arena, what, text->bytes, text->len, JSON_COMMENTS, err) < 0)
		return -1;
	config.path = what;
	read_keys(&doc, doc.root, &config);
	if (doc.failed)
		return -1;
	*ret_config = config;
	return 0;
}

int config_load(struct arena *arena, int sysroot, const char *path, struct config *ret_config,
		struct err *err)
{
	const char *what = path ? path : "/" CONFIG_PATH;
	cleanup_fd fd =
		trust_open(path ? AT_FDCWD : sysroot, path ? path : CONFIG_PATH, !path, what, err);
	struct fs_text text;

	if (fd == -ENOENT && !path) {
		*ret_config = config_defaults();
		return 0;
	}
	if (fd < 0 || fs_read_regular(arena, fd, CONFIG_SIZE_MAX, what, &text, err) < 0)
		return -1;
	return config_read(arena, &text, what, ret_config, err);
}

bool config_allows_namespace(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->n_namespaces; i++) {
		const char *pattern = config->namespaces[i];
		size_t len = strcspn(pattern, "*");

		if (strcmp(pattern, "*") == 0)
			return true;
		if (!name)
			continue;
		if (pattern[len] ? strncmp(pattern, name, len) == 0 : strcmp(pattern, name) == 0)
			return true;
	}
	return false;
}

static int parse_boolean(const char *value, bool *ret, struct err *err)
{
	*ret = strcmp(value, "true") == 0;
	if (*ret || strcmp(value, "false") == 0)
		return 0;
	return err_set(err, "expected \"true\" or \"false\", found \"%.64s\"", value);
}

static int read_containers(const struct spec *spec, const char *value, struct request *request,
			   struct err *err)
{
	const char *own = spec->identity.name;
	const char *name = value;

	request->excludes_this_container = true;
	for (;;) {
		size_t len = strcspn(name, ",");

		if (!len || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") < len)
			return err_set(err,
				       "\"%.64s\" is not a list of container names: write \"a,b\"",
				       value);
		if (own && strlen(own) == len && memcmp(own, name, len) == 0)
			request->excludes_this_container = false;
		if (!name[len])
			return 0;
		name += len + 1;
	}
}

static int read_request(const struct spec *spec, const struct spec_annotation *annotation,
			struct request *request, struct err *err)
{
	const char *name = annotation->name;
	const char *value = annotation->value;

	if (strcmp(name, "inject") == 0) {
		bool asked;
		int status = parse_boolean(value, &asked, err);

		request->inject = asked ? INJECT_ASKED : INJECT_REFUSED;
		return status;
	}
	if (strcmp(name, "containers") == 0)
		return read_containers(spec, value, request, err);
	if (strcmp(name, "memlock") == 0)
		return quantity_parse(value, &request->memlock, err);
	if (strcmp(name, "nccl") == 0)
		return parse_boolean(value, &request->nccl, err);
	return err_set(err, "unknown; known: inject, containers, memlock, nccl");
}

int request_read(const struct spec *spec, const char *what, struct request *ret_request,
		 struct err *err)
{
	struct request request = {.memlock = MEMLOCK_UNLIMITED, .nccl = true};

	for (size_t i = 0; i < spec->n_annotations; i++) {
		const struct spec_annotation *a = &spec->annotations[i];

		if (read_request(spec, a, &request, err) == 0)
			continue;
		err_prefix(err, "annotation %s%.64s", SPEC_ANNOTATION_PREFIX, a->name);
		/* NRI messages have no lines. */
		return a->offset ? err_prefix(err, "%s: line %zu", what,
					      json_line_at(spec->text, a->offset))
				 : err_prefix(err, "%s", what);
	}
	request.by_hook = spec->asked && request.inject == INJECT_UNSAID;
	if (request.by_hook)
		request.inject = INJECT_ASKED;
	*ret_request = request;
	return 0;
}

bool request_is_made(const struct spec *spec)
{
	const struct spec_annotation *inject = spec_annotation(spec, "inject");

	return (spec->n_annotations || spec->asked) &&
	       !(inject && strcmp(inject->value, "false") == 0);
}
