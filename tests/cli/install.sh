#!/bin/bash
# make install and uninstall: at no moment is there a hook file without its executable, which would let containers start without
# RDMA, silently; and nothing in CRI-O's directory keeps CRI-O from starting.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
arguments=(-s DESTDIR="$T/root" BUILD="${BUILD:-build}" SYSCONFDIR=/etc)
hooks=$T/root/usr/share/containers/oci/hooks.d

# order MAKE-TARGET: what becomes of the executable ("hook") and of hook files ("json"), in the order in which the target does it
order() {
	strace -f -qq -e trace=rename,renameat,renameat2,unlink,unlinkat -o "$T/trace" make "${arguments[@]}" "$1" >"$T/out" 2>&1 ||
		fail "make $1" "$(cat "$T/out")"
	grep -F "$T/root" "$T/trace" | sed -nE 's/.*bin\/oci-rdma-hook".* = 0$/hook/p; s/.*hooks\.d\/[^.][^"]*\.json".* = 0$/json/p' | uniq | xargs
}
is "install: the executable first" "hook json" "$(order install)"
is "install: again, over itself" "hook json" "$(order install)"
check "the executable is there" "$T/root/usr/local/bin/oci-rdma-hook" --version
is "the hook files name it" /usr/local/bin/oci-rdma-hook "$(jq -r .hook.path "$hooks"/*.json | sort -u)"
is "each with an environment of its own" "" "$(jq -r 'select(.hook.env | type != "array") | .hook.path' "$hooks"/*.json)"
is "each with a timeout" "" "$(jq -r 'select(.hook.timeout | type != "number") | .hook.path' "$hooks"/*.json)"
is "CRI-O's directory has no stage that it refuses" "createRuntime poststart" "$(jq -r '.stages[]' "$hooks"/*.json | sort -u | xargs)"
is "nothing half written is left" "" "$(find "$T/root" -name '.*')"
is "uninstall: the hook files first" "json hook" "$(order uninstall)"
is "and nothing is left" "" "$(find "$T/root" -type f -o -type l)"
finish
