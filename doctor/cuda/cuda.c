/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/cuda/cuda.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "doctor/cuda/driver.h"

/* Eight GPUs with persistence take 2.6 s, and without it 1 to 3 s each. */
#define SLOW_MS 5000

/* Enough for a registration to be one; nobody misses it on a GPU. Of this size cuMemAlloc gives
 * whole pages, as a dma-buf needs. */
#define MEMORY_BYTES ((size_t)64 << 20)
#define NAME_MAX_CUDA 128
#define PCI_MAX 32

/* ---- the driver ---- */

/* A CUDA call that failed */
static int add_error(struct findings *findings, const char *id, const char *subject,
		     enum finding_status status, const char *call, int error)
{
	return findings_add(findings, id, subject, status, cuda_error_remedy(error),
			    "%s failed: %s (%d)", call, cuda_error_name(error), error);
}

static int add_init(struct findings *findings, int version, int result, int64_t took_ms)
{
	char call[48];

	/* 12080 is 12.8. */
	(void)snprintf(call, sizeof(call), "cuInit of CUDA %d.%d", version / 1000,
		       version % 1000 / 10);
	if (result == CUDA_SUCCESS)
		return findings_add(
			findings, "cuda_init", "", FINDING_OK,
			took_ms > SLOW_MS ? "nvidia-persistenced on the node makes it quicker" : "",
			"%s took %d.%02d s", call, (int)(took_ms / 1000),
			(int)(took_ms % 1000 / 10));
	/* On a node without a GPU, where the library alone is installed, this is no fault. */
	return add_error(findings, "cuda_init", "",
			 result == CUDA_NO_DEVICE ? FINDING_UNCHECKED : FINDING_FAIL, call, result);
}

static int add_count(struct findings *findings, int result, int count)
{
	if (result != CUDA_SUCCESS)
		return add_error(findings, "cuda_gpu", "", FINDING_FAIL, "cuDeviceGetCount",
				 result);
	if (count == 0)
		return findings_add(findings, "cuda_gpu", "", FINDING_UNCHECKED,
				    cuda_error_remedy(CUDA_NO_DEVICE), "there is no GPU here");
	if (count < 0 || count > CUDA_GPUS_MAX)
		return findings_add(findings, "cuda_gpu", "", FINDING_UNCHECKED,
				    "see that libcuda is the NVIDIA driver's",
				    "cuDeviceGetCount says %d: at most %d are looked at", count,
				    CUDA_GPUS_MAX);
	return 0;
}

/* Returns how many GPUs can be asked, or -1 without memory. */
static int start_driver(struct findings *findings, const char *library, struct cuda_driver *driver)
{
	char where[512];
	bool loaded = cuda_driver_load(library, driver, where, sizeof(where)) == 0;
	int64_t begin;
	int version = 0;
	int count = 0;
	int result;

	if (findings_add(findings, "cuda_library", "", loaded ? FINDING_OK : FINDING_UNCHECKED,
			 loaded ? NULL
				: "run the doctor where the GPU's driver is (a container with a "
				  "GPU, the driver's container), or name a libcuda.so.1 that fits "
				  "this C library with --libcuda",
			 "%s", where) < 0)
		return -1;
	if (!loaded)
		return 0;
	(void)driver->get_version(&version);
	begin = clock_ms();
	result = driver->init(0);
	if (add_init(findings, version, result, clock_ms() - begin) < 0)
		return -1;
	if (result != CUDA_SUCCESS)
		return 0;
	result = driver->get_count(&count);
	if (add_count(findings, result, count) < 0)
		return -1;
	if (result != CUDA_SUCCESS || count < 0)
		return 0;
	return count < CUDA_GPUS_MAX ? count : CUDA_GPUS_MAX;
}

/* ---- GPUs ---- */

/* As in sysfs: cuDeviceGetPCIBusId prints upper-case hex, "0000:1B:00.0". */
static int get_pci(const struct cuda_driver *driver, int device, char pci[PCI_MAX])
{
	int result = driver->get_pci_id(pci, PCI_MAX, device);

	pci[PCI_MAX - 1] = '\0';
	for (char *c = pci; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return result;
}

/* What a GPU can do or not, by one attribute */
static const struct capability {
	const char *id;
	const char *name;
	enum cuda_attribute attribute;
	const char *remedy; /* where it cannot */
} capabilities[] = {
	{"cuda_gpudirect_rdma", "GPU_DIRECT_RDMA_SUPPORTED", CUDA_GPUDIRECT_RDMA,
	 "use dma-buf if cuda_dmabuf is ok; else data goes through host memory (consumer GPUs and "
	 "some virtual ones cannot do better)"},
	{"cuda_dmabuf", "DMA_BUF_SUPPORTED", CUDA_DMABUF,
	 "use the open NVIDIA kernel modules and Linux 5.12 or later; nvidia_peermem does without"},
};

static int add_capability(struct findings *findings, const struct capability *capability,
			  const char *pci, const struct cuda_driver *driver, int device)
{
	int value = 0;
	int result = driver->get_attribute(&value, capability->attribute, device);

	if (result != CUDA_SUCCESS)
		return add_error(findings, capability->id, pci, FINDING_UNCHECKED, capability->name,
				 result);
	return findings_add(findings, capability->id, pci, value ? FINDING_OK : FINDING_WARN,
			    value ? "" : capability->remedy, "%s is %d", capability->name, value);
}

static int add_gpu(struct findings *findings, const struct cuda_driver *driver, int ordinal)
{
	char name[NAME_MAX_CUDA] = "";
	char pci[PCI_MAX] = "";
	char number[16];
	int device = 0;
	int result = driver->get(&device, ordinal);
	int status;

	if (result == CUDA_SUCCESS)
		result = driver->get_name(name, sizeof(name), device);
	if (result == CUDA_SUCCESS)
		result = get_pci(driver, device, pci);
	name[sizeof(name) - 1] = '\0';
	(void)snprintf(number, sizeof(number), "%d", ordinal);
	if (result != CUDA_SUCCESS)
		return add_error(findings, "cuda_gpu", number, FINDING_FAIL,
				 "asking for the GPU's name", result);
	if (!text_is_pci_address(pci))
		return findings_add(findings, "cuda_gpu", number, FINDING_UNCHECKED,
				    "see that libcuda is the NVIDIA driver's",
				    "GPU %s, %s: \"%s\" is no PCI address", number, name, pci);
	status =
		findings_add(findings, "cuda_gpu", pci, FINDING_OK, "", "GPU %s, %s", number, name);
	for (size_t i = 0; status == 0 && i < sizeof(capabilities) / sizeof(*capabilities); i++)
		status = add_capability(findings, &capabilities[i], pci, driver, device);
	return status;
}

int cuda_check(struct findings *findings, const char *library, struct err *err)
{
	struct cuda_driver driver = {0};
	int count = start_driver(findings, library, &driver);
	int status = count < 0 ? -1 : 0;

	for (int i = 0; status == 0 && i < count; i++)
		status = add_gpu(findings, &driver, i);
	return status < 0 ? err_memory(err) : 0;
}

/* ---- memory ---- */

/* Returns CUDA_SUCCESS, or the error of the call that *ret_call names. */
static int allocate_memory(const struct cuda_driver *driver, int device, struct cuda_memory *memory,
			   const char **ret_call)
{
	unsigned long long address = 0;
	void *context = NULL;
	int result;

	*ret_call = "cuDevicePrimaryCtxRetain";
	result = driver->retain_context(&context, device);
	if (result != CUDA_SUCCESS)
		return result;
	*ret_call = "cuCtxSetCurrent";
	result = driver->set_context(context);
	if (result != CUDA_SUCCESS)
		return result;
	*ret_call = "cuMemAlloc";
	result = driver->allocate(&address, memory->bytes);
	/* CUdeviceptr is an address of the unified address space.
	 * NOLINTNEXTLINE(performance-no-int-to-ptr) */
	memory->address = (void *)(uintptr_t)address;
	return result;
}

/* Returns 1 with *memory, 0 without, or -1. */
static int take_memory(struct findings *findings, const struct cuda_driver *driver, int ordinal,
		       struct cuda_memory *memory)
{
	char pci[PCI_MAX] = "";
	const char *call;
	int device = 0;
	int result;

	*memory = (struct cuda_memory){.bytes = MEMORY_BYTES, .dmabuf = -1};
	if (driver->get(&device, ordinal) != CUDA_SUCCESS ||
	    get_pci(driver, device, pci) != CUDA_SUCCESS || !text_is_pci_address(pci))
		return 0; /* cuda_check says it */
	(void)snprintf(memory->what, sizeof(memory->what), "GPU %s", pci);
	result = allocate_memory(driver, device, memory, &call);
	if (result != CUDA_SUCCESS)
		return add_error(findings, "cuda_memory", pci, FINDING_FAIL, call, result);
	result = driver->get_handle
			 ? driver->get_handle(&memory->dmabuf, (uintptr_t)memory->address,
					      memory->bytes, CUDA_HANDLE_DMABUF, 0)
			 : CUDA_NOT_SUPPORTED;
	if (result == CUDA_SUCCESS)
		return 1;
	memory->dmabuf = -1; /* peermem may do without, so that this is a warning at most */
	return add_error(findings, "cuda_memory", pci, FINDING_WARN,
			 "cuMemGetHandleForAddressRange", result) < 0
		       ? -1
		       : 1;
}

int cuda_allocate(struct findings *findings, const char *library,
		  struct cuda_memory ret_memory[CUDA_GPUS_MAX], struct err *err)
{
	struct findings said = {.arena = findings->arena}; /* by cuda_check already */
	struct cuda_driver driver = {0};
	int count = start_driver(&said, library, &driver);
	int n = 0;

	if (count > 0 && (!driver.retain_context || !driver.set_context || !driver.allocate))
		return 0;
	for (int i = 0; i < count; i++) {
		int taken = take_memory(findings, &driver, i, &ret_memory[n]);

		if (taken < 0)
			return err_memory(err);
		n += taken;
	}
	return count < 0 ? err_memory(err) : n;
}
