# shellcheck shell=bash disable=SC2034 # what it sets is used where it is sourced
# containerd in the test VM, with pods of its CRI, as the kubelet makes them. Sourced in the guest, where tests/vm/build-engines made the
# disk; regmr, probe and cri lie in the working directory, node.sh has made the node, and engine.sh makes the image. Pods are on the host's
# network: no CNI.

CONTAINERD_LOG=/run/containerd.log

# handler NAME BINARY [LINE…]: a runtime handler for the configuration
handler() {
	local name=$1 binary=$2 line
	shift 2
	printf '%s\n' "[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.$name]" 'runtime_type = "io.containerd.runc.v2"'
	for line; do echo "$line"; done
	printf '%s\n' "[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.$name.options]" "BinaryName = \"$binary\""
}

# configure_containerd NRI [HANDLERS]: NRI is true or false; runc and crun are handlers, and what HANDLERS says
configure_containerd() {
	local disable=true
	[ "$1" = false ] || disable=false
	mkdir -p /etc/containerd
	touch /etc/hosts /etc/resolv.conf # of which pods have copies
	{
		cat <<-END
			version = 2
			root = "/run/containerd.root"
			disabled_plugins = ["io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.btrfs",
				"io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.tracing"]
			[plugins.'io.containerd.nri.v1.nri']
			disable = $disable
			[plugins.'io.containerd.grpc.v1.cri']
			sandbox_image = "localhost/probe:latest"
			[plugins.'io.containerd.grpc.v1.cri'.containerd]
			default_runtime_name = "runc"
		END
		handler runc /usr/bin/runc
		handler crun /usr/bin/crun
		echo "${2-}"
	} >/etc/containerd/config.toml
}

# start_containerd: under the limit that a login shell gives, which containers then inherit
start_containerd() {
	launch -a CONTAINERD "$CONTAINERD_LOG" prlimit "--memlock=$MEMLOCK:$MEMLOCK" containerd
	within ./cri version >/dev/null
}

stop_containerd() {
	kill "-${1:-TERM}" "$CONTAINERD"
	wait "$CONTAINERD" 2>/dev/null
}

# make_network: what containerd needs to make a pod with a network namespace of its own: there is no other pod to reach. A plugin of CNI for
# the pod and, on a disk that lacks it, the one that containerd has for lo, where Debian's containerd looks
make_network() {
	local name
	mkdir -p /usr/lib/cni /etc/cni/net.d
	cat >/usr/lib/cni/alone <<-'END'
		#!/bin/sh
		case $CNI_COMMAND in
		VERSION) echo '{"cniVersion": "0.3.1", "supportedVersions": ["0.3.1"]}' ;;
		ADD) printf '{"cniVersion": "0.3.1", "interfaces": [{"name": "%s", "sandbox": "%s"}],
			"ips": [{"version": "4", "address": "10.79.0.2/24", "interface": 0}]}' "$CNI_IFNAME" "$CNI_NETNS" ;;
		esac
	END
	chmod 755 /usr/lib/cni/alone
	[ -e /usr/lib/cni/loopback ] || ln -s alone /usr/lib/cni/loopback
	echo '{"cniVersion": "0.3.1", "name": "alone", "plugins": [{"type": "alone"}]}' >/etc/cni/net.d/10-alone.conflist
	within ./cri has-network
}

# remove_network: as it was before make_network
remove_network() {
	rm -f /usr/lib/cni/alone /etc/cni/net.d/10-alone.conflist
	[ ! -L /usr/lib/cni/loopback ] || rm /usr/lib/cni/loopback
	rmdir /usr/lib/cni /etc/cni/net.d /etc/cni /run/netns 2>/dev/null
}

# archive_image DIRECTORY FILE: localhost/probe:latest of it, as `docker save` writes images; a pod's sandbox only waits
archive_image() {
	local out=/run/archive digest
	mkdir -p "$out"
	tar -C "$1" -cf "$out/layer.tar" .
	digest=$(sha256sum "$out/layer.tar" | cut -d ' ' -f 1)
	cat >"$out/config.json" <<-END
		{"architecture": "amd64", "os": "linux", "config": {"Cmd": ["sleep", "1000000"], "Env": ["PATH=/bin"]},
		 "rootfs": {"type": "layers", "diff_ids": ["sha256:$digest"]}}
	END
	echo '[{"Config": "config.json", "RepoTags": ["localhost/probe:latest"], "Layers": ["layer.tar"]}]' >"$out/manifest.json"
	tar -C "$out" -cf "$2" manifest.json config.json layer.tar
	rm -rf "$out"
}

import_image() {
	make_rootfs /run/image
	archive_image /run/image /run/image.tar
	ctr --namespace k8s.io images import /run/image.tar >/dev/null
}
