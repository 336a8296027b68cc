/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices claimed by the container's environment. Authors can write these variables too, so claims
 * only label devices that linux.devices proves.
 *
 * The kubelet orders them at random (Go map in deviceRunContainerOptions,
 * cm/devicemanager/pod_devices.go; UnsortedList in manager.go), so devices are in order of PCI
 * address (core/plan/plan.h).
 *
 *   PCIDEVICE_<resource>=0000:3b:02.6,…        SR-IOV network device plugin
 *   PCIDEVICE_<resource>_INFO={"0000:3b:02.6":{"rdma":{"rdma_dev":"mlx5_6","uverbs":"/dev/…"}}}
 *                                              since 3.6.0, rdma_dev since 3.10.0; or
 *                                              "vfio":{"dev-mount":"/dev/…"}, "vdpa":{"mount":…}
 *   SRIOVNETWORK_VF_DEVICE_<d>=0000:3b:02.6    dra-driver-sriov
 *   SRIOVNETWORK_<d>_RDMA_DEVICE=mlx5_6        file: SRIOVNETWORK_<d>_RDMA_UVERB or _VFIO_DEVICE
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/spec/spec.h"

/* More than any node has; drops the rest with a warning. */
#define CLAIMS_MAX 4096

/* Bounds the work an author causes; dra-driver-sriov sets six a device. */
#define CLAIM_VARIABLES_MAX 4096

enum claim_source {
	CLAIM_SRIOV,
	CLAIM_DRA,
};

struct claim {
	enum claim_source source;
	const char *address; /* PCI address or auxiliary device (mlx5_core.sf.4) */
	const char *ibdev;   /* NULL: unknown */
	const char *file;    /* of uverbs, vfio or vDPA; NULL: unknown */
};

struct claims {
	struct claim *item; /* by variable */
	size_t n;
	size_t room;
};

/* Warns about devices left out. *ret_claims points into the arena. */
int claims_read(struct arena *arena, const struct spec *spec, struct claims *ret_claims,
		struct warnings *warnings, struct err *err);
