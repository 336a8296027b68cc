/* SPDX-License-Identifier: Apache-2.0 */
/* The symptoms that are known, and what is to be said of each. */
#ifndef OCI_RDMA_DOCTOR_SYMPTOM_KNOWN_H
#define OCI_RDMA_DOCTOR_SYMPTOM_KNOWN_H

#include <stdbool.h>

#include "doctor/finding.h"

enum symptom {
	SYMPTOM_P2P_BLOCKED,
	SYMPTOM_LOC_PROT_ERR,
	SYMPTOM_BAD_BUFFER, /* what the two are in a log without GPUDirect RDMA */
	SYMPTOM_REMOTE_ERR,
	SYMPTOM_RETRY_EXC,
	SYMPTOM_RNR_RETRY_EXC,
	SYMPTOM_MEMLOCK,
	SYMPTOM_MEMLOCK_ZERO,
	SYMPTOM_GPU_MEMORY,
	SYMPTOM_DMABUF,
	SYMPTOM_OPEN_DEVICE,
	SYMPTOM_GID,
	SYMPTOM_GID_NETDEV,
	SYMPTOM_GID_CHANGED,
	SYMPTOM_NO_ROUTE,
	SYMPTOM_NO_DEVICE,
	SYMPTOM_PORT_EVENT,
	SYMPTOM_LIBIBVERBS,
	SYMPTOM_GDR_OFF,
	SYMPTOM_SOCKET_IFNAME,
	SYMPTOM_OOB_IFNAME,
	SYMPTOM_BOOTSTRAP,
	SYMPTOM_NO_NETWORK,
	SYMPTOM_PLUGIN,
	SYMPTOM_IOMMU_FAULT,
	SYMPTOM_CUDA,
	SYMPTOM_FLUSHED,
	SYMPTOM_UNHANDLED,
	SYMPTOMS,
};

struct known {
	const char *name; /* stable, for scripts */
	enum finding_status status;
	bool consequence; /* follows from an error that was logged before: says something only where
			     nothing else does */
	const char *cause;
	const char *remedy;
	const char *confirm; /* ids of the findings that confirm it */
};

/* By enum symptom */
extern const struct known known_symptoms[SYMPTOMS];

#endif
