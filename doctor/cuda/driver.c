/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- loading ---- */

#define LIBRARY "libcuda.so.1"

/*
 * Where the driver is when it is not the loader's: the root of the GPU operator's driver container
 * (its /run/nvidia/driver, as of RHEL, Debian on both processors), and what GKE's device plugin
 * mounts.
 */
static const char *const directories[] = {
	"/run/nvidia/driver/usr/lib64",
	"/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
	"/run/nvidia/driver/usr/lib/aarch64-linux-gnu",
	"/usr/local/nvidia/lib64",
};

/* dlsym's result is an object pointer: POSIX says how it becomes a function's. */
static void *symbol(void *library, const char *name, const char **missing)
{
	void *found = dlsym(library, name);

	if (!found && missing && !*missing)
		*missing = name;
	return found;
}

/* Returns NULL, or the name of the first function that is missing. */
static const char *take_symbols(void *library, struct cuda_driver *driver)
{
	const char *missing = NULL;

	*(void **)&driver->get_version = symbol(library, "cuDriverGetVersion", &missing);
	*(void **)&driver->init = symbol(library, "cuInit", &missing);
	*(void **)&driver->get_count = symbol(library, "cuDeviceGetCount", &missing);
	*(void **)&driver->get = symbol(library, "cuDeviceGet", &missing);
	*(void **)&driver->get_name = symbol(library, "cuDeviceGetName", &missing);
	*(void **)&driver->get_pci_id = symbol(library, "cuDeviceGetPCIBusId", &missing);
	*(void **)&driver->get_attribute = symbol(library, "cuDeviceGetAttribute", &missing);
	*(void **)&driver->retain_context = symbol(library, "cuDevicePrimaryCtxRetain", NULL);
	*(void **)&driver->set_context = symbol(library, "cuCtxSetCurrent", NULL);
	/* cuda.h defines cuMemAlloc as this, since 3.2. */
	*(void **)&driver->allocate = symbol(library, "cuMemAlloc_v2", NULL);
	*(void **)&driver->get_handle = symbol(library, "cuMemGetHandleForAddressRange", NULL);
	return missing;
}

static int load(const char *file, struct cuda_driver *driver, char *where, size_t size)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	const char *missing = library ? take_symbols(library, driver) : NULL;
	const char *reason = library ? NULL : dlerror();

	if (missing)
		(void)snprintf(where, size, "%s: has no %s", file, missing);
	else
		(void)snprintf(where, size, "%s", reason ? reason : file);
	if (missing)
		(void)dlclose(library);
	return library && !missing ? 0 : -1;
}

int cuda_driver_load(const char *file, struct cuda_driver *ret_driver, char *where, size_t size)
{
	int status = load(file ? file : LIBRARY, ret_driver, where, size);

	for (size_t i = 0; !file && status < 0 && i < sizeof(directories) / sizeof(*directories);
	     i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), "%s/" LIBRARY, directories[i]);
		if (access(path, F_OK) == 0)
			status = load(path, ret_driver, where, size);
	}
	return status;
}

/* ---- errors ---- */

/* CUresult in the manual's "Data types used by CUDA driver" */
static const struct {
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
};

const char *cuda_error_name(int error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		if (errors[i].error == error)
			return errors[i].name;
	}
	return "an error without a name here";
}

const char *cuda_error_remedy(int error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		if (errors[i].error == error)
			return errors[i].remedy;
	}
	return "look the number up in CUresult of the CUDA driver API's manual";
}
