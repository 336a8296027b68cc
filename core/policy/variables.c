/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h declares these: variables of keys and nccl.extra */
#include <string.h>

#include "core/base/text.h"
#include "core/json/document.h"
#include "core/policy/policy.h"

static bool is_variable_name(const char *name)
{
	size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return len >= 1 && name[len] == '\0' && !(name[0] >= '0' && name[0] <= '9');
}

/* NCCL reads line by line. */
const char *variable_value(struct json_document *doc, const struct json_node *node)
{
	const char *text = json_string(doc, node);

	if (!text[0])
		json_fail(doc, node, "empty");
	if (text_has_control(text))
		json_fail(doc, node, "contains a line break or another control character");
	if (strlen(text) > CONFIG_VALUE_MAX)
		json_fail(doc, node, "longer than %d bytes, which is what NCCL reads",
			  CONFIG_VALUE_MAX);
	return text;
}

/* Returns the key that can set it, or NULL. *ret_set: whether it does */
static const char *variable_key(const struct config *config, const char *name, bool *ret_set)
{
	const struct {
		const char *name;
		const char *key;
		bool set;
	} variables[] = {
		{"NCCL_IB_HCA", "nccl.hca", config->nccl.hca},
		{"NCCL_SOCKET_IFNAME", "nccl.socket_ifname", config->nccl.socket_ifname != NULL},
		{"NCCL_IB_GID_INDEX", "nccl.gid_index", config->nccl.gid_index != NULL},
		{"NCCL_NET_GDR_LEVEL", "nccl.gdr_level", config->nccl.gdr_level != NULL},
		{"UCX_NET_DEVICES", "frameworks.ucx", config->frameworks.ucx},
		{"NVSHMEM_HCA_PE_MAPPING", "frameworks.nvshmem", config->frameworks.nvshmem},
		{"DEEP_EP_DEVICE_TO_HCA_MAPPING", "frameworks.deepep", config->frameworks.deepep},
		{"GLOO_SOCKET_IFNAME", "frameworks.gloo", config->frameworks.gloo},
		/* nccl_tcp_settings() sets these. */
		{"NCCL_IB_DISABLE", "on_no_device", false},
		{"NCCL_IBEXT_DISABLE", "on_no_device", false},
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		if (strcmp(variables[i].name, name) != 0)
			continue;
		*ret_set = variables[i].set;
		return variables[i].key;
	}
	return NULL;
}

static bool has_extra(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->nccl.n_extra; i++) {
		if (strcmp(config->nccl.extra[i].name, name) == 0)
			return true;
	}
	return false;
}

/* It would be unclear which value wins. */
void extra_read(struct json_document *doc, const struct json_node *extra, struct config *config)
{
	size_t room = 0;

	json_each(member, extra) {
		struct config_variable v = {json_key(doc, member), variable_value(doc, member)};
		bool set = false;
		const char *key = variable_key(config, v.name, &set);
		struct config_variable *added;

		if (!is_variable_name(v.name))
			json_fail(doc, member, "a variable's name has only A-Z, 0-9 and '_'");
		if (has_extra(config, v.name))
			json_fail(doc, member, "occurs twice");
		if (set)
			json_fail(doc, member, "already set by %s; keep one", key);
		added = arena_push(doc->arena, config->nccl.extra, config->nccl.n_extra, room);
		if (!added)
			json_no_memory(doc);
		else
			*added = v;
	}
}

bool config_knows_variable(const struct config *config, const char *name)
{
	bool ignored;

	return variable_key(config, name, &ignored) || has_extra(config, name);
}
