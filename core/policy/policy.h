/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"
#include "core/spec/spec.h"

/* RLIM_INFINITY; 18446744073709551615 in config.json */
#define MEMLOCK_UNLIMITED UINT64_MAX

/* "unlimited", or digits and maybe a Kubernetes suffix (64Gi); not 0 */
int quantity_parse(const char *text, uint64_t *ret_bytes, struct err *err);

#define CONFIG_PATH "etc/oci-rdma-hook/config.json" /* below the sysroot */
#define CONFIG_SIZE_MAX (256 * 1024)

/* NCCL before 2.27 reads a value into 1024 bytes (src/misc/param.cc). */
#define CONFIG_VALUE_MAX 1023

enum config_opt_in {
	OPT_IN_ANNOTATION,
	OPT_IN_DEVICE, /* every container with a proven device */
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

/* For a container created while no NRI plugin was connected */
enum config_missed {
	MISSED_REPORT,
	MISSED_MEND,   /* raise its processes' limit */
	MISSED_REFUSE, /* stop it, if noticed before it starts */
};

struct config {
	const char *path; /* for errors and reasons */
	enum config_opt_in opt_in;
	const char *const *namespaces; /* exact, or with a trailing '*' */
	size_t n_namespaces;
	size_t namespaces_line; /* 0: not in the file */
	bool vfio;              /* vfio functions count, for the limit alone */
	uint64_t memlock;       /* bytes, or MEMLOCK_UNLIMITED */
	bool require_memory_limit;
	uint64_t capabilities;  /* bit n is capability n */
	bool says_capabilities; /* the file lists them */
	struct {
		bool hca;
		const char *socket_ifname; /* NULL, "rdma", or a value for NCCL */
		/* NULL: left to NCCL >= 2.21.5; "legacy": if all ports agree; or a value */
		const char *gid_index;
		const char *gdr_level;
		struct config_variable *extra;
		size_t n_extra;
	} nccl;
	struct {
		bool ucx;
		bool nvshmem;
		bool deepep;
		bool gloo;
	} frameworks; /* their variables, in the environment */
	enum config_no_device on_no_device;
	enum config_missed on_missed;
	bool fail_on_error;
	bool fail_on_denied; /* if it asks and has a device */
	bool amend_seccomp;  /* the shim allows what verbs and NCCL need */
	bool privileged_scan;
};

struct config config_defaults(void);

/* path NULL: CONFIG_PATH below sysroot, or the defaults without it; else it must exist */
int config_load(struct arena *arena, int sysroot, const char *path, struct config *ret_config,
		struct err *err);

/* what: the path, for errors and config.path */
int config_read(struct arena *arena, const struct fs_text *text, const char *what,
		struct config *ret_config, struct err *err);

/* ---- variables.c ---- */

/* A value that fits nccl.conf, or sets doc's error */
const char *variable_value(struct json_document *doc, const struct json_node *node);

/* Call after all other keys: none may set the same variable. */
void extra_read(struct json_document *doc, const struct json_node *extra, struct config *config);

/* True if a grant can set it, even if its key is off */
bool config_knows_variable(const struct config *config, const char *name);

/* An unknown namespace (NULL) only matches "*". */
bool config_allows_namespace(const struct config *config, const char *name);

/* ---- a pod's request ---- */

/* Annotations only ask, refuse or reduce; the config grants. With CDI choosing a device is the
 * request: the hook's arguments replace inject "true". */
enum request_inject {
	INJECT_UNSAID,
	INJECT_ASKED,
	INJECT_REFUSED,
};

struct request {
	enum request_inject inject;
	bool by_hook;                 /* by a hook's arguments, not by inject */
	bool excludes_this_container; /* "containers" names only others */
	uint64_t memlock;             /* MEMLOCK_UNLIMITED by default */
	bool nccl;
};

/* Unknown names and values are errors. what: config.json's path */
int request_read(const struct spec *spec, const char *what, struct request *ret_request,
		 struct err *err);

/* True with our annotations, even misspelt, or hook arguments, unless inject is "false": the author
 * expects a reason. */
bool request_is_made(const struct spec *spec);
