#!/bin/bash
# oci-rdma-doctor on this machine, whatever it has: real processes and their limits, the command line, and the three formats.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults

# live [OPTION…]: what it says of this machine
live() {
	timeout "$PATIENCE" "$DOCTOR" --format json "$@" >"$T/out" 2>"$T/err"
	rc=$?
}

pids=()
trap '{ kill -9 "${pids[@]}" && wait; } 2>/dev/null; rm -rf "$T"' EXIT
# runs_sleep PID: the kernel has put it there whole. During execve() a process has its new name before it has its environment
# (begin_new_exec() and then create_elf_tables(), fs/exec.c and fs/binfmt_elf.c), which is empty until then.
# shellcheck disable=SC2317 # `within` calls it
runs_sleep() { [ "$(cat "/proc/$1/comm")" = sleep ] && grep -q . "/proc/$1/environ"; }
# sleeper COMMAND…: runs it in front of sleep, and waits until that is there: $pid
sleeper() {
	launch pid "$T/sleeper" "$@" sleep 14400
	pids+=("$pid")
	within runs_sleep "$pid"
}

# ---- without RDMA it runs, and says what it could not check ----
row "this machine, whatever it has: the exit status is that of the findings"
live
is "status, and nothing on stderr" "$((0$(jq .summary.fail "$T/out") > 0)) " "$rc $(<"$T/err")"
[ -e /sys/class/infiniband_verbs ] || also rdma_devices warn "/sys/class/infiniband_verbs"
also memlock "$(jq -r '.findings[] | select(.id == "memlock").status' "$T/out")" "(/proc/self/limits)"
also kernel ok "openat2(2), tried"
live --pid $$
is "any process of one's own can be looked at" $$ "$(jq .target.pid "$T/out")"

# ---- real processes ----
# process_of NAME FINDING STATUS PART COMMAND…: of a process that the command has started; PID in PART is its
process_of() {
	sleeper "${@:5}"
	try "${@:1:3}" "${4//PID/$pid}" live --pid "$pid"
}
if may_mount; then
	SMALL=(prlimit --memlock=1048576:8388608)
	process_of "a limit of 1 MiB of another user: it fails" memlock fail "soft 1 MiB, hard 8 MiB (/proc/PID/limits)" \
		"${SMALL[@]}" setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all
	is "status" 1 "$rc"
	process_of "root's CAP_IPC_LOCK, which the kernel counts, so that the limit does not matter" ipc_lock ok "first user namespace" "${SMALL[@]}"
	also memlock ok "CAP_IPC_LOCK overrides the limit"
	process_of "the same capability in a user namespace does not help" ipc_lock warn "the kernel ignores it" "${SMALL[@]}" unshare --user --map-root-user
	also memlock fail
	process_of "the environment of a process, and the interfaces of its network namespace" nccl_ib_disable fail "/proc/PID/environ" \
		unshare --net env NCCL_SOCKET_IFNAME=eth0 NCCL_IB_DISABLE=1
	also nccl_socket_ifname fail "matches no interface of /proc/$pid/net/dev"
fi

# A link of a container's to what the kernel makes when it is read, as /proc/kmsg, which gives each message once
ln -s /proc/version "$T/link"
for file in /proc/version "$T/link"; do
	row "NCCL_CONF_FILE=${file##*/} of procfs is not read"
	sleeper env NCCL_CONF_FILE="$file"
	live --pid "$pid"
	lacks "the finding" "$file" "$(jq -r '.findings[] | select(.id == "nccl_conf").evidence' "$T/out")"
done
echo NCCL_DEBUG=INFO >"$T/nccl.conf"
process_of "NCCL_CONF_FILE=nccl.conf of a disk is" nccl_conf ok "$T/nccl.conf" env NCCL_CONF_FILE="$T/nccl.conf"

# A check that hangs costs its own findings only: a FIFO in the place of every file that is read
row "no FIFO is waited for"
h100
in_container "$ALLOCATED" NCCL_CONF_FILE=/fifo
mkfifo "$NODE/fifo"
rm "$NODE/proc/cmdline" "$NODE/proc/driver/nvidia/version"
mkfifo "$NODE/proc/cmdline" "$NODE/proc/driver/nvidia/version"
doctor --format json
check "status" test "$rc" -le 1
is "no check came to its end of time" "" "$(jq -r '.findings[].evidence | select(test("not finished after"))' "$T/out")"

# ---- the command line ----
row "--help fits 80 columns"
doctor --help
is "status and usage" "0 1" "$rc $(grep -c '^Usage: oci-rdma-doctor' "$T/out")"
is "lines that are longer" "" "$(grep -E '^.{81}' "$T/out")"
row "wrong usage: one line, and status 2"
for arguments in "--format xml" "--pid 0" "--pid 12x" "--pid 1 --container 1" "operand" "--container ../x" "--sysroot /nowhere" "--unknown" \
	"--symptom x --verbs" "--topology --verbs" "--topology --symptom x"; do
	# shellcheck disable=SC2086 # words
	timeout "$PATIENCE" "$DOCTOR" $arguments >"$T/out" 2>"$T/err"
	is "$arguments" "2 0 1" "$? $(wc -c <"$T/out") $(wc -l <"$T/err")"
done

# ---- the formats ----
row "JSON: schema, ids, statuses, and their sums"
soft=8388608 hard=8388608
h100
in_container "$ALLOCATED" NCCL_NET_GDR_LEVEL=5 $'NCCL_IB_HCA=mlx5_1,x\e[31m"\\,\n'
doctor --format json
is "schema, ids and statuses" "1 true" "$(jq -r '"\(.schema) \([.findings[] | (.id | test("^[a-z_]+$")) and
	(.status | IN("ok", "warn", "fail", "not checkable")) and .evidence != "" and (.subject | type) == "string" and
	(.status != "fail" or .remedy != "")] | all)"' "$T/out")"
is "the summary counts them" true "$(jq '[.findings[].status] as $s | .summary.fail == ([$s[] | select(. == "fail")] | length)
	and .summary.ok == ([$s[] | select(. == "ok")] | length)' "$T/out")"
cp "$T/out" "$T/json"
row "prometheus: the parser reads the same findings, each once, with their counts"
doctor --format prometheus
/usr/bin/python3 - "$T/out" "$T/json" >"$T/metrics" 2>&1 <<'PY'
import json
import sys
from prometheus_client.parser import text_string_to_metric_families

families = {f.name: f.samples for f in text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read())}
found = json.load(open(sys.argv[2], encoding="utf-8"))["findings"]
want = {(f["id"], f["subject"], f["status"].replace(" ", "_")) for f in found}
got = [tuple(s.labels[k] for k in ("id", "subject", "status")) for s in families["oci_rdma_doctor_finding"]]
counts = sum(s.value for s in families["oci_rdma_doctor_findings"])
print(set(got) == want, len(got) == len(set(got)), counts == len(found))
PY
is "what the parser reads" "True True True" "$(<"$T/metrics")"

row "text: the summary is the first line, what fails comes next, and it fits 80 columns"
doctor
is "the first line" 1 "$(head -1 "$T/out" | grep -c '^1 fail (memlock), [0-9]* warn, [0-9]* ok, [0-9]* not checkable$')"
is "what fails" FAIL "$(sed -n '4s/ .*//p' "$T/out")"
is "no line is longer, but for a word that is" "" "$(grep -E '^.{81}' "$T/out" | grep -v '^ *[^ ]*$')"
doctor --verbose
has "--verbose has the evidence of what is well" "GID 3 is ::ffff:10.0.104.7" "$(<"$T/out")"
row "text: colour on a terminal alone, unless NO_COLOR or TERM=dumb, and no escapes of an image's"
lacks "no terminal" $'\e' "$(<"$T/out")"
# on_terminal VARIABLE=VALUE
on_terminal() { env "$1" script -qec "$DOCTOR --sysroot $NODE" /dev/null </dev/null; }
has "TERM=xterm" $'\e[1;31m' "$(on_terminal TERM=xterm)"
lacks "an image's escapes" $'x\e[31m' "$(on_terminal TERM=xterm)"
lacks "NO_COLOR" $'\e' "$(on_terminal NO_COLOR=1)"
lacks "TERM=dumb" $'\e' "$(on_terminal TERM=dumb)"
row "a full disk or a closed stdout is not success"
"$DOCTOR" --sysroot "$NODE" >/dev/full 2>"$T/err"
is "a full disk" 2 $?
"$DOCTOR" --sysroot "$NODE" >&- 2>"$T/err"
is "a closed stdout" 2 $?

# ---- a node of 1,032 devices ----
row "1,032 devices: those that are not named are counted"
defaults
node big
process self
mkdir -p "$NODE/dev/infiniband"
for device in "$NODE"/sys/class/infiniband_verbs/uverbs*; do
	read -r number <"$device/dev"
	echo "$number" >"$NODE/dev/infiniband/${device##*/}"
done
doctor
is "status" 0 "$rc"
check "$(wc -l <"$T/out") lines are read by a person" test "$(wc -l <"$T/out")" -lt 100
has "the others" "and 1016 more" "$(<"$T/out")"
doctor --format json
has "also of the summary" " and 1016 more (/dev/infiniband)" "$(jq -r '.findings[] | select(.id == "rdma_devices").evidence' "$T/out")"
row "1,032 faults: what to do is said once, --verbose and JSON have them all"
for device in "$NODE"/dev/infiniband/uverbs*; do echo 231:9999 >"$device"; done
doctor
is "what to do" 1 "$(grep -c '^ *-> Delete the pod' "$T/out")"
has "the others" "uverbs (1024 more, see --verbose)" "$(tr -s ' \n' ' ' <"$T/out")"
doctor --verbose
is "--verbose" 1032 "$(grep -c '^FAIL  uverbs' "$T/out")"
doctor --format json
is "JSON" 1032 "$(jq '[.findings[] | select(.id == "uverbs" and .status == "fail")] | length' "$T/out")"

# ---- without openat2 ----
for error in ENOSYS EPERM; do
	row "openat2 fails with $error: that is the cause, and nothing else is blamed"
	strace -f -o /dev/null -e trace=openat2 -e inject=openat2:error=$error "$DOCTOR" --format json >"$T/out" 2>"$T/err"
	rc=$?
	causes "the cause" kernel
	is "the findings" kernel "$(jq -r '[.findings[].id] | join(" ")' "$T/out")"
done
# ---- without /sys and /proc ----
# hidden DIRECTORY: what it says where nothing is mounted there
hidden() {
	# shellcheck disable=SC2016 # the inner shell's words
	unshare --mount sh -c 'mount -t tmpfs none "$1" && exec "$2" --format json' - "$1" "$DOCTOR" >"$T/out" 2>"$T/err"
	rc=$?
}
if may_mount; then
	try "no /sys: it is that which is missing, and nothing is said of SELinux" rdma_devices "not checkable" "/sys is not sysfs" hidden /sys
	also selinux "not checkable" "/sys"
	try "no /proc: no limits, and no namespace is made up" memlock "not checkable" "" hidden /proc
	is "where it is" "no /run/.containerenv; /proc/self/ns/pid cannot be read: taken for the node" "$(jq -r .where_evidence "$T/out")"
	row "another user's process: its environment is not seen, and it says who sees it"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$DOCTOR" --format json --pid $$ >"$T/out" 2>"$T/err"
	also nccl "not checkable" "as root"
fi
finish
