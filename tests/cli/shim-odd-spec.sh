#!/bin/bash
# A config.json that says something twice or oddly: where the shim does not look that does not matter; what keeps it from a container that asks
# and has a device is logged, and under "on_error": "fail" the container does not start. It runs in a mount namespace of its own.
# shellcheck disable=SC2119 # what is optional is left out
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "an odd config.json"
. tests/cli/setup.bash
. tests/cli/tools/shim.bash
by_case
empty_run
node one
policy
rdma='"devices":[["/dev/infiniband/uverbs6",231,198]]'
prepare rdma "{$rdma}" none '{}' not_asked "{$rdma,\"annotations\":{\"oci-rdma-hook.io/inject\":null}}"

# odd KIND: $B/config.json
odd() {
	local file=$B/config.json
	case $1 in
	'mounts twice') sed -i '0,/"mounts": *\[/s//"mounts": [], &/' "$file" ;;
	'another limit of -1') jq '.process.rlimits = [{type: "RLIMIT_NOFILE", soft: -1, hard: 1e3}]' "$file" >"$T/odd" && cp "$T/odd" "$file" ;;
	'its memlock of -1') jq '.process.rlimits = [{type: "RLIMIT_MEMLOCK", soft: -1, hard: 1}]' "$file" >"$T/odd" && cp "$T/odd" "$file" ;;
	'env twice') sed -i '0,/"env": *\[/s//"env": [], &/' "$file" ;;
	'a link') mv "$file" "$B/real" && ln -s real "$file" ;;
	'more than we read') printf '%*s' $((17 << 20)) '' >>"$file" ;;
	esac
}
# log_of ARG…: the shim, and what it says to the log
log_of() {
	strace -o "$T/trace" -e trace=sendto,openat2,alarm -e inject=alarm:retval=0 -s 2000 "${INJECT[@]}" "$SHIM" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	log=$(grep '^sendto' "$T/trace")
}
INJECT=()
for on_error in warn fail; do
	on_error $on_error
	fresh
	odd 'another limit of -1'
	passes "another limit of -1, on_error $on_error" --root=$ROOT create --bundle "$B" "$ID"
	has "another limit of -1, on_error $on_error: it is served" NCCL_IB_HCA==mlx5_6 "$(<"$B/config.json")"
	for kind in 'its memlock of -1' 'env twice' 'mounts twice' 'a link' 'more than we read' 'no openat2'; do
		INJECT=()
		if [ "$kind" = 'no openat2' ]; then INJECT=(-e inject=openat2:error=ENOSYS); fi
		for name in rdma not_asked none; do
			on_error $on_error
			fresh $name
			odd "$kind"
			log_of --root=$ROOT create --bundle "$B" "$ID"
			case $name-$on_error in
			rdma-warn)
				is "$kind, on_error warn: it starts, silently" "0 " "$rc $(cat "$T/out" "$T/err")"
				has "$kind, on_error warn: the log says why" "config.json" "$log"
				;;
			rdma-fail)
				is "$kind, on_error fail: it does not" 1 "$rc"
				one_line "$kind, on_error fail" "config.json"
				;;
			*) is "$kind, $name, on_error $on_error: nobody hears of it" "0  " "$rc $(cat "$T/out" "$T/err") $log" ;;
			esac
		done
	done
done
INJECT=()
policy '"on_error": "fail", "opt_in": "device"' 
fresh not_asked
odd 'env twice'
start --root=$ROOT create --bundle "$B" "$ID"
fails "opt_in device: its device asks" 1 "config.json"
finish
