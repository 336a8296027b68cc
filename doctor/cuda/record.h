/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the child tells the parent, a record for each thing. A library that runs wild may write into
 * the pipe, so the parent takes nothing for granted: record_check comes first.
 */
#ifndef OCI_RDMA_DOCTOR_CUDA_RECORD_H
#define OCI_RDMA_DOCTOR_CUDA_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "doctor/finding.h"

/* A record that was made by another program, or by accident, does not begin like this. */
#define RECORD_MAGIC UINT32_C(0x64726331)

#define RECORD_TEXT_MAX 512
#define GPUS_MAX 64
#define GPU_NAME_MAX 128
#define GPU_PCI_MAX 32

enum record_kind {
	RECORD_STEP = 1, /* text: the call that begins now; the last one is where it hung or died */
	RECORD_LIBRARY,  /* result: enum cuda_loaded; text */
	RECORD_VERSION,  /* result of cuDriverGetVersion; value */
	RECORD_INIT,     /* result of cuInit; value: how long it took, ms */
	RECORD_COUNT,    /* result of cuDeviceGetCount; value */
	RECORD_GPU,      /* gpu */
	RECORD_FINDING,  /* finding */
	RECORD_DONE,
};

/* A value, and the CUresult that came with it */
struct record_value {
	int32_t result;
	int32_t value;
};

struct record_gpu {
	int32_t ordinal;
	int32_t result; /* of getting its name and PCI address */
	char name[GPU_NAME_MAX];
	char pci[GPU_PCI_MAX];
	struct record_value vmm;
	struct record_value rdma;
	struct record_value flush;
	struct record_value dmabuf;
};

/* The longest texts of doctor/finding.c are cut to 1,023 bytes. */
struct record_finding {
	int32_t status;
	char id[64];
	char subject[64];
	char evidence[1024];
	char remedy[1024];
};

struct record {
	uint32_t magic;
	uint32_t kind;
	int32_t result;
	int32_t value;
	char text[RECORD_TEXT_MAX];
	union {
		struct record_gpu gpu;
		struct record_finding finding;
	};
};

/* True if it is one of ours; ends all texts with a NUL. */
bool record_check(struct record *record);

/* For the child: kind, result, value and text (NULL for none) */
void record_tell(int out, enum record_kind kind, int result, int value, const char *text);
void record_tell_gpu(int out, const struct record_gpu *gpu);
void record_tell_finding(int out, const struct finding *finding);

#endif
