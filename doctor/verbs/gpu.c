/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/verbs.h"

#include <errno.h>
#include <stdio.h>

#include "doctor/verbs/amount.h"
#include "doctor/verbs/setup.h"

static struct ibv_mr *register_with(const struct verbs *verbs, struct ibv_pd *pd,
				    const struct verbs_gpu_memory *memory)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	if (memory->dmabuf >= 0)
		return verbs->reg_dmabuf_mr(pd, 0, memory->bytes, 0, memory->dmabuf, access);
	return verbs->reg_mr(pd, memory->address, memory->bytes, access);
}

static int try_device(struct findings *findings, const struct verbs *verbs,
		      const struct verbs_device *device, const struct verbs_gpu_memory *memory)
{
	const char *id = memory->dmabuf >= 0 ? "verbs_dmabuf" : "verbs_peermem";
	const char *call = memory->dmabuf >= 0 ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr";
	struct ibv_pd *pd = verbs->alloc_pd(device->context);
	struct ibv_mr *mr = pd ? register_with(verbs, pd, memory) : NULL;
	char amount[AMOUNT_SIZE];
	char subject[160];
	struct trouble trouble;
	int status;

	(void)snprintf(subject, sizeof(subject), "%s %s", device->name, memory->what);
	(void)amount_text(memory->bytes, amount);
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

int verbs_register_gpu(struct findings *findings, const struct verbs_options *options,
		       const struct verbs_gpu_memory *memory, struct err *err)
{
	struct findings said = {.arena = findings->arena}; /* by verbs_check already */
	struct verbs verbs;
	cleanup_verbs_devices devices = {0};
	int status = setup_open(&said, options, &verbs, &devices);

	if (status > 0 && memory->dmabuf >= 0 && !verbs.reg_dmabuf_mr) {
		status = findings_add(findings, "verbs_dmabuf", memory->what, FINDING_UNCHECKED,
				      "install rdma-core 34 or newer, or load nvidia_peermem",
				      "this libibverbs has no ibv_reg_dmabuf_mr");
		return status < 0 ? err_memory(err) : 0;
	}
	for (size_t i = 0; status >= 0 && i < devices.n; i++) {
		if (devices.item[i].context)
			status = try_device(findings, &verbs, &devices.item[i], memory);
	}
	return status < 0 ? err_memory(err) : 0;
}
