/* SPDX-License-Identifier: Apache-2.0 */
/* The policy: what the administrator grants, what a pod asks for, and how both write it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/spec/spec.h"

/* ---- amounts of memory, as the config and the annotations write them ---- */

/* RLIM_INFINITY, and what config.json spells 18446744073709551615 */
#define MEMLOCK_UNLIMITED UINT64_MAX

/* "unlimited", or digits with an optional suffix of Kubernetes (64Gi, 64G). 0 is refused: it would
 * take away what every container has. */
int quantity_parse(const char *text, uint64_t *ret_bytes, struct err *err);

/* ---- what the administrator grants, by /etc/oci-rdma-hook/config.json ---- */

#define CONFIG_PATH "etc/oci-rdma-hook/config.json" /* below the sysroot */
#define CONFIG_SIZE_MAX (256 * 1024)

/* The size of a variable's value: NCCL reads lines of 1024 bytes into two buffers of that size
 * (src/misc/param.cc before 2.27). */
#define CONFIG_VALUE_MAX 1023

enum config_opt_in {
	OPT_IN_ANNOTATION, /* containers that ask by annotation */
	OPT_IN_DEVICE,     /* every container with a proven device */
};

enum config_no_device {
	NO_DEVICE_IGNORE,
	NO_DEVICE_TCP,
	NO_DEVICE_FAIL,
};

struct config_variable {
	const char *name;
	const char *value;
};

/* What happens to a container that was created while no NRI plugin was connected */
enum config_missed {
	MISSED_REPORT,
	MISSED_MEND,   /* its processes get the limit */
	MISSED_REFUSE, /* it must not start, if the plugin notices in time */
};

struct config {
	const char *path; /* as errors and reasons should name it */
	enum config_opt_in opt_in;
	const char *const *namespaces; /* exact names, or with a trailing '*' */
	size_t n_namespaces;
	size_t namespaces_line; /* where the file says so; 0: it does not */
	bool vfio; /* a vfio function proves an allocation too: of the limit, of nothing else */
	uint64_t memlock; /* bytes, or MEMLOCK_UNLIMITED */
	bool require_memory_limit;
	uint64_t capabilities;  /* bit n is capability n */
	bool says_capabilities; /* the file does; else they are the default */
	struct {
		bool hca;
		const char *socket_ifname; /* NULL, "rdma", or a value for NCCL */
		/* NULL: NCCL >= 2.21.5 finds it for each device; "legacy": set it where all ports
		 * agree; or a value for NCCL */
		const char *gid_index;
		const char *gdr_level; /* NULL: not set */
		struct config_variable *extra;
		size_t n_extra;
	} nccl;
	struct {
		bool ucx;
		bool nvshmem;
		bool deepep;
		bool gloo;
	} frameworks; /* other libraries that get the devices, in the environment */
	enum config_no_device on_no_device;
	enum config_missed on_missed;
	bool fail_on_error;
	bool fail_on_denied; /* a container that asks, has a device, and is denied */
	bool amend_seccomp;  /* the shim may allow what verbs and NCCL need */
	bool privileged_scan;
};

/* What holds without a file. */
struct config config_defaults(void);

/* sysroot: a directory descriptor. path: the file, which must exist, or NULL for CONFIG_PATH below
 * the sysroot, where no file means the defaults. */
int config_load(struct arena *arena, int sysroot, const char *path, struct config *ret_config,
		struct err *err);

/* Parses a file that has been read already. what: its path, for errors and config.path */
int config_read(struct arena *arena, const struct fs_text *text, const char *what,
		struct config *ret_config, struct err *err);

/* ---- the variables that it sets (variables.c) ---- */

/* A text that NCCL can read from nccl.conf; else that is the document's error */
const char *variable_value(struct json_document *doc, const struct json_node *node);

/* nccl.extra, behind all other keys: none of them may set the same variable. */
void extra_read(struct json_document *doc, const struct json_node *extra, struct config *config);

/* True if a grant can set the variable, whatever the switches for it say. */
bool config_knows_variable(const struct config *config, const char *name);

/* True if the namespace is one of config.namespaces; an unknown one (NULL) only matches "*". */
bool config_allows_namespace(const struct config *config, const char *name);

/* ---- what a pod asks for ---- */

/*
 * What a pod's author asks for, by annotations with the prefix oci-rdma-hook.io/. They only ask,
 * refuse or reduce; the administrator's config grants. With CDI, where choosing a device is the
 * request, the hook's arguments ask instead of inject "true".
 */
enum request_inject {
	INJECT_UNSAID,
	INJECT_ASKED,
	INJECT_REFUSED,
};

struct request {
	enum request_inject inject;
	bool by_hook;                 /* asked for by a hook's arguments, not by inject */
	bool excludes_this_container; /* containers names others, not this one */
	uint64_t memlock;             /* MEMLOCK_UNLIMITED if it does not say */
	bool nccl;
};

/* Strict: an unknown name or value is an error that names line and file (what: config.json's path).
 */
int request_read(const struct spec *spec, const char *what, struct request *ret_request,
		 struct err *err);

/* True if it has an annotation of ours, even a misspelt one, or asks by a hook's arguments, and
 * does not refuse by inject "false". Its author then wants to know why it gets nothing. */
bool request_is_made(const struct spec *spec);
