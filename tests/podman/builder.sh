#!/bin/bash
# The builder image, made of its Containerfile on a Debian that mmdebstrap makes, which is what its base is, and run without a network:
# it renders what `make` renders, for amd64 and for aarch64 nodes.
# packages: vm
# shellcheck disable=SC2154,SC2317 # what setup.bash sets; functions that check calls
. tests/podman/setup.bash

runtime=crun base=localhost/debian:12 image=localhost/oci-rdma-hook-builder:test
mirror=$(tools/mirror)
bootstrap() { mmdebstrap --quiet --mode=root --variant=apt bookworm "$T/base.tar" "$mirror" && podman import --quiet "$T/base.tar" "$base"; }
check "a Debian" bootstrap
mkdir "$T/tree"
(with_git && git ls-files -z --cached --others --exclude-standard) | xargs -0 cp --parents --no-dereference --target-directory="$T/tree"
# It downloads packages and compiles everything twice: beside the other suites on a busy machine that takes more than $PATIENCE.
build() {
	timeout "$((4 * PATIENCE))" buildah build --quiet --network host --from "$base" --tag "$image" --ignorefile "$T/tree/.containerignore" \
		--file "$T/tree/install/builder/Containerfile" "$T/tree"
}
check "the image" build

# builder NAME ARGUMENT…: $T/NAME.yaml
builder() {
	local name=$1
	shift
	pod run --rm --cgroup-parent "/${T##*/}" --network none --volume "$T/amd64.yaml:/old.yaml:ro" "$image" "$@" >"$T/$name.yaml" 2>"$T/log"
}
check "it renders the MachineConfigs" builder amd64 machineconfig ROLE=gpu
check "…for aarch64" builder aarch64 machineconfig ROLE=gpu ARCH=aarch64 NRI=1
check "…and the IOMMU's" builder iommu iommu-passthrough ROLE=gpu ARCH=aarch64
check "…and the context of the plugin's image" builder context nri-context ARCH=aarch64
is "its files" "./Containerfile ./licenses/GPL-2 ./licenses/LICENSE ./licenses/libcap-dev ./licenses/libprotobuf-c-dev ./licenses/libyajl-dev ./licenses/musl-dev ./oci-rdma-nri" \
	"$(tar -tf "$T/context.yaml" | grep -v /$ | LC_ALL=C sort | xargs)"
has "for amd64" "ARCH=x86_64" "$(head -n 1 "$T/amd64.yaml")$(sed -n 2p "$T/amd64.yaml")"
has "for aarch64" "ARCH=aarch64" "$(head -n 1 "$T/aarch64.yaml")$(sed -n 2p "$T/aarch64.yaml")"
is "the objects of the pool: hook, doctor, what enables them" 3 "$(grep -c '^  name: 99-gpu-oci-rdma-hook' "$T/amd64.yaml")"
check "FROM: the old file's pool" builder again machineconfig FROM=/old.yaml
is "…and its objects" "$(grep '^  name: ' "$T/amd64.yaml")" "$(grep '^  name: ' "$T/again.yaml")"
has "the IOMMU's argument is Arm's" "iommu.passthrough=1" "$(<"$T/iommu.yaml")"
refused() { ! builder other "$@"; }
check "another task is refused" refused install
nothing_left
finish
