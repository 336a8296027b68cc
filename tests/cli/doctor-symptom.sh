#!/bin/bash
# What a message means, by the doctor's command line. What each message is: tests/unit/doctor/symptom/known.c and threads.txt
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
DOCTOR=$(realpath "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}")

# symptoms COMMAND…: "STATUS SUBJECT" of each finding; $rc is the exit status
symptoms() {
	"$DOCTOR" --format json "$@" >"$T/out" 2>"$T/err"
	rc=$?
	found=$(jq -r '.findings[] | "\(.status) \(.subject)"' "$T/out")
}

p2p='node-1:27:94 [0] NCCL WARN NET/IB : Got completion from peer 10.0.103.8<34567> with status=4 opcode=0 len=0 vendor err 81 (Recv)'
healthy='node-1:27:27 [0] NCCL INFO NET/IB : Using [0]mlx5_6:1/RoCE [RO]; OOB eth0:10.128.0.7<0>'
symptoms --symptom "$p2p"
is "LOC_PROT_ERR with vendor error 81" "fail p2p_blocked" "$found"
is "LOC_PROT_ERR: exit status" 1 "$rc"
has "LOC_PROT_ERR: the memlock limit is not the cause" "the memlock limit is not the cause" "$(jq -r '.findings[0].evidence' "$T/out")"
has "LOC_PROT_ERR: what confirms it" "iommu_group" "$(jq -r '.findings[0].remedy' "$T/out")"
has "LOC_PROT_ERR: the thread that it is known from" "NVIDIA/nccl#214" "$(jq -r '.findings[0].remedy' "$T/out")"
is "a pasted log: nothing is said of this process" "null null null" "$(jq -r '"\(.where) \(.target.name) \(.target.pid)"' "$T/out")"

# ---- where the log comes from ----
symptoms --symptom - < <(yes 'node-1:27:27 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA' | head -100000; echo "$p2p")
is "the same at the end of a log of 100,000 lines" "fail p2p_blocked" "$found"
has "the log's line" "line 100001" "$(jq -r '.findings[0].evidence' "$T/out")"
symptoms --symptom <<<"$p2p"
is "without a value: stdin" "1 fail p2p_blocked" "$rc $found"
printf '%s\n%s\n' "$healthy" "$p2p" >"$T/log with a blank"
symptoms --symptom "$T/log with a blank" </dev/null
is "a file" "1 fail p2p_blocked" "$rc $found"
has "a file: its line" "line 2" "$(jq -r '.findings[0].evidence' "$T/out")"
symptoms --symptom="$T/log with a blank" </dev/null
is "a file behind =" "1 fail p2p_blocked" "$rc $found"
symptoms --symptom "$T" </dev/null
is "a directory" "2 0 1" "$rc $(wc -c <"$T/out") $(wc -l <"$T/err")"
symptoms --symptom "$T/log with a blank" one-more </dev/null
is "two files" "2 0 1" "$rc $(wc -c <"$T/out") $(wc -l <"$T/err")"
for name in "$T/none.log" ./none nccl/none.log; do
	symptoms --symptom "$name" </dev/null
	is "a file that is not there, $name" "2 0 oci-rdma-doctor: $name: No such file or directory" "$rc $(wc -c <"$T/out") $(<"$T/err")"
done
while read -r name how command; do
	symptoms --symptom - < <(printf '%s\n' "$p2p" | $command)
	is "a log that no line can be read of, $name" "2 0 oci-rdma-doctor: stdin ${how//_/ } FILE | oci-rdma-doctor --symptom" \
		"$rc $(wc -c <"$T/out") $(<"$T/err")"
done <<-EOT
	gzip is_compressed:_run_zcat gzip -c
	zstd is_compressed:_run_zstdcat printf \050\265\057\375\044
	UTF-16LE is_UTF-16:_run_iconv_-f_UTF-16 iconv -t UTF-16
EOT
printf '\376\377' >"$T/two" # the other byte order
symptoms --symptom "$T/two"
is "…not even its begin" 2 "$rc"
printf '\050\265\057' >"$T/three"
symptoms --symptom "$T/three"
is "what only begins like one is read" 3 "$rc"
symptoms --symptom "transport/net_ib.cc:94 NCCL WARN NET/IB : Got completion with status=4 vendor err 81" </dev/null
is "a message with a slash, and blanks" "1" "$rc"
symptoms --symptom "IBV_WC_RNR_RETRY_EXC_ERR" </dev/null
is "a message that names no file" "1 fail rnr_retry_exc" "$rc $found"

# ---- what is not known ----
symptoms --symptom <<<"$healthy"
is "a healthy log is not called well: exit status" "3 not checkable " "$rc $found"
has "a healthy log: what to run next" "oci-rdma-doctor in the container" "$(jq -r '.findings[0].remedy' "$T/out")"
symptoms --symptom </dev/null
is "nothing: exit status" 3 "$rc"
has "nothing: not checkable" "not checkable" "$found"
symptoms --symptom "NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6'"
is "what only warns: exit status" "0 warn gdr_off" "$rc $found"
"$DOCTOR" --symptom <<<$'x\nthe frobnicator failed: 42' >"$T/out"
is "unknown, for people: first line" "nothing known" "$(head -1 "$T/out")"
has "unknown, for people: a question mark" "?     symptom: nothing known in 2 lines" "$(cat "$T/out")"
has "unknown, for people: the line that looks like an error" "line 2: the frobnicator" "$(tr -s ' \n' ' ' <"$T/out")"

# ---- for people ----
"$DOCTOR" --symptom "$p2p" >"$T/out"
is "for people: the cause is in the first line" "symptom of p2p_blocked" "$(head -1 "$T/out")"
has "for people: what fails" "FAIL  symptom p2p_blocked: likely: " "$(cat "$T/out")"
check "for people: 80 columns" test "$(wc -L <"$T/out")" -le 80
check "for people: nothing of this process" test "$(grep -c 'seen from' "$T/out")" = 0
has "a message with escapes is quoted without them" "memory ?[31m" \
	"$("$DOCTOR" --symptom $'ibv_reg_mr failed: Cannot allocate memory \e[31m' --format text)"

# ---- the table is text, of which the build makes C ----
# made TEXT: what table.awk says of a file that holds the text
made() {
	printf '%s\n' "$@" >"$T/row.txt"
	LC_ALL=C awk -f doctor/symptom/table.awk "$T/row.txt" 2>&1 >"$T/row.c" | sed "s|$T/||"
}
row=('symptom x: fail, may be' '  cause: c' '    goes on' '  remedy: r' '  line: "a line" not "b" from X' '  completion: 4 any' '  call: reg_mr ENOMEM' '  turn: GDR -GPU -> none')
is "the table: a row that is right" "" "$(made "${row[@]}")"
has "the table: its cause goes on in the next line" '.cause = "c goes on"' "$(cat "$T/row.c")"
is "the table: a key that there is not" "row.txt:9: a symptom has no gone:" "$(made "${row[@]}" '  gone: 1')"
is "the table: a quotation without its end" "row.txt:9: a quotation without its end" "$(made "${row[@]}" '  line: "abcd')"
is "the table: upper case, which no line is compared in" 'row.txt:9: "ABCD": lines are compared in lower case' "$(made "${row[@]}" '  line: "ABCD" from X')"
is "the table: a line with nothing long enough to look for" "row.txt:9: the longest part of a line has at least four characters" "$(made "${row[@]}" '  line: "abc" from X')"
is "the table: a turn to a symptom that there is not" "row.txt:9: there is no symptom gone" "$(made "${row[@]}" '  turn: -> gone')"
has "the table: how sure it is, in other words" "row.txt:1: behind a symptom's name stand fail or warn" "$(made 'symptom x: fail, perhaps' "${row[@]:1}")"
is "the table: no remedy" "row.txt:2: x: has no cause or no remedy" "$(made "${row[@]:0:3}")"
is "the table: a name that is there twice" "row.txt:9: symptom x is there twice" "$(made "${row[@]}" "${row[@]}")"
check "the table: with a mistake nothing is built" test ! -s "$T/row.c"
finish
