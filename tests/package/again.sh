#!/bin/bash
# The same commit gives the same bytes: a release from another clean clone, in a directory of another name and length.
# packages: podman doctor-image cross-aarch64 events
# builds: tests/yajl/.unpacked tests/kubectl/.unpacked
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir
. tests/package/release.bash

other=$T/a-directory-with-a-longer-name
check "make release in another place" release "$other"
is "the same bytes" "$(cat "$out/SHA256SUMS")" "$(cat "$other/build/release/$version/SHA256SUMS")"
printf '\n' >>"$other/config/config.json"
make -C "$other" -s machineconfig >"$T/log" 2>&1
differs() { ! cmp -s "$1" "$2"; }
check "control: another policy is another MachineConfig" differs "$out/x86_64/99-worker-oci-rdma-hook.yaml" "$other/build/99-worker-oci-rdma-hook.yaml"
finish
