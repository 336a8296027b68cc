#!/bin/bash
# What containerd and Docker are given, as these engines themselves read it: Debian trixie's, unpacked into $BUILD/tests/engines. What they do
# with it is tested in the virtual machine (tests/vm/check-engines).
# builds: tests/engines/.unpacked
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built ENGINES "${BUILD:-build}/tests/engines/usr"
BIN=/usr/local/bin
node one
for path in $BIN/oci-rdma-runtime-{runc,crun} /usr/sbin/runc /usr/bin/crun; do install -D -m 755 /bin/true "$NODE$path"; done
CONFIG_TOML=$NODE/etc/containerd/config.toml
mkdir -p "$(dirname "$CONFIG_TOML")"

dump() { "$ENGINES/bin/containerd" --config "$CONFIG_TOML" config dump 2>&1; }
# handler NAME: its tables, as containerd has them
handler() { dump | sed -n "/containerd\.runtimes\.$1\]/,/^$/p; /containerd\.runtimes\.$1\.options\]/,/^$/p"; }
# said NAME: of these what is not as in any handler, without what is ours
said() { grep -vE "BinaryName|pod_annotations|= (\"\"|0|false|\[\])\$" | sed "s/runtimes\.$1\([].]\)/runtimes.NAME\1/"; }
render() { dump | "$ADMIN" --sysroot "$NODE" --containerd-handler "$BIN/oci-rdma-runtime-$1" -; }

# ---- containerd ----
row "containerd takes the handlers that --containerd-handler renders, and changes nothing else for them"
"$ENGINES/bin/containerd" config default >"$CONFIG_TOML"
sed -i 's/SystemdCgroup = false/SystemdCgroup = true/; s|sandbox_image = .*|sandbox_image = "localhost/pause"|' "$CONFIG_TOML"
own=$(handler runc)
has "containerd's own handler" SystemdCgroup "$own"
for runtime in runc crun; do check "a handler for $runtime is rendered" render "$runtime"; done
both=$(render runc && render crun)
echo "$both" >>"$CONFIG_TOML"
check "containerd takes it" dump
for name in rdma rdma-crun; do
	runtime=${name#rdma}
	has "$name: it runs the shim" "BinaryName = \"$BIN/oci-rdma-runtime-${runtime:+crun}" "$(handler $name)"
	has "$name: it hands our annotations on" 'pod_annotations = ["oci-rdma-hook.io/*"]' "$(handler $name)"
	is "$name: all else is that of containerd's own" "$(said runc <<<"$own")" "$(handler $name | said $name)"
done
is "containerd's own handler is as it was" "$own" "$(handler runc)"
has "and so is all else" 'sandbox_image = "localhost/pause"' "$(dump)"
is "--check-config accepts both" 2 "$("$ADMIN" --sysroot "$NODE" --check-config 2>&1 | grep -c '^containerd_handler rdma.*: ok: .*(/etc/containerd/config.toml)$')"
render runc >>"$CONFIG_TOML"
lacks "appended twice, containerd says so, before it is restarted" 'runtimes.rdma.options]' "$(dump)"

row "control: by imports, containerd 1.x forgets what config.toml says of the plugin"
# A file of imports, in containerd 1.x, takes the place of the whole plugin's table: so the documents say "append".
mkdir "$NODE/etc/containerd/conf.d"
printf '%s\n' 'version = 2' "imports = [\"$NODE/etc/containerd/conf.d/*.toml\"]" '[plugins."io.containerd.grpc.v1.cri"]' 'sandbox_image = "localhost/pause"' >"$CONFIG_TOML"
{ echo 'version = 2'; echo "$both"; } >"$NODE/etc/containerd/conf.d/rdma.toml"
lacks "what it said" 'localhost/pause' "$(dump)"

# So a handler that stands in front of such a file is none, and --check-config says so; one in such a file is found there.
tables='[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause"'
for imports in conf.d/rdma.toml 'conf.d/*.toml'; do
	row "$imports: a handler in front of such a file is none, which --check-config says; one in that file is taken"
	printf '%s\n' 'version = 2' "imports = [\"$imports\"]" "$both" >"$CONFIG_TOML"
	printf '%s\n' 'version = 2' "$tables" >"$NODE/etc/containerd/conf.d/rdma.toml"
	lacks "$imports: containerd 1.x forgets config.toml's handler for another table of the plugin" 'runtimes.rdma' "$(dump)"
	is "$imports: --check-config says so, of both" 2 \
		"$("$ADMIN" --sysroot "$NODE" --check-config 2>&1 | grep -c '^containerd_handler rdma.*: warn: .*: /etc/containerd/conf.d/rdma.toml, which is imported, comes later')"
	printf '%s\n' 'version = 2' "imports = [\"$imports\"]" "$tables" >"$CONFIG_TOML"
	printf '%s\n' 'version = 2' "$both" >"$NODE/etc/containerd/conf.d/rdma.toml"
	has "$imports: containerd takes a handler of that file" 'runtimes.rdma.options]' "$(dump)"
	is "$imports: --check-config finds both there" 2 "$("$ADMIN" --sysroot "$NODE" --check-config 2>&1 | grep -c '^containerd_handler rdma.*: ok: .*(/etc/containerd/conf.d/rdma.toml)$')"
done
printf '%s\n' 'version = 2' 'imports = ["missing.toml"]' >"$CONFIG_TOML"
row "control: containerd does not start without a file that it imports by name"
has "what it says" 'missing.toml' "$(dump)"

# The base spec is ctr's own, and the hooks, without the limits that containerd takes off its own
row "the base spec is ctr's own but for hooks and limits"
spec=$("$ENGINES/bin/ctr" oci spec)
is "all else" "$(jq -cS 'del(.process.rlimits)' <<<"$spec")" "$(install/containerd/render-base-spec <<<"$spec" | jq -cS 'del(.hooks)')"

# ---- Docker ----
validate() { "$ENGINES/sbin/dockerd" --validate --userland-proxy=false --config-file "$1" 2>&1; }
row "Docker takes its daemon.json, which names the shim before runc, and --check-config accepts"
check "Docker" validate config/docker/daemon.json
is "it names the shim before runc" "$BIN/oci-rdma-runtime-runc" "$(jq -r .runtimes.rdma.path config/docker/daemon.json)"
mkdir -p "$NODE/etc/docker"
cp config/docker/daemon.json "$NODE/etc/docker/"
is "--check-config accepts it" 1 "$("$ADMIN" --sysroot "$NODE" --check-config 2>&1 | grep -c '^docker_runtime rdma: ok: ')"
sed 's/"runtimes"/"runtims"/' config/docker/daemon.json >"$T/wrong.json"
is "the control: a key that Docker does not know" 1 "$(validate "$T/wrong.json" >"$T/out"; echo $?)"
finish
