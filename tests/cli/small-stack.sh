#!/bin/bash
# A small RLIMIT_STACK, which a unit file or a ulimit gives to an engine and all that it starts: what is needed is not on the stack.
# It runs in a mount namespace of its own, with an empty /run.
# shellcheck disable=SC2119 # what is optional is left out
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "a small stack"
. tests/cli/setup.bash
. tests/cli/process.bash
. tests/cli/tools/shim.bash
by_case
trap 'end_process; rm -rf "$T"' EXIT
empty_run
# Of 16 KiB the kernel may take up to 8 by chance (arch_align_stack in arch/x86/kernel/process.c): what is left at worst is always given here,
# where a program may be started without randomness. Arguments and environment count, too; an engine's has some variables.
SMALL=(env -i "OCI_RDMA_SYSROOT=$NODE" "OF_THE_ENGINE=$(printf '%01500d' 0)")
if setarch -R true 2>/dev/null; then
	SMALL+=(setarch -R prlimit --stack=8192:8192)
else
	SMALL+=(prlimit --stack=16384:16384)
	echo "# programs cannot be started without randomness here: less than 16 KiB is not tried"
fi
PATH=/usr/bin:/bin
node one
mkdir "$RT/static"
cp "$HOOK" "$RT/static/crun" # a program that runs with this stack; to a runtime's command line it says that it does not know it
for policy in '"memlock": "8Mi"' '"memlock": "8Mi", "on_error": "fail", "nccl": {"socket_ifname": "rdma", "gid_index": "legacy"}, "frameworks": {"ucx": true, "deepep": true, "gloo": true}'; do
	config "{$policy}"
	listed "$RT/static/crun"
	which=$([[ $policy = *legacy* ]] && echo everything || echo least)
	prepare rdma '{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
	fresh
	"${SMALL[@]}" "$SHIM" create --bundle "$B" --pid-file "$PIDFILE" "$ID" >"$T/out" 2>"$T/err"
	is "$which, shim, create: the runtime is started" "2 yes" "$? $(grep -q "unknown option: --bundle" "$T/err" && echo yes)"
	edited "$which, shim, create"
	kept
	"${SMALL[@]}" "$SHIM" --root=$ROOT exec --process "$P" "$ID" >"$T/out" 2>"$T/err"
	is "$which, shim, exec: the runtime is started" "2 NCCL_IB_HCA==mlx5_6" "$? $(jq -r '.env[] | select(startswith("NCCL_IB_HCA"))' "$P")"
	"${SMALL[@]}" "$HOOK" --sysroot "$NODE" precreate <"$CASES/rdma/config.json" >"$T/out" 2>"$T/err"
	is "$which, precreate" "0 $(sha256sum <"$CASES/rdma/edited.json")" "$? $(sha256sum <"$T/out")"
	cached=
	container '{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
	for stage in createRuntime poststart; do
		(cd "$B" && "${SMALL[@]}" "$HOOK" --sysroot "$NODE" $stage <"$T/state" >"$T/out" 2>"$T/err")
		is "$which, $stage" "0 $AFTER  NCCL_IB_HCA==mlx5_6" "$? $(limit) $(cat "$T/out" "$T/err") $(grep NCCL_IB_HCA "$ROOT/etc/nccl.conf")"
	done
	state '.pid = 1' >"$T/state"
	"${SMALL[@]}" "$HOOK" --sysroot "$NODE" createRuntime <"$T/state" >"$T/out" 2>"$T/err"
	rc=$?
	is "$which, createRuntime that fails" "$([ "$which" = least ] && echo 0 || echo 1)" "$rc"
	one_line "$which, createRuntime that fails" "pid 1"
done
printf '%*s' $((17 << 20)) '' | "${SMALL[@]}" "$HOOK" --sysroot "$NODE" precreate 2>&1 >/dev/null | cat >"$T/err"
is "a config.json that is too large is handed on" 0 "${PIPESTATUS[1]}"
has "…which is said" "larger than 16 MiB" "$(<"$T/err")"
finish
