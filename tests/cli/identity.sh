#!/bin/bash
# Whose container it is: the annotations of its own engine say so, and not what the pod's author wrote under another engine's names.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
node one
rdma='"devices":[["/dev/infiniband/uverbs6",231,198]]'
who='.container | [.name, .pod, .namespace] | map(. // "-") | join(" ")'

config '{"namespaces": ["team-a"]}'
for engine in '' '"engine":"containerd",'; do
	plan "{$engine$rdma}"
	gets "${engine:-CRI-O}: the namespace is in the list" mlx5_6
	that "${engine:-CRI-O}: and it is known whose the container is" "$who" "trainer h-kim-0 team-a"
	warns "${engine:-CRI-O}: without a doubt" ""
	plan "{$engine$rdma,\"annotations\":{\"oci-rdma-hook.io/containers\":\"trainer\"}}"
	gets "${engine:-CRI-O}: containers names it" mlx5_6
	plan "{$engine$rdma,\"annotations\":{\"oci-rdma-hook.io/containers\":\"loader\"}}"
	decides "${engine:-CRI-O}: containers names another" none
done
plan "{\"engine\":\"podman\",$rdma}"
decides "podman: no namespace is in no list" denied
plan "{\"engine\":\"podman\",$rdma,\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"container\",\"io.kubernetes.cri-o.SandboxID\":\"0123\"}}"
decides "podman: nor has a pod one" denied

config '{"namespaces": ["team-b"]}'
plan "{\"engine\":\"containerd\",$rdma}"
decides "containerd: a namespace that is not in the list" denied

# What a pod of team-a may add where the engine hands all of its annotations on
forged_on_containerd=(
	'"io.kubernetes.pod.namespace":"team-b"'
	'"io.kubernetes.pod.namespace":"team-b","io.kubernetes.cri-o.ContainerType":"container","io.kubernetes.cri-o.SandboxID":"0123"'
)
for forged in "${forged_on_containerd[@]}"; do
	plan "{\"engine\":\"containerd\",$rdma,\"annotations\":{$forged}}"
	decides "containerd, forged $forged: nothing" denied
	that "and the reason says so" '.reason | test("two engines")' true
	that "nobody is named" "$who" "- - -"
done
# What a user of podman or Docker, an image under podman before 5 (its annotations become the container's), may write: the whole set of either
# engine of Kubernetes, and podman's own name is theirs, too
declare -A forged_set=(
	[containerd]='"io.kubernetes.cri.container-type":"container","io.kubernetes.cri.container-name":"trainer","io.kubernetes.cri.sandbox-name":"p","io.kubernetes.cri.sandbox-namespace":"team-b","io.kubernetes.cri.sandbox-id":"0123"'
	[one key of containerd]='"io.kubernetes.cri.sandbox-namespace":"team-b"'
	[CRI-O]='"io.kubernetes.cri-o.ContainerType":"container","io.kubernetes.cri-o.SandboxID":"0123","io.kubernetes.cri-o.ContainerID":"940942ebb876fe6079df8da29c1c12cc56f396967f80b36e8efb63028986fbfd","io.kubernetes.container.name":"trainer","io.kubernetes.pod.name":"p","io.kubernetes.pod.namespace":"team-b"'
)
forgery() {
	plan "{\"engine\":\"$2\",$rdma,\"annotations\":{$3}${4-}}"
	decides "$1: nothing" denied
	that "$1: nobody is named" "$who" "- - -"
	that "$1: the reason says so" '.reason | test("engine")' true
}
for set in "${!forged_set[@]}"; do
	for manager in '' cri-o; do
		forgery "podman, forged $set${manager:+, which calls itself $manager}" podman "${manager:+\"io.container.manager\":\"$manager\",}${forged_set[$set]}"
	done
	forgery "Docker, forged $set" docker "${forged_set[$set]}"
done
plan "{\"engine\":\"podman\",$rdma,\"annotations\":{\"io.kubernetes.pod.namespace\":\"team-b\"}}"
decides "a label without the keys of the engine that writes it: nothing" denied
that "and the reason says so" '.reason | test("labels")' true

config '{"namespaces": ["*"]}'
plan "{\"engine\":\"containerd\",$rdma,\"annotations\":{${forged_on_containerd[0]}}}"
gets "everybody is admitted: so is who is unknown" mlx5_6
warns "with a warning" identity_unknown
that "but it is not said to be anybody's" "$who" "- - -"

# The pause container
config '{"memlock": "8Mi", "opt_in": "device", "on_no_device": "fail"}'
for case in "$rdma,\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\"}" \
	"\"engine\":\"containerd\",\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\"}" \
	"\"engine\":\"containerd\",$rdma,\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"}"; do
	container "{$case}"
	dry_run --format json
	decides "a sandbox in the plan: $case" none
	jq -c --argjson pid "$pid" --arg bundle "$B" '{ociVersion: "1.0", id: "c0", pid: $pid, bundle: $bundle, status: "created"}' "$B/config.json" >"$T/state"
	hook createRuntime
	is "a sandbox in config.json, whatever the state says: it starts, as it is" "0 $BEFORE" "$rc $(limit)"
	state '.id = "c0"' >"$T/state"
	hook createRuntime
	is "a sandbox in the state: it starts, as it is" "0 $BEFORE" "$rc $(limit)"
done
rm "$B/config.json"
hook createRuntime
is "and its config.json is not looked at" "0 " "$rc $(<"$T/err")"
# ---- as the engines write them (tests/bundles) ----
node h100
# recorded NAME [JQ-FILTER]: the plan of that bundle, changed so
recorded() {
	jq "${2-.}" "tests/bundles/$1.json" >"$B/config.json"
	dry_run --format json
}
NAMED='.annotations["oci-rdma-hook.io/containers"] = "sidecar"'
config '{"namespaces": ["team-a"]}'
recorded containerd-1.7
decides "containerd 1.7 as recorded: \"containers\" names another" none
that "containerd 1.7 as recorded: whose it is" "$who" "sidecar names-runc team-a"
recorded containerd-1.7 "$NAMED"
gets "containerd 1.7 as recorded, named" mlx5_6,mlx5_7
warns "containerd 1.7 as recorded: without a doubt" ""
config '{"namespaces": ["team-b"]}'
recorded containerd-1.7 "$NAMED"
decides "containerd 1.7 as recorded, of another namespace" denied
config '{"opt_in": "device"}'
recorded containerd-1.7-sandbox '.linux.devices = [{path: "/dev/infiniband/uverbs6", type: "c", major: 231, minor: 198}]'
decides "containerd 1.7 as recorded, a sandbox" none
config
recorded docker-26
gets "Docker 26 as recorded" mlx5_6,mlx5_7
that "Docker 26 as recorded: nobody's" "$who" "- - -"
config '{"namespaces": ["team-a"]}'
recorded docker-26
decides "Docker 26 as recorded: no namespace is in no list" denied
finish
