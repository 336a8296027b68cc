#!/bin/bash
# --cdi by the specification's own schema, and by the library with which engines read it.
# builds: tests/cdi/validate
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built VALIDATE "${BUILD:-build}/tests/cdi/validate"
spec() { "$ADMIN" --sysroot "$NODE" --cdi >"$1" 2>"$T/err"; }
for name in one odd h100 big '{"virtual":[{"ibdev":"_x1","netdev":"e1"}]}'; do
	row "$name: valid, and each device can be named"
	node "$name"
	spec "$T/spec.json"
	same "kind and names" "$(jq -r '.kind + " " + ([.devices[].name] | sort | join(" "))' "$T/spec.json")" "$("$VALIDATE" "$T/spec.json" 2>&1)"
done
row "control: a spec with a mistake is refused"
node one
spec "$T/one.json"
for change in 'del(.devices)' '.devices[0].name = "_a"' '.cdiVersion = "0.4.0"' '.devices[1].name = .devices[0].name' '.more = 1' \
	'.containerEdits.hooks[0].hookName = "precreate"' '.containerEdits.hooks[0].timeout = "10"'; do
	jq "$change" "$T/one.json" >"$T/broken.json"
	is "$change" 1 "$("$VALIDATE" "$T/broken.json" >"$T/out" 2>&1; echo $?)"
done
finish
