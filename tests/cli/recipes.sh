#!/bin/bash
# The recipes of CONTRIBUTING.md for an engine's identity key, an NRI field, a distribution's package and a timeout: each place that a recipe
# names is held against the code. What fails here says where to add what. Keys, annotations, warnings and findings: keys.sh
# shellcheck disable=SC2046 # lists of words
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir

# lacking FILE NAME…: those that the file does not have as a word of its own
lacking() {
	local name
	for name in "${@:2}"; do grep -qE "(^|[^A-Za-z0-9_.-])${name//./\\.}([^A-Za-z0-9_.-]|\$)" "$1" || echo "$name: add it to $1"; done
}

# ---- an engine's identity key ----

# identity_keys FILE: the keys that name a container and its pod
identity_keys() { grep -oP '\{"\Kio\.(kubernetes|container)\.[A-Za-z.-]+(?=", &)' "$1" | sort -u; }
mapfile -t identity < <(identity_keys core/spec/parse.c)
check "engines have identity keys: ${#identity[@]}" test "${#identity[@]}" -ge 14
for place in core/spec/spec.h tests/unit/core/spec/identity.c tests/fuzz/words.dict; do
	is "$place has each identity key" "" "$(lacking "$place" "${identity[@]}")"
done
sed 's/{"io.kubernetes.pod.uid", /{"io.kubernetes.brand-new", \&brand_new}, &/' core/spec/parse.c >"$T/parse.c"
is "control: a key that nothing else has" "io.kubernetes.brand-new: add it to tests/fuzz/words.dict" \
	"$(mapfile -t new < <(identity_keys "$T/parse.c") && lacking tests/fuzz/words.dict "${new[@]}")"

# ---- an NRI field ----

# fields FILE: the names of all fields
fields() { sed -n 's/^\t\(repeated \)\?[A-Za-z0-9]* \([a-z_0-9]*\) = [0-9]*;.*/\2/p' "$1" | sort -u; }
cat nri/*.c nri/*/*.c >"$T/nri.c"
# unused FILE: its fields that no code of the plugin reads or writes, by the names that protoc-c gives them
unused() { fields "$1" | while read -r name; do grep -qw "$name" "$T/nri.c" || echo "$name: add it to nri/message"; done; }
check "NRI has fields: $(fields nri/message/nri.proto | wc -l)" test "$(fields nri/message/nri.proto | wc -l)" -ge 30
is "nri/message reads or writes each field of nri.proto" "" "$(unused nri/message/nri.proto)"
printf 'message New {\n\tstring brand_new = 1;\n}\n' | cat nri/message/nri.proto - >"$T/nri.proto"
is "control: a field that nothing reads" "brand_new: add it to nri/message" "$(unused "$T/nri.proto")"

# ---- a distribution's package ----

# by_deps DISTRIBUTION GROUP…: what tools/deps calls the packages there
by_deps() {
	bash -c "$(sed -n '/^declare -A debian/,/^)/p; /^declare -A fedora/,/^)/p; /^in_fedora/,/^}/p' "$DEPS")"'
		if [ "$1" = fedora ]; then in_fedora "${@:2}"; else for group in "${@:2}"; do echo "${debian[$group]}"; done; fi' by_deps "$@"
}
# debian/control need not name what build-essential brings, nor the RPM's spec what glibc-static brings.
in_control() { lacking debian/control $(by_deps debian build yajl | tr ' ' '\n' | grep -vxE 'gcc|make|libc6-dev'); }
in_spec() { lacking rpm/oci-rdma-hook.spec $(by_deps fedora build yajl | tr ' ' '\n' | grep -vx glibc-devel); }
DEPS=tools/deps
is "debian/control has each package that the build needs" "" "$(in_control)"
is "the RPM's spec has each, by Fedora's name" "" "$(in_spec)"
sed 's/\[build\]="/&libbrandnew-dev /; s/\[musl-tools\]=/[libbrandnew-dev]="brandnew-devel" &/' tools/deps >"$T/deps"
DEPS=$T/deps
is "control: a package that only tools/deps has" "libbrandnew-dev: add it to debian/control
brandnew-devel: add it to rpm/oci-rdma-hook.spec" "$(in_control && in_spec)"

# ---- a timeout ----

# The header that defines it, the number, and what a page says of it. One row for each header's timeout that a page names.
TIMEOUTS='core/deadline.h DEADLINE_SECONDS 5 doc/man/oci-rdma-hook.8 than the five seconds that the hook allows itself
nri/serve.h SERVE_PATIENCE_MS 1500 doc/man/oci-rdma-nri.8 The child process has 1.5 seconds
nri/serve.h SERVE_PATIENCE_MS 1500 doc/architecture.md a child process with a deadline of 1.5 s decides
nri/serve.h SERVE_PATIENCE_MS 1500 doc/install-nri.md does not answer for 1.5 s
nri/report.c READY_PATIENCE_MS 5000 doc/man/oci-rdma-nri.8 and after five seconds
nri/report.c READY_PATIENCE_MS 5000 doc/install-nri.md the wait ends after 5 s at most
nri/report.c READY_PATIENCE_MS 5000 config/nri/oci-rdma-nri.service says READY=1 after 5 s
nri/report.c READY_PATIENCE_MS 5000 config/nri/oci-rdma-nri-standby.service says READY=1 after 5 s
nri/plugin.c HAND_OVER_MS 20000 config/kubernetes/nri/daemonset.yaml answers for up to 20 s, until the next one
nri/plugin.c HAND_OVER_MS 20000 doc/install-nri.md until the new one is asked, for up to 20 s
nri/plugin.c HAND_OVER_MS 20000 config/nri/oci-rdma-nri.service waits up to 20 s until the standby
nri/plugin.c HAND_OVER_MS 20000 config/nri/oci-rdma-nri-standby.service waits up to 20 s until the standby
nri/nri.h LINK_RETRY_MAX_MS 5000 doc/man/oci-rdma-nri.8 intervals of at most five seconds
nri/report.h METRICS_EACH_MS 15000 doc/monitoring.md it does so every 15 s'
# disagreeing TREE: the rows whose number is not the code's, or whose page does not say so
disagreeing() {
	local file name number page words
	while read -r file name number page words; do
		grep -qE "#define $name $number\$" "$1/$file" || echo "$name: $file has another number than this row: change the row, and $page"
		grep -qF -- "$words" "$page" || echo "$name: $page does not say: $words"
	done <<<"$TIMEOUTS"
}
is "pages say how long a program waits" "" "$(disagreeing .)"
mkdir -p "$T/tree/core" && cp -r nri "$T/tree" && sed 's/DEADLINE_SECONDS 5/DEADLINE_SECONDS 7/' core/deadline.h >"$T/tree/core/deadline.h"
is "control: a number that was changed alone" "DEADLINE_SECONDS: core/deadline.h has another number than this row: change the row, and doc/man/oci-rdma-hook.8" \
	"$(disagreeing "$T/tree")"
deadline=$(sed -n 's/^#define DEADLINE_SECONDS //p' core/deadline.h)
is "each hook file lets the hook end by itself" "" \
	"$(for file in config/hooks.d/*/*.json; do jq -e --argjson deadline "$deadline" '.hook.timeout > $deadline' "$file" >/dev/null || echo "$file"; done)"
hand_over=$(($(sed -n 's/^#define HAND_OVER_MS //p' nri/plugin.c) / 1000))
# graces: how long systemd and the kubelet wait for a plugin that ends
graces() { sed -nE 's/^ *(TimeoutStopSec=|terminationGracePeriodSeconds: )//p' config/nri/oci-rdma-nri{,-standby}.service config/kubernetes/nri/daemonset.yaml; }
is "systemd and the kubelet let the NRI plugin hand over" "yes yes yes" \
	"$(graces | while read -r grace; do if [ "$grace" -gt "$((hand_over + 2))" ]; then echo yes; else echo "$grace s"; fi; done | xargs)"
# An engine's plugin_request_timeout is 2 s, and a plugin that takes longer is dropped.
check "the NRI plugin answers before its runtime drops it" test "$(sed -n 's/^#define SERVE_PATIENCE_MS //p' nri/serve.h)" -lt 2000
finish
