/* SPDX-License-Identifier: Apache-2.0 */
/* What a log says beside symptoms: it turns one symptom into another, or says whose log it is. */
#include "doctor/symptom/known.h"

const struct known_fact known_facts[] = {
	/* "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA", NCCL src/transport/net.cc;
	   IBext has other names */
	{FACT_CHANNEL, {" via net/"}},
	{FACT_GDR, {" via net/", "/gdrdma"}},
	{FACT_GDR_TOLD, {"gpu direct rdma disabled"}},
	/* perftest */
	{FACT_GPU, {"gpu buffer"}},
	{FACT_GPU, {"--use_cuda"}},
	{FACT_GPU, {"creating cuda ctx"}},
	{FACT_GPU, {"vram is used"}},
	{FACT_EFAULT, {"errno: bad address"}},
	{FACT_EFAULT, {"failed to register memory", "bad address"}},
	{FACT_EMPTY_GID, {"gid: 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00"}},
	{FACT_GNI, {"libfabric:gni:"}},
	{FACT_ENOMEM, {"error:", "cannot allocate memory"}},
	/* ulimit -a, UCX */
	{FACT_UNLIMITED, {"max locked memory", "(kbytes, -l)", "unlimited"}},
	{FACT_UNLIMITED, {"max locked memory", "(current: unlimited"}},
	{FACT_MKEY, {"async reg mr failed. status -12"}},
	{FACT_GID_0, {"nccl_ib_gid_index set by environment to 0."}},
	{FACT_GID_0, {"nccl_ib_gid_index=0 "}},
	/* "NET/IB : Using [0]mlx5_0:1/IB [RO]": there GID 0 is right */
	{FACT_IB_LINK, {"net/ib : using [", ":1/ib"}},
	{FACT_ROCE_LINK, {"net/ib : using [", "/roce"}},
	{FACT_IB_WANTED, {"nccl_ib_hca set to"}},
	{FACT_IB_WANTED, {"nccl_ib_disable set by environment to 0"}},
	{FACT_IB_WANTED, {"net/ib : using interface ib"}},
	{FACT_IB_WANTED, {"nccl_ib_gid_index set"}},
	{FACT_IB_DISABLED, {"nccl_ib_disable set by environment to 1"}},
	{FACT_CUDA_FAILED, {"nccl warn", "cuda failure"}},
	{FACT_ABI, {"does not support the kernel abi"}},
	/* An error of any kind */
	{FACT_TROUBLE, {"error"}},
	{FACT_TROUBLE, {"fail"}},
	{FACT_TROUBLE, {"fatal"}},
	{FACT_TROUBLE, {"cannot "}},
	{FACT_TROUBLE, {"unable to"}},
	{FACT_TROUBLE, {"timed out"}},
	{FACT_TROUBLE, {"refused"}},
	{FACT_TROUBLE, {"forbidden"}},
	{FACT_TROUBLE, {"exception"}},
	/* Whose log it is */
	{FACT_NCCL, {"nccl"}},
	{FACT_NCCL_INFO, {"nccl info"}},
	{FACT_UCX, {" ucx  "}},
	{FACT_UCX, {"ucx error"}},
	{FACT_NVSHMEM, {"nvshmem"}},
	{FACT_KUBERNETES, {"kubelet"}},
	{FACT_KUBERNETES, {"failedcreatepodsandbox"}},
	{FACT_KUBERNETES, {"failedscheduling"}},
	{FACT_KUBERNETES, {"nodes are available"}},
	{FACT_TORCH, {"processgroupnccl"}},
	{FACT_TORCH, {"torch.distributed"}},
	{FACT_MOONCAKE, {"rdma_context.cpp"}},
	{FACT_MOONCAKE, {"transfer_engine"}},
	{FACT_MOONCAKE, {"mooncake"}},
	{FACT_LIBFABRIC, {"libfabric"}},
	{FACT_NIXL, {"nixl_err"}},
};

const size_t n_known_facts = sizeof(known_facts) / sizeof(*known_facts);

const char *known_next_step(unsigned facts)
{
	static const struct {
		unsigned needs;
		const char *step;
	} steps[] = {
		{FACT_NIXL,
		 "NIXL does not say why: run both ends again with UCX_LOG_LEVEL=info and "
		 "NIXL_LOG_LEVEL=DEBUG and give the whole logs. UCX_TLS has to leave a transport "
		 "between the nodes (rc), and UCX_NET_DEVICES has to name the pod's HCAs; "
		 "oci-rdma-doctor --verbs tests the HCAs without NIXL"},
		{FACT_KUBERNETES,
		 "look at the pod's events (oc describe pod), and at the logs of the device plugin "
		 "and of multus on its node; oci-rdma-doctor on that node examines its devices"},
		{FACT_NVSHMEM,
		 "run again with NVSHMEM_DEBUG=INFO and give the whole log; oci-rdma-doctor "
		 "--verbs in the container tests the HCAs without NVSHMEM"},
		{FACT_MOONCAKE,
		 "test the same two HCAs with ib_write_bw, with and without --use_cuda=0; "
		 "oci-rdma-doctor --verbs in the container tests the container's own"},
		{FACT_UCX,
		 "run again with UCX_LOG_LEVEL=info and give the whole log; ucx_info -d shows what "
		 "UCX sees; oci-rdma-doctor --verbs in the container tests the HCAs without UCX"},
		{FACT_LIBFABRIC, "run again with FI_LOG_LEVEL=info and give the whole log; fi_info "
				 "shows what libfabric sees; oci-rdma-doctor --verbs in the "
				 "container tests the HCAs without it"},
		{FACT_NCCL_INFO,
		 "give the logs of all ranks, from their beginning; oci-rdma-doctor in the "
		 "container (with --verbs, and with --listen and --connect between two) tests the "
		 "network without NCCL"},
		{FACT_NCCL, "run again with NCCL_DEBUG=INFO and give the logs of all ranks; "
			    "oci-rdma-doctor --verbs in the container tests the HCAs without NCCL"},
		{FACT_TORCH,
		 "run again with NCCL_DEBUG=INFO and give the logs of all ranks; oci-rdma-doctor "
		 "--verbs in the container tests the HCAs without NCCL"},
		{0, "run oci-rdma-doctor in the container that wrote this log, and again with "
		    "--verbs; for NCCL give a log written with NCCL_DEBUG=INFO, for UCX one with "
		    "UCX_LOG_LEVEL=info"},
	};

	for (size_t i = 0;; i++) {
		if ((facts & steps[i].needs) == steps[i].needs)
			return steps[i].step;
	}
}
