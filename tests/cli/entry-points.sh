#!/bin/bash
# The dry run names the entry points that the node has, so that nobody takes for given what only another one gives.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case

# through DESCRIPTION LIMIT CAPABILITY: what the dry run says of both
through() {
	dry_run
	is "$1: the limit" "$2" "$(sed -n 's/^  RLIMIT_MEMLOCK unlimited  *//p' "$T/out")"
	is "$1: the capability" "$3" "$(sed -n 's/^  CAP_IPC_LOCK  *//p' "$T/out")"
}
without='nothing that is installed on this node gives it; shim, precreate would'
fresh() {
	node one
	mkdir -p "$NODE/usr/local/bin" "$NODE/etc/containers/oci/hooks.d" "$NODE/run/oci-rdma-hook"
	cp "$HOOK" "$NODE/usr/local/bin/oci-rdma-hook"
	for name in "" -crun -runc; do ln -s oci-rdma-hook "$NODE/usr/local/bin/oci-rdma-runtime$name"; done
}
bundle '{"devices":[["/dev/infiniband/uverbs6",231,198]]}'

node one
through "nothing is installed" "hook, precreate: main process; shim, NRI: exec too" "shim, precreate"
has "it says so" "None of these is installed on this node." "$(cat "$T/out")"
fresh
cp config/hooks.d/annotation/*.json "$NODE/etc/containers/oci/hooks.d"
through "the hook" "hook: main process" "$without"
lacks "something is installed" "None of these" "$(cat "$T/out")"
rm "$NODE/usr/local/bin/oci-rdma-hook"
through "the hook's file without the hook" "hook, precreate: main process; shim, NRI: exec too" "shim, precreate"

fresh
connected='{"schema":1,"pid":1,"started":2,"connected_since":"2026-11-21T20:22:43Z","runtime":"containerd","version":"2.1.9"}'
echo "$connected" >"$NODE/run/oci-rdma-hook/nri.json"
through "the NRI plugin" "NRI: exec too" "$without"
cp config/hooks.d/annotation/*.json "$NODE/etc/containers/oci/hooks.d"
through "the NRI plugin, and the hook below it" "hook: main process; NRI: exec too" "$without"
jq '.connected_since = null' <<<"$connected" >"$NODE/run/oci-rdma-hook/nri.json"
through "an NRI plugin that is not connected" "hook: main process" "$without"
echo '{' >"$NODE/run/oci-rdma-hook/nri.json"
through "a status file that cannot be read" "hook: main process" "$without"

# Directories of hooks.d files, as engines are told of others than their own
for file in etc/crio/crio.conf etc/containers/containers.conf.d/50.conf; do
	fresh
	mkdir -p "$NODE/${file%/*}" "$NODE/opt/hooks"
	cp config/hooks.d/annotation/*.json "$NODE/opt/hooks"
	printf "[crio.runtime]\n# hooks_dir = '/opt/hooks'\nlog = 'x#'\nhooks_dir = [ # two\n  '/gone',\n]\n" >"$NODE/$file"
	through "$file: hooks_dir in a comment" "hook, precreate: main process; shim, NRI: exec too" "shim, precreate"
	sed -i "s|  '/gone',|&\n  '/opt/hooks', # ours|" "$NODE/$file"
	through "$file: hooks_dir" "hook: main process" "$without"
	cp config/podman/precreate.d/*.json "$NODE/opt/hooks"
	rm "$NODE/opt/hooks/90-oci-rdma-hook.json" "$NODE/opt/hooks/91-oci-rdma-hook-poststart.json"
	through "$file: hooks_dir, with precreate" "precreate: main process" precreate
done
for dir in run usr/share; do
	fresh
	mkdir -p "$NODE/$dir/containers/oci/hooks.d"
	jq '.stages = ["prestart"] | .hook.args[-1] = "prestart"' config/hooks.d/annotation/90-oci-rdma-hook.json >"$NODE/$dir/containers/oci/hooks.d/90.json"
	through "/$dir/containers/oci/hooks.d, prestart" "hook: main process" "$without"
done
fresh
jq '.stages = ["poststart"] | .hook.args[-1] = "poststart"' config/hooks.d/annotation/90-oci-rdma-hook.json >"$NODE/etc/containers/oci/hooks.d/91.json"
through "poststart alone is none" "hook, precreate: main process; shim, NRI: exec too" "shim, precreate"

fresh
mkdir -p "$NODE/etc/docker"
cp config/docker/daemon.json "$NODE/etc/docker/"
through "Docker's runtime" "shim: exec too" "shim"
rm "$NODE"/usr/local/bin/oci-rdma-runtime*
through "Docker's runtime without the shim" "hook, precreate: main process; shim, NRI: exec too" "shim, precreate"
fresh
mkdir -p "$NODE/etc/crio/crio.conf.d"
printf '[crio.runtime.runtimes.rdma]\nruntime_path = "/usr/local/bin/oci-rdma-runtime-crun"\nmonitor_path = "/usr/bin/conmon"\n' \
	>"$NODE/etc/crio/crio.conf.d/60.conf"
through "CRI-O's handler" "shim: exec too" "shim"
cp config/hooks.d/annotation/*.json "$NODE/etc/containers/oci/hooks.d"
through "a hook where CRI-O does not look" "shim: exec too" "shim"
fresh
for file in etc/containers/containers.conf usr/share/containers/containers.conf etc/containerd/config.toml; do
	fresh
	mkdir -p "$NODE/${file%/*}"
	printf '# runtime = "/usr/local/bin/oci-rdma-runtime"\n' >"$NODE/$file"
	through "$file, a comment" "hook, precreate: main process; shim, NRI: exec too" "shim, precreate"
	printf '[x]\n  BinaryName = "/usr/local/bin/oci-rdma-runtime"\n' >>"$NODE/$file"
	through "$file" "shim: exec too" "shim"
done
fresh
mkdir -p "$NODE/etc/containerd/conf.d"
printf 'version = 2\nimports = ["conf.d/*.toml"]\n' >"$NODE/etc/containerd/config.toml"
through "a file of containerd's that is imported, and is not there" "hook, precreate: main process; shim, NRI: exec too" "shim, precreate"
printf '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.rdma.options]\nBinaryName = "/usr/local/bin/oci-rdma-runtime-runc"\n' >"$NODE/etc/containerd/conf.d/rdma.toml"
through "a file of containerd's that is imported" "shim: exec too" "shim"
finish
