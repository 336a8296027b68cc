/* SPDX-License-Identifier: Apache-2.0 */
/* The device rules of linux.resources.devices: is it a container with every device of the host? */
#ifndef OCI_RDMA_RULE_H
#define OCI_RDMA_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct spec_rule {
	bool allow;
	bool any_type; /* absent, "a", or "c": every character device */
	bool read_write;
	int64_t major; /* -1: any */
	int64_t minor;
};

static inline bool spec_rule_any_type(const char *type, size_t len)
{
	return !len || (len == 1 && (type[0] == 'a' || type[0] == 'c'));
}

static inline bool spec_rule_read_write(const char *access, size_t len)
{
	return len && memchr(access, 'r', len) && memchr(access, 'w', len);
}

/* Rules apply in their order: a privileged container's begin with "deny all" as everyone's do. */
static inline void spec_rule_apply(const struct spec_rule *rule, bool *every_device)
{
	if (rule->any_type && rule->major == -1 && rule->minor == -1 && rule->read_write)
		*every_device = rule->allow;
}

#endif
