#!/bin/bash
# The RPM for aarch64 nodes, made on another machine by rpmbuild --target aarch64 (tools/sysroot's libraries), as RHEL 9 would build it: with shared
# libraries, and yajl from its sources. What is in it runs by QEMU's user emulation.
# builds: aarch64-linux-gnu tests/yajl/.unpacked
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/package/rpm.bash
SYSROOT=$(realpath "${BUILD:-build}/aarch64-linux-gnu/sysroot")
QEMU=$(realpath "${BUILD:-build}/tests/qemu/usr/bin/qemu-aarch64")
if [ "$(uname -m)" = aarch64 ]; then
	pass "the cross build # skip this machine is aarch64: tests/package/rpm.sh is its build"
	finish
fi

# The same objects as make check-aarch64 has: only yajl's are missing.
cp -R "${SYSROOT%/sysroot}" "$T/objects"
find "$T/objects" -type f -exec touch -d now {} +
make -s dist BUILD="$T/dist" 2>/dev/null
tarball=$T/dist/oci-rdma-hook-$version.tar.gz
yajl_beside "$tarball"
build "$tarball" --target aarch64 --define 'rhel 9' --define "sysroot $SYSROOT"
is "each package's architecture" "oci-rdma-hook aarch64,oci-rdma-hook-doc noarch,oci-rdma-hook-doctor aarch64,oci-rdma-hook-nri aarch64,oci-rdma-hook-podman noarch" \
	"$(architectures)"
has "it says that it is for aarch64" "oci-rdma-hook(aarch-64) = $version" "$(of '' --provides)"
is "the hook wants the C library and libcap alone" libcap.so.2 "$(shared '')"
has "…aarch64's" "ld-linux-aarch64.so.1()(64bit)" "$(of '' --requires)"
is "the NRI plugin wants protobuf-c's library" "libcap.so.2 libprotobuf-c.so.1" "$(shared nri)"
has "it says which yajl it has in it" "bundled(yajl) = 2.1.0" "$(of '' --provides)"
newest=$(rpm -qp --requires "${RPMS[@]}" 2>/dev/null | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
check "none wants a newer C library than RHEL 9 has, 2.34 ($newest)" test "$(printf '%s\n' GLIBC_2.34 "$newest" | sort -V | tail -n 1)" = GLIBC_2.34

mkdir "$T/root"
for package in '' nri doctor; do
	rpm2cpio "$T"/rpm/RPMS/aarch64/oci-rdma-hook${package:+-$package}-"$version"-*.rpm | (cd "$T/root" && cpio -idm --quiet)
done
for program in "$T"/root/usr/bin/oci-rdma-*; do
	[ ! -L "$program" ] || continue
	is "${program##*/} is for aarch64" aarch64 "$(install/executable-machine --libraries "$program" 2>&1)"
	is "${program##*/} can be mapped by a kernel with pages of 64 KiB" 0x10000 "$(readelf -lW "$program" | sed -n 's/^ *LOAD .* //p' | sort -u)"
	is "${program##*/} is stripped" "" "$(readelf -SW "$program" | grep -E 'symtab|debug_info')"
	is "${program##*/} runs there" "${program##*/} $version" "$("$QEMU" -L "$SYSROOT" "$program" --version 2>&1 | cut -d ' ' -f 1,2)"
done
for program in oci-rdma-hook oci-rdma-nri oci-rdma-doctor; do
	is "$program of MachineConfig and images, too" 0x10000 "$(readelf -lW "${SYSROOT%/sysroot}/$program" | sed -n 's/^ *LOAD .* //p' | sort -u)"
done
tests/nodes/mknode tests/nodes/h100.json "$T/node"
tests/bundles/mkbundle h100-trainer.json "$T/bundle"
is "the dry run from there" NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11 \
	"$("$QEMU" -L "$SYSROOT" "$T/root/usr/bin/oci-rdma-hook" --sysroot "$T/node" --dry-run --format nccl "$T/bundle" | grep -v '^#')"
finish
