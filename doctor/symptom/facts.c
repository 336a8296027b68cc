/* SPDX-License-Identifier: Apache-2.0 */
/* What a log says beside symptoms: it turns one symptom into another, or shows an error of any
 * kind. */
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
	{FACT_TROUBLE, {"could not "}},
	{FACT_TROUBLE, {"couldn't "}},
	{FACT_TROUBLE, {"denied"}},
	{FACT_TROUBLE, {"not permitted"}},
	{FACT_TROUBLE, {"unreachable"}},
	{FACT_TROUBLE, {"rejected"}},
	{FACT_TROUBLE, {"no devices found"}},
	{FACT_TROUBLE, {"not responding"}},
	{FACT_TROUBLE, {"compromised"}},
	{FACT_TROUBLE, {"blocked for more than"}},
};

const size_t n_known_facts = sizeof(known_facts) / sizeof(*known_facts);
