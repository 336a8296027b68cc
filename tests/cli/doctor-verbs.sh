#!/bin/bash
# The doctor's verbs part where libibverbs is missing, broken or too old. That the executable itself needs none: executable.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built DOCTOR "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}"

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

row "a libibverbs that cannot be loaded: the linker's reason; a transfer that could not be tried is no success"
mkdir "$T/broken"
echo 'no library' >"$T/broken/libibverbs.so.1"
has "the status" 'not checkable: ' "$(finding "$T/broken")"
has "the reason" "$T/broken/libibverbs.so.1" "$(finding "$T/broken")"
LD_LIBRARY_PATH=$T/broken "$DOCTOR" --connect 127.0.0.1 >"$T/out" 2>&1
is "--connect" 1 "$?"
row "a library of that name which is another"
library old 'void *ibv_get_device_list(int *n) { *n = 0; return 0; }'
is "the finding" 'not checkable: libibverbs.so.1: it has no ibv_free_device_list of version IBVERBS_1.1' "$(finding "$T/old")"
row "no verbs in this kernel: no failure"
[ -e /sys/class/infiniband_verbs ] ||
	is "the finding" 'not checkable: libibverbs.so.1 is here, but ibv_get_device_list fails: Function not implemented' "$(finding '')"
is "failures" "" "$("$DOCTOR" --verbs --format json | jq -r '.findings[] | select(.status == "fail" and (.id | startswith("verbs"))) | .id')"

row "questions that cannot be asked: status 2, one line, nothing on stdout"
while read -r options; do
	# shellcheck disable=SC2086 # words
	"$DOCTOR" $options >"$T/out" 2>"$T/err"
	is "$options" "2 1 0" "$? $(wc -l <"$T/err") $(wc -c <"$T/out")"
done <<-EOT
	--listen --connect somewhere
	--verbs --pid 1
	--verbs --container abc
	--verbs --sysroot $T
	--verbs --symptom x
	--port 0 --listen
	--port 65536 --listen
	--port 1x --listen
	--port -1 --listen
	--listen 10.0.0.1 10.0.0.2
	--token-file /dev/null
	--pair
EOT
finish
