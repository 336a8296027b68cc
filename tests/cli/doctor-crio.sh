#!/bin/bash
# What keeps CRI-O from its next start, found before that by its files; and what is found of Docker.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
HOOKS=usr/share/containers/oci/hooks.d

try "a hidden file in hooks.d is read by CRI-O as well" hook_file//$HOOKS/.bad.json fail "" on_a_node write $HOOKS/.bad.json '{'
# drop_in NAME FINDING STATUS PART TEXT [FILE]
drop_in() { try "${@:1:4}" on_a_node write "etc/crio/crio.conf.d/${6-90-x}" "$5"; }
SHIM=/nowhere/oci-rdma-runtime-crun
drop_in "so is a hidden drop-in" crio_handler/kata fail "$SHIM" "[crio.runtime.runtimes.kata]
runtime_path = \"$SHIM\"" .hidden
# TOML as people write it; the rest of it: unit admin/engine/toml
drop_in "a handler as an inline table" crio_handler/rdma fail "$SHIM" '[crio.runtime]
runtimes.rdma = {runtime_path = "'$SHIM'", default_annotations = {"a.b" = "}"}}'
drop_in "a key twice, for which CRI-O does not start" crio_config fail "90-x:3" '[crio.runtime]
default_runtime = "crun"
default_runtime = "runc"'
# handler NAME [LINE]: one that is right
handler() {
	executable usr/local/bin/oci-rdma-runtime-crun
	write etc/crio/crio.conf.d/90-x "[crio.runtime]
${2-}
[crio.runtime.runtimes.$1]
runtime_path = \"/usr/local/bin/oci-rdma-runtime-crun\""
}
try "the shim as CRI-O's default" crio_handler/rdma warn "CRI-O would not start" on_a_node handler rdma 'default_runtime = "rdma"'
try "a handler by whose name NVIDIA's runtime goes" crio_handler/nvidia-x warn "Rename the handler" on_a_node handler nvidia-x

daemon() { try "${@:1:4}" on_a_node write etc/docker/daemon.json "$5"; }
daemon "Docker's default is ours, and has no entry" docker_config fail "default-runtime rdma is not among" '{"default-runtime": "rdma"}'
daemon "a daemon.json with our entry that was cut off" docker_config fail daemon.json '{"runtimes": {"rdma": {"path": "/bin/oci-rdma-runtime-runc"'
try "the shim's list of runtimes names the shim" policy//etc/oci-rdma-hook/runtimes fail "the shim itself" \
	on_a_node write etc/oci-rdma-hook/runtimes /usr/local/bin/oci-rdma-runtime

finish
