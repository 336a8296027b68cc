#!/bin/bash
# The build for aarch64 nodes, under QEMU's user emulation: its programs start, its dry run is that of this machine's build, and its filters
# allow the same system calls, by aarch64's numbers. `make check-aarch64` runs all suites that can be emulated.
# builds: aarch64-linux-gnu
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir
BUILD=${BUILD:-build}
AARCH64=$BUILD/aarch64-linux-gnu
version=$(sed -n 's/^VERSION := //p' Makefile)

emulated() { "$BUILD/tests/qemu/usr/bin/qemu-aarch64" -L "$AARCH64/sysroot" "$@" 2>&1; }
for program in oci-rdma-hook oci-rdma-admin oci-rdma-nri oci-rdma-doctor; do
	row "$program starts"
	is "it is for aarch64" aarch64 "$(install/executable-machine --libraries "$AARCH64/$program" 2>&1)"
	is "--version" "$program $version" "$(emulated "$AARCH64/$program" --version | cut -d ' ' -f 1,2)"
	is "a kernel with pages of 64 KiB can map it" 0x10000 "$(readelf -lW "$AARCH64/$program" | sed -n 's/^ *LOAD .* //p' | sort -u)"
done

row "the dry run is that of this machine's build"
tests/nodes/mknode tests/nodes/h100.json "$T/node"
tests/bundles/mkbundle h100-trainer.json "$T/bundle"
dry_run=(--sysroot "$T/node" --dry-run --format json "$T/bundle")
here=$("$BUILD/oci-rdma-hook" "${dry_run[@]}")
has "four devices" '"decision": "grant"' "$(jq . <<<"$here")"
is "the same" "$here" "$(emulated "$AARCH64/oci-rdma-hook" "${dry_run[@]}")"

for filter in hook nri scrape; do
	row "the filter of $filter allows what this machine's does"
	is "names and what is done" "$(tests/cross/filter "$BUILD/generated/confine/$filter.inc" gcc)" \
		"$(tests/cross/filter "$AARCH64/generated/confine/$filter.inc" aarch64-linux-gnu-gcc)"
	check "control: with this machine's numbers it would not" test \
		"$(tests/cross/filter "$BUILD/generated/confine/$filter.inc" gcc)" != "$(tests/cross/filter "$AARCH64/generated/confine/$filter.inc" gcc)"
done
finish
