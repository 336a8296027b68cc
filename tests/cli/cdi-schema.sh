#!/bin/bash
# --cdi by the specification's own schema, and by the library with which engines read it.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
VALIDATE=${BUILD:-build}/tests/cdi/validate

for name in one odd h100 big; do
	node "$name"
	"$HOOK" --sysroot "$NODE" --cdi >"$T/$name.json" 2>"$T/err"
	want=$(jq -r '.kind + " " + ([.devices[].name] | sort | join(" "))' "$T/$name.json")
	same "$name: valid, and each device can be named" "$want" "$("$VALIDATE" "$T/$name.json" 2>&1)"
done
node '{"virtual":[{"ibdev":"_x1","netdev":"e1"}]}'
"$HOOK" --sysroot "$NODE" --cdi >"$T/odd.json"
is "odd names: valid" "oci-rdma-hook.io/hca all" "$("$VALIDATE" "$T/odd.json" 2>&1)"
for change in 'del(.devices)' '.devices[0].name = "_a"' '.cdiVersion = "0.4.0"' '.devices[1].name = .devices[0].name' '.more = 1' \
	'.containerEdits.hooks[0].hookName = "precreate"' '.containerEdits.hooks[0].timeout = "10"'; do
	jq "$change" "$T/one.json" >"$T/broken.json"
	if "$VALIDATE" "$T/broken.json" >"$T/out" 2>&1; then
		fail "control: $change is refused" "$(<"$T/out")"
	else
		pass "control: $change is refused"
	fi
done
finish
