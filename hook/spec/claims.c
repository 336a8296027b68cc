/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/claims.h"

#include <string.h>

#include "base/text.h"
#include "json/reader.h"

#define SRIOV_PREFIX "PCIDEVICE_"
#define DRA_PREFIX "SRIOVNETWORK_VF_DEVICE_"
#define INFO_SUFFIX "_INFO"

struct reading {
	struct arena *arena;
	const struct spec *spec;
	struct claims claims;
	struct warnings *warnings;
};

/* One variable of the environment, cut at its first '=' */
struct variable {
	const char *name;
	size_t name_len;
	const char *value;
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
static const struct json_shape rdma = {
	.types = JSON_OBJECT,
	.members = (const struct json_member[]){{"rdma_dev", &rdma_dev}, {0}},
};
static const struct json_shape info_device = {
	.types = JSON_OBJECT,
	.take = begin_device,
	.leave = leave_device,
	.members = (const struct json_member[]){{"rdma", &rdma}, {0}},
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
	*ret_devices = (struct claims){0};
	return warnings_add(r->arena, r->warnings, "env_unreadable",
			    "%.*s of the environment is ignored: %s", (int)v->name_len, v->name,
			    err.text);
}

/* The _INFO that belongs to the list v, if there is one */
static bool find_info(const struct spec *spec, const struct variable *v, struct variable *ret_info)
{
	size_t suffix = strlen(INFO_SUFFIX);

	for (size_t i = 0; i < spec->n_env; i++) {
		struct variable candidate = variable(spec->env[i]);

		if (candidate.name_len == v->name_len + suffix &&
		    memcmp(candidate.name, v->name, v->name_len) == 0 && is_info(&candidate)) {
			*ret_info = candidate;
			return true;
		}
	}
	return false;
}

static bool has_list(const struct spec *spec, const struct variable *info)
{
	size_t len = info->name_len - strlen(INFO_SUFFIX);

	for (size_t i = 0; i < spec->n_env; i++) {
		struct variable candidate = variable(spec->env[i]);

		if (candidate.name_len == len && memcmp(candidate.name, info->name, len) == 0 &&
		    !is_info(&candidate))
			return true;
	}
	return false;
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

static const char *ibdev_of(const struct claims *facts, const char *address)
{
	for (size_t i = 0; i < facts->n; i++) {
		if (strcmp(facts->item[i].address, address) == 0)
			return facts->item[i].ibdev;
	}
	return NULL;
}

static int read_list(struct reading *r, const struct variable *v)
{
	struct claims facts = {0};
	struct variable info;
	char *list = arena_strdup(r->arena, v->value);

	if (!list)
		return -1;
	if (find_info(r->spec, v, &info) && read_info(r, &info, &facts) < 0)
		return -1;
	for (char *rest = list, *address; (address = strsep(&rest, ","));) {
		struct claim claim = {.source = CLAIM_SRIOV, .address = address};

		if (!address[0])
			continue;
		claim.ibdev = ibdev_of(&facts, address);
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

/* SRIOVNETWORK_VF_DEVICE_0000_3b_02_6=0000:3b:02.6; its ibdev is in SRIOVNETWORK_<d>_RDMA_DEVICE.
 */
static int read_dra(struct reading *r, const struct variable *v)
{
	size_t prefix = strlen(DRA_PREFIX);
	struct claim claim = {.source = CLAIM_DRA, .address = v->value};
	char *name = arena_printf(r->arena, "SRIOVNETWORK_%.*s_RDMA_DEVICE",
				  (int)(v->name_len - prefix), v->name + prefix);

	if (!name)
		return -1;
	claim.ibdev = spec_getenv(r->spec, name);
	return add_checked(r, v, claim);
}

static int read_variable(struct reading *r, const char *entry)
{
	struct variable v = variable(entry);

	if (text_starts_with(entry, DRA_PREFIX))
		return read_dra(r, &v);
	if (!text_starts_with(entry, SRIOV_PREFIX))
		return 0;
	if (!is_info(&v))
		return read_list(r, &v);
	/* With a list, the list stands for its resource, wherever the _INFO is. */
	return has_list(r->spec, &v) ? 0 : read_lone_info(r, &v);
}

int claims_read(struct arena *arena, const struct spec *spec, struct claims *ret_claims,
		struct warnings *warnings, struct err *err)
{
	struct reading reading = {.arena = arena, .spec = spec, .warnings = warnings};

	for (size_t i = 0; i < spec->n_env; i++) {
		if (read_variable(&reading, spec->env[i]) < 0)
			return err_memory(err);
	}
	*ret_claims = reading.claims;
	return 0;
}
