#!/bin/bash
# What a run takes that does not depend on the machine's speed: memory, and instructions beside those recorded in
# tests/bench/instructions.json. After a change that is worth its price: tests/cli/footprint.sh --record
# shellcheck disable=SC2154
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
BENCH=$(realpath "${BUILD:-build}")/bench
RECORDED=tests/bench/instructions.json
KIB_MAX=2048
GROWTH=10 OTHER_GROWTH=50 # percent; by the compiler that made the record, and by another one

node '{"pfs": 4, "vfs_per_pf": 4}'
config "{\"memlock\": \"8Mi\", \"runtimes\": [\"$BENCH/floor-glibc\"], \"state_dir\": \"$T/state_dir\"}"
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
	rm -rf "$T/state_dir"
	container "${cases[$path]}"
	case $path in
	hook*) "$@" "$HOOK" --sysroot "$NODE" createRuntime <"$T/state" ;;
	*exec*) "$@" "$T/bin/oci-rdma-runtime" exec --process /dev/null other ;;
	*create*) "$@" "$T/bin/oci-rdma-runtime" create --bundle "$B" trainer ;;
	esac
}

# done_on PATH: that it is the path it says
done_on() {
	local conf='' record=''
	[ ! -e "$ROOT/etc/nccl.conf" ] || conf=conf
	! compgen -G "$T/state_dir/trainer@*.json" >/dev/null || record=record
	case $1 in
	"hook, four VFs granted") is "$1: granted" "conf $AFTER" "$conf $(limit)" ;;
	"shim, create granted") is "$1: granted" record "$record$conf" ;;
	*) is "$1: nothing is changed" " $BEFORE" "$conf$record $(limit)" ;;
	esac
}

toolchain() {
	local compiler libc=musl
	compiler=$(readelf -p .comment "$HOOK" | grep -oE 'GCC: .*|clang version .*' | tail -n 1)
	! grep -q 'GNU C Library' "$HOOK" || libc=glibc
	echo "$compiler, $libc, $(uname -m)"
}

# count PATH: sets $instructions; 0 if they were not counted
count() {
	instructions=0
	rm -f "$T/counted"
	on "$1" "$BENCH/count" "$T/counted" >/dev/null 2>"$T/err"
	[ ! -s "$T/counted" ] || read -r instructions <"$T/counted"
}

record() {
	local path
	jq -n --arg made_by "$(toolchain)" '{made_by: $made_by, instructions: {}}' >"$T/record"
	for path in "${paths[@]}"; do
		count "$path"
		jq --tab --arg path "$path" --argjson n "$instructions" '.instructions[$path] = $n' "$T/record" >"$T/new"
		mv "$T/new" "$T/record"
	done
	cp "$T/record" "$RECORDED"
}

if [ "${1-}" = --record ]; then
	record
	exit
fi

for path in "${paths[@]}"; do
	on "$path" "$BENCH/launch" "$T/launched" /dev/stdin 2>"$T/err"
	done_on "$path"
	read -r _ kib _ status <"$T/launched"
	is "$path: status" 0 "$status"
	check "$path: at most $KIB_MAX KiB resident ($kib)" test "$kib" -le $KIB_MAX
done

allowed=$GROWTH
if [ "$(toolchain)" != "$(jq -r .made_by $RECORDED)" ]; then allowed=$OTHER_GROWTH; fi
for path in "${paths[@]}"; do
	recorded=$(jq --arg path "$path" '.instructions[$path]' $RECORDED)
	count "$path"
	done_on "$path"
	check "$path: instructions, $instructions, at most $allowed % more than the recorded $recorded" \
		test "$instructions" -gt 0 -a "$((instructions * 100))" -le "$((recorded * (100 + allowed)))"
done
finish
