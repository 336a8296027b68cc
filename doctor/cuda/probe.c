/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/child.h"
#include "doctor/cuda/cuda.h"

/* What cuMemAlloc gives of this size has its own pages: a dma-buf is of whole ones. */
#define GRANULE ((size_t)2 << 20)

static void step(int out, const char *call)
{
	record_tell(out, RECORD_STEP, 0, 0, call);
}

/* Returns 0 with a driver that works, or -1 when there is nothing more to ask. */
static int start(const struct probe *probe, struct cuda_driver *driver, int out)
{
	enum cuda_loaded loaded;
	char where[RECORD_TEXT_MAX];
	int version = 0;
	int64_t begin;
	int result;

	step(out, "dlopen");
	loaded = cuda_driver_load(probe->library, driver, where, sizeof(where));
	record_tell(out, RECORD_LIBRARY, loaded, 0, where);
	if (loaded != CUDA_LOADED)
		return -1;
	step(out, "cuDriverGetVersion");
	result = driver->get_version(&version);
	record_tell(out, RECORD_VERSION, result, version, NULL);
	step(out, "cuInit");
	begin = clock_ms();
	result = driver->init(0);
	record_tell(out, RECORD_INIT, result, (int)(clock_ms() - begin), NULL);
	return result == CUDA_SUCCESS ? 0 : -1;
}

static struct record_value attribute(const struct cuda_driver *driver, int name, int device)
{
	int value = 0;
	int result = driver->get_attribute(&value, name, device);

	return (struct record_value){result, value};
}

/* As in sysfs: cuDeviceGetPCIBusId prints upper-case hex, "0000:1B:00.0". */
static int get_pci(const struct cuda_driver *driver, int device, char pci[GPU_PCI_MAX])
{
	int result = driver->get_pci_id(pci, GPU_PCI_MAX, device);

	pci[GPU_PCI_MAX - 1] = '\0';
	for (char *c = pci; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return result;
}

static void tell_gpu(const struct cuda_driver *driver, int ordinal, int out)
{
	struct record_gpu gpu = {.ordinal = ordinal};
	int device = 0;

	gpu.result = driver->get(&device, ordinal);
	if (gpu.result == CUDA_SUCCESS)
		gpu.result = driver->get_name(gpu.name, sizeof(gpu.name), device);
	if (gpu.result == CUDA_SUCCESS)
		gpu.result = get_pci(driver, device, gpu.pci);
	if (gpu.result == CUDA_SUCCESS) {
		gpu.vmm = attribute(driver, CUDA_GPUDIRECT_RDMA_WITH_VMM, device);
		gpu.rdma = attribute(driver, CUDA_GPUDIRECT_RDMA, device);
		gpu.flush = attribute(driver, CUDA_GPUDIRECT_RDMA_FLUSH, device);
		gpu.dmabuf = attribute(driver, CUDA_DMABUF, device);
	}
	record_tell_gpu(out, &gpu);
}

void probe_gpus(void *context, int out)
{
	const struct probe *probe = context;
	struct cuda_driver driver = {0};
	int count = 0;
	int result;

	if (start(probe, &driver, out) == 0) {
		step(out, "cuDeviceGetCount");
		result = driver.get_count(&count);
		record_tell(out, RECORD_COUNT, result, count, NULL);
		step(out, "the questions to the GPUs");
		for (int i = 0; result == CUDA_SUCCESS && i < count && i < GPUS_MAX; i++)
			tell_gpu(&driver, i, out);
	}
	record_tell(out, RECORD_DONE, 0, 0, NULL);
}

/* ---- memory ---- */

/* What the child finds out about memory, until it is told */
struct usage {
	const struct probe *probe;
	const struct cuda_driver *driver;
	struct findings findings;
	int out;
};

/* Findings are lost without memory only: then the parent hears of it by what is missing. */
static void add(struct usage *usage, const char *pci, const char *call, int error)
{
	(void)findings_add(&usage->findings, "cuda_memory", pci, FINDING_FAIL,
			   cuda_error_remedy(error), "%s failed: %s (%d)", call,
			   cuda_error_name(error), error);
}

static void tell_findings(struct usage *usage)
{
	for (size_t i = 0; i < usage->findings.n; i++)
		record_tell_finding(usage->out, &usage->findings.item[i]);
	usage->findings.n = 0;
}

/* Returns CUDA_SUCCESS, or the error of the call that *ret_call names. */
static int allocate(const struct cuda_driver *driver, int device, struct cuda_memory *memory,
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
	result = driver->allocate(&address, memory->size);
	/* CUdeviceptr is an address of the unified address space.
	 * NOLINTNEXTLINE(performance-no-int-to-ptr) */
	memory->address = (void *)(uintptr_t)address;
	return result;
}

/* peermem may do without, so that this is a warning at most. */
static void export_dmabuf(struct usage *usage, const char *pci, struct cuda_memory *memory)
{
	static const char call[] = "cuMemGetHandleForAddressRange";
	int result = CUDA_NOT_SUPPORTED;
	int fd = -1;

	step(usage->out, call);
	if (usage->driver->get_handle)
		result = usage->driver->get_handle(&fd, (uintptr_t)memory->address, memory->size,
						   CUDA_HANDLE_DMABUF, 0);
	if (result == CUDA_SUCCESS)
		memory->dmabuf = fd;
	else
		(void)findings_add(&usage->findings, "cuda_memory", pci, FINDING_WARN,
				   cuda_error_remedy(result), "%s failed: %s (%d)", call,
				   cuda_error_name(result), result);
}

static int use_gpu(struct usage *usage, int ordinal, struct err *err)
{
	struct cuda_memory memory = {.dmabuf = -1};
	char pci[GPU_PCI_MAX] = "";
	char what[GPU_PCI_MAX + 8];
	char use[GPU_PCI_MAX + 32];
	const char *call;
	int device = 0;
	int result;

	memory.size = (usage->probe->size + GRANULE - 1) / GRANULE * GRANULE;
	result = usage->driver->get(&device, ordinal);
	if (result == CUDA_SUCCESS)
		result = get_pci(usage->driver, device, pci);
	if (result != CUDA_SUCCESS || !text_is_pci_address(pci))
		return 0; /* cuda_check says it */
	(void)snprintf(what, sizeof(what), "GPU %s", pci);
	memory.what = what;
	step(usage->out, "cuMemAlloc");
	result = allocate(usage->driver, device, &memory, &call);
	if (result != CUDA_SUCCESS) {
		add(usage, pci, call, result);
		return 0;
	}
	export_dmabuf(usage, pci, &memory);
	(void)snprintf(use, sizeof(use), "the use of %s's", what);
	tell_findings(usage);
	step(usage->out, use);
	return usage->probe->use(&memory, &usage->findings, usage->probe->context, err);
}

void probe_memory(void *context, int out)
{
	cleanup_arena arena = {0};
	struct cuda_driver driver = {0};
	struct usage usage = {context, &driver, {.arena = &arena}, out};
	struct err err = {0};
	int status = 0;
	int count = 0;

	if (start(usage.probe, &driver, out) == 0 && driver.get_count(&count) == CUDA_SUCCESS &&
	    driver.retain_context && driver.set_context && driver.allocate) {
		for (int i = 0; status == 0 && i < count && i < GPUS_MAX; i++) {
			status = use_gpu(&usage, i, &err);
			if (status < 0)
				(void)findings_add(&usage.findings, "cuda_memory", "",
						   FINDING_UNCHECKED, "", "%s", err.text);
			tell_findings(&usage);
		}
	}
	record_tell(out, RECORD_DONE, 0, 0, NULL);
}
