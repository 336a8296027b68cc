#!/bin/bash
# shellcheck disable=SC2317 # functions that within calls
# The hook in a pod's network namespace, by this machine's kernel: into which it goes, what it takes for a device's interface, how
# long that may last, and that nothing of it stays. The RDMA devices are a recorded node's, bound over /sys; the hook insists on
# sysfs there, and strace lets the tree pass for it. tests/vm has devices that are in the namespace.
# Everything happens in mount, network and process namespaces of the suite's own.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
if [ "${OWN_NAMESPACES-}" != yes ]; then
	if ! may_mount; then
		pass "the pod's network namespace # skip it needs root, and namespaces of its own"
		finish
	fi
	# 1 is no container's runtime.
	OWN_NAMESPACES=yes exec unshare --mount --net --pid --fork --kill-child --mount-proc sh -c 'tests/cli/netns.sh; exit $?'
fi
. tests/cli/setup.bash
. tests/cli/process.bash
by_case

# ---- the node and its namespaces ----

node '{"functions":[{"pci":"0000:3b:00.0","ibdev":"mlx5_0","numa":0,"vfs":[
	{"pci":"0000:3b:02.6","ibdev":"mlx5_6","ip":"10.0.103.6"},{"pci":"0000:3b:02.7","ibdev":"mlx5_7","exclusive":true}]}]}'
echo '{"memlock": "8Mi", "nccl": {"socket_ifname": "rdma"}}' >"$T/config.json"
mount --bind "$NODE/sys" /sys || exit 1

# new_namespace NAME: $T/NAME
new_namespace() {
	: >"$T/$1"
	unshare --net="$T/$1" true
}
in_pod() { nsenter --net="$T/pod" "$@"; }
trap 'end_process; umount "$T"/{pod,big} 2>/dev/null; rm -rf "$T"' EXIT
new_namespace pod
new_namespace big

# SYSFS_MAGIC is put into what fstatfs says first. strace stands for the runtime, and this shell for conmon: it is the parent of
# the init and of strace. MORE: options of strace
REAL=$HOOK
HOOK=$T/traced
cat >"$HOOK" <<END
#!/bin/bash
shift 2 # --sysroot DIR: it is /
exec strace -f --seccomp-bpf -qq -o "$T/trace" -e trace=fstatfs,setns,mount,poll,restart_syscall \
	-e inject=fstatfs:poke_exit=@arg2=7265656200000000:when=1 \$MORE -- "$REAL" --config "$T/config.json" "\$@"
END
chmod +x "$HOOK"
export MORE=

# ---- runs ----

# on DEVICES [PATH]: the case with these uverbs and a network namespace, the pod's by its PATH or only by the init's pid
on() {
	local number devices=
	for number in $1; do devices+="${devices:+,}[\"/dev/infiniband/uverbs$number\",231,$((192 + number))]"; done
	printf '{"devices":[%s],"merge":{"linux":{"namespaces":[{"type":"mount"},{"type":"network"%s}]}}}' "$devices" \
		"${2:+,\"path\":\"$2\"}"
}

names() { jq -c '[.devices[] | [.ibdev, .netdev]]' "$T/out" 2>&1; }

# answered COMMAND…: whether the hook, which it runs, had the namespace's answer before its patience ended: on a busy machine not each time
answered() {
	"$@"
	whole_calls "$T/trace" | sed -n 's/.* poll(.*, 1000) = //p' | awk '$1 != 1 { late = 1 } END { exit !NR || late }'
}

# left: what a run may leave behind; all that is here is the suite's
left() {
	cat /proc/self/mountinfo
	lsns --noheadings --output NS,TYPE
	processes
	find "$B" "$NODE"
}

# processes: of the hook
processes() {
	local exe
	for exe in /proc/[0-9]*/exe; do
		if [ "$exe" -ef "$REAL" ]; then echo "${exe//[!0-9]/}"; fi
	done
}

# ---- into which namespace ----

# seen FILE: of the process of the hook that is in the network namespace of FILE, as soon as there is one, the other namespaces that are ours,
# too. No program is started for that: a busy machine takes long for one.
seen() { until see "$1"; do :; done; }
see() {
	local exe kind same=
	for exe in /proc/[0-9]*/exe; do
		if [ "$exe" -ef "$REAL" ] && [ "${exe%/*}/ns/net" -ef "$1" ]; then
			for kind in cgroup ipc mnt pid user uts; do [ ! "${exe%/*}/ns/$kind" -ef "/proc/self/ns/$kind" ] || same+="$kind "; done
			echo "$same"
			return
		fi
	done
	return 1
}

# stopped FILE COMMAND…: the command, whose process of the hook is stopped where it has just entered; what was seen of it is in $T/seen, if
# that was before the hook's patience with it ended
stopped() {
	local watcher
	seen "$1" >"$T/seen" &
	watcher=$!
	shift
	MORE='-e inject=setns:signal=STOP' "$@"
	kill "$watcher"
	wait "$watcher"
	[ "$(<"$T/seen")" = "cgroup ipc mnt pid user uts " ]
}

# enters DESCRIPTION FILE COMMAND…: a process of the hook is in the network namespace of FILE, and in no other one that is not ours. On a
# busy machine it may be gone before it is seen: then again.
enters() {
	local what=$1
	shift
	check "$what: a process of the hook is in that network namespace, and in no other one" within stopped "$@"
	is "$what: and has gone" "" "$(processes)"
}

bundle "$(on 6 "$T/pod")"
enters "by the spec's path" "$T/pod" dry_run --format json
WRAPPER=(nsenter "--net=$T/pod")
fresh_process
bundle "$(on 6 "/proc/$pid/ns/net")"
enters "by a path in /proc" "$T/pod" dry_run --format json
container "$(on 6)"
enters "by the init's pid" "$T/pod" hook createRuntime
container "$(on 6 "$T/big")"
enters "the spec's path goes before the pid" "$T/big" hook createRuntime
# without: the namespace does not answer, and the hook's own deadline, which a busy machine may come to, has not passed
without() {
	container "$(on 6 "$T/big")"
	MORE='-e inject=setns:signal=STOP' hook createRuntime
	[ "$(limit)" = "$AFTER" ]
}
within without
is "and the hook has done its work without it" "$AFTER NCCL_IB_HCA==mlx5_6" \
	"$(limit) $(grep -v '^#' "$ROOT/etc/nccl.conf")"

# A dry run by root reads anybody's config.json: a path in it that is no namespace is not opened, for a device would do something then.
mkfifo "$T/fifo"
bundle "$(on 6 "$T/fifo")"
MORE='-e trace=fstatfs,setns,mount,poll,restart_syscall,open,openat,openat2' dry_run --format json
is "a path that is no namespace is looked at, and not opened" "1 0" "$(grep -c "$T/fifo.*O_PATH" "$T/trace") $(grep "/fifo" "$T/trace" | grep -vc O_PATH)"
gets "and the plan is made without it" mlx5_6

# A recorded node's containers have no namespace on this machine, whatever their config.json names; nor has one whose init would be the
# machine's own first process.
bundle "$(on 6 "$T/pod")"
strace -f -qq -o "$T/trace" -e trace=openat,setns "$REAL" --sysroot "$NODE" --config "$T/config.json" --dry-run --format json "$B" >"$T/out" 2>&1
gets "a recorded node's container has its plan" mlx5_6
is "and no namespace of this machine is entered for it" 0 "$(grep -c 'setns(' "$T/trace")"
check "control: what was called is in the trace" grep -q 'openat(' "$T/trace"
container "$(on 6)"
pid=1 state . >"$T/state"
MORE='-e trace=fstatfs,setns,openat' hook createRuntime
is "an init that is the first process: its namespace is not entered" 0 "$(grep -c 'setns(' "$T/trace")"
check "control: what was called is in the trace" grep -q 'openat(' "$T/trace"

# What the plan needs of the pod: nothing, the interfaces' names, or the GIDs of a device that the node does not show. 6 is on the node, 7 in the pod.
# looks WHAT POLICY UVERBS SETNS: so often the hook goes into a namespace for it
look() {
	container "$(on "$1" "$T/pod")"
	MORE='-e trace=fstatfs,setns,openat,nanosleep,clock_nanosleep' hook createRuntime
}
# enter UVERBS: on a busy machine the hook's patience may end before its child is in the namespace
enter() {
	look "$1"
	grep -q 'setns(' "$T/trace"
}
looks() {
	echo "{\"memlock\": \"8Mi\", \"nccl\": {$2}}" >"$T/config.json"
	if [ "$4" -eq 0 ]; then look "$3"; else within enter "$3"; fi
	is "$1" "0 $4" "$rc $(grep -c 'setns(' "$T/trace")"
}
looks "nothing is wanted: no namespace is entered for a device of the node" '' 6 0
looks "…nor of the pod" '' 7 0
looks "interfaces are wanted: the pod's namespace is entered" '"socket_ifname": "rdma"' 6 1
looks "GIDs are wanted of a device in the pod: it is entered" '"gid_index": "legacy"' 7 1
looks "GIDs are wanted of a device of the node: it is not" '"gid_index": "legacy"' 6 0
is "…and they are there: nobody waits" 0 "$(grep -c nanosleep "$T/trace")"
gids=/sys/devices/$(cd /sys/devices && find . -path '*0000:3b:02.6/infiniband/mlx5_6/ports/1/gids')
mkdir "$T/no-gids"
mount --bind "$T/no-gids" "$gids"
looks "a GID is not there yet: no namespace" '"gid_index": "legacy"' 6 0
check "…but a short wait" grep -q nanosleep "$T/trace"
looks "no GID is wanted: no namespace" '' 6 0
is "…and no wait" 0 "$(grep -c nanosleep "$T/trace")"
umount "$gids"
echo '{"memlock": "8Mi", "nccl": {"socket_ifname": "rdma"}}' >"$T/config.json"

# ---- whose interface ----

in_pod ip -batch - <<'END'
link add net1 type veth peer name mlx5_6
link set net1 alias 0000:3b:02.6
link set net1 up
link set mlx5_6 up
link add uverbs6 link net1 type macvlan mode bridge
link add br0 type bridge
link set mlx5_6 master br0
addr add 10.0.103.6/24 dev net1
END
is "the pod has its interfaces" br0,lo,mlx5_6,net1,uverbs6 "$(in_pod ip -j link | jq -r '[.[].ifname] | sort | join(",")')"
within answered plan "$(on "6 7" "$T/pod")"
is "veth, bridge and macvlan are no device's, whatever their names" '[["mlx5_6",null],["mlx5_7",null]]' "$(names)"
that "so NCCL_SOCKET_IFNAME is not set" .env.NCCL_SOCKET_IFNAME null
warns "and that is said" no_netdev_name
# grant CASE: the hook, for a fresh container
grant() {
	container "$1"
	hook createRuntime
}
within answered grant "$(on 6)"
is "nor by the hook" NCCL_IB_HCA==mlx5_6 "$(grep -v '^#' "$ROOT/etc/nccl.conf")"
# ---- what stays ----

container "$(on "6 7" "$T/pod")" # 7 shows in no namespace: for it a sysfs is mounted
before=$(left)
within answered dry_run --format json
mounted=$(whole_calls "$T/trace" | sed -n 's/.* mount("sysfs", "\/sys".* = //p')
is "the dry run mounted a sysfs for a device that the node does not show" 0 "$mounted"
same "the dry run leaves no process, mount or namespace" "$before" "$(left)"
# Looked at in the trace, since a child that is held to be looked at is held by strace: stopped, the kernel ends it as an orphan
# (SIGHUP), and delayed, strace keeps what was killed.
# A traced call stands in two lines where another process comes between: its beginning is looked for.
# Not with the other calls: where prctl is traced, strace 6.1 does not stop whom MORE lets stop.
MORE='-e trace=fstatfs,prctl,setns,mount,poll' dry_run --format json
is "the child is to die with the hook, before it goes anywhere" "prctl(PR_SET_PDEATHSIG, SIGKILL setns" \
	"$(sed -nE 's/^[0-9]+ +(prctl\(PR_SET_PDEATHSIG, SIGKILL|setns)\b.*/\1/p' "$T/trace" | xargs)"
hook createRuntime
is "the hook's exit status" 0 "$rc"
rm "$ROOT/etc/nccl.conf"
same "the hook leaves none" "$before" "$(left)"

# killed: the engine ends the hook while its child is held in the namespace; false if the hook's patience ended before
killed() {
	local exe parent='' child=''
	MORE='-e inject=setns:signal=STOP' dry_run --format json 2>/dev/null &
	until [ -n "$parent" ] && [ -n "$child" ]; do
		kill -0 $! || return
		parent='' child=''
		for exe in /proc/[0-9]*/exe; do
			[ "$exe" -ef "$REAL" ] || continue
			if [ "${exe%/*}/ns/net" -ef "$T/pod" ]; then child=$exe; else parent=${exe//[!0-9]/}; fi
		done
	done
	kill -9 "$parent"
	wait $!
	return 0
}
none() { [ -z "$(processes)" ]; }
check "the hook is killed while it has a child" within killed
within none
same "a hook that is killed leaves none" "$before" "$(left)"

# ---- how long ----

for ((i = 0; i < 1000; i++)); do echo "link add a$i type veth peer name b$i"; done | nsenter --net="$T/big" ip -batch -
is "the big namespace has 2,001 interfaces" 2001 "$(nsenter --net="$T/big" ip -o link | wc -l)"
bundle "$(on "6 7" "$T/big")"
check "2,000 interfaces: the answer comes within the second that it is waited for" within answered dry_run --format json
is "2,000 interfaces: the same answer" '[["mlx5_6",null],["mlx5_7",null]]' "$(names)"
# asked_at_once: on a busy machine a part of the second is over before it is waited for
asked_at_once() {
	MORE='-e inject=setns:signal=STOP' dry_run --format json
	grep -qE 'poll\(.*, 1000' "$T/trace"
}
within asked_at_once >/dev/null
# The wait goes on by restart_syscall(2) after the signal that tells of the stop.
is "a namespace that does not answer: waited for once, for the second, and no longer" "1 0" \
	"$(grep -cE 'poll\(.*, 1000' "$T/trace") $(whole_calls "$T/trace" | sed -nE 's/.* (poll\(.*, 1000|restart_syscall\(.*)\) += ([^ ]*).*/\2/p' | tail -n 1)"
is "a namespace that does not answer: the rest is there" '[["mlx5_6",null],["mlx5_7",null]]' "$(names)"
same "and nothing stays" "" "$(processes)"

# A veth goes when the namespace of its peer goes, and that stays for as long as anybody holds it.
ip link add probe type veth peer name peer
ip link set peer netns "$T/pod"
end_process
umount "$T/pod"
probe_is_gone() { ! ip link show dev probe; }
within probe_is_gone >/dev/null
is "the pod's namespace can end" "" "$(ip -o link show dev probe 2>/dev/null)"
finish
