#!/bin/bash
# shellcheck disable=SC2317 # commands that try calls
# oci-rdma-doctor on recorded nodes with an NRI plugin: what it says of the plugin, and of the entry points that a node has.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
HOOKS=usr/share/containers/oci/hooks.d
SOCKET=var/run/nri/nri.sock

# connected [JQ-FILTER]: the status file of a plugin that has served
connected() {
	write run/oci-rdma-hook/nri.json "$(jq -c "${1:-.}" <<<'{"schema":1,"pid":77,
		"connected_since":"2026-11-21T20:22:43Z","trouble":null,"runtime":"containerd","version":"2.1.9",
		"answers":12,"answers_us":9,"slowest_us":4}')"
}
# recorded RESULT…: and a record of each
recorded() {
	connected
	for result; do
		n=$((${n-0} + 1))
		write "run/oci-rdma-hook/records/team-a_u${n}_c_${result}_1_$n.json" "{\"id\":\"$n\",\"reason\":\"x\",\"entry_point\":\"nri\",\"result\":\"$result\"}"
	done
	chmod 0700 "$NODE/run/oci-rdma-hook/records"
}
socket() {
	mkdir -p "$NODE/${SOCKET%/*}"
	(cd "$NODE/${SOCKET%/*}" && "$PYTHON" -c 'import socket; socket.socket(socket.AF_UNIX).bind("nri.sock")')
}

try "a node without NRI" nri ok "NRI off, or none (/var/run/nri/nri.sock), and no oci-rdma-nri runs" on_a_node true
also entry_points ok "hook: the limit reaches only the main process; none adds CAP_IPC_LOCK"
try "a file in the socket's place is none" nri ok "NRI off" on_a_node write "$SOCKET" 'no socket'
try "NRI without our plugin, which is no entry point then" nri ok "the engine has NRI on (/var/run/nri/nri.sock), and no oci-rdma-nri runs" on_a_node socket
lacks "its part" NRI "$(jq -r '.findings[] | select(.id == "entry_points").evidence' "$T/out")"

try "a connected plugin beside the hook: to what, since when, and what it has done" nri ok \
	"connected to containerd 2.1.9 since 2026-11-21T20:22:43Z; of the containers 2 granted, 1 denied, 0 failed, 0 missed (/run/oci-rdma-hook/records)" \
	on_a_node recorded granted granted denied
healthy "nothing is wrong"
also entry_points ok "hook, NRI: the limit reaches exec as well; none adds CAP_IPC_LOCK"
also hook_installed ok "createRuntime and poststart"
# two JQ-FILTER: two plugins, of which the filter changes the second one
two() {
	connected
	mv "$NODE/run/oci-rdma-hook/nri.json" "$T/nri-a.json"
	connected "$1"
	mv "$NODE/run/oci-rdma-hook/nri.json" "$NODE/run/oci-rdma-hook/nri-b.json"
	mv "$T/nri-a.json" "$NODE/run/oci-rdma-hook/"
}
try "two plugins: both are connected" nri ok "2 of 2 plugins are connected to containerd 2.1.9 since 2026-11-21T20:22:43Z; of the containers 0 granted" on_a_node two .
try "one of two plugins is connected: the node is served, and it is a warning" nri warn "1 of 2 plugins are connected to containerd" \
	on_a_node two '.connected_since = null'
also entry_points ok "hook, NRI: "
alone() { connected && rm -r "${NODE:?}/$HOOKS"; }
try "the plugin alone is an entry point" hook_installed ok "no hook; the NRI plugin is connected" on_a_node alone
also entry_points ok "NRI: the limit reaches exec as well"
try "a container that could not be served" nri warn "--dry-run ID" on_a_node recorded granted failed

lost() { alone && connected '.connected_since = null | .trouble = "/var/run/nri/nri.sock: No such file or directory"'; }
try "a plugin of an engine without NRI: what to do; it is no entry point" nri warn "not connected: /var/run/nri/nri.sock: No such file" on_a_node lost
has "what to do" "Switch NRI on" "$found"
is "it is no entry point" "" "$(jq -r '.findings[] | select(.id == "entry_points").evidence' "$T/out")"
also hook_installed warn
lost_with_socket() { lost && socket; }
try "a plugin that does not get to an engine with NRI" nri warn "journalctl -t oci-rdma-nri" on_a_node lost_with_socket
enabled() {
	mkdir -p "$NODE/etc/systemd/system/multi-user.target.wants"
	ln -s /usr/lib/systemd/system/oci-rdma-nri-a.service "$NODE/etc/systemd/system/multi-user.target.wants/oci-rdma-nri-a.service"
}
try "a unit that is enabled, and does not run" nri warn "is enabled, but not running" on_a_node enabled
try "a status file that cannot be read" nri "not checkable" "/run/oci-rdma-hook/nri.json" on_a_node write run/oci-rdma-hook/nri.json '{'

# ---- in a container of its own, as the DaemonSet's ----
# with_policy TEXT: the plugin is process 812 of the node
with_policy() { connected '.pid = 812' && write proc/812/root/etc/oci-rdma-hook/config.json "$1"; }
try "its policy is a ConfigMap's" "policy/the NRI plugin's" ok "opt in by device (/etc/oci-rdma-hook/config.json in its container: a ConfigMap's)" \
	on_a_node with_policy '{"opt_in": "device"}'
try "…with a mistake" "policy/the NRI plugin's" fail "config.json: line 1" on_a_node with_policy '{"opt_in": "x"}'
has "what to do" "Correct the ConfigMap" "$found"
open_to_all() { connected && chmod 0777 "$NODE/run/oci-rdma-hook"; }
try "a status that others could have written is not believed" nri "not checkable" "/run/oci-rdma-hook must belong to root alone" on_a_node open_to_all
also entry_points ok "hook: the limit reaches only the main process"
if chown 12345 "$T" 2>/dev/null; then
	chown 0 "$T"
	of_a_user() { connected && chown 12345 "$NODE/run/oci-rdma-hook"; }
	try "…nor that of another user" nri "not checkable" "must belong to root alone" on_a_node of_a_user
fi

# ---- how it is reported ----
row "it is reported as text and as a metric, and not in a container"
on_a_node recorded failed
doctor
has "as text" "WARN  nri: connected to containerd" "$(cat "$T/out")"
doctor --format prometheus
has "as a metric" 'id="nri"' "$(cat "$T/out")"
in_pod true
is "in a container" "" "$(jq -r '.findings[] | select(.id == "nri" or .id == "entry_points").evidence' "$T/out")"
finish
