#!/bin/bash
# The doctor's verbs part where libibverbs is missing, broken or too old. That the executable itself needs none: executable.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
DOCTOR=$(realpath "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}")

# finding WITH: "status: evidence" of verbs_library, with that directory's libraries before the system's
finding() {
	LD_LIBRARY_PATH=$1 "$DOCTOR" --verbs --format json 2>&1 |
		jq -r '.findings[] | select(.id == "verbs_library") | "\(.status): \(.evidence)"'
}

# library DIR [C SOURCE]: a libibverbs.so.1 of our own
library() {
	mkdir -p "$T/$1"
	printf 'IBVERBS_1.1 { global: *; };\n' >"$T/map"
	printf '%s\n' "${2-}" | gcc -x c -shared -fPIC -Wl,--version-script,"$T/map" -Wl,-soname,libibverbs.so.1 -o "$T/$1/libibverbs.so.1" -
}

mkdir "$T/broken"
echo 'no library' >"$T/broken/libibverbs.so.1"
has "a libibverbs that cannot be loaded" 'not checkable: ' "$(finding "$T/broken")"
has "a libibverbs that cannot be loaded: the linker's reason" "$T/broken/libibverbs.so.1" "$(finding "$T/broken")"
library old 'void *ibv_get_device_list(int *n) { *n = 0; return 0; }'
is "a library of that name which is another" \
	'not checkable: libibverbs.so.1: it has no ibv_free_device_list of version IBVERBS_1.1' "$(finding "$T/old")"
if [ ! -e /sys/class/infiniband_verbs ]; then
	is "no verbs in this kernel" \
		'not checkable: libibverbs.so.1 is here, but ibv_get_device_list fails: Function not implemented' "$(finding '')"
fi
is "that is no failure" "" "$("$DOCTOR" --verbs --format json | jq -r '.findings[] | select(.status == "fail" and (.id | startswith("verbs"))) | .id')"


# A script that asks for a transfer must not take "nothing could be tried" for one that was verified.
LD_LIBRARY_PATH=$T/broken "$DOCTOR" --connect 127.0.0.1 >"$T/out" 2>&1
is "--connect without a usable libibverbs: no transfer is no success" 1 "$?"

# wrong OPTION…: no question that can be asked
wrong() {
	"$DOCTOR" "$@" >"$T/out" 2>"$T/err"
	is "$*: exit status" 2 "$?"
	is "$*: one line" 1 "$(wc -l <"$T/err")"
	is "$*: nothing on stdout" "" "$(cat "$T/out")"
}
wrong --listen --connect somewhere
wrong --verbs --pid 1
wrong --verbs --container abc
wrong --verbs --sysroot "$T"
wrong --verbs --symptom x
wrong --port 0 --listen
wrong --port 65536 --listen
wrong --port 1x --listen
wrong --clients -1 --listen
wrong --listen 10.0.0.1:0
wrong --listen=10.0.0.1:65536
wrong --listen '[::1'
wrong --listen '[::1]x'
wrong --listen 10.0.0.1 10.0.0.2
wrong --token-file /dev/null
finish
