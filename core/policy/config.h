/* SPDX-License-Identifier: Apache-2.0 */
/* The administrator's policy: /etc/oci-rdma-hook/config.json. It alone grants. */
#ifndef OCI_RDMA_CONFIG_H
#define OCI_RDMA_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/fs.h"

#define CONFIG_PATH "etc/oci-rdma-hook/config.json" /* below the sysroot */
#define CONFIG_STATE_DIR "/run/oci-rdma-hook"       /* where the policy names no other */
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

enum config_gid_index {
	GID_INDEX_AUTO,   /* set nothing: NCCL >= 2.21.5 finds it per device */
	GID_INDEX_LEGACY, /* set it where all ports agree */
	GID_INDEX_NUMBER,
};

struct config_variable {
	const char *name;
	const char *value;
	size_t line; /* where the file says so */
};

struct config {
	const char *path; /* as errors and reasons should name it */
	enum config_opt_in opt_in;
	const char **namespaces; /* exact names, or with a trailing '*' */
	size_t n_namespaces;
	size_t namespaces_line; /* where the file says so; 0: it does not */
	uint64_t memlock;       /* bytes, or MEMLOCK_UNLIMITED */
	bool require_memory_limit;
	uint64_t capabilities;  /* bit n is capability n */
	bool says_capabilities; /* the file does; else they are the default */
	struct {
		bool hca;
		const char *socket_ifname; /* NULL, "rdma", or a value for NCCL */
		enum config_gid_index gid_index;
		unsigned gid_index_number;
		const char *gdr_level; /* NULL: not set */
		struct config_variable *extra;
		size_t n_extra;
	} nccl;
	struct {
		bool ucx;
		bool nvshmem;
		bool gloo;
	} frameworks; /* other libraries that are told of the devices, by the environment */
	enum config_no_device on_no_device;
	bool fail_on_error;
	bool fail_on_denied; /* a container that asks, has a device, and is denied */
	bool amend_seccomp;  /* the shim may allow what verbs and NCCL need */
	bool mend_missed;    /* processes of what was created while the plugin was away */
	bool privileged_scan;
	const char **runtimes;
	size_t n_runtimes;
	size_t runtimes_line; /* likewise */
	const char *state_dir;
};

/* What holds without a file. */
int config_defaults(struct arena *arena, struct config *ret_config, struct err *err);

/*
 * sysroot: a directory descriptor. path: the file, or NULL for CONFIG_PATH below the sysroot, where
 * a missing file means the defaults; a file that was named must exist.
 */
int config_load(struct arena *arena, int sysroot, const char *path, struct config *ret_config,
		struct err *err);

/* What a file says that is read already. what: its path, as errors and config.path say it */
int config_read(struct arena *arena, const struct fs_text *text, const char *what,
		struct config *ret_config, struct err *err);

/* True if the namespace is one of config.namespaces; an unknown one (NULL) only matches "*". */
bool config_allows_namespace(const struct config *config, const char *name);

#endif
