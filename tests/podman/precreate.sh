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

# comparable: config.json without what differs from one container to the next; podman's environment and mounts have no order
comparable() { jq -S 'del(.hooks) | .process.env |= sort | .mounts |= sort_by(.destination)' | sed -E 's/[0-9a-f]{64}/ID/g; s/\b[0-9a-f]{12}\b/ID/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[^"]*/TIME/g'; }

# in_way NAME [OPTION…]: a container that was allocated devices, started in this way, has all in its main process
in_way() {
	local name=$runtime,\ $1
	shift
	starts_trainer "${rdma[@]}" "$@"
	config=$(config_json)
	starts "$name"
	got_all "$name"
	case $name in
	*"the hook as well"*) is "$name: nccl.conf, for sessions without the environment" "644 $(reported owner) regular file" "$meta" ;;
	*) is "$name: no nccl.conf" "" "$meta" ;;
	esac
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
	exec_reports "$runtime, exec" trainer
	is "$runtime, exec: the limit is podman's" "$BEFORE" "$memlock"
	is "$runtime, exec: the environment too" "" "$nccl_env"
	has_ipc_lock "$runtime, exec"
	exec_reports "$runtime, exec as uid 1000" --user 1000 trainer
	no_ipc_lock "$runtime, exec as uid 1000"
	removes_trainer
	CONTAINERS_CONF=$WITH
	starts_trainer "${rdma[@]}"
	exec_reports "$runtime, the shim as well, exec as uid 1000" --user 1000 trainer
	got_all "$runtime, the shim as well, exec as uid 1000"
	removes_trainer
	keeps_nothing "$runtime, the shim as well, removed"
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
	config_json | comparable >"$T/with.json"
	removes_trainer
	podman_options=()
	starts_trainer "$@"
	config_json | comparable >"$T/without.json"
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
	logs "$runtime, a limit that may not be given, warn" "RLIMIT_MEMLOCK is 8388608 bytes at most"
	policy '"memlock": "unlimited", "on_error": "fail"'
	powerless
	refused "$runtime, a limit that may not be given, fail" "RLIMIT_MEMLOCK is 8388608 bytes at most" precreate
	policy '"on_no_device": "fail"'
	run "${asked[@]}"
	refused "$runtime, no device, fail" "denied:" precreate
	policy
}
untouched_but_logged() {
	starts "$runtime, $1"
	got_nothing "$runtime, $1"
	logs "$runtime, $1" "$2"
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
