#!/bin/bash
# shellcheck disable=SC2317 # commands that on_a_node calls
# oci-rdma-doctor on recorded nodes with an NRI plugin: what it says of the plugin, and of the entry points that a node has.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
HOOKS=usr/share/containers/oci/hooks.d
SOCKET=var/run/nri/nri.sock

# on_a_node COMMAND…: the node of h100.json, after a change; says what it finds as JSON
on_a_node() {
	h100
	on_node
	defaults
	"$@"
	doctor --format json
}
# connected [JQ-FILTER]: the status file of a plugin that has served
connected() {
	write run/oci-rdma-hook/nri.json "$(jq -c "${1:-.}" <<<'{"schema":1,"pid":77,"started":4242,"socket":"/var/run/nri/nri.sock",
		"connected_since":"2026-11-21T20:22:43Z","trouble":null,"runtime":{"name":"containerd","version":"2.1.9"},
		"containers":{"served":12,"granted":5,"denied":1,"failed":0,"given_up":0},"answers":{"microseconds":9,"slowest":4}}')"
}
socket() {
	mkdir -p "$NODE/${SOCKET%/*}"
	(cd "$NODE/${SOCKET%/*}" && "$PYTHON" -c 'import socket; socket.socket(socket.AF_UNIX).bind("nri.sock")')
}

on_a_node true
finds "a node without NRI" nri ok "NRI off, or none (/var/run/nri/nri.sock), and no oci-rdma-nri runs"
finds "the hook alone: who reads it knows what it cannot give" entry_points ok \
	"hook: the limit reaches only the main process; none adds CAP_IPC_LOCK"
on_a_node write "$SOCKET" 'no socket'
finds "a file in the socket's place is none" nri ok "NRI off"
on_a_node socket
finds "NRI without our plugin" nri ok "the engine has NRI on (/var/run/nri/nri.sock), and no oci-rdma-nri runs"
lacks "it is no entry point then" NRI "$(jq -r '.findings[] | select(.id == "entry_points").evidence' "$T/out")"

on_a_node connected
healthy "a connected plugin"
finds "a connected plugin: to what, since when, and what it has done" nri ok \
	"connected to containerd 2.1.9 since 2026-11-21T20:22:43Z, with no standby; of 12 containers 5 granted, 1 denied, 0 failed, 0 given up (/run/oci-rdma-hook/nri.json)"
finds "hook and plugin" entry_points ok "hook, NRI: the limit reaches exec as well; none adds CAP_IPC_LOCK"
finds "the hook stays" hook_installed ok "createRuntime and poststart"
alone() { connected && rm -r "${NODE:?}/$HOOKS"; }
on_a_node alone
finds "the plugin is an entry point without the hook, too" hook_installed ok "no hook; the NRI plugin is connected"
finds "the plugin alone" entry_points ok "NRI: the limit reaches exec as well"
for counter in failed given_up; do
	on_a_node connected ".containers.$counter = 2"
	finds "containers that it could not serve ($counter)" nri warn "journalctl -t oci-rdma-nri"
done

on_a_node connected '.trouble = "another program listens at /x now"'
finds "a plugin whose socket has another listener by now" nri warn \
	"is connected to containerd 2.1.9 since 2026-11-21T20:22:43Z, but another program listens at /x now (/run/oci-rdma-hook/nri.json)"

lost() { alone && connected '.connected_since = null | .trouble = "/var/run/nri/nri.sock: No such file or directory"'; }
on_a_node lost
finds "a plugin of an engine without NRI" nri warn "not connected: /var/run/nri/nri.sock: No such file"
has "a plugin of an engine without NRI: what to do" "Switch NRI on" "$found"
finds "it is no entry point" entry_points ok "none is installed"
finds "and no reason to do without the hook" hook_installed warn
lost_with_socket() { lost && socket; }
on_a_node lost_with_socket
finds "a plugin that does not get to an engine with NRI" nri warn "journalctl -t oci-rdma-nri"
enabled() {
	mkdir -p "$NODE/etc/systemd/system/multi-user.target.wants"
	ln -s /usr/lib/systemd/system/oci-rdma-nri.service "$NODE/etc/systemd/system/multi-user.target.wants/"
}
on_a_node enabled
finds "a unit that is enabled, and does not run" nri warn "is enabled, but not running"
on_a_node write run/oci-rdma-hook/nri.json '{'
finds "a status file that cannot be read" nri "not checkable" "/run/oci-rdma-hook/nri.json"

# ---- in a container of its own, as the DaemonSet's: its status is in there alone ----
# in_a_pod STARTED: process 812 of the node is its process 1, which was given the directory of the node's socket
in_a_pod() {
	write proc/812/comm oci-rdma-nri
	write proc/812/stat "812 (oci-rdma-nri) S 1 $(seq -s ' ' 5 21) $1 0 0"
	connected '.pid = 1'
	mkdir -p "$NODE/proc/812/root"
	mv "$NODE/run" "$NODE/proc/812/root/"
	mkdir -p "$NODE/proc/812/root/var/run" "$NODE/var/run"
	mkdir -m 0700 "$NODE/proc/812/root/var/run/nri"
	rm -rf "${NODE:?}/var/run/nri"
	ln -s ../../proc/812/root/var/run/nri "$NODE/var/run/nri"
}
on_a_node in_a_pod 4242
finds "the DaemonSet's plugin" nri ok "connected to containerd 2.1.9"
finds "the DaemonSet's plugin is an entry point" entry_points ok "hook, NRI: "
on_a_node in_a_pod 4243
finds "another process of that name has not written it" nri ok "no oci-rdma-nri runs"
renamed() { in_a_pod 4242 && write proc/812/comm oci-rdma-nrl; }
on_a_node renamed
finds "nor has one of another name" nri ok "no oci-rdma-nri runs"
# Any container's root may take the name and write the file.
forged() { in_a_pod 4242 && rm "$NODE/var/run/nri" && "$@"; }
on_a_node forged true
finds "a container that calls itself so, on a node without NRI, is not believed" nri ok "no oci-rdma-nri runs"
on_a_node forged mkdir -m 0700 "$NODE/var/run/nri"
finds "nor one that does not have the node's socket" nri ok "no oci-rdma-nri runs"
finds "it is no entry point" entry_points ok "hook: the limit reaches only the main process"
open_to_all() { in_a_pod 4242 && chmod 0755 "$NODE/proc/812/root/var/run/nri"; }
on_a_node open_to_all
finds "nor where anybody may have the directory of the socket" nri ok "no oci-rdma-nri runs"
if chown 12345 "$T" 2>/dev/null; then
	chown 0 "$T"
	of_a_user() { in_a_pod 4242 && chown 12345 "$NODE/proc/812"; }
	on_a_node of_a_user
	finds "nor a process that root does not run" nri ok "no oci-rdma-nri runs"
fi
for socket in null '"nri.sock"' '"/"' "\"/$(printf '%05000d' 0)/nri.sock\""; do
	named() { in_a_pod 4242 && jq -c ".socket = $socket" "$NODE/proc/812/root/run/oci-rdma-hook/nri.json" >"$T/nri.json" &&
		mv "$T/nri.json" "$NODE/proc/812/root/run/oci-rdma-hook/nri.json"; }
	on_a_node named
	finds "nor one that names no such socket (${socket:0:16})" nri ok "no oci-rdma-nri runs"
done

# ---- how it is reported ----
on_a_node connected '.containers.failed = 2'
doctor
has "as text" "WARN  nri: connected to containerd" "$(cat "$T/out")"
doctor --format prometheus
has "as a metric" 'id="nri"' "$(cat "$T/out")"
h100
in_container "$ALLOCATED"
doctor --format json
is "in a container nothing is said of it" "" "$(jq -r '.findings[] | select(.id == "nri" or .id == "entry_points").evidence' "$T/out")"
finish
