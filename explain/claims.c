/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/claims.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/json/document.h"

#define SRIOV_PREFIX "PCIDEVICE_"
#define DRA_PREFIX "SRIOVNETWORK_"
#define DRA_DEVICE_PREFIX "SRIOVNETWORK_VF_DEVICE_"
#define INFO_SUFFIX "_INFO"

struct variable {
	const char *name;
	size_t name_len;
	const char *value;
	bool info;
};

struct reading {
	struct arena *arena;
	const struct spec *spec;
	struct claims claims;
	struct warnings *warnings;
	struct variable *variables;
	size_t n_variables;
	size_t variables_room;
	const struct variable **by_name;
};

/* By value: a resource may be called foo_info. */
static bool is_info(const struct variable *v)
{
	size_t len = strlen(INFO_SUFFIX);

	return v->value[0] == '{' && v->name_len > len &&
	       memcmp(v->name + v->name_len - len, INFO_SUFFIX, len) == 0;
}

static struct variable variable(const char *entry)
{
	size_t len = strcspn(entry, "=");
	struct variable v = {entry, len, entry + len + 1, false};

	v.info = is_info(&v);
	return v;
}

static int add_claim(struct reading *r, struct claim claim)
{
	struct claims *claims = &r->claims;
	struct claim *added;

	if (claims->n == CLAIMS_MAX)
		return warnings_add(
			r->arena, r->warnings, "too_many_claims",
			"the environment names more than %d devices; only these are labelled by it",
			CLAIMS_MAX);
	added = arena_push(r->arena, claims->item, claims->n, claims->room);
	if (!added)
		return -1;
	*added = claim;
	return 0;
}

static bool is_address(const char *text)
{
	return text_is_pci_address(text) || text_is_device_name(text);
}

static const char *get_info_text(struct json_document *doc, const struct json_node *device,
				 const char *part, const char *key)
{
	return json_string(
		doc, json_get(doc, json_get(doc, device, part, JSON_OBJECT), key, JSON_STRING));
}

static struct claim info_device(struct json_document *doc, const struct json_node *device)
{
	const char *uverbs = get_info_text(doc, device, "rdma", "uverbs");
	const char *vfio = get_info_text(doc, device, "vfio", "dev-mount");
	const char *vdpa = get_info_text(doc, device, "vdpa", "mount");

	return (struct claim){
		.source = CLAIM_SRIOV,
		.address = json_key(doc, device),
		.ibdev = get_info_text(doc, device, "rdma", "rdma_dev"),
		.file = vdpa   ? vdpa
			: vfio ? vfio
			       : uverbs,
	};
}

static int parse_info(struct arena *arena, const char *text, struct claims *devices,
		      struct err *err)
{
	struct json_document doc;

	if (json_parse(&doc, arena, "value", text, strlen(text), 0, err) < 0)
		return -1;
	if (json_expect(&doc, doc.root, JSON_OBJECT) && doc.root->len > CLAIMS_MAX)
		json_fail(&doc, doc.root, "more than %d devices", CLAIMS_MAX);
	devices->item = json_items(&doc, doc.root, sizeof(*devices->item));
	if (!devices->item)
		return -1;
	json_each(device, doc.root)
		devices->item[devices->n++] = info_device(&doc, device);
	return doc.failed ? -1 : 0;
}

/* Pods may write anything: errors warn and leave *ret_devices empty. */
static int read_info(struct reading *r, const struct variable *v, struct claims *ret_devices)
{
	struct claims devices = {0};
	struct err err;

	if (parse_info(r->arena, v->value, &devices, &err) == 0) {
		*ret_devices = devices;
		return 0;
	}
	if (err.errnum == ENOMEM)
		return -1;
	*ret_devices = (struct claims){0};
	return warnings_add(r->arena, r->warnings, "env_unreadable",
			    "%.*s of the environment is ignored: %s", (int)v->name_len, v->name,
			    err.text);
}

static int compare_keys(const struct variable *a, const struct variable *b)
{
	size_t len = a->name_len < b->name_len ? a->name_len : b->name_len;
	int order = memcmp(a->name, b->name, len);

	if (order)
		return order;
	if (a->name_len != b->name_len)
		return a->name_len < b->name_len ? -1 : 1;
	return a->info - b->info;
}

/* Equal names keep their order. */
static int compare_variables(const void *a, const void *b)
{
	const struct variable *x = *(const struct variable *const *)a;
	const struct variable *y = *(const struct variable *const *)b;
	int order = compare_keys(x, y);

	return order ? order : (x > y) - (x < y);
}

/* The first of that name, or NULL */
static const struct variable *find_variable(const struct reading *r, const char *name, size_t len,
					    bool info)
{
	const struct variable wanted = {.name = name, .name_len = len, .info = info};
	size_t low = 0;
	size_t high = r->n_variables;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(r->by_name[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == r->n_variables || compare_keys(r->by_name[low], &wanted) != 0)
		return NULL;
	return r->by_name[low];
}

static const struct variable *info_of(const struct reading *r, const struct variable *list)
{
	char name[256];
	int len = snprintf(name, sizeof(name), "%.*s" INFO_SUFFIX, (int)list->name_len, list->name);

	return len > 0 && (size_t)len < sizeof(name) ? find_variable(r, name, (size_t)len, true)
						     : NULL;
}

static int add_checked(struct reading *r, const struct variable *v, struct claim claim)
{
	if (!is_address(claim.address))
		return warnings_add(
			r->arena, r->warnings, "bad_name",
			"%.*s of the environment names '%.64s', which is not the name of a device",
			(int)v->name_len, v->name, claim.address);
	if (claim.ibdev && !text_is_device_name(claim.ibdev)) {
		if (warnings_add(r->arena, r->warnings, "bad_name",
				 "%.*s of the environment names '%.64s', which is not the name of "
				 "an RDMA device",
				 (int)v->name_len, v->name, claim.ibdev) < 0)
			return -1;
		claim.ibdev = NULL;
	}
	return add_claim(r, claim);
}

static struct claim claim_of(const struct claims *facts, const char *address)
{
	for (size_t i = 0; i < facts->n; i++) {
		if (strcmp(facts->item[i].address, address) == 0)
			return facts->item[i];
	}
	return (struct claim){.source = CLAIM_SRIOV, .address = address};
}

static int read_list(struct reading *r, const struct variable *v)
{
	struct claims facts = {0};
	const struct variable *info = info_of(r, v);
	char *list = arena_strdup(r->arena, v->value);

	if (!list)
		return -1;
	if (info && read_info(r, info, &facts) < 0)
		return -1;
	for (char *rest = list, *address; (address = strsep(&rest, ","));) {
		struct claim claim = {.source = CLAIM_SRIOV, .address = address};

		if (!address[0])
			continue;
		if (is_address(address) && r->claims.n < CLAIMS_MAX)
			claim = claim_of(&facts, address);
		if (add_checked(r, v, claim) < 0)
			return -1;
	}
	return 0;
}

static int read_lone_info(struct reading *r, const struct variable *v)
{
	struct claims devices;

	if (read_info(r, v, &devices) < 0)
		return -1;
	for (size_t i = 0; i < devices.n; i++) {
		if (add_checked(r, v, devices.item[i]) < 0)
			return -1;
	}
	return 0;
}

/* v: SRIOVNETWORK_VF_DEVICE_<d>. *ret_value: or NULL */
static int read_dra_part(struct reading *r, const struct variable *v, const char *part,
			 const char **ret_value)
{
	int len = (int)(v->name_len - strlen(DRA_DEVICE_PREFIX));
	const char *device = v->name + strlen(DRA_DEVICE_PREFIX);
	const char *name = arena_printf(r->arena, DRA_PREFIX "%.*s_%s", len, device, part);
	const struct variable *found;

	if (!name)
		return -1;
	found = find_variable(r, name, strlen(name), false);
	*ret_value = found ? found->value : NULL;
	return 0;
}

static int read_dra(struct reading *r, const struct variable *v)
{
	struct claim claim = {.source = CLAIM_DRA, .address = v->value};
	const char *vfio_device;

	if (read_dra_part(r, v, "RDMA_DEVICE", &claim.ibdev) < 0 ||
	    read_dra_part(r, v, "RDMA_UVERB", &claim.file) < 0 ||
	    read_dra_part(r, v, "VFIO_DEVICE", &vfio_device) < 0)
		return -1;
	if (!claim.file)
		claim.file = vfio_device;
	return add_checked(r, v, claim);
}

static int read_variable(struct reading *r, const struct variable *v)
{
	/* getenv(3) sees the first of two; the author's follow the plugin's. */
	if (find_variable(r, v->name, v->name_len, v->info) != v)
		return 0;
	if (text_starts_with(v->name, DRA_DEVICE_PREFIX))
		return read_dra(r, v);
	if (text_starts_with(v->name, DRA_PREFIX))
		return 0;
	if (!v->info)
		return read_list(r, v);
	/* read_list() reads an _INFO with a list. */
	if (find_variable(r, v->name, v->name_len - strlen(INFO_SUFFIX), false))
		return 0;
	return read_lone_info(r, v);
}

static int collect_variables(struct reading *r)
{
	for (size_t i = 0; i < r->spec->n_env; i++) {
		const char *entry = r->spec->env[i];
		struct variable *added;

		if ((!text_starts_with(entry, SRIOV_PREFIX) &&
		     !text_starts_with(entry, DRA_PREFIX)) ||
		    !strchr(entry, '='))
			continue;
		if (r->n_variables == CLAIM_VARIABLES_MAX)
			return warnings_add(r->arena, r->warnings, "too_many_claims",
					    "the environment has more than %d variables of device "
					    "plugins; the others are ignored",
					    CLAIM_VARIABLES_MAX);
		added = arena_push(r->arena, r->variables, r->n_variables, r->variables_room);
		if (!added)
			return -1;
		*added = variable(entry);
	}
	return 0;
}

/* Authors can write many: searching for each would take seconds. */
static int sort_variables(struct reading *r)
{
	r->by_name = arena_alloc(r->arena, r->n_variables * sizeof(struct variable *));
	if (!r->by_name)
		return -1;
	for (size_t i = 0; i < r->n_variables; i++)
		r->by_name[i] = &r->variables[i];
	if (r->n_variables)
		qsort(r->by_name, r->n_variables, sizeof(struct variable *), compare_variables);
	return 0;
}

int claims_read(struct arena *arena, const struct spec *spec, struct claims *ret_claims,
		struct warnings *warnings, struct err *err)
{
	struct reading reading = {.arena = arena, .spec = spec, .warnings = warnings};

	if (collect_variables(&reading) < 0 || sort_variables(&reading) < 0)
		return err_memory(err);
	for (size_t i = 0; i < reading.n_variables; i++) {
		if (read_variable(&reading, reading.by_name[i]) < 0)
			return err_memory(err);
	}
	*ret_claims = reading.claims;
	return 0;
}
