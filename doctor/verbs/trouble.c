/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/verbs/trouble.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* mlx5: the syndrome of a local protection error that people report with GPUDirect, "vendor err 81"
 */
#define MLX5_LOCAL_PROTECTION 0x51

/* The names as NCCL's and everyone's logs have them; others are numbers */
static const char *const status_names[] = {
	[IBV_WC_LOC_LEN_ERR] = "IBV_WC_LOC_LEN_ERR",
	[IBV_WC_LOC_QP_OP_ERR] = "IBV_WC_LOC_QP_OP_ERR",
	[IBV_WC_LOC_PROT_ERR] = "IBV_WC_LOC_PROT_ERR",
	[IBV_WC_WR_FLUSH_ERR] = "IBV_WC_WR_FLUSH_ERR",
	[IBV_WC_REM_INV_REQ_ERR] = "IBV_WC_REM_INV_REQ_ERR",
	[IBV_WC_REM_ACCESS_ERR] = "IBV_WC_REM_ACCESS_ERR",
	[IBV_WC_REM_OP_ERR] = "IBV_WC_REM_OP_ERR",
	[IBV_WC_RETRY_EXC_ERR] = "IBV_WC_RETRY_EXC_ERR",
	[IBV_WC_RNR_RETRY_EXC_ERR] = "IBV_WC_RNR_RETRY_EXC_ERR",
	[IBV_WC_RESP_TIMEOUT_ERR] = "IBV_WC_RESP_TIMEOUT_ERR",
};

#define ROUTE_REMEDY                                                                               \
	"nothing came back: both ends need RoCE v2 GIDs in one subnet or with a route between "    \
	"them, an MTU that the switches let through, and the same PFC and ECN settings; ping -M "  \
	"do from that interface tests it"

static const struct unit {
	const char *name;
	unsigned shift;
} units[] = {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};

const char *amount_text(uint64_t bytes, char text[AMOUNT_SIZE])
{
	uint64_t rest = bytes;
	size_t len = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (rest >> units[i].shift == 0)
			continue;
		len += (size_t)snprintf(
			text + len, AMOUNT_SIZE - len, "%s%llu %s", len ? " + " : "",
			(unsigned long long)(rest >> units[i].shift), units[i].name);
		rest &= (1ULL << units[i].shift) - 1;
	}
	if (rest || !len)
		(void)snprintf(text + len, AMOUNT_SIZE - len, "%s%llu byte%s", len ? " + " : "",
			       (unsigned long long)rest, rest == 1 ? "" : "s");
	return text;
}

const char *trouble_errno_name(int errnum, char text[24])
{
	const char *name = strerrorname_np(errnum);

	if (name)
		return name;
	(void)snprintf(text, 24, "errno %d", errnum);
	return text;
}

int trouble_call(struct trouble *trouble, int errnum, const char *call)
{
	char name[24];

	*trouble = (struct trouble){.kind = TROUBLE_CALL, .code = errnum};
	(void)snprintf(trouble->text, sizeof(trouble->text), "%s: %s (%s)", call,
		       trouble_errno_name(errnum, name), strerror(errnum));
	return -1;
}

int trouble_completion(struct trouble *trouble, int status, uint32_t vendor_err)
{
	const char *name = NULL;

	if (status >= 0 && (size_t)status < sizeof(status_names) / sizeof(status_names[0]))
		name = status_names[status];
	*trouble = (struct trouble){
		.kind = TROUBLE_COMPLETION, .code = status, .vendor_err = vendor_err};
	(void)snprintf(trouble->text, sizeof(trouble->text),
		       "work completion with %s (status %d, vendor_err %u = 0x%x)",
		       name ? name : "unknown status", status, vendor_err, vendor_err);
	return -1;
}

int trouble_set(struct trouble *trouble, enum trouble_kind kind, const char *format, ...)
{
	va_list args;

	*trouble = (struct trouble){.kind = kind};
	va_start(args, format);
	(void)vsnprintf(trouble->text, sizeof(trouble->text), format, args);
	va_end(args);
	return -1;
}

/* ib_umem_get of the kernel's drivers/infiniband/core/umem.c; kernel/cgroup/rdma.c */
const char *trouble_register_remedy(int errnum)
{
	switch (errnum) {
	case ENOMEM:
	case EPERM: /* a soft limit of 0 */
		return "raise RLIMIT_MEMLOCK, by the annotation oci-rdma-hook.io/inject: \"true\" "
		       "or the engine's default ulimits; the IOMMU is not the cause, since it "
		       "fails no registration";
	case EAGAIN:
		return "the rdma cgroup controller refuses it: raise hca_object in rdma.max";
	case EOPNOTSUPP:
	case ENOSYS:
		return "the device's driver does not support this; GPU memory needs nvidia_peermem";
	case EFAULT:
		return "the kernel cannot pin that memory; GPU memory needs dma-buf or "
		       "nvidia_peermem";
	default:
		return "read what the device's driver says in the kernel log";
	}
}

const char *trouble_open_remedy(int errnum)
{
	switch (errnum) {
	case EPERM:
		return "the container's device cgroup does not allow this device file, or the "
		       "device belongs to another RDMA network namespace: let the pod request it "
		       "from its device plugin";
	case EACCES:
		return "the file's mode, SELinux or AppArmor forbids it: look at ls -lZ "
		       "/dev/infiniband and the audit log; infiniband_device_t means the host's "
		       "own file, mounted into a container without root: run setsebool -P "
		       "container_use_devices 1 on the node";
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "the file in /dev has another number than the kernel's device: create the "
		       "container again, so that the device plugin gives it the current one";
	case ENOMEM:
		return trouble_register_remedy(ENOMEM);
	case EAGAIN:
		return "the rdma cgroup controller refuses it: raise hca_handle in rdma.max";
	default:
		return "read what the device's driver says in the kernel log";
	}
}

/* The kernel resolves the peer's MAC address in ibv_modify_qp to RTR (ib_resolve_eth_dmac). */
static const char *call_remedy(const struct trouble *trouble)
{
	if (strncmp(trouble->text, "ibv_modify_qp", strlen("ibv_modify_qp")) != 0)
		return trouble_register_remedy(trouble->code);
	switch (trouble->code) {
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ENODATA:
		return "the other GID's address cannot be reached from this interface: check "
		       "routes and neighbours (ip route get, ip neigh)";
	case EINVAL:
		return "the GID is gone, or its kind differs from the peer's: both ends need RoCE "
		       "v2 with IPv4; see the gid findings";
	default:
		return trouble_register_remedy(trouble->code);
	}
}

static const char *completion_remedy(const struct trouble *trouble)
{
	switch (trouble->code) {
	case IBV_WC_LOC_PROT_ERR:
		if (trouble->vendor_err == MLX5_LOCAL_PROTECTION)
			return "not memlock: the IOMMU or ACS keeps the HCA from the memory. Boot "
			       "with iommu=pt; the iommu findings and dmesg (DMAR, AMD-Vi) confirm "
			       "it";
		return "not memlock: with GPU memory the IOMMU or ACS is the cause (boot with "
		       "iommu=pt), otherwise a wrong local key of the program";
	case IBV_WC_RETRY_EXC_ERR:
	case IBV_WC_RESP_TIMEOUT_ERR:
		return ROUTE_REMEDY;
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return "the other side posted no receive buffer in time: it is overloaded or has "
		       "stopped";
	case IBV_WC_REM_ACCESS_ERR:
	case IBV_WC_REM_OP_ERR:
	case IBV_WC_REM_INV_REQ_ERR:
		return "the other side refused the access: look at what it reports";
	case IBV_WC_WR_FLUSH_ERR:
		return "an earlier error ended the queue pair: look at the first one";
	default:
		return "read what the device's driver says in the kernel log";
	}
}

const char *trouble_remedy(const struct trouble *trouble)
{
	switch (trouble->kind) {
	case TROUBLE_CALL:
		return call_remedy(trouble);
	case TROUBLE_COMPLETION:
		return completion_remedy(trouble);
	case TROUBLE_TIMEOUT:
		return ROUTE_REMEDY;
	case TROUBLE_DATA:
		return "data is corrupted between the HCA and memory: take this node out of "
		       "service; PCI (AER) and memory (MCE) errors in the kernel log confirm it";
	case TROUBLE_NETWORK:
		return "start oci-rdma-doctor --verbs --listen of the same version there first; "
		       "network policies and firewalls have to admit its TCP port";
	case TROUBLE_PEER:
	default:
		return "look at what the other side reports";
	}
}
