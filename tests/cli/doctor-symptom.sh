#!/bin/bash
# What a message means, by the doctor's command line. What each message is: tests/unit/symptom/known.c
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
DOCTOR=$(realpath "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}")

# symptoms COMMAND…: "STATUS SUBJECT" of each finding; $rc is the exit status
symptoms() {
	"$DOCTOR" --format json "$@" >"$T/out"
	rc=$?
	found=$(jq -r '.findings[] | "\(.status) \(.subject)"' "$T/out")
}

p2p='node-1:27:94 [0] NCCL WARN NET/IB : Got completion from peer 10.0.103.8<34567> with status=4 opcode=0 len=0 vendor err 81 (Recv)'
symptoms --symptom "$p2p"
is "LOC_PROT_ERR with vendor error 81" "fail p2p_blocked" "$found"
is "LOC_PROT_ERR: exit status" 1 "$rc"
has "LOC_PROT_ERR: no matter of memlock" "no matter of memlock" "$(jq -r '.findings[0].evidence' "$T/out")"
has "LOC_PROT_ERR: what confirms it" "iommu_group" "$(jq -r '.findings[0].remedy' "$T/out")"
symptoms --symptom - < <(yes 'node-1:27:27 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA' | head -100000; echo "$p2p")
is "the same at the end of a log of 100,000 lines" "fail p2p_blocked" "$found"
has "the log's line" "line 100001" "$(jq -r '.findings[0].evidence' "$T/out")"
symptoms --symptom - <<<'node-1:27:27 [0] NCCL INFO NET/IB : Using [0]mlx5_6:1/RoCE [RO]; OOB eth0:10.128.0.7<0>'
is "a healthy log: exit status" 0 "$rc"
symptoms --symptom - </dev/null
is "nothing: exit status" 0 "$rc"
has "nothing: not checkable" "not checkable" "$found"
"$DOCTOR" --symptom "$p2p" >"$T/out"
has "for people: what fails" "FAIL  symptom p2p_blocked" "$(cat "$T/out")"
check "for people: 80 columns" test "$(wc -L <"$T/out")" -le 80
has "a message with escapes is quoted without them" "memory ?[31m" \
	"$("$DOCTOR" --symptom $'ibv_reg_mr failed: Cannot allocate memory \e[31m' --format text)"
finish
