#!/bin/bash
# The executables themselves: hook and oci-rdma-admin need nothing of the host, and the hook fits into a MachineConfig. And the doctor, which needs libc.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case

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

if make -s DYNAMIC=1 BUILD="$T/dynamic" >"$T/log" 2>&1; then
	pass "make DYNAMIC=1"
else
	fail "make DYNAMIC=1" "$(cat "$T/log")"
fi
dynamic=$T/dynamic/oci-rdma-hook
is "the dynamic one says the same" "$("$HOOK" --version)" "$("$dynamic" --version 2>&1)"

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
