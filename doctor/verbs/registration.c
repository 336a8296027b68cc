/* SPDX-License-Identifier: Apache-2.0 */

#include "doctor/verbs/registration.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "doctor/cuda/cuda.h"
#include "doctor/doctor.h"
#include "doctor/verbs/device.h"
#include "doctor/verbs/trouble.h"
#include "lib/finding.h"
#include "lib/limits.h"

/* The kernel counts even repeated pages (drivers/infiniband/core/umem.c, ib_umem_get): a few find
 * the limit without an OOM kill. */
#define ALIAS ((size_t)4 << 20)

/* Returns 0 or an errno. */
static int try_registration(const struct verbs *verbs, struct ibv_pd *pd, char *range, size_t bytes)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = verbs->reg_mr(pd, range, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!mr)
		return errno ? errno : EIO;
	return verbs->dereg_mr(mr);
}

/* Bisects, down to a page: all above a refused size is refused. */
static struct registration search(const struct verbs *verbs, struct ibv_pd *pd, char *range)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct registration found = {0};
	size_t size = REGISTRATION_MAX;

	do {
		int error = try_registration(verbs, pd, range, size);

		if (error) {
			found.refused = size;
			found.errnum = error;
		} else {
			found.most = size;
		}
		size = found.most + (found.refused - found.most) / 2;
	} while (found.refused > found.most + page);
	return found;
}

int registration_probe(const struct verbs *verbs, const struct verbs_device *device,
		       struct registration *ret_registration, struct trouble *trouble)
{
	cleanup_fd memory = memfd_create("oci-rdma-doctor", MFD_CLOEXEC);
	struct ibv_pd *pd = NULL;
	char *range;
	bool shown = true;
	int status = 0;

	if (memory < 0 || ftruncate(memory, ALIAS) < 0)
		return trouble_call(trouble, errno, "memfd_create");
	range = mmap(NULL, REGISTRATION_MAX, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		     -1, 0);
	if (range == MAP_FAILED)
		return trouble_call(trouble, errno, "mmap");
	for (size_t at = 0; at < REGISTRATION_MAX && shown; at += ALIAS)
		shown = mmap(range + at, ALIAS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			     memory, 0) != MAP_FAILED;
	if (!shown)
		status = trouble_call(trouble, errno, "mmap");
	else if (!(pd = verbs->alloc_pd(device->context)))
		status = trouble_call(trouble, errno, "ibv_alloc_pd");
	else
		*ret_registration = search(verbs, pd, range);
	if (pd)
		(void)verbs->dealloc_pd(pd);
	(void)munmap(range, REGISTRATION_MAX);
	return status;
}

static int register_gpu(struct findings *findings, const struct verbs *verbs,
			const struct verbs_device *device, const struct cuda_memory *memory)
{
	const char *id = memory->dmabuf >= 0 ? "verbs_dmabuf" : "verbs_peermem";
	const char *call = memory->dmabuf >= 0 ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr";
	struct ibv_pd *pd = verbs->alloc_pd(device->context);
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr = NULL;
	char amount[LIMITS_TEXT_SIZE];
	char subject[160];
	struct trouble trouble;
	int status;

	snprintf(subject, sizeof(subject), "%s %s", device->name, memory->what);
	(void)limits_text(memory->bytes, amount);
	if (pd)
		mr = memory->dmabuf >= 0
			     ? verbs->reg_dmabuf_mr(pd, 0, memory->bytes, 0, memory->dmabuf, access)
			     : verbs->reg_mr(pd, memory->address, memory->bytes, access);
	if (mr) {
		status = findings_add(findings, id, subject, FINDING_OK, NULL, "%s: %s ok", call,
				      amount);
		(void)verbs->dereg_mr(mr);
	} else {
		trouble_call(&trouble, errno, pd ? call : "ibv_alloc_pd");
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
	struct err said; /* reported by verbs_check */
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
