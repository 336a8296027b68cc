# shellcheck shell=bash disable=SC2034,SC2154
# What the suites of the runtime shim share. A suite sources this after setup.bash.
#
# podman keeps its environment from all that it starts. So $FRONT/crun and $FRONT/runc, the runtimes that podman is told of,
# say which node it is, and become the shim.

SHIM=/usr/local/bin/oci-rdma-runtime
FRONT=$T/front
STATE=$T/state # the config's state_dir
IPC_LOCK=14

install_shim() {
	local name
	mkdir "$FRONT"
	for name in "" -crun -runc; do ln -s oci-rdma-hook "$SHIM$name"; done
	for name in crun runc; do
		printf '#!/bin/sh\nexport OCI_RDMA_SYSROOT=%s\nexec %s-%s "$@"\n' "$NODE" "$SHIM" "$name" >"$FRONT/$name"
		chmod 755 "$FRONT/$name"
	done
}

# policy [MEMBERS]: the node's config.json
policy() { config "$(jq -n --arg state "$STATE" '{memlock: "8Mi", capabilities: ["CAP_IPC_LOCK"], state_dir: $state}'" + {${1-}}")"; }

# has_ipc_lock NAME: $capabilities, of get_report, have it
has_ipc_lock() { check "$1: CAP_IPC_LOCK" test "$((0x0${capabilities:-0} >> IPC_LOCK & 1))" -eq 1; }
no_ipc_lock() { check "$1: no CAP_IPC_LOCK" test "$((0x0${capabilities:-0} >> IPC_LOCK & 1))" -eq 0; }

# got_all NAME: what $T/out reports has all of a grant, by the process's spec
got_all() {
	is "$1: memlock" "$AFTER" "$memlock"
	is "$1: environment" "$NCCL" "$nccl_env"
	has_ipc_lock "$1"
}

# got_nothing NAME
got_nothing() {
	is "$1: memlock as it was" "$BEFORE" "$memlock"
	is "$1: environment as it was" "" "$nccl_env"
	no_ipc_lock "$1"
}

# one_grant NAME: it has been logged, and nothing else
one_grant() {
	get_log
	has "$1: the log says grant" ": grant: container=" "$log"
	is "$1: in one line" "" "$(tail -n +2 <<<"$log")"
}

# records NAME WANT: how many containers the shim remembers
records() {
	is "$1: records" "$2" "$(find "$STATE" -mindepth 1 2>/dev/null | wc -l)"
}

install_shim
