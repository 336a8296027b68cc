#!/bin/bash
# What a message means, by the doctor's command line. What each message is: tests/unit/doctor/symptom/messages.txt and threads.txt
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash

# symptoms COMMAND…: "STATUS SUBJECT" of each finding; $rc is the exit status
symptoms() {
	"$DOCTOR" --format json "$@" >"$T/out" 2>"$T/err"
	rc=$?
	found=$(jq -r '.findings[] | "\(.status) \(.subject)"' "$T/out")
}

p2p='node-1:27:94 [0] NCCL WARN NET/IB : Got completion from peer 10.0.103.8<34567> with status=4 opcode=0 len=0 vendor err 81 (Recv)'
healthy='node-1:27:27 [0] NCCL INFO NET/IB : Using [0]mlx5_6:1/RoCE [RO]; OOB eth0:10.128.0.7<0>'
row "LOC_PROT_ERR with vendor error 81: not the memlock limit; and how that is looked at"
symptoms --symptom "$p2p"
is "the finding" "1 fail p2p_blocked" "$rc $found"
text=$(jq -r '.findings[0] | .evidence + .check' "$T/out")
for part in "the memlock limit is not the cause" "run: kubectl rdma-doctor"; do has "what it says" "$part" "$text"; done
is "a pasted log: nothing is said of this process" "null null null" "$(jq -r '"\(.where) \(.target.name) \(.target.pid)"' "$T/out")"

# ---- where the log comes from ----
# p2p_in NAME [OPTION…]: a row: the same is found in the log on stdin or of the options; $T/out has it
p2p_in() {
	row "$1"
	symptoms "${@:2}"
	is "the finding" "1 fail p2p_blocked" "$rc $found"
}
p2p_in "at the end of a log of 100,000 lines" --symptom - < <(yes 'node-1:27:27 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA' | head -100000; echo "$p2p")
has "the log's line" "line 100001" "$(jq -r '.findings[0].seen' "$T/out")"
p2p_in "on stdin, without a value" --symptom <<<"$p2p"
printf '%s\n%s\n' "$healthy" "$p2p" >"$T/log with a blank"
p2p_in "in a file" --symptom "$T/log with a blank" </dev/null
has "its line" "line 2" "$(jq -r '.findings[0].seen' "$T/out")"
p2p_in "in a file behind =" --symptom="$T/log with a blank" </dev/null
# wrong NAME LINE OPTION…: a row: status 2, and one line, this one; '': any
wrong() {
	row "$1"
	symptoms "${@:3}"
	is "status, and nothing on stdout" "2 0" "$rc $(wc -c <"$T/out")"
	one_line "one line" "$2"
}
wrong "a directory" "" --symptom "$T" </dev/null
wrong "two files" "" --symptom "$T/log with a blank" one-more </dev/null
for name in "$T/none.log" ./none nccl/none.log; do wrong "a file that is not there, ${name##*/}" "oci-rdma-doctor: $name: No such file or directory" --symptom "$name" </dev/null; done
wrong "a file that is not there, nope.log" "oci-rdma-doctor: nope.log: no such file, and no known message" --symptom nope.log </dev/null
row "a terminal is told that it is read"
has "how it ends" "reads a log from the terminal; end it with Ctrl-D" "$(printf '\4' | script -qec "$DOCTOR --symptom" /dev/null)"
row ''
while read -r name how command; do
	wrong "a log that no line can be read of, $name" "oci-rdma-doctor: stdin ${how//_/ } FILE | oci-rdma-doctor --symptom" --symptom - < <(printf '%s\n' "$p2p" | $command)
done <<-EOT
	gzip is_compressed:_run_zcat gzip -c
	zstd is_compressed:_run_zstdcat printf \050\265\057\375\044
	UTF-16LE is_UTF-16:_run_iconv_-f_UTF-16 iconv -t UTF-16
EOT
printf '\376\377' >"$T/two"
wrong "…UTF-16 of the other byte order, of which there is only the begin" "" --symptom "$T/two"
row "what is read as text: what only begins like a compressed log, a message with a slash and blanks, and one that names no file"
printf '\050\265\057' >"$T/three"
symptoms --symptom "$T/three"
is "the begin of zstd's" 0 "$rc"
symptoms --symptom "transport/net_ib.cc:94 NCCL WARN NET/IB : Got completion with status=4 vendor err 81" </dev/null
is "a slash, and blanks" "1" "$rc"
symptoms --symptom "IBV_WC_RNR_RETRY_EXC_ERR" </dev/null
is "no file" "1 fail rnr_retry_exc" "$rc $found"

# ---- whole logs and listings, as programs print them ----
# logs.tar.xz: a folder for each answer. PyTorch 2.11 with NCCL 2.28.9 and NVSHMEM on two H200 without RDMA, each with one fault or none; UCX 1.13
# and the listings of that machine. Paths and serial numbers were replaced.
row "whole logs: each has its answer, a healthy one no word"
tar -xJf tests/cli/logs.tar.xz -C "$T" --one-top-level=logs
for log in "$T"/logs/*/*; do
	answer=${log#"$T/logs/"} && answer=${answer%/*}
	case $answer in healthy) want="0 ok " ;; unknown) want="3 not checkable " ;; *) want="1 fail $answer" ;; esac
	[ "$answer" = no_rdma ] && want="0 warn no_rdma"
	symptoms --symptom "$log"
	is "${log##*/}" "$want" "$rc $found"
done
check "there are 50" test "$(find "$T/logs" -type f | wc -l)" -ge 50

# ---- what is not known ----
row "a log without an error: one line, status 0; an empty text: status 3"
symptoms --symptom <<<"$healthy"
is "a healthy log" "0 ok " "$rc $found"
is "for people" "no error found in 1 line" "$("$DOCTOR" --symptom <<<"$healthy")"
symptoms --symptom </dev/null
is "nothing" "3 not checkable " "$rc $found"
row "what only warns"
symptoms --symptom "NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_6'"
is "the finding" "0 warn gdr_off" "$rc $found"
row "nothing known, for people: the line that looks like an error"
"$DOCTOR" --symptom <<<$'x\nthe frobnicator failed: 42' >"$T/out"
is "status" 3 $?
is "the first line" "no known cause in 2 lines" "$(head -1 "$T/out")"
has "the line" "SEEN line 2: the frobnicator failed: 42" "$(tr -s ' \n' ' ' <"$T/out")"

row "for people: cause, line, check, fix, in this order; 80 columns, one screen, no escapes"
"$DOCTOR" --symptom "$p2p" >"$T/out"
is "the first line" "1 cause found" "$(head -1 "$T/out")"
is "the order" "CAUSE SEEN CHECK FIX" "$(grep -o '^[A-Z]\{3,5\}' "$T/out" | paste -sd ' ')"
has "how sure it is" "(likely)" "$(cat "$T/out")"
check "80 columns" test "$(wc -L <"$T/out")" -le 80
is "nothing of this process" 0 "$(grep -c 'seen from' "$T/out")"
more=$(printf '%s\n' "$p2p" "ibv_reg_mr failed: Cannot allocate memory" IBV_WC_RNR_RETRY_EXC_ERR "failed to extend /dev/shm/nccl-x")
is "three causes whole, of the others a line each" "4 causes found CAUSE SEEN CHECK FIX CAUSE SEEN CHECK FIX CAUSE SEEN CHECK FIX also" \
	"$("$DOCTOR" --symptom "$more" | grep -oE '^([A-Z]{3,5}|also|4 causes found)' | paste -sd ' ')"
has "escapes are left out" "memory ?[31m" "$("$DOCTOR" --symptom $'ibv_reg_mr failed: Cannot allocate memory \e[31m' --format text)"
lacks "the id is for scripts" memlock: "$("$DOCTOR" --symptom 'ibv_reg_mr failed: Cannot allocate memory')"
row "a gate says so, and how a pod's own log of its last run is had"
has "out of memory" "RDMA is not the cause" "$("$DOCTOR" --symptom 'Exit Code:    137' | tr -s ' \n' ' ')"
has "its fix" "--previous" "$("$DOCTOR" --symptom 'Exit Code:    137')"

# ---- evidence: with a container the checks that a row names are run ----
defaults
h100
on_node
bundle '{"from":"h100-trainer.json"}'
cp "$B/config.json" "$NODE/run/containers/storage/overlay-containers/$ID/userdata/"
# evidence WANT MESSAGE: the evidence of its symptom in this container has WANT
evidence() {
	"$DOCTOR" --sysroot "$NODE" --container "$ID" --format json --symptom "$2" >"$T/out" 2>"$T/err"
	has "$2" "$1" "$(jq -r '.findings[0] | "\(.status): \(.check)"' "$T/out")$(cat "$T/err")"
}
row "evidence: what a check excludes is not the cause"
evidence "ok: " "Call to ibv_reg_mr failed with error Cannot allocate memory"
evidence "EXCLUDED memlock" "Call to ibv_reg_mr failed with error Cannot allocate memory"
is "for people" "0 causes found not CHECK" "$("$DOCTOR" --sysroot "$NODE" --container "$ID" --symptom 'ibv_reg_mr failed: Cannot allocate memory' |
	grep -oE '^(0 causes found|not)|EXCLUDED' | sed s/EXCLUDED/CHECK/ | paste -sd ' ')"
row "evidence: the limit, with its value and its place"
soft=65536 hard=65536
process 4711
evidence "CONFIRMED memlock: soft 64 KiB" "Call to ibv_reg_mr failed with error Cannot allocate memory"
has "for people" "CHECK CONFIRMED memlock: soft 64 KiB" "$("$DOCTOR" --sysroot "$NODE" --container "$ID" --symptom 'ibv_reg_mr failed: Cannot allocate memory' | tr -s ' \n' ' ')"
row "evidence: a port that is down"
write sys/class/infiniband/mlx5_6/ports/1/state '1: DOWN'
evidence "CONFIRMED port mlx5_6: DOWN" "Got completion from peer 10.0.0.1<1> with status=12 opcode=0 len=0 vendor err 129"

row "evidence: in the container itself, and by a process, without its id; another place is not looked at"
defaults
h100
soft=65536 hard=65536
in_container "$ALLOCATED"
# confirmed OPTION…: what is said of a memlock message
confirmed() { "$DOCTOR" --sysroot "$NODE" --format json --symptom 'ibv_reg_mr failed: Cannot allocate memory' "$@" | jq -r '.findings[0].check'; }
has "in the container" "CONFIRMED memlock: soft 64 KiB" "$(confirmed)"
defaults
h100
on_node
soft=65536 hard=65536
process 4711
has "of a process" "CONFIRMED memlock: soft 64 KiB" "$(confirmed --pid 4711)"
has "on the node, of no container" "run: kubectl rdma-doctor" "$(confirmed)"
row "scope: --help says what it finds, and of what place"
has "the causes" "a log or a message" "$("$DOCTOR" --help)"
has "where" "in the pod, or with --pid or --container" "$("$DOCTOR" --help | tr -s ' \n' ' ')"

# ---- the table is text, of which the build makes C ----
# made LINE…: what table.awk says of a file that holds them
made() {
	printf '%s\n' "$@" >"$T/row.txt"
	LC_ALL=C awk -f doctor/symptom/table.awk "$T/row.txt" 2>&1 >"$T/row.c" | sed "s|$T/||"
}
right=('cause x: may be, last' '  cause: c' '    goes on' '  fix: r' '  check: port, gid' '  line: "a line" not "b" from X' '  completion: 4 any' '  call: reg_mr ENOMEM')
row "the table: a row that is right; its cause goes on in the next line"
is "what is said" "" "$(made "${right[@]}")"
has "the cause" '.cause = "c goes on"' "$(cat "$T/row.c")"
row "the table: a mistake is named with file and line, and nothing is built"
while IFS='|' read -r line fault; do
	is "$line" "$fault" "$(made "${right[@]}" "$line")"
	check "nothing is built" test ! -s "$T/row.c"
done <<'EOT'
  gone: 1|row.txt:9: a row has no gone:
  line: "abcd|row.txt:9: a quotation without its end
  line: "ABCD" from X|row.txt:9: "ABCD": lines are compared in lower case
  line: "abc" from X|row.txt:9: the longest part of a line has at least four characters
EOT
has "how sure it is, in other words" "row.txt:1: a row begins with cause, note or gate" "$(made 'cause x: perhaps' "${right[@]:1}")"
is "no fix" "row.txt:2: x: has no cause or no fix" "$(made "${right[@]:0:3}")"
is "a name that is there twice" "row.txt:9: x is there twice" "$(made "${right[@]}" "${right[@]}")"
# ---- a new release of what prints the messages ----
mkdir -p "$T/release/src/transport/net_ib/examples" "$T/release/src/uct/ib" "$T/release/libibverbs"
cat >"$T/release/src/transport/net_ib/init.cc" <<-'EOT'
	// WARN("NET/IB : what is commented out");
	WARN("NET/IB : Unable to open device %s", name); /* WARN("or so"); */
	INFO(NCCL_NET, "NET/IB : not a warning");
	if (dev) WARN("NET/IB : device %" PRIx64 " is //"
	              " new to" REASON ": 100%%\n", dev);
EOT
echo 'WARN("of an example");' >"$T/release/src/transport/net_ib/examples/x.cc"
cat >"$T/release/src/uct/ib/ib.c" <<-'EOT'
	uct_ib_check_memlock_limit_msg(ctx, UCS_LOG_LEVEL_ERROR, "ibv_create_cq(cqe=%d)", cqe);
	uct_ib_check_memlock_limit_msg(ctx, UCS_LOG_LEVEL_DEBUG, "ibv_create_ao(cqe=%d)", cqe);
	ucs_log(level, "%s", text);
	ucs_log(UCS_LOG_LEVEL_DIAG, "of no matter");
	ucs_warn("of a\tnew [kind]?");
	ucs_warn("of a\tnew [kind]?");
EOT
printf 'fprintf(stderr, PFX "Warning: of a new kind\\n");\nfprintf(out, "Warning: none");\n' >"$T/release/libibverbs/init.c"
new='src/transport/net_ib/init.cc:4: NET/IB : device %x is // new to%s: 100%%'
# undecided WANT STATUS PROJECT TREE [LIST]: what the tool says of that tree
undecided() { is "$3: what has no decision, and the exit status" "$1 $2" "$(tools/messages "${@:3}" 2>"$T/err") $?"; }
row "tools/messages names the errors of a new release that have no decision, and no others"
undecided "$new" 1 nccl "$T/release"
is "it counts them" "nccl: 2 messages, 1 without a decision" "$(cat "$T/err")"
undecided 'src/uct/ib/ib.c:5: of a\tnew [kind]?' 1 ucx "$T/release"
undecided 'libibverbs/init.c:1: Warning: of a new kind' 1 rdma-core "$T/release"
row "tools/messages: with a decision for each there is nothing to say; a tree without a message is not that project's"
printf '== ucx 1\nmemlock: ibv_create_cq*\n    | x | of a\\tnew [kind]?\n== nccl 9\nas: x\nnot ours, bug: NET/IB : device * new to%%s: 100%%%% |\n    NET/IB : Unable to open*\n' >"$T/list"
undecided "" 0 nccl "$T/release" "$T/list"
undecided "" 0 ucx "$T/release" "$T/list"
undecided "" 1 nvshmem "$T/release"
finish
