/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "doctor/verbs/verbs.h"

static struct ibv_mr *register_with(const struct verbs *verbs, struct ibv_pd *pd,
				    const struct cuda_memory *memory)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	if (memory->dmabuf >= 0)
		return verbs->reg_dmabuf_mr(pd, 0, memory->bytes, 0, memory->dmabuf, access);
	return verbs->reg_mr(pd, memory->address, memory->bytes, access);
}

static int register_gpu(struct findings *findings, const struct verbs *verbs,
			const struct verbs_device *device, const struct cuda_memory *memory)
{
	const char *id = memory->dmabuf >= 0 ? "verbs_dmabuf" : "verbs_peermem";
	const char *call = memory->dmabuf >= 0 ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr";
	struct ibv_pd *pd = verbs->alloc_pd(device->context);
	struct ibv_mr *mr = pd ? register_with(verbs, pd, memory) : NULL;
	char amount[LIMITS_TEXT_SIZE];
	char subject[160];
	struct trouble trouble;
	int status;

	(void)snprintf(subject, sizeof(subject), "%s %s", device->name, memory->what);
	(void)limits_text(memory->bytes, amount);
	if (mr) {
		status = findings_add(findings, id, subject, FINDING_OK, NULL, "%s: %s ok", call,
				      amount);
		(void)verbs->dereg_mr(mr);
	} else {
		(void)trouble_call(&trouble, errno, pd ? call : "ibv_alloc_pd");
		status = findings_add(findings, id, subject, FINDING_FAIL, trouble_remedy(&trouble),
				      "%s, for %s", trouble.text, amount);
	}
	if (pd)
		(void)verbs->dealloc_pd(pd);
	return status;
}

int verbs_register_gpus(struct findings *findings, const struct doctor *doctor,
			const struct cuda_memory *memory, int n)
{
	struct verbs verbs;
	cleanup_verbs_devices devices = {0};
	struct err said; /* by verbs_check already */
	int errnum;
	int status = 0;

	if (verbs_load(&verbs, &said) < 0 ||
	    verbs_devices_open(&verbs, doctor, findings->arena, &devices, &errnum) < 0)
		return 0;
	for (int m = 0; m < n && status == 0; m++) {
		if (memory[m].dmabuf >= 0 && !verbs.reg_dmabuf_mr)
			status = findings_add(
				findings, "verbs_dmabuf", memory[m].what, FINDING_UNCHECKED,
				"install rdma-core 34 or newer, or load nvidia_peermem",
				"this libibverbs has no ibv_reg_dmabuf_mr");
		for (size_t i = 0; status == 0 && i < devices.n; i++) {
			if (devices.item[i].context &&
			    (memory[m].dmabuf < 0 || verbs.reg_dmabuf_mr))
				status = register_gpu(findings, &verbs, &devices.item[i],
						      &memory[m]);
		}
	}
	return status;
}
