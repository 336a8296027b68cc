#!/bin/bash
# `make release`: all that the project publishes of the last commit, read by what will read it: sha256sum, buildah, kubectl, the checksums
# of the nodes, the SBOM's own.
# packages: podman doctor-image cross-aarch64 events
# builds: tests/yajl/.unpacked tests/kubectl/.unpacked
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir
. tests/package/release.bash
cd "$out" || finish
check "its checksums are right" sha256sum --quiet -c SHA256SUMS
# signed COMMAND: a command of doc/release.md, with a key of this test alone
signed() { KEY=$T/key PUBLIC_KEY=$T/public sh -ec "$(awk -v mark="<!-- run: $1 -->" 'index($0, mark) { on = 1; next } on && /^    / { print; exit }' "$tree/doc/release.md")"; }
openssl ecparam -name prime256v1 -genkey -noout -out "$T/key" && openssl ec -in "$T/key" -pubout -out "$T/public" 2>/dev/null
refused() { ! "$@"; }
check "the checksums are signed" signed sign
check "…and the signature is right" signed verify
cp SHA256SUMS "$T/sums" && sed -i '1s/^./x/' SHA256SUMS
check "…but not for other checksums" refused signed verify
mv "$T/sums" SHA256SUMS
rm SHA256SUMS.sig
is "each file has one" "$(find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort)" "$(sed 's/^[^ ]*  //' SHA256SUMS | sort)"
for kind in "oci-rdma-hook-$version.tar.gz" "oci-rdma-hook-$version-manifests.tar.gz" "*_amd64.deb" "*.x86_64.rpm" "*.oci.tar" \
	"x86_64/*.yaml" "aarch64/*.yaml" "*.spdx.json" SHA256SUMS.nodes; do
	check "there is $kind" compgen -G "$kind"
done

# ---- the images ----

buildah() { command buildah --root "$T/storage" --runroot "$T/storage.run" --storage-driver vfs "$@"; }
for image in oci-rdma-nri oci-rdma-hook-installer oci-rdma-doctor oci-rdma-events; do
	mkdir "$T/$image" && tar -C "$T/$image" -xf "$image-$version.oci.tar"
	index=$T/$image/blobs/sha256/$(jq -r '.manifests[0].digest | ltrimstr("sha256:")' "$T/$image/index.json")
	is "$image: for both architectures" "amd64 arm64" "$(jq -r '.manifests[].platform.architecture' "$index" | sort | paste -sd ' ')"
	is "$image: the labels say version and commit" "$version $commit" \
		"$(buildah pull -q --arch arm64 "oci-archive:$out/$image-$version.oci.tar" >"$T/id" && buildah inspect --type image "$(<"$T/id")" |
			jq -r '.OCIv1.config.Labels | ."org.opencontainers.image.version" + " " + ."org.opencontainers.image.revision"')"
done

# files IMAGE: of the one for amd64
files() {
	local blobs=$T/$1/blobs/sha256 index layer
	index=$blobs/$(jq -r '.manifests[0].digest | ltrimstr("sha256:")' "$T/$1/index.json")
	for layer in $(jq -r '.layers[].digest | ltrimstr("sha256:")' \
		"$blobs/$(jq -r '.manifests[] | select(.platform.architecture == "amd64").digest | ltrimstr("sha256:")' "$index")"); do
		tar -tf "$blobs/$layer"
	done
}
for program in oci-rdma-hook oci-rdma-nri node-install; do
	has "the installer has $program" "oci-rdma-hook/bin/$program" "$(files oci-rdma-hook-installer)"
done

# ---- what a node gets ----

# on_a_node FILE: its checksums and paths
on_a_node() { "$tree/install/machineconfig/list-files" "$1"; }
strip --strip-all --remove-section=.note.gnu.build-id --remove-section=.comment -o "$T/hook" "$tree/build/oci-rdma-hook" 2>/dev/null ||
	(cd "$tree" && make -s build/oci-rdma-hook)
has "SHA256SUMS.nodes has what the MachineConfigs have" "$(on_a_node x86_64/99-worker-oci-rdma-hook-nri.yaml)" "$(<SHA256SUMS.nodes)"
has "…the plugin's executable among it" /usr/local/bin/oci-rdma-nri "$(on_a_node x86_64/99-worker-oci-rdma-hook-nri.yaml)"
# As the machine-config daemon would write the hook: what the list says of it is that file's checksum.
awk '/- path: \/usr\/local\/bin\/oci-rdma-hook$/ { here = 1 } here && /source:/ { sub(/.*base64,/, ""); print; exit }' \
	x86_64/99-worker-oci-rdma-hook.yaml | base64 -d | gzip -dc >"$T/on-node" && chmod 755 "$T/on-node"
is "a node's file has the checksum of the list" "$(sha256sum <"$T/on-node" | cut -d ' ' -f 1)" \
	"$(on_a_node x86_64/99-worker-oci-rdma-hook.yaml | sed -n 's|  /usr/local/bin/oci-rdma-hook$||p')"
is "…and is the executable of this commit" "oci-rdma-hook $version (commit ${commit:0:12})" "$("$T/on-node" --version)"
has "the MachineConfig's header says version and commit" "# Version: $version (commit ${commit:0:12})" "$(head -n 5 aarch64/99-worker-oci-rdma-hook.yaml)"
is "control: another file has nothing of ours" 1 "$(on_a_node SHA256SUMS >/dev/null 2>&1; echo "$?")"

# ---- manifests, packages, SBOM ----

mkdir "$T/manifests" && tar -C "$T/manifests" -xzf "oci-rdma-hook-$version-manifests.tar.gz"
has "the manifests name the images below REGISTRY" "registry.example/team/oci-rdma-nri" "$(cat "$T"/manifests/*/config/kubernetes/nri/kustomization.yaml)"
has "…that of the installer which nri-launch runs, too" "registry.example/team/oci-rdma-hook-installer" \
	"$(cat "$T"/manifests/*/config/kubernetes/nri/launch/kustomization.yaml)"
for file in install/{kubernetes,openshift}-{nri,nri-launch,install,events}.yaml install/{selftest,admission}.yaml; do
	is "$file: each image is one of this release, by its digest" "" "$(grep -oE 'image: .*' "$file" | sort -u | while read -r _ name; do
		image=${name##*/} image=${image%@*}
		[ "$name" = "registry.example/team/$image@$(jq -r '.manifests[0].digest' "$T/$image/index.json")" ] || echo "$name"
	done)"
done
mkdir "$T/chart" && tar -C "$T/chart" -xzf "oci-rdma-hook-$version.tgz"
is "the chart is one directory, whose name helm cuts off (LoadArchiveFiles in its pkg/chart/loader/archive.go)" oci-rdma-hook \
	"$(tar -tzf "oci-rdma-hook-$version.tgz" | cut -d / -f 1 | sort -u)"
is "the chart has the same images" "$(cat install/kubernetes-{nri-launch,events}.yaml | sed -n 's/.*image: //p' | sort -u)" \
	"$(sed -n '/^images:/,/^#/s/^  [a-z]*: //p' "$T/chart/oci-rdma-hook/values.yaml" | sort -u)"
has "the doctor's package has kubectl's plugin" usr/bin/kubectl-rdma_doctor-selftest "$(dpkg-deb -c oci-rdma-hook-doctor_*.deb)"
has "…and the RPM" /usr/bin/kubectl-rdma_doctor "$(rpm -qlp oci-rdma-hook-doctor-*.rpm 2>/dev/null)"
for page in config/kubernetes/nri/daemonset.yaml config/admission/policy.yaml config/monitoring/rules.yaml; do
	has "the documentation's package has $page" "${page#config/}" "$(dpkg-deb -c oci-rdma-hook-doc_*.deb)"
done
jq -r '.subject[] | select(.name | startswith("registry") | not) | .digest.sha256 + "  " + .name' "oci-rdma-hook-$version.intoto.json" >"$T/provenance.sums"
check "the provenance has the checksum of each file" sha256sum --quiet -c "$T/provenance.sums"
is "…and of all but itself" "$(sed 's/^[^ ]*  //' SHA256SUMS | grep -v intoto | sort)" "$(sed 's/^[^ ]*  //' "$T/provenance.sums" | sort)"
is "…and each image by its digest" "$(for image in oci-rdma-doctor oci-rdma-events oci-rdma-hook-installer oci-rdma-nri; do
	echo "registry.example/team/$image@$(jq -r '.manifests[0].digest' "$T/$image/index.json")"; done)" \
	"$(jq -r '.subject[] | select(.name | startswith("registry")) | .name + "@sha256:" + .digest.sha256' "oci-rdma-hook-$version.intoto.json")"
is "…it is an in-toto statement of SLSA, about this commit" "https://in-toto.io/Statement/v1 https://slsa.dev/provenance/v1 $commit" \
	"$(jq -r '[._type, .predicateType, .predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit] | join(" ")' "oci-rdma-hook-$version.intoto.json")"
sbom=oci-rdma-hook-$version.spdx.json
is "the SBOM is SPDX 2.3 and describes the project" "SPDX-2.3 oci-rdma-hook $version commit $commit" \
	"$(jq -r '.spdxVersion + " " + (.packages[0] | .name + " " + .versionInfo + " " + .sourceInfo)' "$sbom")"
is "…and what is linked, each with a version" "brotli busybox curl cyrus-sasl e2fsprogs gcc-runtime glibc gmp gnutls keyutils krb5 libcap libffi libidn2 libnl libpsl libssh2 libtasn1 libunistring musl nettle nghttp2 openldap openssl p11-kit protobuf-c rdma-core rtmpdump yajl zlib zstd" \
	"$(jq -r '.packages[1:][] | select(.versionInfo | test("[0-9]")) | .name' "$sbom" | sort | paste -sd ' ')"
jq -r '.files[] | (.checksums[] | select(.algorithm == "SHA256").checksumValue) + "  " + .fileName' "$sbom" >"$T/sbom.sums"
check "…and the checksum of each file" sha256sum --quiet -c "$T/sbom.sums"
is "every reference in it leads somewhere" "" \
	"$(jq -r '[.SPDXID, .packages[].SPDXID, .files[].SPDXID] as $known | .relationships[] | .spdxElementId, .relatedSpdxElement | select(IN($known[]) | not)' "$sbom")"
finish
