/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda without a GPU, with the functions that the doctor calls. FAKE_CUDA in the environment
 * (words separated by blanks) controls it. A shared library, so that loading is tested. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* There is no header to declare them. */
#define EXPORTED(name, ...)                                                                        \
	int name(__VA_ARGS__);                                                                     \
	__attribute__((visibility("default"))) int name(__VA_ARGS__)

static const char *told(const char *word)
{
	const char *all = getenv("FAKE_CUDA");
	const char *found = all ? strstr(all, word) : NULL;

	return found ? found + strlen(word) : NULL;
}

/* The number after a word, or other */
static int number(const char *word, int other)
{
	const char *text = told(word);

	return text ? atoi(text) : other;
}

EXPORTED(cuDriverGetVersion, int *version)
{
	*version = 12080;
	return 0;
}

EXPORTED(cuInit, unsigned flags)
{
	if (flags != 0)
		return 1;
	return number("init=", 0);
}

EXPORTED(cuDeviceGetCount, int *count)
{
	*count = number("count=", 1);
	return number("count-error=", 0);
}

EXPORTED(cuDeviceGet, int *device, int ordinal)
{
	*device = ordinal;
	return ordinal < 0 || ordinal >= number("count=", 1) ? 101 : 0;
}

EXPORTED(cuDeviceGetName, char *name, int size, int device)
{
	if (told("odd-name")) {
		memset(name, 0x1b, (size_t)size); /* without a NUL */
		return 0;
	}
	snprintf(name, (size_t)size, "NVIDIA H200");
	return told("lost-gpu") && device == number("lost-gpu=", 0) ? 46 : 0;
}

EXPORTED(cuDeviceGetPCIBusId, char *id, int size, int device)
{
	if (told("endless-pci"))
		memset(id, 'A', (size_t)size);
	else if (told("odd-pci"))
		snprintf(id, (size_t)size, "../../etc");
	else
		snprintf(id, (size_t)size, "%04X:%02X:00.0", device / 14,
			 0x1a + 0x10 * (device % 14));
	return 0;
}

EXPORTED(cuDeviceGetAttribute, int *value, int attribute, int device)
{
	(void)device;
	switch (attribute) {
	case 116:
		*value = number("rdma=", 1);
		return 0;
	case 124:
		*value = number("dmabuf=", 1);
		return number("dmabuf-error=", 0);
	default:
		return 1;
	}
}

EXPORTED(cuDevicePrimaryCtxRetain, void **context, int device)
{
	static int one;

	(void)device;
	*context = &one;
	return 0;
}

EXPORTED(cuCtxSetCurrent, void *context)
{
	return context ? 0 : 201;
}

static int memory_fd = -1;

EXPORTED(cuMemAlloc_v2, unsigned long long *address, size_t size)
{
	void *memory;

	if (told("no-memory"))
		return 2;
	memory_fd = memfd_create("gpu", MFD_CLOEXEC);
	if (memory_fd < 0 || ftruncate(memory_fd, (off_t)size) < 0)
		return 2;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
	*address = (unsigned long long)memory;
	return memory == MAP_FAILED ? 2 : 0;
}

EXPORTED(cuMemGetHandleForAddressRange, void *handle, unsigned long long address, size_t size,
	 int type, unsigned long long flags)
{
	(void)address;
	/* Whole host pages: 64 KiB on some aarch64 kernels */
	if (type != 1 || flags != 0 || size % 65536)
		return 1;
	if (told("no-dmabuf"))
		return 801;
	*(int *)handle = memory_fd;
	return 0;
}
