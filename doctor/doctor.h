/* SPDX-License-Identifier: Apache-2.0 */
/* What every check gets to know. Read once, before the first of them; no check changes it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/node/node.h"
#include "core/spec/spec.h"
#include "doctor/doctor_options.h"
#include "doctor/target/device_files.h"
#include "doctor/target/target.h"
#include "explain/claims.h"
#include "explain/topology.h"

struct doctor {
	struct arena arena; /* owns all that is below */
	struct doctor_options options;
	int no_openat2; /* why it cannot be used, an errno: nothing below is read; 0 */
	struct location location;
	struct node node;
	struct target target;
	struct devices all;        /* every verbs device that sysfs shows */
	struct device_files files; /* below the target's /dev/infiniband */
	struct devices devices;    /* those of them that the target has a file for, by name */
	struct claims claims;      /* what its environment says that it was allocated */
	struct gpus gpus;          /* the node's */
};

#define DOCTOR_NONE ((struct doctor){.node = NODE_NONE, .target = TARGET_NONE})

/* Returns 0, or -1 for a sysroot or target that does not exist. */
int doctor_read(const struct doctor_options *options, struct doctor *ret_doctor, struct err *err);
void doctor_free(struct doctor *doctor);

#define cleanup_doctor __attribute__((cleanup(doctor_free))) struct doctor

/* Those that the checks are about: the target's own. A node that has no device files, since
 * ib_uverbs is not loaded, has its devices all the same; a container without files has none. */
struct devices doctor_devices(const struct doctor *doctor);

/* True if the environment says so, or says nothing at all. */
bool doctor_is_allocated(const struct doctor *doctor, const struct device *device);

/* The device of that RDMA name among devices, or NULL */
const struct device *doctor_find_ibdev(const struct devices *devices, const char *name, size_t len);
