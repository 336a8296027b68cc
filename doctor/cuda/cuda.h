/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs as the CUDA driver sees them, and their memory for RDMA. All of it happens in a child
 * with a time limit: cuInit takes seconds on a large node (2.6 s with eight GPUs), and hangs on a
 * sick one. Without CUDA everything is not checkable, and that is no error.
 */
#ifndef OCI_RDMA_DOCTOR_CUDA_H
#define OCI_RDMA_DOCTOR_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "doctor/finding.h"

/* ---- what the questions share: options, and a GPU's memory as it is handed on ---- */

#define CUDA_LIMIT_MS 30000

struct cuda_options {
	const char *library; /* this libcuda and no other; NULL: looked for */
	int limit_ms;        /* of the child's whole work; 0 for CUDA_LIMIT_MS */
};

struct cuda_memory {
	const char *what; /* "GPU 0000:1b:00.0" */
	void *address;    /* of the GPU, in this process: for ibv_reg_mr (nvidia_peermem) */
	size_t size;
	int dmabuf; /* the same memory for ibv_reg_dmabuf_mr at offset 0; or -1, and findings say
		       why */
};

/*
 * Uses the memory of one GPU, in the child that holds it, and adds findings, which reach the
 * parent. Pointer and descriptor are good until this returns; descriptor and memory go with the
 * process, and with them whatever verbs objects are left. Devices must be opened here: what
 * libibverbs opened before the fork is the parent's. Returns 0, or -1 with *err: then the rest of
 * GPUs is left out.
 */
typedef int cuda_use(const struct cuda_memory *memory, struct findings *findings, void *context,
		     struct err *err);

/* ---- what there is (cuda.c) ---- */

/*
 * Adds findings: cuda_library (the file), cuda_init (the driver's version, how long it took), and
 * for each GPU, with its PCI address in lower case as subject, cuda_gpu, cuda_gpudirect_rdma and
 * cuda_dmabuf. Returns 0 whatever is found, or -1 without memory or child.
 */
int cuda_check(struct findings *findings, const struct cuda_options *options, struct err *err);

/* ---- memory, for its users ---- */

/* The memory of GPUs for who wants to use it, such as verbs, in the child that holds it. */

/*
 * Calls use with size bytes (rounded up to 2 MiB) of each GPU in turn, in one child. Adds what use
 * finds, and "cuda_memory" for a GPU of which no memory could be had, or where use hung or died.
 * What cuda_check says it does not say again: where no driver or no GPU is, it adds nothing.
 * Returns 0 whatever is found, or -1 without memory or child.
 */
int cuda_memory_check(struct findings *findings, const struct cuda_options *options, size_t size,
		      cuda_use *use, void *context, struct err *err);

/* ---- the driver (driver.c) ---- */

/*
 * The CUDA driver library, opened at run time: the few functions that are used, with the prototypes
 * and numbers of NVIDIA's "CUDA Driver API" reference manual (docs.nvidia.com/cuda/cuda-driver-api:
 * Data types, Initialization, Version Management, Device Management, Primary Context Management,
 * Context Management, Memory Management), since no free package has cuda.h. Only a child calls
 * these (core/child.h).
 */

/* CUresult, CUdevice and CUdevice_attribute are ints of the ABI; a context is opaque. */
#define CUDA_SUCCESS 0
#define CUDA_NO_DEVICE 100
#define CUDA_NOT_SUPPORTED 801

enum cuda_attribute {
	CUDA_GPUDIRECT_RDMA_WITH_VMM = 110, /* CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_… */
	CUDA_GPUDIRECT_RDMA = 116,          /* …_GPU_DIRECT_RDMA_SUPPORTED */
	CUDA_GPUDIRECT_RDMA_FLUSH = 117,    /* …_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS */
	CUDA_DMABUF = 124,                  /* …_DMA_BUF_SUPPORTED */
};

/* CUmemRangeHandleType: CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD */
#define CUDA_HANDLE_DMABUF 1

struct cuda_driver {
	int (*get_version)(int *version);
	int (*init)(unsigned flags);
	int (*get_count)(int *count);
	int (*get)(int *device, int ordinal);
	int (*get_name)(char *name, int size, int device);
	int (*get_pci_id)(char *id, int size, int device);
	int (*get_attribute)(int *value, int attribute, int device);
	/* NULL in drivers that lack one of them, such as those before CUDA 11.7 */
	int (*retain_context)(void **context, int device);
	int (*set_context)(void *context);
	int (*allocate)(unsigned long long *address, size_t size);
	int (*get_handle)(void *handle, unsigned long long address, size_t size, int type,
			  unsigned long long flags);
};

enum cuda_loaded {
	CUDA_LOADED,
	CUDA_ABSENT,   /* no such file anywhere */
	CUDA_UNUSABLE, /* there is one, but it cannot be loaded, or is something else */
};

/*
 * Opens file, or where it is NULL the first libcuda.so.1 that loads: of the loader's own search,
 * then of the driver containers' roots. It stays open. where: the file that was loaded, or the
 * reason that the last one was not.
 */
enum cuda_loaded cuda_driver_load(const char *file, struct cuda_driver *ret_driver, char *where,
				  size_t size);

/* "CUDA_ERROR_NO_DEVICE", or "an error without a name here" */
const char *cuda_error_name(int error);

/* What an error of cuInit means and what to do; never NULL */
const char *cuda_error_remedy(int error);

/* ---- what the child tells (record.c) ---- */

/*
 * What the child tells the parent, a record for each thing. A library that runs wild may write into
 * the pipe, so the parent takes nothing for granted: record_check comes first.
 */

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

/* For the child: kind, result, value and text (NULL for none) */
void record_tell(int out, enum record_kind kind, int result, int value, const char *text);
void record_tell_gpu(int out, const struct record_gpu *gpu);
void record_tell_finding(int out, const struct finding *finding);

/* ---- the parent's side of a child that asks the driver (record.c) ---- */

struct talk {
	/* Gets each record but steps; a negative value means that there is no memory. */
	int (*on_record)(void *context, const struct record *record);
	void *context;
	/* Afterwards: */
	bool done;                  /* the child said all that it had to say */
	char step[RECORD_TEXT_MAX]; /* the call that had begun last */
	char why[160]; /* not done: what became of it, "did not return within 30.0 s" */
};

/* work is probe_gpus or probe_memory. Returns 0, or -1 without a child or memory. */
int talk_run(struct talk *talk, void (*work)(void *context, int out), void *probe,
	     const struct cuda_options *options, struct err *err);

/* ---- the child's side: asks the driver, and tells records (probe.c) ---- */

struct probe {
	const char *library;
	/* For probe_memory: */
	cuda_use *use;
	void *context;
	size_t size;
};

/* For child_start; context is a struct probe. */
void probe_gpus(void *context, int out);
void probe_memory(void *context, int out);

#endif
