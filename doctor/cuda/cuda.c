/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

/* ---- what there is ---- */

/* Eight GPUs with persistence take 2.6 s, and without it 1 to 3 s each. */
#define SLOW_MS 5000

#define NOT_THE_DRIVER "see that libcuda is the NVIDIA driver's"

struct check {
	struct findings *findings;
	char library[RECORD_TEXT_MAX];
	int version; /* 12080, or 0 */
	int gpus;    /* that were told */
};

/* ---- GPUs ---- */

/* What a GPU can do or not, by one attribute */
struct capability {
	const char *id;
	const char *attribute;
	const char *remedy; /* where it cannot */
};

static const struct capability gpudirect = {
	"cuda_gpudirect_rdma", "GPU_DIRECT_RDMA_SUPPORTED",
	"use dma-buf if cuda_dmabuf is ok; else data goes through host memory (consumer GPUs and "
	"some virtual ones cannot do better)"};

static const struct capability dmabuf = {
	"cuda_dmabuf", "DMA_BUF_SUPPORTED",
	"use the open NVIDIA kernel modules and Linux 5.12 or later; nvidia_peermem does without"};

/* details: behind an "is 1" */
static int add_capability(struct findings *findings, const struct capability *capability,
			  const char *pci, struct record_value value, const char *details)
{
	if (value.result != CUDA_SUCCESS)
		return findings_add(findings, capability->id, pci, FINDING_UNCHECKED,
				    cuda_error_remedy(value.result),
				    "the driver does not say %s: %s (%d)", capability->attribute,
				    cuda_error_name(value.result), value.result);
	return findings_add(findings, capability->id, pci, value.value ? FINDING_OK : FINDING_WARN,
			    value.value ? "" : capability->remedy, "%s is %d%s",
			    capability->attribute, value.value, value.value ? details : "");
}

static int add_gpu(struct findings *findings, const struct record_gpu *gpu)
{
	char ordinal[16];
	char details[64];

	(void)snprintf(ordinal, sizeof(ordinal), "%d", gpu->ordinal);
	if (gpu->result != CUDA_SUCCESS)
		return findings_add(findings, "cuda_gpu", ordinal, FINDING_FAIL,
				    cuda_error_remedy(gpu->result), "GPU %s: %s (%d)", ordinal,
				    cuda_error_name(gpu->result), gpu->result);
	if (!text_is_pci_address(gpu->pci))
		return findings_add(findings, "cuda_gpu", ordinal, FINDING_UNCHECKED,
				    NOT_THE_DRIVER, "GPU %s, %s: \"%s\" is no PCI address", ordinal,
				    gpu->name, gpu->pci);
	(void)snprintf(details, sizeof(details), " (flush options 0x%x, with VMM %d)",
		       (unsigned)gpu->flush.value, gpu->vmm.value);
	if (findings_add(findings, "cuda_gpu", gpu->pci, FINDING_OK, "", "GPU %s, %s", ordinal,
			 gpu->name) < 0 ||
	    add_capability(findings, &gpudirect, gpu->pci, gpu->rdma, details) < 0)
		return -1;
	return add_capability(findings, &dmabuf, gpu->pci, gpu->dmabuf, "");
}

/* ---- the driver ---- */

static int add_library(struct check *check, const struct record *record)
{
	struct findings *findings = check->findings;

	switch ((enum cuda_loaded)record->result) {
	case CUDA_LOADED:
		memcpy(check->library, record->text, sizeof(check->library));
		return findings_add(findings, "cuda_library", "", FINDING_OK, "", "%s",
				    record->text);
	case CUDA_ABSENT:
		return findings_add(findings, "cuda_library", "", FINDING_UNCHECKED,
				    "run the doctor where the GPU's driver is (a container with a "
				    "GPU, the driver's container), or name the file with --libcuda",
				    "there is no libcuda.so.1 in the loader's path, nor below "
				    "/run/nvidia/driver");
	default:
		return findings_add(findings, "cuda_library", "", FINDING_UNCHECKED,
				    "name a libcuda.so.1 that fits this C library with --libcuda, "
				    "or run it in a container with a GPU",
				    "%s", record->text);
	}
}

static int add_init(struct check *check, const struct record *record)
{
	struct findings *findings = check->findings;
	char version[32];

	/* 12080 is 12.8. */
	(void)snprintf(version, sizeof(version), "%d.%d", check->version / 1000,
		       check->version % 1000 / 10);
	if (record->result == CUDA_SUCCESS)
		return findings_add(findings, "cuda_init", "", FINDING_OK,
				    record->value > SLOW_MS
					    ? "nvidia-persistenced on the node makes it quicker"
					    : "",
				    "CUDA %s, cuInit took %d.%02d s", version, record->value / 1000,
				    record->value % 1000 / 10);
	/* On a node without a GPU, where the library alone is installed, this is no fault. */
	return findings_add(findings, "cuda_init", "",
			    record->result == CUDA_NO_DEVICE ? FINDING_UNCHECKED : FINDING_FAIL,
			    cuda_error_remedy(record->result), "cuInit of CUDA %s failed: %s (%d)",
			    version, cuda_error_name(record->result), record->result);
}

static int add_count(struct check *check, const struct record *record)
{
	struct findings *findings = check->findings;

	if (record->result != CUDA_SUCCESS)
		return findings_add(findings, "cuda_gpu", "", FINDING_FAIL,
				    cuda_error_remedy(record->result),
				    "cuDeviceGetCount failed: %s (%d)",
				    cuda_error_name(record->result), record->result);
	if (record->value == 0)
		return findings_add(findings, "cuda_gpu", "", FINDING_UNCHECKED,
				    cuda_error_remedy(CUDA_NO_DEVICE), "there is no GPU here");
	if (record->value < 0 || record->value > GPUS_MAX)
		return findings_add(findings, "cuda_gpu", "", FINDING_UNCHECKED, NOT_THE_DRIVER,
				    "cuDeviceGetCount says %d; the first %d are looked at",
				    record->value, GPUS_MAX);
	return 0;
}

/* ---- the check ---- */

static int on_record(void *context, const struct record *record)
{
	struct check *check = context;

	switch ((enum record_kind)record->kind) {
	case RECORD_LIBRARY:
		return add_library(check, record);
	case RECORD_VERSION:
		check->version = record->result == CUDA_SUCCESS ? record->value : 0;
		return 0;
	case RECORD_INIT:
		return add_init(check, record);
	case RECORD_COUNT:
		return add_count(check, record);
	case RECORD_GPU:
		return check->gpus++ < GPUS_MAX ? add_gpu(check->findings, &record->gpu) : 0;
	default:
		return 0;
	}
}

/* The step at which the child ended */
static const char *id_of(const char *step)
{
	if (strcmp(step, "dlopen") == 0)
		return "cuda_library";
	return strcmp(step, "cuInit") == 0 || strcmp(step, "cuDriverGetVersion") == 0 ? "cuda_init"
										      : "cuda_gpu";
}

int cuda_check(struct findings *findings, const struct cuda_options *options, struct err *err)
{
	struct check check = {.findings = findings};
	struct probe probe = {.library = options->library};
	struct talk talk = {.on_record = on_record, .context = &check};

	if (talk_run(&talk, probe_gpus, &probe, options, err) < 0)
		return -1;
	if (!talk.done && findings_add(findings, id_of(talk.step), "", FINDING_FAIL,
				       "see whether nvidia-smi answers on the node; look for an "
				       "Xid or a hung task in its kernel log",
				       "%s of %s %s", talk.step,
				       check.library[0] ? check.library : "libcuda", talk.why) < 0)
		return err_memory(err);
	return 0;
}

/* ---- memory, for its users ---- */

static int on_memory_record(void *context, const struct record *record)
{
	struct findings *findings = context;
	const struct record_finding *finding = &record->finding;
	const char *id;

	if (record->kind != RECORD_FINDING)
		return 0;
	id = arena_strdup(findings->arena, finding->id);
	if (!id)
		return -1;
	return findings_add(findings, id, finding->subject, (enum finding_status)finding->status,
			    finding->remedy, "%s", finding->evidence);
}

int cuda_memory_check(struct findings *findings, const struct cuda_options *options, size_t size,
		      cuda_use *use, void *context, struct err *err)
{
	struct probe probe = {
		.library = options->library, .use = use, .context = context, .size = size};
	struct talk talk = {.on_record = on_memory_record, .context = findings};

	if (talk_run(&talk, probe_memory, &probe, options, err) < 0)
		return -1;
	/* Before there is memory, cuda_check says it. */
	if (!talk.done && strcmp(talk.step, "dlopen") != 0 && strcmp(talk.step, "cuInit") != 0 &&
	    findings_add(
		    findings, "cuda_memory", "", FINDING_FAIL,
		    "look for an Xid, a hung task or a fault of the HCA in the node's kernel log",
		    "%s memory %s", talk.step, talk.why) < 0)
		return err_memory(err);
	return 0;
}
