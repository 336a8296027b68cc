/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver library, opened at run time: the few functions that are used, with the prototypes
 * and numbers of NVIDIA's "CUDA Driver API" reference manual (docs.nvidia.com/cuda/cuda-driver-api:
 * Data types, Initialization, Version Management, Device Management, Primary Context Management,
 * Context Management, Memory Management), since no free package has
 * cuda.h. It hangs on a sick GPU, so only a check in its own process calls these (doctor/runner.h).
 */
#ifndef OCI_RDMA_DOCTOR_CUDA_DRIVER_H
#define OCI_RDMA_DOCTOR_CUDA_DRIVER_H

#include <stddef.h>

/* CUresult, CUdevice and CUdevice_attribute are ints of the ABI; a context is opaque. */
#define CUDA_SUCCESS 0
#define CUDA_NO_DEVICE 100
#define CUDA_NOT_SUPPORTED 801

enum cuda_attribute {
	CUDA_GPUDIRECT_RDMA = 116, /* CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED */
	CUDA_DMABUF = 124,         /* …_DMA_BUF_SUPPORTED */
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

/*
 * Opens file, or where it is NULL the first libcuda.so.1 that loads: of the loader's own search,
 * then of the driver containers' roots. It stays open. where: the file that was loaded, or the
 * reason that none was. Returns 0 or -1.
 */
int cuda_driver_load(const char *file, struct cuda_driver *ret_driver, char *where, size_t size);

/* "CUDA_ERROR_NO_DEVICE", or "an error without a name here" */
const char *cuda_error_name(int error);

/* What an error of cuInit means and what to do; never NULL */
const char *cuda_error_remedy(int error);

#endif
