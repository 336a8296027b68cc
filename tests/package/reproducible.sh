#!/bin/bash
# The same commit gives the same bytes: the executables, the MachineConfig and the source tarball, from two clean clones in directories
# of different names and lengths.
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir

clones=("$T/a" "$T/a-directory-with-a-longer-name")
# What is tested is what lies here, also where it is not committed: the second repository has one commit of it.
mkdir "$T/tree"
(with_git && git ls-files -z --cached --others --exclude-standard) | xargs -0 cp --parents --no-dereference --target-directory="$T/tree"
export GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z'
git=(git -c user.name=test -c user.email=test@example.invalid -c init.defaultBranch=main -c core.autocrlf=false)
"${git[@]}" -C "$T/tree" init -q && "${git[@]}" -C "$T/tree" add -A && "${git[@]}" -C "$T/tree" commit -qm tree

build() { make -C "$1" -s BUILD=build all machineconfig NRI=1 RUNTIME=1 dist; }
for clone in "${clones[@]}"; do
	git clone -q "$T/tree" "$clone"
	check "it builds in ${clone##*/}" build "$clone"
done
for file in oci-rdma-hook oci-rdma-nri oci-rdma-doctor 99-worker-oci-rdma-hook.yaml; do
	check "$file: the same bytes" cmp "${clones[0]}/build/$file" "${clones[1]}/build/$file"
done
for clone in "${clones[@]}"; do (cd "$clone/build" && sha256sum oci-rdma-hook-*.tar.gz); done >"$T/tarballs"
is "the tarball: the same bytes" 1 "$(sort -u "$T/tarballs" | wc -l)"
printf '\n' >>"${clones[1]}/config/config.json"
build "${clones[1]}" >"$T/log" 2>&1
differs() { ! cmp -s "$1" "$2"; }
check "control: another policy is another MachineConfig" differs "${clones[0]}/build/99-worker-oci-rdma-hook.yaml" "${clones[1]}/build/99-worker-oci-rdma-hook.yaml"
finish
