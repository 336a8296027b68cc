# shellcheck shell=bash disable=SC2034,SC2119
# What the suites of the shim with a recorded node share: the node, the runtimes that write down how they were called, the containers' bundles.
# They run in a mount namespace of their own, in which /usr/bin/crun, the default runtime, is a harmless one and /run is empty.
# A suite sources this from the repository's root, before all else.

. tests/cli/namespace.bash "the shim"
. tests/cli/setup.bash
by_case
. tests/cli/tools/shim.bash
if [ "$(id -u)" -ne 0 ]; then
	fail "this suite needs root: the shim acts as root"
	finish
fi
empty_run
default_runtime "$RT/crun"
node one
rdma='"devices":[["/dev/infiniband/uverbs6",231,198]]'
refused="{$rdma,\"annotations\":{\"oci-rdma-hook.io/inject\":\"false\"}}"
not_asked="{$rdma,\"annotations\":{\"oci-rdma-hook.io/inject\":null}}"
other_name="{$rdma,\"annotations\":{\"oci-rdma-hook.io/containers\":\"loader\"}}"
sandbox="{$rdma,\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"}}"
policy
prepare rdma "{$rdma}" none '{}' not_asked "$not_asked" refused "$refused" other_name "$other_name" sandbox "$sandbox"

# What exec makes of the process.json, by its meaning; then as bytes
fresh
create
start --root=$ROOT exec --process "$P" "$ID"
cp "$P" "$T/process.edited"
is "exec: env, CAP_IPC_LOCK in all five sets, and no limit where there was none" '["NCCL_IB_HCA==mlx5_6",null,5]' \
	"$(jq -c '[.env[-1], .rlimits, ([.capabilities[] | index("CAP_IPC_LOCK") | select(. != null)] | length)]' "$P")"

# spoil KIND FILE: it is no spec any more
spoil() {
	case $1 in
	missing) rm "$2" ;;
	symlink) mv "$2" "${2%/*}/real" && ln -s real "$2" ;;
	directory) rm "$2" && mkdir "$2" ;;
	FIFO) rm "$2" && mkfifo "$2" ;;
	garbage) head -c 1000 /dev/urandom >"$2" ;;
	empty) : >"$2" ;;
	array) echo '[]' >"$2" ;;
	cut) truncate -s "$(($(stat -c %s "$2") / 2))" "$2" ;;
	huge) printf '%*s' $((17 << 20)) '' >>"$2" ;;
	'no UTF-8') printf '{"args":["\xff"]}' >"$2" ;;
	'env twice') echo '{"env":[],"env":[]}' >"$2" ;;
	esac
}

# in_front_of NAME: the runtime from now on. What is called neither crun nor runc may hand the command line on to either.
runtimes="crun runc nvidia-container-runtime"
for name in $runtimes; do runtime "$RT/$name"; done
in_front_of() {
	IN_FRONT_OF=$1
	policy
}

# understands WHOM: whether the runtime is among them: all, or a runtime, or not to one, which refuses the words or takes them for something else
understands() {
	case $1 in
	all | "$IN_FRONT_OF") true ;;
	not-*) [ "$1" != "not-$IN_FRONT_OF" ] ;;
	*) false ;;
	esac
}
