/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which devices the container's environment says it was allocated, for the dry run and the doctor.
 *
 * The device plugins write it, but the pod's author can write the same variables, so a claim proves
 * nothing: it only labels what linux.devices proves.
 *
 * The order in the environment is nobody's choice: the kubelet walks a Go map for the variables of
 * several resources (deviceRunContainerOptions of cm/devicemanager/pod_devices.go), and allocates
 * the devices of one as a set (UnsortedList in manager.go). It differs between the containers of a
 * pod and from one start to the next, so that the devices are in order of their PCI address
 * (core/plan/plan.h).
 *
 *   PCIDEVICE_<resource>=0000:3b:02.6,…        SR-IOV network device plugin
 *   PCIDEVICE_<resource>_INFO={"0000:3b:02.6":{"rdma":{"rdma_dev":"mlx5_6","uverbs":"/dev/…"}}}
 *                                              the same plugin since 3.6.0, rdma_dev since 3.10.0;
 *                                              or "vfio":{"dev-mount":"/dev/…"}, "vdpa":{"mount":…}
 *   SRIOVNETWORK_VF_DEVICE_<d>=0000:3b:02.6    dra-driver-sriov, with
 *   SRIOVNETWORK_<d>_RDMA_DEVICE=mlx5_6,       and its file in SRIOVNETWORK_<d>_RDMA_UVERB or
 *                                              SRIOVNETWORK_<d>_VFIO_DEVICE
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/spec/spec.h"

/* More than any node has; the rest is left out with a warning. */
#define CLAIMS_MAX 4096

/* Device plugins' variables that are looked at, of which a device of dra-driver-sriov has six: a
 * node has few resources, an author much time. */
#define CLAIM_VARIABLES_MAX 4096

enum claim_source {
	CLAIM_SRIOV,
	CLAIM_DRA,
};

struct claim {
	enum claim_source source;
	const char *address; /* PCI address, or an auxiliary device's name (mlx5_core.sf.4) */
	const char *ibdev;   /* NULL: unknown */
	const char *file;    /* its device file: uverbs, or that of vfio or vDPA; NULL: unknown */
};

struct claims {
	struct claim *item; /* by the names of their variables */
	size_t n;
	size_t room;
};

/*
 * Reads the devices that process.env names. What is left out adds a warning. All that *ret_claims
 * points to lives in the arena. Returns 0, or -1 without memory.
 */
int claims_read(struct arena *arena, const struct spec *spec, struct claims *ret_claims,
		struct warnings *warnings, struct err *err);
