#!/bin/bash
# privileged_scan: all VFs of the node for a privileged container, but only for one that asks; and what it finds is an RDMA container's.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
node h100
all=mlx5_12,mlx5_6,mlx5_13,mlx5_7,mlx5_10,mlx5_11
not_asked='"annotations":{"oci-rdma-hook.io/inject":null}'

config '{"privileged_scan": true, "opt_in": "device"}'
plan '{"privileged":true}'
gets "asked for" $all
plan "{\"privileged\":true,$not_asked}"
decides "opt_in device, not asked for: the other VFs are other pods'" none
plan '{"privileged":true,"annotations":{"oci-rdma-hook.io/inject":"false"}}'
decides "opt_in device, refused" none
plan "{\"privileged\":true,$not_asked,\"env\":[\"PCIDEVICE_A_R=0000:5d:00.3\"]}"
gets "opt_in device, not asked for: what the environment names, and no more" mlx5_7
plan '{"privileged":true,"env":["PCIDEVICE_A_R=0000:5d:00.3"]}'
gets "asked for, and the environment names one" mlx5_7
node '{"functions":[{"pci":"0000:3b:00.0","ibdev":"mlx5_2"}]}'
config '{"privileged_scan": true}'
plan '{"privileged":true}'
decides "a node without VFs: nothing is found, which is no failure" none
is "…and is said" "" "$(<"$T/err")"
node h100

# What was found by the scan is an RDMA container's: on_error holds for it
for on_error in warn fail; do
	config "{\"memlock\": \"8Mi\", \"privileged_scan\": true, \"on_error\": \"$on_error\"}"
	container '{"privileged":true}'
	mkdir "$ROOT/etc/nccl.conf"
	hook createRuntime
	is "on_error $on_error, an nccl.conf that cannot be written: exit status" "$([ $on_error = fail ] && echo 1 || echo 0)" "$rc"
	one_line "on_error $on_error, an nccl.conf that cannot be written" nccl.conf
	state '.pid = 1' >"$T/state"
	hook createRuntime
	is "on_error $on_error, a pid that is not the container's: exit status" "$([ $on_error = fail ] && echo 1 || echo 0)" "$rc"
done
# And when the node is too slow: strace sends the alarm's signal at the last call that opens something before the record
# opens [OPTION…]: the hook under strace with these options; false if the kernel gave a look-up up, which is asked for again: whatever is
# renamed or mounted on the machine meanwhile can do that (openat2(2), EAGAIN), and the calls behind it have other numbers then
# shellcheck disable=SC2317 # within calls it
opens() {
	container '{"privileged":true}'
	strace -f -o "$T/trace" -e trace=openat2 "$@" "$HOOK" --sysroot "$NODE" createRuntime <"$T/state" >"$T/out" 2>"$T/err"
	rc=$?
	! grep -q EAGAIN "$T/trace"
}
within opens
within opens -e "inject=openat2:signal=ALRM:when=$(grep 'openat2(' "$T/trace" | grep -vc '"run')"
is "on_error fail, not finished in time: exit status" 1 "$rc"
has "on_error fail, not finished in time: it says so" "not finished after" "$(<"$T/err")"
container "{\"privileged\":true,$not_asked}"
state '.pid = 1' >"$T/state"
hook createRuntime
is "on_error fail, not asked for: it starts" "0 " "$rc $(<"$T/err")"
# A failure before the plan, of what asks: its annotation
container '{"privileged":true,"annotations":{"oci-rdma-hook.io/memlock":"lots"}}'
hook createRuntime
is "on_error fail, a wrong annotation, before anything is found: it starts" "0 " "$rc $(<"$T/err")"
finish
