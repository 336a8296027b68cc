# shellcheck shell=bash disable=SC2034,SC2154
# What the suites of the runtime shim share. A suite sources this after setup.bash.
#
# podman keeps its environment from all that it starts. So $FRONT/crun and $FRONT/runc, the runtimes that podman is told of,
# say which node it is, and become the shim.

SHIM=/usr/local/bin/oci-rdma-runtime
FRONT=$T/front
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

# policy [MEMBERS]: the node's config.json; listed [LINE…]: its list of runtimes, none without LINE
policy() { config "$(jq -n '{memlock: "8Mi", capabilities: ["CAP_IPC_LOCK"]}'" + {${1-}}")"; }
listed() {
	mkdir -p "$NODE/etc/oci-rdma-hook"
	rm -f "$NODE/etc/oci-rdma-hook/runtimes"
	[ $# -eq 0 ] || printf '%s\n' "$@" >"$NODE/etc/oci-rdma-hook/runtimes"
}

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

# keeps_nothing NAME: the shim leaves no file of its containers
keeps_nothing() {
	is "$1: nothing is kept" "" "$(find "$NODE/run" /run -path '*oci-rdma*' -type f ! -path '*/records*' 2>/dev/null)"
}

# ---- a container that goes on ----

# starts_trainer [OPTION…]: it is named trainer, and reports
starts_trainer() {
	root
	chmod 1777 "$ROOT/tmp"
	pod run --cgroup-parent "/${T##*/}" --detach --name trainer "$@" --rootfs "$ROOT" \
		sh -c 'report >/tmp/new; mv /tmp/new /tmp/report; exec sleep 14400' >/dev/null 2>"$T/err"
	rc=$? errors=$(cat "$T/err")
	[ "$rc" -ne 0 ] || reports
}
reports() {
	: >"$T/out"
	within mv "$ROOT/tmp/report" "$T/out"
	get_report
}
removes_trainer() { pod rm --force --time 0 trainer >/dev/null; }
config_json() { cat "$(pod inspect --format '{{.OCIConfigPath}}' trainer)"; }

# exec_reports NAME [OPTION…] CONTAINER: a process started beside its first one reports
exec_reports() {
	pod exec "${@:2}" report >"$T/out" 2>"$T/err"
	rc=$? errors=$(cat "$T/err")
	get_report
	is "$1: silently" "0 " "$rc $errors"
}

# powerless: run, of a container that was allocated devices, by a podman that may not raise limits
powerless() {
	setpriv --bounding-set -sys_resource -- timeout "$PATIENCE" podman --runtime "$runtime" "${podman_options[@]}" run --rm \
		--cgroup-parent "/${T##*/}" "${rdma[@]}" --rootfs "$ROOT" /bin/report >"$T/out" 2>"$T/err"
	rc=$? errors=$(cat "$T/err")
	get_report
}

# refused NAME WHY [SAID]: it did not start; the log says why, and podman that or SAID
refused() {
	check "$1: it does not start" test "$rc" -ne 0
	is "$1: nothing ran" "" "$memlock"
	has "$1: podman says why" "${3-$2}" "$errors"
	get_log
	has "$1: the log says why" "$2" "$log"
	lacks "$1: it is no grant" "grant:" "$log"
}

install_shim
