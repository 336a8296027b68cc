/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/cuda/cuda.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"

/* Little for a GPU; cuMemAlloc gives whole pages, as dma-buf needs. */
#define MEMORY_BYTES ((size_t)64 << 20)
#define NAME_MAX_CUDA 128
#define PCI_MAX 32

/* No free package has cuda.h: prototypes and numbers of docs.nvidia.com/cuda/cuda-driver-api.
 * CUresult, CUdevice and CUdevice_attribute are ints. */
#define CUDA_SUCCESS 0
#define CUDA_NO_DEVICE 100
#define CUDA_NOT_SUPPORTED 801
#define CUDA_HANDLE_DMABUF 1 /* CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD */

enum cuda_attribute {
	CUDA_GPUDIRECT_RDMA = 116, /* CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED */
	CUDA_DMABUF = 124,         /* …_DMA_BUF_SUPPORTED */
};

struct cuda_driver {
	int (*get_version)(int *version);
	int (*init)(unsigned flags);
	int (*get_count)(int *count);
	int (*get)(int *device, int ordinal);
	int (*get_name)(char *name, int size, int device);
	int (*get_pci_id)(char *id, int size, int device);
	int (*get_attribute)(int *value, int attribute, int device);
	/* Optional, e.g. before CUDA 11.7 */
	int (*retain_context)(void **context, int device);
	int (*set_context)(void *context);
	int (*allocate)(unsigned long long *address, size_t size);
	int (*get_handle)(void *handle, unsigned long long address, size_t size, int type,
			  unsigned long long flags);
};

static const struct symbol {
	const char *name;
	size_t offset;
} symbols[] = {
	{"cuDriverGetVersion", offsetof(struct cuda_driver, get_version)},
	{"cuInit", offsetof(struct cuda_driver, init)},
	{"cuDeviceGetCount", offsetof(struct cuda_driver, get_count)},
	{"cuDeviceGet", offsetof(struct cuda_driver, get)},
	{"cuDeviceGetName", offsetof(struct cuda_driver, get_name)},
	{"cuDeviceGetPCIBusId", offsetof(struct cuda_driver, get_pci_id)},
	{"cuDeviceGetAttribute", offsetof(struct cuda_driver, get_attribute)},
	{"cuDevicePrimaryCtxRetain", offsetof(struct cuda_driver, retain_context)},
	{"cuCtxSetCurrent", offsetof(struct cuda_driver, set_context)},
	{"cuMemAlloc_v2", offsetof(struct cuda_driver, allocate)}, /* cuda.h's cuMemAlloc */
	{"cuMemGetHandleForAddressRange", offsetof(struct cuda_driver, get_handle)},
};

#define SYMBOLS_NEEDED 7 /* others: only for memory */

#define LIBRARY "libcuda.so.1"

/* GPU operator's driver container (RHEL, Debian), GKE's device plugin */
static const char *const directories[] = {
	"/run/nvidia/driver/usr/lib64",
	"/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
	"/run/nvidia/driver/usr/lib/aarch64-linux-gnu",
	"/usr/local/nvidia/lib64",
};

/* where: the file or error. Stays loaded. */
static int load(const char *file, struct cuda_driver *driver, char *where, size_t size)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	const char *reason = library ? NULL : dlerror();

	snprintf(where, size, "%s", reason ? reason : file);
	for (size_t i = 0; library && i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *address = dlsym(library, symbols[i].name);

		memcpy((char *)driver + symbols[i].offset, &address, sizeof(address));
		if (address || i >= SYMBOLS_NEEDED)
			continue;
		snprintf(where, size, "%s: has no %s", file, symbols[i].name);
		(void)dlclose(library);
		library = NULL;
	}
	return library ? 0 : -1;
}

static int load_driver(const char *file, struct cuda_driver *ret_driver, char *where, size_t size)
{
	int status = load(file ? file : LIBRARY, ret_driver, where, size);

	for (size_t i = 0; !file && status < 0 && i < sizeof(directories) / sizeof(*directories);
	     i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/" LIBRARY, directories[i]);
		if (access(path, F_OK) == 0)
			status = load(path, ret_driver, where, size);
	}
	return status;
}

/* CUresult */
static const struct cuda_error {
	int error;
	const char *name;
	const char *remedy;
} errors[] = {
	{1, "CUDA_ERROR_INVALID_VALUE",
	 "the driver does not know what was asked: it may be too old"},
	{2, "CUDA_ERROR_OUT_OF_MEMORY", "free memory of the GPU or of the container's cgroup"},
	{3, "CUDA_ERROR_NOT_INITIALIZED", "correct the cause of the first CUDA error"},
	{34, "CUDA_ERROR_STUB_LIBRARY",
	 "the library is the CUDA toolkit's stub: take lib64/stubs out of LD_LIBRARY_PATH"},
	{46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
	 "another process has the GPU for itself (nvidia-smi -q -d COMPUTE shows the mode), or it "
	 "needs a reset"},
	{100, "CUDA_ERROR_NO_DEVICE",
	 "in a container: request nvidia.com/gpu, so that the GPU's device nodes are there; on the "
	 "node: nvidia-smi shows why the driver has none"},
	{304, "CUDA_ERROR_OPERATING_SYSTEM",
	 "the container lacks device nodes or rights: /dev/nvidiactl, /dev/nvidia-uvm and the "
	 "GPU's must open; look at the device cgroup and SELinux"},
	{801, "CUDA_ERROR_NOT_SUPPORTED",
	 "this GPU or driver cannot do it: dma-buf wants the open NVIDIA kernel modules"},
	{802, "CUDA_ERROR_SYSTEM_NOT_READY",
	 "start nvidia-fabricmanager on the node, of the driver's version (systems with NVSwitch)"},
	{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
	 "libcuda is of another version than the node's kernel module: unload and load the module, "
	 "or take the image's own libcuda (compat) out of LD_LIBRARY_PATH"},
	{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
	 "the image's compat libcuda is newer than this driver allows: take it out of "
	 "LD_LIBRARY_PATH, or update the node's driver"},
	{999, "CUDA_ERROR_UNKNOWN",
	 "often /dev/nvidia-uvm is missing or may not be opened (nvidia-modprobe -u -c0 makes it); "
	 "else look for an Xid in the kernel's log"},
	{0, "an error without a name here",
	 "look the number up in CUresult of the CUDA driver API's manual"},
};

static const struct cuda_error *find_error(int error)
{
	const struct cuda_error *found = errors;

	while (found->error && found->error != error)
		found++;
	return found;
}

static int add_error(struct findings *findings, const char *id, const char *subject,
		     enum finding_status status, const char *call, int error)
{
	return findings_add(findings, id, subject, status, find_error(error)->remedy,
			    "%s failed: %s (%d)", call, find_error(error)->name, error);
}

static int add_init(struct findings *findings, int version, int result, int64_t took_ms)
{
	char call[48];

	/* 12080 is 12.8. */
	snprintf(call, sizeof(call), "cuInit of CUDA %d.%d", version / 1000, version % 1000 / 10);
	if (result == CUDA_SUCCESS)
		return findings_add(findings, "cuda_init", "", FINDING_OK, NULL,
				    "%s took %d.%02d s", call, (int)(took_ms / 1000),
				    (int)(took_ms % 1000 / 10));
	/* A library without a GPU is no fault. */
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
				    find_error(CUDA_NO_DEVICE)->remedy, "there is no GPU here");
	if (count < 0 || count > CUDA_GPUS_MAX)
		return findings_add(findings, "cuda_gpu", "", FINDING_UNCHECKED,
				    "see that libcuda is the NVIDIA driver's",
				    "cuDeviceGetCount says %d: at most %d are looked at", count,
				    CUDA_GPUS_MAX);
	return 0;
}

/* Returns the number of usable GPUs. */
static int start_driver(struct findings *findings, const char *library, struct cuda_driver *driver)
{
	char where[512];
	bool loaded = load_driver(library, driver, where, sizeof(where)) == 0;
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

/* cuDeviceGetPCIBusId prints upper case. */
static int get_pci(const struct cuda_driver *driver, int device, char pci[PCI_MAX])
{
	int result = driver->get_pci_id(pci, PCI_MAX, device);

	pci[PCI_MAX - 1] = '\0';
	for (char *c = pci; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return result;
}

static const struct capability {
	const char *id;
	const char *name;
	enum cuda_attribute attribute;
	const char *remedy;
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
	snprintf(number, sizeof(number), "%d", ordinal);
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

int cuda_check(struct findings *findings, const char *library)
{
	struct cuda_driver driver = {0};
	int count = start_driver(findings, library, &driver);
	int status = count < 0 ? -1 : 0;

	for (int i = 0; status == 0 && i < count; i++)
		status = add_gpu(findings, &driver, i);
	return status;
}

/* Returns CUDA_SUCCESS, or *ret_call's error. */
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
	/* CUdeviceptr is in the unified address space.
	 * NOLINTNEXTLINE(performance-no-int-to-ptr) */
	memory->address = (void *)(uintptr_t)address;
	return result;
}

/* Returns 1 with *memory, or 0. */
static int acquire_memory(struct findings *findings, const struct cuda_driver *driver, int ordinal,
			  struct cuda_memory *memory)
{
	char pci[PCI_MAX] = "";
	const char *call;
	int device = 0;
	int result;

	*memory = (struct cuda_memory){.bytes = MEMORY_BYTES, .dmabuf = -1};
	if (driver->get(&device, ordinal) != CUDA_SUCCESS ||
	    get_pci(driver, device, pci) != CUDA_SUCCESS || !text_is_pci_address(pci))
		return 0; /* cuda_check reports it */
	snprintf(memory->what, sizeof(memory->what), "GPU %s", pci);
	result = allocate_memory(driver, device, memory, &call);
	if (result != CUDA_SUCCESS)
		return add_error(findings, "cuda_memory", pci, FINDING_FAIL, call, result);
	result = driver->get_handle
			 ? driver->get_handle(&memory->dmabuf, (uintptr_t)memory->address,
					      memory->bytes, CUDA_HANDLE_DMABUF, 0)
			 : CUDA_NOT_SUPPORTED;
	if (result == CUDA_SUCCESS)
		return 1;
	memory->dmabuf = -1; /* peermem may work */
	return add_error(findings, "cuda_memory", pci, FINDING_WARN,
			 "cuMemGetHandleForAddressRange", result) < 0
		       ? -1
		       : 1;
}

int cuda_allocate(struct findings *findings, const char *library,
		  struct cuda_memory ret_memory[CUDA_GPUS_MAX])
{
	struct findings said = {.arena = findings->arena}; /* reported by cuda_check */
	struct cuda_driver driver = {0};
	int count = start_driver(&said, library, &driver);
	int n = 0;

	if (count > 0 && (!driver.retain_context || !driver.set_context || !driver.allocate))
		return 0;
	for (int i = 0; i < count; i++) {
		int taken = acquire_memory(findings, &driver, i, &ret_memory[n]);

		if (taken < 0)
			return -1;
		n += taken;
	}
	return count < 0 ? -1 : n;
}
