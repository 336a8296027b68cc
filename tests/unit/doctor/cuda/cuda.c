/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

#include "doctor/cuda/cuda.h"
#include "lib/finding.h"

#define WITH_FINDINGS                                                                              \
	WITH_ARENA;                                                                                \
	struct findings findings = {.arena = &arena}

/* The Makefile builds it from fake_cuda.c. */
static const char fake[] = FAKE_CUDA;

static void behave(const char *how)
{
	assert_int_equal(setenv("FAKE_CUDA", how, 1), 0);
}

/* "id:subject=status" of all findings, separated by blanks */
static const char *shown(struct findings *findings)
{
	const char *all = "";

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		all = arena_printf(findings->arena, "%s%s%s%s%s=%s", all, i ? " " : "", finding->id,
				   finding->subject[0] ? ":" : "", finding->subject,
				   finding_status_name(finding->status));
	}
	return all;
}

static const char *all_evidence(struct findings *findings)
{
	const char *all = "";

	for (size_t i = 0; i < findings->n; i++)
		all = arena_printf(findings->arena, "%s%s | %s\n", all, findings->item[i].evidence,
				   findings->item[i].remedy);
	return all;
}

#define INIT_FAILS "cuda_library=ok cuda_init=fail"
#define INIT "cuda_library=ok cuda_init=ok"
#define GPU(rdma, dmabuf)                                                                          \
	INIT " cuda_gpu:0000:1a:00.0=ok cuda_gpudirect_rdma:0000:1a:00.0=" rdma                    \
	     " cuda_dmabuf:0000:1a:00.0=" dmabuf
#define ONE_GPU GPU("ok", "ok")

static const struct check_case {
	const char *name, *how, *shown;
	const char *said; /* in an evidence or a remedy */
} check_cases[] = {
	{"cuda: a GPU, its PCI address as in sysfs", "", ONE_GPU, "GPU 0, NVIDIA H200"},
	{"cuda: the version and the time", "", ONE_GPU, "cuInit of CUDA 12.8 took "},
	{"cuda: without GPUDirect RDMA", "rdma=0", GPU("warn", "ok"),
	 "GPU_DIRECT_RDMA_SUPPORTED is 0"},
	{"cuda: without dma-buf", "dmabuf=0", GPU("ok", "warn"), "open NVIDIA kernel modules"},
	{"cuda: a driver that does not know dma-buf", "dmabuf-error=1", GPU("ok", "not checkable"),
	 "CUDA_ERROR_INVALID_VALUE (1)"},
	{"cuda: no device is not checkable", "init=100", "cuda_library=ok cuda_init=not checkable",
	 "CUDA_ERROR_NO_DEVICE (100)"},
	{"cuda: fabric manager is not running", "init=802", INIT_FAILS, "nvidia-fabricmanager"},
	{"cuda: library and kernel module of two versions", "init=803", INIT_FAILS,
	 "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"},
	{"cuda: an image's compat library", "init=804", INIT_FAILS, "LD_LIBRARY_PATH"},
	{"cuda: the toolkit's stub", "init=34", INIT_FAILS, "lib64/stubs"},
	{"cuda: unknown error", "init=999", INIT_FAILS, "/dev/nvidia-uvm"},
	{"cuda: an error that we do not know", "init=4711", INIT_FAILS, "(4711)"},
	{"cuda: no GPUs", "count=0", INIT " cuda_gpu=not checkable", "there is no GPU here"},
	{"cuda: fewer than no GPUs", "count=-5", INIT " cuda_gpu=not checkable", "says -5"},
	{"cuda: the count fails", "count-error=3", INIT " cuda_gpu=fail",
	 "CUDA_ERROR_NOT_INITIALIZED"},
	{"cuda: a PCI address that is a path", "odd-pci", INIT " cuda_gpu:0=not checkable",
	 "is no PCI address"},
	{"cuda: a PCI address without an end", "endless-pci", INIT " cuda_gpu:0=not checkable",
	 "is no PCI address"},
	{"cuda: a GPU that is taken", "lost-gpu=0", INIT " cuda_gpu:0=fail",
	 "CUDA_ERROR_DEVICE_UNAVAILABLE"},
	{"cuda: a name without an end, of escapes", "odd-name", ONE_GPU, "GPU 0, ????"},
};

UNIT_ROWS(check_cases)
{
	WITH_FINDINGS;

	behave(row->how);
	assert_int_equal(cuda_check(&findings, fake), 0);
	assert_string_equal(shown(&findings), row->shown);
	assert_has(all_evidence(&findings), row->said);
}

/* Bound an absurd count. */
UNIT_TEST("cuda: a million GPUs are not believed")
{
	WITH_FINDINGS;

	behave("count=1000000");
	assert_int_equal(cuda_check(&findings, fake), 0);
	assert_has(all_evidence(&findings), "says 1000000");
	assert_int_equal(findings.n, 3 + 64 * 3);
}

/* ---- the library ---- */

static const struct library_case {
	const char *name, *library, *said;
} library_cases[] = {
	{"cuda: without a library it is not checkable", NULL, "libcuda.so.1: cannot open"},
	{"cuda: a library that does not exist", "/nonexistent/libcuda.so.1", "No such file"},
	{"cuda: a library that is none", "/etc/passwd", "/etc/passwd: "},
	{"cuda: a library that is another one", "libc.so.6",
	 "libc.so.6: has no cuDriverGetVersion"},
};

UNIT_ROWS(library_cases)
{
	WITH_FINDINGS;

	assert_int_equal(cuda_check(&findings, row->library), 0);
	/* This machine may have a driver. */
	if (!row->library && findings.item[0].status == FINDING_OK)
		UNIT_SKIP("this machine has a CUDA driver");
	assert_string_equal(shown(&findings), "cuda_library=not checkable");
	assert_has(findings.item[0].evidence, row->said);
}

/* ---- memory ---- */

static const struct memory_case {
	const char *name, *how;
	int taken;
	const char *shown, *said;
} memory_cases[] = {
	{"cuda memory: pointer and dma-buf are the same", "", 1, "", ""},
	{"cuda memory: of each GPU", "count=3", 3, "", ""},
	{"cuda memory: without dma-buf it is said, and used", "no-dmabuf", 1,
	 "cuda_memory:0000:1a:00.0=warn",
	 "cuMemGetHandleForAddressRange failed: CUDA_ERROR_NOT_SUPPORTED (801)"},
	{"cuda memory: none left", "no-memory", 0, "cuda_memory:0000:1a:00.0=fail",
	 "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)"},
	{"cuda memory: no GPU adds nothing", "count=0", 0, "", ""},
	{"cuda memory: a cuInit that fails adds nothing", "init=802", 0, "", ""},
};

UNIT_ROWS(memory_cases)
{
	WITH_FINDINGS;
	struct cuda_memory memory[CUDA_GPUS_MAX];
	unsigned char seen = 0;
	int n;

	behave(row->how);
	n = cuda_allocate(&findings, fake, memory);
	assert_int_equal(n, row->taken);
	assert_string_equal(shown(&findings), row->shown);
	assert_has(all_evidence(&findings), row->said);
	for (int i = 0; i < n; i++) {
		off_t last = (off_t)memory[i].bytes - 1;

		assert_has(memory[i].what, "a:00.0");
		((unsigned char *)memory[i].address)[last] = 0x5a;
		if (row->shown[0]) {
			assert_int_equal(memory[i].dmabuf, -1);
			continue;
		}
		assert_int_equal(pread(memory[i].dmabuf, &seen, 1, last), 1);
		assert_int_equal(seen, 0x5a);
	}
}

int main(void)
{
	return unit_main("cuda");
}
