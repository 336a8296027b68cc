/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a log */
#include "suite.h"

static void evidence_names_line_and_count(void **state)
{
	static const char text[] =
		"a\n\nx Got completion from peer p with status=12 vendor err 129\n"
		"b\nx Got completion from peer p with status=12 vendor err 129\n"
		"x Got completion from peer p with status=12 vendor err 129\n";
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};

	(void)state;
	assert_int_equal(symptom_explain(&findings, text, strlen(text), &err), 0);
	assert_string_equal(subjects(&findings), "retry_exc");
	assert_has(
		findings.item[0].evidence,
		"; line 3 and 2 more: x Got completion from peer p with status=12 vendor err 129");
}

static void p2p_clears_memlock(void **state)
{
	static const char text[] = "status=4 vendor err 81";
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};

	(void)state;
	assert_int_equal(symptom_explain(&findings, text, strlen(text), &err), 0);
	assert_has(findings.item[0].evidence, "no matter of memlock");
	assert_has(findings.item[0].evidence, "IOMMU");
	assert_has(findings.item[0].remedy, "NCCL_NET_GDR_LEVEL=LOC");
	assert_has(findings.item[0].remedy, "confirmed by: iommu_group");
}

static void nothing_is_not_checkable(void **state)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};

	(void)state;
	assert_int_equal(symptom_explain(&findings, "", 0, &err), 0);
	assert_int_equal(findings.n, 1);
	assert_int_equal(findings.item[0].status, FINDING_UNCHECKED);
}

static const char healthy[] =
	"trainer-0:7:7 [0] NCCL INFO Bootstrap : Using eth0:10.128.2.7<0>\n"
	"trainer-0:7:7 [0] NCCL INFO cudaDriverVersion 12080\n"
	"NCCL version 2.26.3+cuda12.8\n"
	"trainer-0:7:30 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal "
	"network "
	"plugin.\n"
	"trainer-0:7:30 [0] NCCL INFO NCCL_IB_HCA set to =mlx5_6,mlx5_7\n"
	"trainer-0:7:30 [0] NCCL INFO NET/IB : Using [0]mlx5_6:1/RoCE [1]mlx5_7:1/RoCE [RO]; OOB "
	"eth0:10.128.2.7<0>\n"
	"trainer-0:7:30 [0] NCCL INFO Using network IB\n"
	"trainer-0:7:30 [0] NCCL INFO DMA-BUF is available on GPU device 0\n"
	"trainer-0:7:30 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_6'\n"
	"trainer-0:7:30 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 4 / HCA 0 (distance 7 > 4)\n"
	"trainer-0:7:31 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA\n"
	"trainer-0:7:31 [0] NCCL INFO NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 1047 mtu 5 "
	"query_ece={supported=1, vendor_id=0x15b3, options=0x30000002, comp_mask=0x0} GID 3 "
	"(0/703000AFFFF0000) fifoRkey=0x15e6c5 fifoLkey=0x15e6c5\n"
	"trainer-0:7:30 [0] NCCL INFO Connected all rings\n"
	"trainer-0:7:30 [0] NCCL INFO ncclCommInitRank comm 0x558 rank 0 nranks 16 cudaDev 0 "
	"nvmlDev 0 "
	"busId 18000 commId 0x1 - Init COMPLETE\n";

static void healthy_log_is_ok(void **state)
{
	cleanup_arena arena = {0};
	struct findings findings = {.arena = &arena};
	struct err err = {0};

	(void)state;
	assert_int_equal(symptom_explain(&findings, healthy, strlen(healthy), &err), 0);
	assert_int_equal(findings.n, 1);
	assert_int_equal(findings.item[0].status, FINDING_OK);
	assert_has(findings.item[0].evidence, "nothing known found in 14 lines");
}

void add_told_tests(struct unit_suite *suite)
{

	unit_add(suite, "symptom: the evidence names the line and how often",
		 evidence_names_line_and_count, NULL);
	unit_add(suite, "symptom: vendor error 81 is the IOMMU, not memlock", p2p_clears_memlock,
		 NULL);
	unit_add(suite, "symptom: no text is not checkable", nothing_is_not_checkable, NULL);
	unit_add(suite, "symptom: a healthy log is ok", healthy_log_is_ok, NULL);
}
