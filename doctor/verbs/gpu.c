/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/verbs.h"

#include <errno.h>
#include <stdio.h>

#include "doctor/verbs/transfer.h"

struct gpu_memory {
	const char *id;
	const char *call;
	const char *what;
	int fd; /* -1: by address */
	uint64_t offset;
	void *address;
	size_t bytes;
};

static struct ibv_mr *register_memory(const struct verbs *verbs, struct ibv_pd *pd,
				      const struct gpu_memory *memory)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	if (memory->fd >= 0)
		return verbs->reg_dmabuf_mr(pd, memory->offset, memory->bytes, 0, memory->fd,
					    access);
	return verbs->reg_mr(pd, memory->address, memory->bytes, access);
}

static int register_with(struct findings *findings, const struct verbs *verbs,
			 const struct verbs_device *device, const struct gpu_memory *memory)
{
	struct ibv_pd *pd = verbs->alloc_pd(device->context);
	struct ibv_mr *mr = pd ? register_memory(verbs, pd, memory) : NULL;
	char amount[AMOUNT_SIZE];
	char subject[160];
	struct trouble trouble;
	int status;

	(void)snprintf(subject, sizeof(subject), "%s %s", device->name, memory->what);
	if (mr) {
		status = findings_add(findings, memory->id, subject, FINDING_OK, NULL, "%s: %s ok",
				      memory->call, amount_text(memory->bytes, amount));
		(void)verbs->dereg_mr(mr);
	} else {
		(void)trouble_call(&trouble, errno, pd ? memory->call : "ibv_alloc_pd");
		status = findings_add(findings, memory->id, subject, FINDING_FAIL,
				      trouble_remedy(&trouble), "%s, for %s", trouble.text,
				      amount_text(memory->bytes, amount));
	}
	if (pd)
		(void)verbs->dealloc_pd(pd);
	return status;
}

static int register_with_all(struct findings *findings, const struct verbs_options *options,
			     const struct gpu_memory *memory, struct err *err)
{
	struct findings said = {.arena = findings->arena}; /* by verbs_check already */
	struct verbs verbs;
	cleanup_verbs_devices devices = {0};
	int status = verbs_setup_open(&said, options, &verbs, &devices);

	if (status > 0 && memory->fd >= 0 && !verbs.reg_dmabuf_mr) {
		status = findings_add(findings, memory->id, memory->what, FINDING_UNCHECKED,
				      "install rdma-core 34 or newer, or load nvidia_peermem",
				      "this libibverbs has no ibv_reg_dmabuf_mr");
		return status < 0 ? err_memory(err) : 0;
	}
	for (size_t i = 0; status >= 0 && i < devices.n; i++) {
		if (devices.item[i].context)
			status = register_with(findings, &verbs, &devices.item[i], memory);
	}
	return status < 0 ? err_memory(err) : 0;
}

int verbs_register_dmabuf(struct findings *findings, const struct verbs_options *options,
			  const char *what, int fd, uint64_t offset, size_t bytes, struct err *err)
{
	const struct gpu_memory memory = {.id = "verbs_dmabuf",
					  .call = "ibv_reg_dmabuf_mr",
					  .what = what,
					  .fd = fd,
					  .offset = offset,
					  .bytes = bytes};

	return register_with_all(findings, options, &memory, err);
}

int verbs_register_peermem(struct findings *findings, const struct verbs_options *options,
			   const char *what, void *address, size_t bytes, struct err *err)
{
	const struct gpu_memory memory = {.id = "verbs_peermem",
					  .call = "ibv_reg_mr",
					  .what = what,
					  .fd = -1,
					  .address = address,
					  .bytes = bytes};

	return register_with_all(findings, options, &memory, err);
}
