/* SPDX-License-Identifier: Apache-2.0 */
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
	struct arena arena; /* owns all below */
	struct doctor_options options;
	int no_openat2; /* errno of openat2(2), or 0; if set, nothing below is read */
	struct location location;
	struct node node;
	struct target target;
	struct devices all;        /* in sysfs */
	struct device_files files; /* in the target's /dev/infiniband */
	struct devices devices;    /* those of .all with a file in the target, by name */
	struct claims claims;      /* allocations in its environment */
	struct gpus gpus;          /* the node's */
};

#define DOCTOR_NONE ((struct doctor){.node = NODE_NONE, .target = TARGET_NONE})

/* Returns -1 if sysroot or target does not exist. */
int doctor_read(const struct doctor_options *options, struct doctor *ret_doctor, struct err *err);
void doctor_free(struct doctor *doctor);

#define cleanup_doctor __attribute__((cleanup(doctor_free))) struct doctor

/* The target's. Without device files (no ib_uverbs) a node still has devices, a container none. */
struct devices doctor_devices(const struct doctor *doctor);

/* True if the environment lists it or lists none */
bool doctor_is_allocated(const struct doctor *doctor, const struct device *device);

const struct device *doctor_find_ibdev(const struct devices *devices, const char *name, size_t len);
