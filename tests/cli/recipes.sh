#!/bin/bash
# What stands in several places and must agree: NRI's fields, a distribution's packages, timeouts. What fails here says
# where to add what (CONTRIBUTING.md has the recipes). Keys, annotations, warnings and findings: keys.sh
# shellcheck disable=SC2046 # lists of words
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir

# lacking FILE NAME…: those that the file does not have as a word of its own
lacking() {
	local name
	for name in "${@:2}"; do grep -qE "(^|[^A-Za-z0-9_.-])${name//./\\.}([^A-Za-z0-9_.-]|\$)" "$1" || echo "$name: add it to $1"; done
}

# ---- an NRI field ----

# fields FILE: the names of all fields
fields() { sed -n 's/^\t\(repeated \)\?[A-Za-z0-9]* \([a-z_0-9]*\) = [0-9]*;.*/\2/p' "$1" | sort -u; }
cat nri/*.c nri/*/*.c >"$T/nri.c"
# unused FILE: its fields that no code of the plugin reads or writes, by the names that protoc-c gives them
unused() { fields "$1" | while read -r name; do grep -qw "$name" "$T/nri.c" || echo "$name: add it to nri/message"; done; }
row "nri/message reads or writes each field of nri.proto"
check "NRI has fields: $(fields nri/message/nri.proto | wc -l)" test "$(fields nri/message/nri.proto | wc -l)" -ge 30
is "all" "" "$(unused nri/message/nri.proto)"
printf 'message New {\n\tstring brand_new = 1;\n}\n' | cat nri/message/nri.proto - >"$T/nri.proto"
is "control: a field that nothing reads" "brand_new: add it to nri/message" "$(unused "$T/nri.proto")"

# ---- a distribution's package ----

# by_deps DISTRIBUTION GROUP…: what tools/deps calls the packages there
by_deps() {
	bash -c "$(sed -n '/^declare -A debian/,/^)/p; /^declare -A fedora/,/^)/p; /^in_fedora/,/^}/p' "$DEPS")"'
		if [ "$1" = fedora ]; then in_fedora "${@:2}"; else for group in "${@:2}"; do echo "${debian[$group]}"; done; fi' by_deps "$@"
}
# debian/control need not name what build-essential brings, nor the RPM's spec what glibc-static brings.
in_control() { lacking debian/control $(by_deps debian build | tr ' ' '\n' | grep -vxE 'gcc|make|libc6-dev'); }
in_spec() { lacking rpm/oci-rdma-hook.spec $(by_deps fedora build | tr ' ' '\n' | grep -vx glibc-devel); }
DEPS=tools/deps
row "debian/control and the RPM's spec have each package that the build needs"
is "debian/control" "" "$(in_control)"
is "the spec, by Fedora's names" "" "$(in_spec)"
sed 's/\[build\]="/&libbrandnew-dev /; s/\[musl-tools\]=/[libbrandnew-dev]="brandnew-devel" &/' tools/deps >"$T/deps"
DEPS=$T/deps
is "control: a package that only tools/deps has" "libbrandnew-dev: add it to debian/control
brandnew-devel: add it to rpm/oci-rdma-hook.spec" "$(in_control && in_spec)"

# ---- a timeout ----

# number FILE NAME: of its #define
number() { sed -n "s/^#define $2 //p" "$1"; }
row "each hook file lets the hook end by itself, and the NRI plugin answers before its runtime drops it"
for file in config/hooks.d/*/*.json; do
	check "$file" jq -e ".hook.timeout > $(number core/deadline.h DEADLINE_SECONDS)" "$file"
done
# An engine's plugin_request_timeout is 2 s, and a plugin that takes longer is dropped.
check "the NRI plugin" test "$(number nri/serve.h SERVE_PATIENCE_MS)" -lt 2000
finish
