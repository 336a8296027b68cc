/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/claims.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "json/reader.h"

#define SRIOV_PREFIX "PCIDEVICE_"
#define DRA_PREFIX "SRIOVNETWORK_VF_DEVICE_"
#define INFO_SUFFIX "_INFO"

/* One variable of the environment, cut at its first '=' */
struct variable {
	const char *name;
	size_t name_len;
	const char *value;
};

struct reading {
	struct arena *arena;
	const struct spec *spec;
	struct claims claims;
	struct warnings *warnings;
	struct variable *variables; /* PCIDEVICE_* and SRIOVNETWORK_VF_DEVICE_*, as they stand */
	size_t n_variables;
};

static struct variable variable(const char *entry)
{
	size_t len = strcspn(entry, "=");

	return (struct variable){entry, len, entry[len] ? entry + len + 1 : ""};
}

/* A resource may be called foo_info: what makes an _INFO is its value. */
static bool is_info(const struct variable *v)
{
	size_t len = strlen(INFO_SUFFIX);

	return v->value[0] == '{' && v->name_len > len &&
	       memcmp(v->name + v->name_len - len, INFO_SUFFIX, len) == 0;
}

static int add_claim(struct reading *r, struct claim claim)
{
	struct claims *claims = &r->claims;
	struct claim *larger;

	if (claims->n == CLAIMS_MAX)
		return warnings_add(
			r->arena, r->warnings, "too_many_claims",
			"the environment names more than %d devices; the rest is not ordered",
			CLAIMS_MAX);
	larger = arena_grow(r->arena, claims->item, claims->n, &claims->room, sizeof(*larger));
	if (!larger)
		return -1;
	claims->item = larger;
	claims->item[claims->n++] = claim;
	return 0;
}

static bool is_address(const char *text)
{
	return text_is_pci_address(text) || text_is_device_name(text);
}

/* ---- _INFO ---- */

struct info {
	struct arena *arena;
	struct claims devices;
	struct claim device; /* the one that is being read */
};

static int begin_device(void *context, const struct json_value *value, struct err *err)
{
	struct info *info = context;

	info->device = (struct claim){.source = CLAIM_SRIOV,
				      .address = arena_strdup(info->arena, value->key)};
	return info->device.address ? 0 : err_memory(err);
}

static int leave_device(void *context, struct err *err)
{
	struct info *info = context;
	struct claims *devices = &info->devices;
	struct claim *larger;

	if (devices->n == CLAIMS_MAX)
		return err_set(err, "more than %d devices", CLAIMS_MAX);
	larger =
		arena_grow(info->arena, devices->item, devices->n, &devices->room, sizeof(*larger));
	if (!larger)
		return err_memory(err);
	devices->item = larger;
	devices->item[devices->n++] = info->device;
	return 0;
}

static const struct json_shape rdma_dev = {.types = JSON_STRING,
					   .store = JSON_STORE_STRING,
					   .offset = offsetof(struct info, device.ibdev)};
static const struct json_shape file = {.types = JSON_STRING,
				       .store = JSON_STORE_STRING,
				       .offset = offsetof(struct info, device.file)};
static const struct json_shape rdma = {
	.types = JSON_OBJECT,
	.members = (const struct json_member[]){{"rdma_dev", &rdma_dev}, {"uverbs", &file}, {0}},
};
static const struct json_shape vfio = {
	.types = JSON_OBJECT,
	.members = (const struct json_member[]){{"dev-mount", &file}, {0}},
};
static const struct json_shape vdpa = {
	.types = JSON_OBJECT,
	.members = (const struct json_member[]){{"mount", &file}, {0}},
};
static const struct json_shape info_device = {
	.types = JSON_OBJECT,
	.take = begin_device,
	.leave = leave_device,
	.members =
		(const struct json_member[]){
			{"rdma", &rdma}, {"vfio", &vfio}, {"vdpa", &vdpa}, {0}},
};
static const struct json_shape info_root = {.types = JSON_OBJECT, .each = &info_device};

/* Leaves *ret_devices empty, with a warning, if the text cannot be read: a pod may write anything.
 */
static int read_info(struct reading *r, const struct variable *v, struct claims *ret_devices)
{
	struct info info = {.arena = r->arena};
	struct json_source source = {.what = "value", .text = v->value, .len = strlen(v->value)};
	struct err err;

	if (json_read(r->arena, &source, &info_root, &info, &err) == 0) {
		*ret_devices = info.devices;
		return 0;
	}
	if (err.memory)
		return -1;
	*ret_devices = (struct claims){0};
	return warnings_add(r->arena, r->warnings, "env_unreadable",
			    "%.*s of the environment is ignored: %s", (int)v->name_len, v->name,
			    err.text);
}

/* The variable called name[0..len), an _INFO or a list as asked for; NULL if there is none */
static const struct variable *find(const struct reading *r, const char *name, size_t len, bool info)
{
	for (size_t i = 0; i < r->n_variables; i++) {
		const struct variable *v = &r->variables[i];

		if (v->name_len == len && memcmp(v->name, name, len) == 0 && is_info(v) == info)
			return v;
	}
	return NULL;
}

static const struct variable *info_of(const struct reading *r, const struct variable *list)
{
	char name[256];
	int len = snprintf(name, sizeof(name), "%.*s" INFO_SUFFIX, (int)list->name_len, list->name);

	return len > 0 && (size_t)len < sizeof(name) ? find(r, name, (size_t)len, true) : NULL;
}

static bool has_list(const struct reading *r, const struct variable *info)
{
	return find(r, info->name, info->name_len - strlen(INFO_SUFFIX), false) != NULL;
}

/* ---- the variables ---- */

static int add_checked(struct reading *r, const struct variable *v, struct claim claim)
{
	if (!is_address(claim.address))
		return warnings_add(
			r->arena, r->warnings, "bad_name",
			"%.*s of the environment names '%.64s', which is no device's name",
			(int)v->name_len, v->name, claim.address);
	if (claim.ibdev && !text_is_device_name(claim.ibdev)) {
		if (warnings_add(
			    r->arena, r->warnings, "bad_name",
			    "%.*s of the environment names '%.64s', which is no RDMA device's name",
			    (int)v->name_len, v->name, claim.ibdev) < 0)
			return -1;
		claim.ibdev = NULL;
	}
	return add_claim(r, claim);
}

/* What the _INFO says of the address */
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

/*
 * SRIOVNETWORK_VF_DEVICE_0000_3b_02_6=0000:3b:02.6; its ibdev is in SRIOVNETWORK_<d>_RDMA_DEVICE,
 * its file in SRIOVNETWORK_<d>_RDMA_UVERB or SRIOVNETWORK_<d>_VFIO_DEVICE.
 */
static int read_dra(struct reading *r, const struct variable *v)
{
	const char *device = v->name + strlen(DRA_PREFIX);
	int len = (int)(v->name_len - strlen(DRA_PREFIX));
	struct claim claim = {.source = CLAIM_DRA, .address = v->value};
	char *ibdev = arena_printf(r->arena, "SRIOVNETWORK_%.*s_RDMA_DEVICE", len, device);
	char *uverbs = arena_printf(r->arena, "SRIOVNETWORK_%.*s_RDMA_UVERB", len, device);
	char *vfio_device = arena_printf(r->arena, "SRIOVNETWORK_%.*s_VFIO_DEVICE", len, device);

	if (!ibdev || !uverbs || !vfio_device)
		return -1;
	claim.ibdev = spec_getenv(r->spec, ibdev);
	claim.file = spec_getenv(r->spec, uverbs);
	if (!claim.file)
		claim.file = spec_getenv(r->spec, vfio_device);
	return add_checked(r, v, claim);
}

static int read_variable(struct reading *r, const struct variable *v)
{
	/* Of two with one name getenv(3) sees the first; the author's come behind the plugin's. */
	if (find(r, v->name, v->name_len, is_info(v)) != v)
		return 0;
	if (text_starts_with(v->name, DRA_PREFIX))
		return read_dra(r, v);
	if (!is_info(v))
		return read_list(r, v);
	/* With a list, the list stands for its resource, wherever the _INFO is. */
	return has_list(r, v) ? 0 : read_lone_info(r, v);
}

static int collect_variables(struct reading *r)
{
	r->variables = arena_alloc(r->arena, CLAIM_VARIABLES_MAX * sizeof(*r->variables));
	if (!r->variables)
		return -1;
	for (size_t i = 0; i < r->spec->n_env; i++) {
		const char *entry = r->spec->env[i];

		if (!text_starts_with(entry, SRIOV_PREFIX) && !text_starts_with(entry, DRA_PREFIX))
			continue;
		if (r->n_variables == CLAIM_VARIABLES_MAX)
			return warnings_add(r->arena, r->warnings, "too_many_claims",
					    "the environment has more than %d variables of device "
					    "plugins; the rest is ignored",
					    CLAIM_VARIABLES_MAX);
		r->variables[r->n_variables++] = variable(entry);
	}
	return 0;
}

int claims_read(struct arena *arena, const struct spec *spec, struct claims *ret_claims,
		struct warnings *warnings, struct err *err)
{
	struct reading reading = {.arena = arena, .spec = spec, .warnings = warnings};

	if (collect_variables(&reading) < 0)
		return err_memory(err);
	for (size_t i = 0; i < reading.n_variables; i++) {
		if (read_variable(&reading, &reading.variables[i]) < 0)
			return err_memory(err);
	}
	*ret_claims = reading.claims;
	return 0;
}
