#!/bin/bash
# containerd's handlers with the shim, found by the doctor in the files of a recorded node.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
CRI='plugins."io.containerd.grpc.v1.cri".containerd'
BIN=/usr/local/bin

# node_with TEXT: a node with that config.toml, and with the shim
node_with() {
	programs() { executable "${BIN#/}/oci-rdma-runtime-runc" && executable usr/sbin/runc && write etc/containerd/config.toml "$1"; }
	on_a_node programs "$1"
}
handler="version = 2
[$CRI.runtimes.rdma]
runtime_type = \"io.containerd.runc.v2\"
pod_annotations = [\"oci-rdma-hook.io/*\"]
[$CRI.runtimes.rdma.options]
BinaryName = \"$BIN/oci-rdma-runtime-runc\""
of() { jq -r ".findings[] | select(.id == \"$1\") | \"\(.subject) \(.status)\"" "$T/out"; }

row "a containerd without the shim: nothing is said"
node_with 'version = 2'
is "the findings" "" "$(of containerd_handler)$(of containerd_config)"
try "a right handler" containerd_handler/rdma ok "$BIN/oci-rdma-runtime-runc (/etc/containerd/config.toml)" node_with "$handler"
try "one that hands no annotation on" containerd_handler/rdma fail "no pod can ask for RDMA" node_with "$(sed '/pod_annotations/d' <<<"$handler")"
try "one whose shim is not there" containerd_handler/rdma fail "is not an executable file" \
	node_with "${handler/oci-rdma-runtime-runc/oci-rdma-runtime-crun}"
try "the default" containerd_handler/rdma warn "no pod of this node would start" node_with "$handler
[$CRI]
default_runtime_name = \"rdma\""
try "a file that is no TOML" containerd_config fail "config.toml:1" node_with 'version = = 2'

imported() {
	with() { write etc/containerd/config.toml 'imports = ["conf.d/*.toml"]' && write etc/containerd/conf.d/x.toml "$1"; }
	on_a_node with "${handler//$BIN/\/nowhere}"
}
try "a handler of an imported file" containerd_handler/rdma fail "/nowhere/oci-rdma-runtime-runc" imported
finish
