#!/bin/bash
# The executables themselves: hook and oci-rdma-admin need nothing of the host, and the hook fits into a MachineConfig. And the doctor, which needs libc.
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
refused() { ! "$@"; }

for program in "$HOOK" "$ADMIN"; do
	name=${program##*/}
	header=$(readelf -W --file-header --program-headers --dynamic "$program")
	has "$name: it is position-independent" "DYN" "$header"
	lacks "$name: it needs no dynamic linker" INTERP "$header"
	lacks "$name: it needs no library" NEEDED "$header"
	has "$name: its relocations are read-only" GNU_RELRO "$header"
	is "$name: its stack is not executable" RW "$(awk '$1 == "GNU_STACK" { print $7 }' <<<"$header")"
	strip -o "$T/stripped" "$program"
	size=$(gzip -9 <"$T/stripped" | wc -c)
	check "$name: stripped and compressed it has at most 200 KiB ($size bytes)" test "$size" -le $((200 * 1024))
done
is "the environment of the dynamic linker is ignored" "$("$HOOK" --version)" "$(LD_PRELOAD=/nowhere.so LD_LIBRARY_PATH=/nowhere "$HOOK" --version 2>&1)"

# As on Fedora and RHEL; without the right to mount, DYNAMIC=1 says the same.
# shellcheck disable=SC2016 # the inner shell's
without_archive() {
	unshare --mount sh -c 'mount --bind /dev/null "$1" && shift && exec "$@"' - "$(gcc -print-file-name=libprotobuf-c.a)" \
		make -s QUIET=1 BUILD="$T/dynamic" "$@" >"$T/log" 2>&1
}
if may_mount; then
	check "no static protobuf-c: make" without_archive
	is "no static protobuf-c: one line says what follows" "make: no libprotobuf-c.a: the programs will need shared libraries as with DYNAMIC=1 (doc/build.md)" \
		"$(<"$T/log")"
	check "no static protobuf-c: control: DYNAMIC=0 does not link" refused without_archive DYNAMIC=0 "$T/dynamic/oci-rdma-nri"
fi
build_dynamic() { make -s DYNAMIC=1 BUILD="$T/dynamic" >"$T/log" 2>&1 || ! cat "$T/log"; }
check "make DYNAMIC=1: builds" build_dynamic
dynamic=$T/dynamic/oci-rdma-hook
is "make DYNAMIC=1: the hook says the same" "$("$HOOK" --version)" "$("$dynamic" --version 2>&1)"

# old_glibc DESCRIPTION FILE
old_glibc() {
	local newest
	newest=$(readelf -W --version-info "$2" | grep -o 'GLIBC_2[0-9.]*' | sort -uV | tail -1)
	is "$1 needs no glibc newer than 2.34 ($newest)" GLIBC_2.34 "$(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | tail -1)"
}
old_glibc "the dynamic one" "$dynamic"

DOCTOR=${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}
is "the doctor needs libc and no other library" libc.so.6 "$(readelf -W --dynamic "$DOCTOR" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')"
old_glibc "the doctor" "$DOCTOR"
finish
