#!/bin/bash
# The DaemonSet's image, built from nothing but our files, as its containers run: root without any capability, on a root file system
# that cannot be written.
# packages: cli systemd
# shellcheck disable=SC2154,SC2317 # what setup.bash sets; functions that check calls
. tests/podman/setup.bash

host=$T/host
image=localhost/oci-rdma-hook-installer:test
mounts=(usr/local/bin etc/oci-rdma-hook usr/share/containers/oci/hooks.d etc/crio etc/tmpfiles.d run/oci-rdma-hook usr/libexec)
for dir in "${mounts[@]}"; do mkdir -p "$host/$dir"; done
# CRI-O as upstream's packages have it
install -D -m 644 tests/cli/crio/upstream.conf "$host/etc/crio/crio.conf.d/10-crio.conf"
for name in crun runc conmon; do install -D -m 755 /bin/true "$host/usr/libexec/crio/$name"; done
mkdir "$T/config"
cp config/kubernetes/install/config.json "$T/config/"
runtime=crun

# installer TASK [OPTION…]
installer() {
	local dir volumes=(--volume "$T/config:/config:ro")
	for dir in "${mounts[@]}"; do volumes+=(--volume "$host/$dir:/host/$dir"); done
	pod run --rm --cgroup-parent "/${T##*/}" --user 0 --read-only --read-only-tmpfs=false --cap-drop all \
		--security-opt no-new-privileges "${volumes[@]}" "${@:2}" "$image" "$1"
}
refused() { ! "$@"; }

check "the context" install/kubernetes/make-context "$HOOK" "$ADMIN" "$NRI_PLUGIN" "$T/context"
check "the image is built without a network" timeout "$PATIENCE" buildah build --quiet --network none --tag "$image" "$T/context"
check "install" installer install --env RUNTIME=1
for file in config/hooks.d/annotation/*.json; do
	check "${file##*/}" cmp "$file" "$host/usr/share/containers/oci/hooks.d/${file##*/}"
done
is "config.json is the ConfigMap's" "$(<config/kubernetes/install/config.json)" "$(<"$host/etc/oci-rdma-hook/config.json")"
is "the executable is root's and runs" "$("$HOOK" --version) 755 0:0" \
	"$("$host/usr/local/bin/oci-rdma-hook" --version) $(stat -c '%a %u:%g' "$host/usr/local/bin/oci-rdma-hook")"
# The handler's runtime is a script whose interpreter is the hook: called as a runtime it is the shim. podman keeps its environment
# from what it starts, so the node is named in between.
config '{ "memlock": "8Mi" }'
root
runtime=$T/crun
printf '#!/bin/sh\nexport OCI_RDMA_SYSROOT=%s\nexec %s/usr/local/bin/oci-rdma-runtime-crun "$@"\n' "$NODE" "$host" >"$runtime"
chmod 755 "$runtime"
run "${rdma[@]}"
starts "a container of the handler"
is "a container of the handler: memlock" "$AFTER" "$memlock"
is "a container of the handler: the environment names its HCA" "$NCCL" "$nccl_env"
runtime=crun
is "a container of the handler: its monitor is CRI-O's" 'monitor_path = "/usr/libexec/crio/conmon"' \
	"$(grep monitor "$host/etc/crio/crio.conf.d/60-oci-rdma-hook.conf")"
check "the readiness probe" installer check --env RUNTIME=1
rm "$host/usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json"
check "the readiness probe notices what is gone" refused installer check --env RUNTIME=1
check "install mends it" installer install --env RUNTIME=1
check "remove" installer remove --env RUNTIME=1 --env GRACE=1
is "a link to the handler's runtime is left" /usr/libexec/crio/crun "$(readlink "$host/usr/local/bin/oci-rdma-runtime-crun")"
check "…until the next boot" systemd-tmpfiles --root="$host" --remove --boot
is "nothing of ours is left" "$host/etc/crio/crio.conf.d/10-crio.conf" "$(find "$host" ! -type d ! -path '*/libexec/*')"
nothing_left

# ---- the DaemonSet that lets the engine launch the plugin: its containers, with the privileges and volumes of the manifest ----

# as_manifest INIT|STAY: podman's options, one a line, for a container of it. What stands for a ConfigMap is $T/config.
as_manifest() {
	python3 - "$1" "$host" "$T/config" <<-'END'
		import sys, yaml
		which, host, config = sys.argv[1:]
		pod = yaml.safe_load(open("config/kubernetes/nri/launch/daemonset.yaml"))["spec"]["template"]["spec"]
		container = pod["initContainers" if which == "INIT" else "containers"][0]
		security = container["securityContext"]
		assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"] and "privileged" not in security
		print(f'--user={security["runAsUser"]}', "--read-only", "--read-only-tmpfs=false", "--security-opt=no-new-privileges", sep="\n")
		for name in security["capabilities"]["drop"]:
		    print(f"--cap-drop={name}")
		volumes = {v["name"]: v for v in pod["volumes"]}
		for mount in container["volumeMounts"]:
		    volume = volumes[mount["name"]]
		    source = host + volume["hostPath"]["path"] if "hostPath" in volume else config
		    print(f'--volume={source}:{mount["mountPath"]}:{"ro" if mount.get("readOnly") or "configMap" in volume else "rw"}')
	END
}
mkdir -p "$host/opt/nri"
# launching INIT|STAY WORD…
launching() {
	local options
	mapfile -t options < <(as_manifest "$1")
	pod run --rm --cgroup-parent "/${T##*/}" "${options[@]}" "$image" "${@:2}"
}
check "nri: install" launching INIT install nri
is "nri: the plugin is root's and runs" "$("$NRI_PLUGIN" --version) 755 0:0" \
	"$("$host/opt/nri/plugins/90-oci-rdma" --version) $(stat -c '%a %u:%g' "$host/opt/nri/plugins/90-oci-rdma")"
is "nri: nothing else lies where the engine looks, nor beside" "plugins plugins/90-oci-rdma" "$(find "$host/opt/nri" -mindepth 1 -printf '%P\n' | sort | xargs)"
check "nri: its policy is there" cmp "$T/config/config.json" "$host/etc/oci-rdma-hook/config.json"
check "nri: the readiness probe" launching STAY check nri
rm "$host/opt/nri/plugins/90-oci-rdma"
check "nri: the readiness probe notices what is gone" refused launching STAY check nri
check "nri: install mends it" launching INIT install nri
check "nri: the hook beside it" installer install
check "nri: remove" launching INIT remove nri
check "nri: …the hook is whole" installer check
check "nri: the hook is removed, too" installer remove --env GRACE=1
is "nri: nothing of ours is left" "$host/etc/crio/crio.conf.d/10-crio.conf" "$(find "$host" ! -type d ! -path '*/libexec/*')"
nothing_left
finish
