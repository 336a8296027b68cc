#!/bin/bash
# podman's precreate hook, from a hooks.d directory of its own: config.json is edited before podman writes it. What exec starts
# podman makes from its own copy of the spec, so that there the shim is needed as well.
cd "$(dirname "$0")/../.." || exit 1
. tests/podman/setup.bash
. tests/podman/shim.bash

PLAIN=$CONTAINERS_CONF
WITH=$T/shim.conf
cat "$PLAIN" config/podman/oci-rdma-hook.conf | sed "s|$SHIM-|$FRONT/|" >"$WITH"

PRECREATE=$T/precreate.d
mkdir "$PRECREATE"
precreate() {
	local file
	podman_options=(--hooks-dir "$T/hooks.d" --hooks-dir "$PRECREATE")
	for file in config/podman/precreate.d/*.json; do
		jq --arg node "$NODE" "$on_node | $1" "$file" >"$PRECREATE/${file##*/}"
	done
}

# starts_trainer [OPTION…]: a container named trainer goes on; $config is its config.json
starts_trainer() {
	root
	chmod 1777 "$ROOT/tmp"
	pod run --detach --name trainer --cgroup-parent "/${T##*/}" "$@" --rootfs "$ROOT" \
		sh -c 'report >/tmp/new; mv /tmp/new /tmp/report; exec sleep 14400' >/dev/null 2>"$T/err"
	rc=$? errors=$(cat "$T/err")
	: >"$T/out"
	within mv "$ROOT/tmp/report" "$T/out"
	get_report
	config=$(cat "$(pod inspect --format '{{.OCIConfigPath}}' trainer)")
}
exec_reports() {
	pod exec "$@" trainer report >"$T/out" 2>"$T/err"
	rc=$? errors=$(cat "$T/err")
	get_report
}
removes_trainer() { pod rm --force --time 0 trainer >/dev/null; }

# comparable: config.json without what differs from one container to the next; podman's environment and mounts have no order
comparable() { jq -S 'del(.hooks) | .process.env |= sort | .mounts |= sort_by(.destination)' | sed -E 's/[0-9a-f]{64}/ID/g; s/\b[0-9a-f]{12}\b/ID/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[^"]*/TIME/g'; }

# in_way NAME [OPTION…]: a container that was allocated devices, started in this way, has all in its main process
in_way() {
	local name=$runtime,\ $1
	shift
	starts_trainer "${rdma[@]}" "$@"
	starts "$name"
	got_all "$name"
	is "$name: no nccl.conf" "" "$meta"
	is "$name: the spec has one limit, one variable" "1 1" \
		"$(jq -r '[(.process.rlimits | map(select(.type == "RLIMIT_MEMLOCK")) | length),
			(.process.env | map(select(startswith("NCCL_IB_HCA="))) | length)] | join(" ")' <<<"$config")"
	removes_trainer
	get_log
	has "$name: the log says grant" ": grant: container=libpod-" "$log"
	is "$name: in one line" "" "$(tail -n +2 <<<"$log")"
}

ways() {
	in_way "plain"
	in_way "an explicit limit" --ulimit "memlock=$SOFT:$HARD" --ulimit nofile=512:512 --ulimit nproc=512:512
	in_way "uid 1000, no capabilities" --user 1000 --cap-drop all
	in_way "user namespace" --uidmap 0:100000:65536
	hooks annotation "$on_node"
	in_way "the hook as well"
	hooks
	CONTAINERS_CONF=$WITH in_way "the shim as well"
}

# What exec starts
execs() {
	starts_trainer "${rdma[@]}"
	exec_reports
	is "$runtime, exec: the limit is podman's" "$BEFORE" "$memlock"
	is "$runtime, exec: the environment too" "" "$nccl_env"
	has_ipc_lock "$runtime, exec"
	exec_reports --user 1000
	no_ipc_lock "$runtime, exec as uid 1000"
	removes_trainer
	CONTAINERS_CONF=$WITH
	starts_trainer "${rdma[@]}"
	exec_reports --user 1000
	got_all "$runtime, the shim as well, exec as uid 1000"
	records "$runtime, the shim as well" 1
	removes_trainer
	records "$runtime, the shim as well, removed" 0
	CONTAINERS_CONF=$PLAIN
	get_log
}

# Who gets nothing has the config.json that podman makes without the hook.
others() {
	unchanged untouched "plain"
	unchanged untouched "a device" "${device[@]}"
	unchanged nothing_for "an annotation" "${asked[@]}"
	unchanged untouched "inject=false" "${device[@]}" --annotation oci-rdma-hook.io/inject=false
	unchanged nothing_for "privileged" "${asked[@]}" --privileged
	unchanged untouched "odd values" --env 'A=<&>\u003c"é' --annotation 'b=\t\n' --user 1:2
	precreate .
}
# unchanged untouched|nothing_for NAME [OPTION…]: whether the log is to say why
unchanged() {
	local log_is=$1 name="$runtime, the hook for all, $2"
	shift 2
	precreate '.when = {always: true}'
	starts_trainer "$@"
	"$log_is" "$name"
	comparable <<<"$config" >"$T/with.json"
	removes_trainer
	podman_options=()
	starts_trainer "$@"
	comparable <<<"$config" >"$T/without.json"
	is "$name: config.json as without" "" "$(diff "$T/without.json" "$T/with.json")"
	removes_trainer
}

cannot() {
	config "{"
	root
	run "${rdma[@]}"
	untouched_but_logged "a damaged config" "config.json"
	root
	run
	untouched "$runtime, a damaged config, a plain container"

	policy '"memlock": "unlimited"'
	root
	powerless
	starts "$runtime, a limit that may not be given, warn"
	is "$runtime, a limit that may not be given, warn: environment" "$NCCL" "$nccl_env"
	logs "$runtime, a limit that may not be given, warn" "RLIMIT_MEMLOCK cannot"
	policy '"memlock": "unlimited", "on_error": "fail"'
	powerless
	refused "$runtime, a limit that may not be given, fail" "RLIMIT_MEMLOCK cannot"
	policy '"on_no_device": "fail"'
	run "${asked[@]}"
	refused "$runtime, no device, fail" "denied:"
	policy
}
untouched_but_logged() {
	starts "$runtime, $1"
	got_nothing "$runtime, $1"
	logs "$runtime, $1" "$2"
}
powerless() {
	setpriv --bounding-set -sys_resource -- timeout "$PATIENCE" podman --runtime "$runtime" "${podman_options[@]}" run --rm \
		--cgroup-parent "/${T##*/}" "${rdma[@]}" --rootfs "$ROOT" /bin/report >"$T/out" 2>"$T/err"
	rc=$? errors=$(cat "$T/err")
	get_report
}
# refused NAME WHY: it did not start, and the log says why
refused() {
	check "$1: it does not start" test "$rc" -ne 0
	is "$1: nothing ran" "" "$memlock"
	has "$1: podman says what" "precreate" "$errors"
	get_log
	has "$1: the log says why" "$2" "$log"
	lacks "$1: it is no grant" "grant:" "$log"
}

for runtime in crun runc; do
	policy
	precreate .
	ways
	execs
	others
	cannot
done
nothing_left
finish
