#!/bin/bash
# The memory that a run takes.
# builds: bench/launch bench/floor-glibc
# shellcheck disable=SC2154
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
BENCH=$(realpath "${BUILD:-build}")/bench
KIB_MAX=2048

node '{"pfs": 4, "vfs_per_pf": 4}'
config '{"memlock": "8Mi"}'
echo "$BENCH/floor-glibc" >"$NODE/etc/oci-rdma-hook/runtimes"
four='"0000:11:00.2":"mlx5_4","0000:11:00.3":"mlx5_5","0000:11:00.4":"mlx5_6","0000:11:00.5":"mlx5_7"'
granted="{\"allocate\":[{\"resource\":\"openshift.io/rdma\",\"devices\":{$four}}]}"
declare -A cases=(["hook, no RDMA"]='{"annotations":{"oci-rdma-hook.io/inject":null}}' ["hook, four VFs granted"]=$granted
	["shim, exec not ours"]=$granted ["shim, create granted"]=$granted)
paths=("hook, no RDMA" "hook, four VFs granted" "shim, exec not ours" "shim, create granted")
mkdir "$T/bin"
ln -s "$HOOK" "$T/bin/oci-rdma-runtime"
export OCI_RDMA_SYSROOT=$NODE

# on PATH TOOL [ARG…]: the tool runs the program on that path, afresh
on() {
	local path=$1
	shift
	container "${cases[$path]}"
	case $path in
	hook*) "$@" "$HOOK" --sysroot "$NODE" createRuntime <"$T/state" ;;
	*exec*) "$@" "$T/bin/oci-rdma-runtime" exec --process /dev/null other ;;
	*create*) "$@" "$T/bin/oci-rdma-runtime" create --bundle "$B" trainer ;;
	esac
}

# done_on PATH: that it is the path it says
done_on() {
	local conf='' edited=''
	[ ! -e "$ROOT/etc/nccl.conf" ] || conf=conf
	! grep -q NCCL_IB_HCA "$B/config.json" || edited=edited
	case $1 in
	"hook, four VFs granted") is "$1: granted" "conf $AFTER" "$conf $(limit)" ;;
	"shim, create granted") is "$1: granted" edited "$edited$conf" ;;
	*) is "$1: nothing is changed" " $BEFORE" "$conf$edited $(limit)" ;;
	esac
}

for path in "${paths[@]}"; do
	on "$path" "$BENCH/launch" "$T/launched" /dev/stdin 2>"$T/err"
	done_on "$path"
	read -r _ kib _ status <"$T/launched"
	is "$path: status" 0 "$status"
	check "$path: at most $KIB_MAX KiB resident ($kib)" test "$kib" -le $KIB_MAX
done

# What the container's author writes: 1 MiB of it may cost some MiB of memory, and no more
printf '{"env":["V=%01000d"]}' 0 >"$T/small"
printf '{"env":["V=%01000000d"]}' 0 >"$T/large"
for size in small large; do
	container "$T/$size"
	"$BENCH/launch" "$T/launched" /dev/stdin "$HOOK" --sysroot "$NODE" createRuntime <"$T/state"
	read -r _ kib _ status <"$T/launched"
	is "an environment of 1 MB: status" 0 "$status"
	if [ $size = small ]; then small=$kib; fi
done
check "an environment of 1 MB: $kib KiB where one of 1 KB takes $small" test "$kib" -le "$((small + 8 * 1024))"
finish
