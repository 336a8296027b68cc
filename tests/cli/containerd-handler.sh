#!/bin/bash
# --containerd-handler: the tables of a handler with the shim, made of what containerd itself prints, and refused where its pods could not
# start; what --check-config says of them; and the base spec with the hook. tests/cli/containerd has what two versions print.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/handler.bash
node one
BIN=/usr/local/bin
CRI2=io.containerd.grpc.v1.cri CRI3=io.containerd.cri.v1.runtime
CONFIG_TOML=$NODE/etc/containerd/config.toml

program $BIN/oci-rdma-runtime{,-runc,-crun,-nvidia-container-runtime} /usr/sbin/runc /usr/bin/crun /usr/bin/nvidia-container-runtime

# render RUNTIME PRINTED: before that runtime
render() {
	timeout "$PATIENCE" "$ADMIN" --sysroot "$NODE" --containerd-handler "$BIN/oci-rdma-runtime-$1" "$2" >"$T/out" 2>"$T/err"
	rc=$?
}

printed() { grep -v '^#' "$T/out" | sed 1d; }

# config_toml [TEXT]: the node's
config_toml() {
	mkdir -p "$(dirname "$CONFIG_TOML")"
	printf '%s\n' "$@" >"$CONFIG_TOML"
}

# ---- what is rendered ----
render runc tests/cli/containerd/dump-1.7.toml
renders "1.7: cgroup driver and annotations of its own handler, and ours" "[plugins.'$CRI2'.containerd.runtimes.rdma]
runtime_type = \"io.containerd.runc.v2\"
pod_annotations = ['example.com/*', 'oci-rdma-hook.io/*']
[plugins.'$CRI2'.containerd.runtimes.rdma.options]
SystemdCgroup = true
BinaryName = '$BIN/oci-rdma-runtime-runc'"
has "what it was made by" "# Rendered by: oci-rdma-admin --containerd-handler $BIN/oci-rdma-runtime-runc" "$(<"$T/out")"
"$ADMIN" --sysroot "$NODE" --containerd-handler "$BIN/oci-rdma-runtime-runc" tests/cli/containerd/dump-1.7.toml >/dev/full 2>"$T/err"
rc=$?
: >"$T/out"
refuses "tables that are not whole" "No space left on device"
render crun tests/cli/containerd/dump-1.7.toml
renders "1.7: crun is not what its default runs: a handler of its own, with the node's cgroup driver"
has "its table" "[plugins.'$CRI2'.containerd.runtimes.rdma-crun]" "$(<"$T/out")"
has "the cgroup driver" "SystemdCgroup = true" "$(<"$T/out")"
render nvidia-container-runtime tests/cli/containerd/dump-1.7.toml
renders "1.7: before NVIDIA's runtime" "[plugins.'$CRI2'.containerd.runtimes.rdma-nvidia-container-runtime]
runtime_type = \"io.containerd.runc.v2\"
pod_annotations = ['oci-rdma-hook.io/*']
[plugins.'$CRI2'.containerd.runtimes.rdma-nvidia-container-runtime.options]
SystemdCgroup = true
BinaryName = '$BIN/oci-rdma-runtime-nvidia-container-runtime'"
render crun tests/cli/containerd/dump-2.1.toml
renders "2.1: the plugin has another name" "[plugins.'$CRI3'.containerd.runtimes.rdma]
runtime_type = 'io.containerd.runc.v2'
pod_annotations = ['oci-rdma-hook.io/*']
[plugins.'$CRI3'.containerd.runtimes.rdma.options]
SystemdCgroup = true
BinaryName = '$BIN/oci-rdma-runtime-crun'"
render runc tests/cli/containerd/dump-2.4.toml
renders "2.3 and 2.4 print version 4" "[plugins.'$CRI3'.containerd.runtimes.rdma]
runtime_type = 'io.containerd.runc.v2'
sandboxer = 'podsandbox'
pod_annotations = ['oci-rdma-hook.io/*']
[plugins.'$CRI3'.containerd.runtimes.rdma.options]
SystemdCgroup = true
BinaryName = '$BIN/oci-rdma-runtime-runc'"
for dump in 2.1 2.4; do
	for version in 2 3 4 5; do
		config_toml "version = $version" "[plugins.'$CRI2']" 'disable_tcp_service = true'
		render runc "tests/cli/containerd/dump-$dump.toml"
		renders "$dump with a file of version $version: as that version calls the plugin"
		[ $version = 2 ] && plugin=$CRI2 || plugin=$CRI3
		has "the table" "[plugins.'$plugin'.containerd.runtimes.rdma" "$(<"$T/out")"
	done
done
rm "$CONFIG_TOML"
sed 's/^version = 4/version = 5/' tests/cli/containerd/dump-2.4.toml >"$T/dump-5"
render runc "$T/dump-5"
row "a version that is not known yet: what is there is read, and said"
is "status" 0 "$rc"
has "the table" "[plugins.'$CRI3'.containerd.runtimes.rdma]" "$(<"$T/out")"
one_line "one line" "version 5 is newer than 4" 'containerd config dump'
config_toml 'disabled_plugins = ["cri"]'
render runc tests/cli/containerd/dump-1.7.toml
refuses "a file without a version, in which the table would not be read" /etc/containerd/config.toml version
config_toml 'version = 2' 'imports = ["many/*"]'
mkdir "$NODE/etc/containerd/many"
(cd "$NODE/etc/containerd/many" && touch {1..1024})
render runc tests/cli/containerd/dump-1.7.toml
refuses "more files than containerd's configuration can have" "/etc/containerd/many/" "more than 1024 files"
rm "$NODE/etc/containerd/many/1"
render runc tests/cli/containerd/dump-1.7.toml
renders "the last number of files that it can have"
rm "$CONFIG_TOML"
render runc - <tests/cli/containerd/dump-1.7.toml
renders "from stdin"

# ---- what is refused ----
render oops tests/cli/containerd/dump-1.7.toml
refuses "a runtime that no handler runs" "runs oops"
render runc /dev/null
refuses "no configuration" "give the output of"
sed 's/io.containerd.runc.v2/io.containerd.kata.v2/' tests/cli/containerd/dump-1.7.toml >"$T/kata"
render runc "$T/kata"
refuses "a runtime of virtual machines" "no handler of type io.containerd.runc.v2" "the default, runc, is of type io.containerd.kata.v2"
# handlers KEY…: what a containerd with these handlers prints
handlers() { printf '%s\n' 'version = 3' "[plugins.'$CRI3'.containerd]" "$@" >"$T/handlers"; }
handlers 'default_runtime_name = "runsc"' 'runtimes.runsc.runtime_type = "io.containerd.runsc.v1"'
render runc "$T/handlers"
refuses "a default of another type, which runs no runc" "the default, runsc, is of type io.containerd.runsc.v1: add a handler"
handlers 'default_runtime_name = "runsc"' 'runtimes.runsc.runtime_type = "io.containerd.runsc.v1"' \
	'runtimes.runc = { runtime_type = "io.containerd.runc.v2", options = { SystemdCgroup = true } }'
render crun "$T/handlers"
renders "beside a default of another type, by the handler of runc; inline options are one table" "[plugins.'$CRI3'.containerd.runtimes.rdma-crun]
runtime_type = \"io.containerd.runc.v2\"
pod_annotations = ['oci-rdma-hook.io/*']
[plugins.'$CRI3'.containerd.runtimes.rdma-crun.options]
SystemdCgroup = true
BinaryName = '$BIN/oci-rdma-runtime-crun'"
handlers 'enable_cdi = true'
render runc "$T/handlers"
refuses "a CRI plugin that is disabled" disabled_plugins
sed "s|BinaryName = '/usr/bin/crun'|BinaryName = '/opt/crun'|" tests/cli/containerd/dump-2.1.toml >"$T/other"
program /opt/crun
render crun "$T/other"
refuses "another crun than the shim would run" /opt/crun "write that path into /etc/oci-rdma-hook/runtimes"
rm "$NODE/usr/sbin/runc"
render runc tests/cli/containerd/dump-1.7.toml
refuses "nothing that the shim could run" "finds no runc"
program /usr/sbin/runc
rm "$NODE$BIN/oci-rdma-runtime-runc"
render runc tests/cli/containerd/dump-1.7.toml
refuses "the shim is not installed" "is not an executable file"
program $BIN/oci-rdma-runtime-runc

# ---- what --check-config says ----
# examined NAME [PART…]: a row: of the node as it is now, in one line; without parts it is right
examined() {
	row "$1"
	timeout "$PATIENCE" "$ADMIN" --sysroot "$NODE" --check-config >"$T/out" 2>"$T/err"
	is "status" "$(($# > 1))" "$?"
	[ $# -eq 1 ] || one_line "one line" "${@:2}"
}
handler() {
	config_toml 'version = 2' "[plugins.\"$CRI2\".containerd.runtimes.rdma]" 'runtime_type = "io.containerd.runc.v2"' "$1" \
		"[plugins.\"$CRI2\".containerd.runtimes.rdma.options]" "BinaryName = \"$BIN/${2-oci-rdma-runtime-runc}\"" \
		'[[plugins."io.containerd.transfer.v1.local".unpack_config]]' 'platform = "linux/amd64"'
}
PASS='pod_annotations = ["oci-rdma-hook.io/*"]'
handler "$PASS"
examined "a handler that is right"
is "which is said" 1 "$(grep -c '^containerd_handler rdma: ok: ' "$T/out")"
handler ''
examined "a handler without its pods' annotations" /etc/containerd/config.toml "handler rdma" "pod_annotations = ["
config '{"opt_in": "device"}'
examined "without annotations, and a device is enough"
config
for pattern in '"*"' '"oci-rdma-hook.io"' '"example.com/*"'; do
	handler "pod_annotations = [$pattern]"
	examined "a pattern that does not match: $pattern" "handler rdma"
done
handler 'pod_annotations = ["*", "*/*"]'
examined "all annotations"
handler "$PASS" oci-rdma-runtime-away
examined "a shim that is not there" "$BIN/oci-rdma-runtime-away is not an executable file"
handler "$PASS" oci-rdma-runtime
examined "the shim without a name runs the first of the list"
config_toml 'version = ['
examined "what containerd cannot read" containerd_config config.toml:2

# ---- the base spec ----
base() { install/containerd/render-base-spec "$@" 2>"$T/err"; }
spec='{"ociVersion": "1.1.0", "process": {"args": ["sh"]}, "linux": {}}'
row "the base spec has both stages, and is what it was else"
is "the whole" \
	'{"hooks":{"createRuntime":[{"path":"/opt/hook","args":["oci-rdma-hook","createRuntime"],"timeout":10}],"poststart":[{"path":"/opt/hook","args":["oci-rdma-hook","poststart"],"timeout":10}]},"ociVersion":"1.1.0","process":{"args":["sh"]},"linux":{}}' \
	"$(base /opt/hook <<<"$spec" | jq -c .)"
is "the hook's place by default" /usr/local/bin/oci-rdma-hook "$(base <<<"$spec" | jq -r '.hooks.poststart[].path')"
row "the base spec's limits are left out: containerd would hand 1024 files on"
limits='{"ociVersion": "1", "process": {"a": 1, "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 1024, "soft": 1024}], "z": 2}}'
is "the whole" '{"ociVersion":"1","process":{"a":1,"z":2}}' "$(jq --indent 4 . <<<"$limits" | base | jq -c 'del(.hooks)')"
row "no base spec is made of what is none, or with a hook that is none"
for wrong in '{"ociVersion": "1", "process": {"rlimits": [1]}}' '{"hooks": {}, "ociVersion": "1"}' '{}' '' '["ociVersion"]'; do
	is "$wrong" "1 1" "$(base <<<"$wrong"; echo "$? $(wc -l <"$T/err")")"
done
for wrong in hook '/a"b' '/a b'; do is "the hook $wrong" 1 "$(base "$wrong" <<<"$spec"; echo $?)"; done
finish
