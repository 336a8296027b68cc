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
	"$@" sleep 14400 </dev/null >/dev/null 2>&1 &
	pid=$!
	pids+=("$pid")
	within runs_sleep "$pid"
}

# ---- without RDMA it runs, and says what it could not check ----
live
is "the exit status is that of the findings" "$((0$(jq .summary.fail "$T/out") > 0))" "$rc"
is "nothing on stderr" "" "$(<"$T/err")"
if [ ! -e /sys/class/infiniband_verbs ]; then
	finds "no RDMA device: said, no failure" rdma_devices warn "/sys/class/infiniband_verbs"
fi
finds "its own limits" memlock "$(jq -r '.findings[] | select(.id == "memlock").status' "$T/out")" "(/proc/self/limits)"

# ---- real processes ----
if may_mount; then
	sleeper prlimit --memlock=1048576:8388608 setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all
	live --pid "$pid"
	is "a limit of 1 MiB of another user: it fails" 1 "$rc"
	finds "the limit that was set" memlock fail "soft 1 MiB, hard 8 MiB (/proc/$pid/limits)"
	sleeper prlimit --memlock=1048576:8388608
	live --pid "$pid"
	finds "root's CAP_IPC_LOCK, which the kernel counts" ipc_lock ok "first user namespace"
	finds "so that the limit does not matter" memlock ok "CAP_IPC_LOCK overrides the limit"
	sleeper prlimit --memlock=1048576:8388608 unshare --user --map-root-user
	live --pid "$pid"
	finds "the same capability in a user namespace" ipc_lock warn "the kernel ignores it"
	finds "does not save it" memlock fail
	sleeper unshare --net env NCCL_SOCKET_IFNAME=eth0 NCCL_IB_DISABLE=1
	live --pid "$pid"
	finds "the environment of a process" nccl_ib_disable fail "/proc/$pid/environ"
	finds "and the interfaces of its network namespace" nccl_socket_ifname fail "matches no interface of /proc/$pid/net/dev"
	sleeper unshare --net env NCCL_SOCKET_IFNAME=lo
	live --pid "$pid"
	finds "lo is there, and leads nowhere" nccl_socket_ifname warn "selects lo, over which no other pod can be reached"
fi
live --pid $$
is "any process of one's own can be looked at" $$ "$(jq .target.pid "$T/out")"

# A link of a container's to what the kernel makes when it is read, as /proc/kmsg, which gives each message once
ln -s /proc/version "$T/link"
for file in /proc/version "$T/link"; do
	sleeper env NCCL_CONF_FILE="$file"
	live --pid "$pid"
	lacks "NCCL_CONF_FILE=${file##*/} of procfs is not read" "$file" "$(jq -r '.findings[] | select(.id == "nccl_conf").evidence' "$T/out")"
done
echo NCCL_DEBUG=INFO >"$T/nccl.conf"
sleeper env NCCL_CONF_FILE="$T/nccl.conf"
live --pid "$pid"
finds "a file of a disk is" nccl_conf ok "$T/nccl.conf"

# A check that hangs costs its own findings only: a FIFO in the place of every file that is read
h100
in_container "$ALLOCATED" NCCL_CONF_FILE=/fifo
mkfifo "$NODE/fifo"
rm "$NODE/proc/cmdline" "$NODE/proc/driver/nvidia/version"
mkfifo "$NODE/proc/cmdline" "$NODE/proc/driver/nvidia/version"
doctor --format json
check "no FIFO is waited for" test "$rc" -le 1
is "no FIFO is waited for: no check came to its end of time" "" "$(jq -r '.findings[].evidence | select(test("not finished after"))' "$T/out")"

# ---- the command line ----
doctor --help
is "--help" "0 1" "$rc $(grep -c '^Usage: oci-rdma-doctor' "$T/out")"
is "--help fits 80 columns" "" "$(grep -E '^.{81}' "$T/out")"
for arguments in "--format xml" "--pid 0" "--pid 12x" "--pid 1 --container 1" "operand" "--container ../x" "--sysroot /nowhere" "--unknown" \
	"--symptom x --pid 1" "--symptom x --verbs"; do
	# shellcheck disable=SC2086 # words
	timeout "$PATIENCE" "$DOCTOR" $arguments >"$T/out" 2>"$T/err"
	is "wrong usage: $arguments" "2 0 1" "$? $(wc -c <"$T/out") $(wc -l <"$T/err")"
done

# ---- the formats ----
soft=8388608 hard=8388608
h100
in_container "$ALLOCATED" NCCL_NET_GDR_LEVEL=5 $'NCCL_IB_HCA=mlx5_1,x\e[31m"\\,\n'
doctor --format json
is "JSON: schema, ids and statuses" "1 true" "$(jq -r '"\(.schema) \([.findings[] | (.id | test("^[a-z_]+$")) and
	(.status | IN("ok", "warn", "fail", "not checkable")) and .evidence != "" and (.subject | type) == "string" and
	(.status != "fail" or .remedy != "")] | all)"' "$T/out")"
is "JSON: the summary counts them" true "$(jq '[.findings[].status] as $s | .summary.fail == ([$s[] | select(. == "fail")] | length)
	and .summary.ok == ([$s[] | select(. == "ok")] | length)' "$T/out")"
cp "$T/out" "$T/json"
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
is "prometheus: the parser reads the same findings, each once, with their counts" "True True True" "$(<"$T/metrics")"

doctor
is "text: the summary is the first line" 1 "$(head -1 "$T/out" | grep -c '^1 fail (memlock), [0-9]* warn, [0-9]* ok, [0-9]* not checkable$')"
is "text: what fails comes first" FAIL "$(sed -n '4s/ .*//p' "$T/out")"
is "text: no line is longer than 80 columns, but for a word that is" "" "$(grep -E '^.{81}' "$T/out" | grep -v '^ *[^ ]*$')"
lacks "text: no colour without a terminal" $'\e' "$(<"$T/out")"
tty=$(script -qec "$DOCTOR --sysroot $NODE" /dev/null </dev/null)
has "text: colour on a terminal" $'\e[1;31m' "$tty"
lacks "text: an image's escapes do not reach the terminal" $'x\e[31m' "$tty"
tty=$(NO_COLOR=1 script -qec "$DOCTOR --sysroot $NODE" /dev/null </dev/null)
lacks "text: NO_COLOR" $'\e' "$tty"
tty=$(TERM=dumb script -qec "$DOCTOR --sysroot $NODE" /dev/null </dev/null)
lacks "text: TERM=dumb" $'\e' "$tty"
tty=$(TERM=xterm script -qec "$DOCTOR --sysroot $NODE" /dev/null </dev/null)
has "text: TERM=xterm" $'\e[1;31m' "$tty"
doctor --verbose
has "text: --verbose has the evidence of what is well" "GID 3 is ::ffff:10.0.104.7" "$(<"$T/out")"
"$DOCTOR" --sysroot "$NODE" >/dev/full 2>"$T/err"
is "a full disk is not success" 2 $?
"$DOCTOR" --sysroot "$NODE" >&- 2>"$T/err"
is "nor is a closed stdout" 2 $?

# ---- a node of 1,032 devices ----
defaults
node big
process self
mkdir -p "$NODE/dev/infiniband"
for device in "$NODE"/sys/class/infiniband_verbs/uverbs*; do
	read -r number <"$device/dev"
	echo "$number" >"$NODE/dev/infiniband/${device##*/}"
done
doctor
is "1,032 devices: exit status" 0 "$rc"
check "1,032 devices: $(wc -l <"$T/out") lines are read by a person" test "$(wc -l <"$T/out")" -lt 100
has "1,032 devices: those that are not named are counted" "and 1016 more" "$(<"$T/out")"
for device in "$NODE"/dev/infiniband/uverbs*; do echo 231:9999 >"$device"; done
doctor
is "1,032 faults: what to do is said once" 1 "$(grep -c '^ *-> Delete the pod' "$T/out")"
has "1,032 faults: the rest is counted" "uverbs (1024 more, see --verbose)" "$(tr -s ' \n' ' ' <"$T/out")"
doctor --verbose
is "1,032 faults: --verbose shows all" 1032 "$(grep -c '^FAIL  uverbs' "$T/out")"
doctor --format json
is "1,032 faults: JSON has them all" 1032 "$(jq '[.findings[] | select(.id == "uverbs" and .status == "fail")] | length' "$T/out")"

# ---- without openat2 ----
for error in ENOSYS EPERM; do
	strace -f -o /dev/null -e trace=openat2 -e inject=openat2:error=$error "$DOCTOR" --format json >"$T/out" 2>"$T/err"
	rc=$?
	causes "openat2 fails with $error: that is the cause" kernel
	is "openat2 fails with $error: nothing else is blamed" kernel "$(jq -r '[.findings[].id] | join(" ")' "$T/out")"
done
h100
in_container "$ALLOCATED"
write proc/sys/kernel/osrelease 4.18.0-553.el8_10.x86_64
doctor --format json
causes "a recorded node of Linux 4.18" kernel
finds "a recorded node of Linux 4.18: it says by what, and what that does not show" kernel fail "by its number, older than openat2(2)"
has "…and where it would be seen" "backports) -> Linux 5.6 or later. Whether this one has it can be seen on the node itself" "$found"
write proc/sys/kernel/osrelease 5.6.0
doctor --format json
finds "Linux 5.6 will do, by its number" kernel ok "by its number"
"$DOCTOR" --format json >"$T/out" 2>"$T/err"
finds "this machine's kernel was tried" kernel ok "openat2(2), tried"

# ---- without /sys and /proc ----
# hidden DIRECTORY: what it says where nothing is mounted there
hidden() {
	# shellcheck disable=SC2016 # the inner shell's words
	unshare --mount sh -c 'mount -t tmpfs none "$1" && exec "$2" --format json' - "$1" "$DOCTOR" >"$T/out" 2>"$T/err"
	rc=$?
}
if may_mount; then
	hidden /sys
	finds "no /sys: it is that which is missing" rdma_devices "not checkable" "/sys is not sysfs"
	finds "no /sys: nothing is said of SELinux" selinux "not checkable" "/sys"
	hidden /proc
	finds "no /proc: no limits" memlock "not checkable"
	is "no /proc: no namespace is made up" "no /run/.containerenv; /proc/self/ns/pid cannot be read: taken for the node" \
		"$(jq -r .where_evidence "$T/out")"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$DOCTOR" --format json --pid $$ >"$T/out" 2>"$T/err"
	finds "another user's process: its environment is not seen, and it says who sees it" nccl "not checkable" "as root"
fi
finish
