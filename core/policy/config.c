/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/capability.h"
#include "core/base/cleanup.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/json/reader.h"
#include "core/policy/policy.h"
#include "core/policy/trust.h"

/* ---- amounts of memory ---- */

static int multiplier(const char *suffix, uint64_t *ret)
{
	static const char decimal[] = "kMGTPE";
	static const char binary[] = "KMGTPE";
	const char *set = suffix[0] && suffix[1] == 'i' ? binary : decimal;
	uint64_t base = set == binary ? 1024 : 1000;
	const char *place;

	*ret = 1;
	if (!suffix[0])
		return 0;
	place = strchr(set, suffix[0]);
	if (!place || suffix[set == binary ? 2 : 1] != '\0')
		return -1;
	for (const char *p = set; p <= place; p++)
		*ret *= base;
	return 0;
}

int quantity_parse(const char *text, uint64_t *ret_bytes, struct err *err)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t factor;
	unsigned long long number;
	char *suffix;

	if (strcmp(text, "unlimited") == 0) {
		*ret_bytes = MEMLOCK_UNLIMITED;
		return 0;
	}
	if (!digits)
		return err_set(err,
			       "'%.64s' is not an amount of memory; write an amount such as 64Gi, "
			       "a number of bytes, or unlimited",
			       text);
	number = strtoull(text, &suffix, 10);
	if (multiplier(suffix, &factor) < 0)
		return err_set(err,
			       "'%.64s' has an unknown unit; known: Ki Mi Gi Ti Pi Ei k M G T P E",
			       text);
	/* For values above 64 bits strtoull(3) gives the largest value, which is also too large. */
	if (number > (MEMLOCK_UNLIMITED - 1) / factor)
		return err_set(err, "'%.64s' is larger than 2^64-2 bytes; write unlimited", text);
	if (number == 0)
		return err_set(err, "0 would leave no memory to register; write an amount above 0");
	*ret_bytes = number * factor;
	return 0;
}

/* ---- the file ---- */

struct reading {
	struct arena *arena;
	struct config config;
	size_t namespaces_room;
	size_t runtimes_room;
	size_t extra_room;
};

/* ---- values ---- */

/* A text that goes into nccl.conf or the environment: NCCL reads line by line. */
static int check_line(const char *text, struct err *err)
{
	if (!text[0])
		return err_set(err, "empty");
	if (text_has_control(text))
		return err_set(err, "holds a line break or another control character");
	if (strlen(text) > CONFIG_VALUE_MAX)
		return err_set(err, "longer than %d bytes, which is what NCCL reads",
			       CONFIG_VALUE_MAX);
	return 0;
}

static int begin_namespaces(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->config.namespaces_line = json_line(value);
	r->config.namespaces = NULL;
	r->config.n_namespaces = 0;
	return 0;
}

static int take_namespace(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	const char *name;
	const char *star;

	if (json_append_string(r->arena, value, &r->config.namespaces, &r->config.n_namespaces,
			       &r->namespaces_room, err) < 0)
		return -1;
	name = r->config.namespaces[r->config.n_namespaces - 1];
	star = strchr(name, '*');
	if (!name[0] || text_has_control(name) || (star && star[1]))
		return err_set(
			err, "'%.64s' is neither a namespace's name nor one with a '*' at its end",
			name);
	return 0;
}

static int take_memlock(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	const char *text;

	if (json_string(r->arena, value, &text, err) < 0)
		return -1;
	return quantity_parse(text, &r->config.memlock, err);
}

static int begin_capabilities(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)value;
	(void)err;
	r->config.capabilities = 0;
	r->config.says_capabilities = true;
	return 0;
}

static int take_capability(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	const char *name;
	int number;

	if (json_string(r->arena, value, &name, err) < 0)
		return -1;
	number = capability_number(name);
	if (number < 0)
		return err_set(err, "'%.64s' is no capability; write it as CAP_IPC_LOCK", name);
	r->config.capabilities |= UINT64_C(1) << number;
	return 0;
}

static int take_socket_ifname(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	r->config.nccl.socket_ifname = NULL;
	if (value->type == JSON_NULL)
		return 0;
	if (json_string(r->arena, value, &r->config.nccl.socket_ifname, err) < 0)
		return -1;
	return check_line(r->config.nccl.socket_ifname, err);
}

static int take_gid_index(void *context, const struct json_value *value, struct err *err)
{
	static const char *const words[] = {"auto", "legacy", NULL};
	struct reading *r = context;
	uint64_t number;
	unsigned word;

	if (value->type == JSON_NUMBER) {
		if (json_uint64(value, &number, err) < 0)
			return -1;
		if (number > 255)
			return err_set(err, "a GID index is at most 255");
		r->config.nccl.gid_index = GID_INDEX_NUMBER;
		r->config.nccl.gid_index_number = (unsigned)number;
		return 0;
	}
	if (json_word(value, words, ", or a number", &word, err) < 0)
		return -1;
	r->config.nccl.gid_index = word ? GID_INDEX_LEGACY : GID_INDEX_AUTO;
	return 0;
}

/* A word or one of the old numbers: NCCL maps 0 to 5 to LOC, PIX, PXB, PHB, SYS, SYS. */
static int take_gdr_level(void *context, const struct json_value *value, struct err *err)
{
	static const char *const words[] = {"LOC", "PIX", "PXB", "PXN", "P2C", "PHB", "SYS", NULL};
	struct reading *r = context;
	unsigned word;

	r->config.nccl.gdr_level = NULL;
	if (value->type == JSON_NULL)
		return 0;
	if (value->type == JSON_NUMBER && (value->len != 1 || value->text[0] > '5'))
		return err_set(err, "a number here is 0 to 5");
	if (value->type == JSON_STRING && json_word(value, words, "", &word, err) < 0)
		return -1;
	return json_string(r->arena, value, &r->config.nccl.gdr_level, err);
}

static bool is_variable_name(const char *name)
{
	size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return len >= 1 && name[len] == '\0' && !(name[0] >= '0' && name[0] <= '9');
}

static int take_extra(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;
	struct config *config = &r->config;
	struct config_variable *larger;
	struct config_variable *added;

	if (!is_variable_name(value->key))
		return err_set(err, "a variable's name is upper-case letters, digits and '_'");
	for (size_t i = 0; i < config->nccl.n_extra; i++) {
		if (strcmp(config->nccl.extra[i].name, value->key) == 0)
			return err_set(err, "occurs twice");
	}
	larger = arena_grow(r->arena, config->nccl.extra, config->nccl.n_extra, &r->extra_room,
			    sizeof(*larger));
	if (!larger)
		return err_memory(err);
	config->nccl.extra = larger;
	added = &larger[config->nccl.n_extra];
	added->line = json_line(value);
	added->name = arena_strdup(r->arena, value->key);
	if (!added->name)
		return err_memory(err);
	if (json_string(r->arena, value, &added->value, err) < 0 ||
	    check_line(added->value, err) < 0)
		return -1;
	config->nccl.n_extra++;
	return 0;
}

static int check_absolute(const char *path, struct err *err)
{
	if (path[0] != '/' || text_has_control(path))
		return err_set(err, "'%.64s' is not an absolute path", path);
	return 0;
}

static int begin_runtimes(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	(void)err;
	r->config.runtimes_line = json_line(value);
	r->config.runtimes = NULL;
	r->config.n_runtimes = 0;
	return 0;
}

static int take_runtime(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	if (json_append_string(r->arena, value, &r->config.runtimes, &r->config.n_runtimes,
			       &r->runtimes_room, err) < 0)
		return -1;
	return check_absolute(r->config.runtimes[r->config.n_runtimes - 1], err);
}

static int take_state_dir(void *context, const struct json_value *value, struct err *err)
{
	struct reading *r = context;

	if (json_string(r->arena, value, &r->config.state_dir, err) < 0)
		return -1;
	return check_absolute(r->config.state_dir, err);
}

/* ---- the keys ---- */

#define SHAPE(...) (&(const struct json_shape){__VA_ARGS__})
#define ONE_OF(...) .types = JSON_STRING, .words = ((const char *const[]){__VA_ARGS__, NULL})

#define BOOL(field) SHAPE(.types = JSON_BOOL, JSON_FIELD(BOOL, struct reading, config.field))
/* An enum, by its words in its order; a bool, by the word for false and that for true */
#define WORD(field, ...)                                                                           \
	SHAPE(.store = JSON_STORE_WORD, .offset = offsetof(struct reading, config.field),          \
	      ONE_OF(__VA_ARGS__))
#define SWITCH(field, off, on)                                                                     \
	SHAPE(JSON_FIELD(BOOL, struct reading, config.field), ONE_OF(off, on))
#define VALUE(wanted, function) SHAPE(.types = (wanted), .take = (function))
#define STRINGS(item) .each = (&(const struct json_shape){.types = JSON_STRING, .take = (item)})
#define LIST(begin, item) SHAPE(.types = JSON_ARRAY, .take = (begin), STRINGS(item))
#define OBJECT(...) SHAPE(.types = JSON_OBJECT, .closed = true, __VA_ARGS__)

/*
 * A row for each key: its name, and what may stand there. Its field is in policy.h, its default in
 * config_defaults, the variables that it sets in check_extra. All else that names keys is held
 * against these rows by tests/cli/keys.sh.
 */
static const struct json_member nccl_keys[] = {
	{"hca", BOOL(nccl.hca)},
	{"socket_ifname", VALUE(JSON_STRING | JSON_NULL, take_socket_ifname)},
	{"gid_index", VALUE(JSON_STRING | JSON_NUMBER, take_gid_index)},
	{"gdr_level", VALUE(JSON_STRING | JSON_NUMBER | JSON_NULL, take_gdr_level)},
	{"extra", OBJECT(STRINGS(take_extra))},
	{0},
};
static const struct json_member frameworks_keys[] = {
	{"ucx", BOOL(frameworks.ucx)},
	{"nvshmem", BOOL(frameworks.nvshmem)},
	{"gloo", BOOL(frameworks.gloo)},
	{0},
};
static const struct json_member root_keys[] = {
	{"opt_in", WORD(opt_in, "annotation", "device")},
	{"namespaces", LIST(begin_namespaces, take_namespace)},
	{"memlock", VALUE(JSON_STRING | JSON_NUMBER, take_memlock)},
	{"require_memory_limit", BOOL(require_memory_limit)},
	{"capabilities", LIST(begin_capabilities, take_capability)},
	{"nccl", OBJECT(.members = nccl_keys)},
	{"frameworks", OBJECT(.members = frameworks_keys)},
	{"on_no_device", WORD(on_no_device, "ignore", "tcp", "fail")},
	{"on_denied", SWITCH(fail_on_denied, "warn", "fail")},
	{"on_error", SWITCH(fail_on_error, "warn", "fail")},
	{"on_missed", WORD(on_missed, "report", "mend", "refuse")},
	{"privileged_scan", BOOL(privileged_scan)},
	{"seccomp", SWITCH(amend_seccomp, "warn", "amend")},
	{"runtimes", LIST(begin_runtimes, take_runtime)},
	{"state_dir", VALUE(JSON_STRING, take_state_dir)},
	{0},
};
static const struct json_shape *const root = OBJECT(.members = root_keys);

/* ---- the file ---- */

int config_defaults(struct arena *arena, struct config *config, struct err *err)
{
	static const char *const everyone[] = {"*"};
	/* First those of CRI-O's own packages, which fit the CRI-O that writes their config.json.
	 */
	static const char *const known_runtimes[] = {"/usr/libexec/crio/crun", "/usr/bin/crun",
						     "/usr/libexec/crio/runc", "/usr/bin/runc"};
	const char **namespaces_copy = arena_alloc(arena, sizeof(everyone));
	const char **runtimes_copy = arena_alloc(arena, sizeof(known_runtimes));
	int ipc_lock = capability_number("CAP_IPC_LOCK");

	if (!namespaces_copy || !runtimes_copy)
		return err_memory(err);
	memcpy(namespaces_copy, everyone, sizeof(everyone));
	memcpy(runtimes_copy, known_runtimes, sizeof(known_runtimes));
	*config = (struct config){
		.path = "/" CONFIG_PATH,
		.opt_in = OPT_IN_ANNOTATION,
		.namespaces = namespaces_copy,
		.n_namespaces = 1,
		.memlock = MEMLOCK_UNLIMITED,
		.capabilities = ipc_lock < 0 ? 0 : UINT64_C(1) << ipc_lock,
		.nccl = {.hca = true, .gid_index = GID_INDEX_AUTO},
		.on_no_device = NO_DEVICE_IGNORE,
		.runtimes = runtimes_copy,
		.n_runtimes = sizeof(known_runtimes) / sizeof(known_runtimes[0]),
		.state_dir = CONFIG_STATE_DIR,
	};
	return 0;
}

/* A variable that a field of its own sets must not be set by "extra" too: which one would hold? */
static int check_extra(const struct config *config, const char *what, struct err *err)
{
	const struct {
		const char *name;
		const char *field;
		bool set;
	} fields[] = {
		{"NCCL_IB_HCA", "nccl.hca", config->nccl.hca},
		{"NCCL_SOCKET_IFNAME", "nccl.socket_ifname", config->nccl.socket_ifname != NULL},
		{"NCCL_IB_GID_INDEX", "nccl.gid_index", config->nccl.gid_index != GID_INDEX_AUTO},
		{"NCCL_NET_GDR_LEVEL", "nccl.gdr_level", config->nccl.gdr_level != NULL},
		{"UCX_NET_DEVICES", "frameworks.ucx", config->frameworks.ucx},
		{"NVSHMEM_HCA_LIST", "frameworks.nvshmem", config->frameworks.nvshmem},
		{"NVSHMEM_ENABLE_NIC_PE_MAPPING", "frameworks.nvshmem", config->frameworks.nvshmem},
		{"GLOO_SOCKET_IFNAME", "frameworks.gloo", config->frameworks.gloo},
	};

	for (size_t i = 0; i < config->nccl.n_extra; i++) {
		const struct config_variable *v = &config->nccl.extra[i];

		for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
			if (fields[f].set && strcmp(v->name, fields[f].name) == 0)
				return err_set(
					err,
					"%s: line %zu: nccl.extra.%s: already set by %s; keep one",
					what, v->line, v->name, fields[f].field);
		}
	}
	return 0;
}

int config_read(struct arena *arena, const struct fs_text *text, const char *what,
		struct config *ret_config, struct err *err)
{
	struct reading reading = {.arena = arena};

	if (config_defaults(arena, &reading.config, err) < 0)
		return -1;
	reading.config.path = what;
	if (json_read(arena, &(struct json_source){what, text->bytes, text->len, JSON_COMMENTS},
		      root, &reading, err) < 0 ||
	    check_extra(&reading.config, what, err) < 0)
		return -1;
	*ret_config = reading.config;
	return 0;
}

int config_load(struct arena *arena, int sysroot, const char *path, struct config *ret_config,
		struct err *err)
{
	const char *what = path ? path : "/" CONFIG_PATH;
	cleanup_fd fd =
		trust_open(path ? AT_FDCWD : sysroot, path ? path : CONFIG_PATH, !path, what, err);
	struct fs_text text;

	if (fd == -ENOENT && !path)
		return config_defaults(arena, ret_config, err);
	if (fd < 0)
		return -1;
	if (fs_read_regular(arena, fd, CONFIG_SIZE_MAX, what, &text, err) < 0)
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
