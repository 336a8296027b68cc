#!/bin/bash
# What becomes of a container is one answer, whichever entry point serves it: one table, tried by the hook, the shim, precreate and the NRI plugin.
# Each also leaves a record for the pod's author of what is not a grant.
# It runs in a mount namespace of its own, with a /dev/log that the suite reads.
# builds: tests/oci-rdma-nri-patient
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "outcomes"
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
NRI=${BUILD:-build}/oci-rdma-nri
if [ -z "${SLOW-}" ]; then NRI=${BUILD:-build}/tests/oci-rdma-nri-patient; fi
built NRI "${NRI_UNDER_TEST-$NRI}"
node one
prlimit --pid $$ --memlock=$SOFT:$HARD
export OCI_RDMA_SYSROOT=$NODE

. tests/cli/journal.bash
# told: $kind, what the container's lines of the journal say: an outcome's name; "failed" also after a part of a grant
told() {
	local line
	logged
	kind=nothing
	while read -r line; do
		case $line in
		*"]: grant: "* | *"]: tcp: "*) [ $kind = failed ] || kind=granted ;;
		*"]: denied: "*) kind=denied ;;
		*"]: none: "*) kind=none ;;
		*"]: createRuntime: "* | *"]: poststart: "* | *"]: runtime: "* | *"]: precreate: "* | *"]: nri: "* | *"]: CreateContainer: "*) kind=failed ;;
		esac
	done <<<"$log"
}
# results: $got, "KIND STATUS"; with STATUS 1 the container does not start
results() {
	told
	got="$kind $rc"
	if [ "$rc" -ne 0 ] && [ ! -s "$T/err" ]; then got+=" without a word"; fi
}

# The plugin, and the runtime that asks it
mkdir -p "$NODE/etc/oci-rdma-hook"
coproc ENGINE { exec "$PYTHON" -IS tests/cli/tools/nri_ask.py "$NRI" "$NODE"; }
exec {to_nri}>&"${ENGINE[1]}" {from_nri}<&"${ENGINE[0]}"

mkdir "$T/bin"
SHIM=$T/bin/oci-rdma-runtime
ln -s "$HOOK" "$SHIM"
printf '#!/bin/sh\n: >"%s"\n' "$T/started" >"$T/bin/crun"
chmod 755 "$T/bin/crun"
: >"$T/file" # no directory can be made below it

# ---- the entry points: each sets $got ----

by_hook() {
	container "$1"
	if [ "$step" = apply ]; then mkdir "$ROOT/etc/nccl.conf"; fi
	if [ "$step" = spec ]; then sed -i '0,/"env": *\[/s//"env": [], &/' "$B/config.json"; fi
	hook
	results
	fresh_process
	state . >"$T/state"
	hook poststart
	is "$what: poststart never refuses" 0 "$rc"
	told # what runc undid is mended in silence; only a failure of that is said
	# A spec that poststart cannot read may be one that createRuntime could.
	is "$what: poststart says nothing that has been said" "$([ "$step" = spec ] && echo failed || echo nothing)" "$kind"
}

by_shim() {
	container "$1"
	if [ "$step" = apply ]; then jq --tab '.process = null' "$B/config.json" >"$T/changed" && cp "$T/changed" "$B/config.json"; fi
	if [ "$step" = spec ]; then sed -i '0,/"env": *\[/s//"env": [], &/' "$B/config.json"; fi
	rm -f "$T/started"
	"$SHIM" --root=/r create --bundle "$B" a >"$T/out" 2>"$T/err"
	rc=$?
	results
	is "$what: shim: the runtime is started, or not" "$((1 - rc))" "$([ -e "$T/started" ] && echo 1 || echo 0)"
}

by_precreate() {
	container "$1"
	if [ "$step" = apply ]; then jq --tab '.process = null' "$B/config.json" >"$T/changed" && cp "$T/changed" "$B/config.json"; fi
	if [ "$step" = spec ]; then sed -i '0,/"env": *\[/s//"env": [], &/' "$B/config.json"; fi
	"$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>"$T/err"
	rc=$?
	results
	is "$what: precreate: podman has a config.json, or not" "$((1 - rc))" "$([ -s "$T/out" ] && echo 1 || echo 0)"
}

by_nri() {
	local answer name=trainer
	if [ "$step" = spec ]; then name='a\nb'; fi
	jq -c --arg name "$name" '{annotations: ({"oci-rdma-hook.io/inject": "true"} + (.annotations // {}) | with_entries(select(.value != null))),
		devices: (.devices // []), name: ($name | gsub("\\\\n"; "\n"))}' <<<"$1" >&"$to_nri"
	read -r answer <&"$from_nri"
	told
	rc=$(jq '.refused | if . then 1 else 0 end' <<<"$answer")
	got="$kind $rc"
	if [ "$rc" -ne 0 ] && [ "$(jq -r .text <<<"$answer")" = "" ]; then got+=" without a word"; fi
}

# left: the records of why a container was left without, as "RESULT POD UID ENTRY-POINT"; of the uid what all pods share
RECORDS=$NODE/run/oci-rdma-hook/records
left() { cat "$RECORDS"/*.json 2>/dev/null | jq -r 'select(.tell) | "\(.result) \(.namespace)/\(.pod)/\(.container) \(.pod_uid[:23]) \(.entry_point)"'; }
# records KIND ENTRY: the record that a container logged as KIND must have; $step tells whether its pod is known
records() {
	local name=$2 uid=944c324a-7958-438a-b04f result=$1
	case $1 in
	granted | nothing) return ;;
	none) result=nothing ;;
	esac
	if [ "$step" = spec ]; then return; fi
	case $2 in
	hook) name=createRuntime ;;
	shim) name=runtime ;;
	esac
	echo "$result team-a/h-kim-0/trainer $uid $name"
}

# ---- the table ----

# outcome WANT CONTAINER CONFIG STEP DESCRIPTION: STEP fails, "-" is none; WANT is "KIND STATUS". "apply" of NRI cannot be made to fail.
outcome() {
	local want=$1 members=$3 entry
	step=$4
	what="$5"
	row "$what"
	printf '{"memlock": "8Mi"%s}' "${members:+, $members}" >"$NODE/etc/oci-rdma-hook/config.json"
	echo "$T/bin/crun" >"$NODE/etc/oci-rdma-hook/runtimes"
	logged # what was before
	for entry in hook shim precreate nri; do
		if [ "$entry $step" = "nri apply" ]; then continue; fi
		rm -rf "$RECORDS"
		case $entry in
		hook) by_hook "$2" ;;
		shim) by_shim "$2" ;;
		precreate) by_precreate "$2" ;;
		nri) by_nri "$2" ;;
		esac
		# Its message is no config.json: without it nothing is known of the container.
		if [ "$entry $step" = "nri spec" ]; then
			is "$what: nri" "failed 0" "$got"
		else
			is "$what: $entry" "$want" "$got"
		fi
		is "$what: $entry: what the pod's author is told" "$(records "${want% *}" "$entry")" "$(left)"
	done
}

device='"devices":[["/dev/infiniband/uverbs6",231,198]]'
silent='"annotations":{"oci-rdma-hook.io/inject":null}'
odd='"annotations":{"oci-rdma-hook.io/memlock":"much"}'
other='"namespaces": ["team-b"]'
fail='"on_error": "fail"'

outcome "granted 0" "{$device}" "" - "a device, asked for"
outcome "granted 0" "{$device}" "$fail, \"on_denied\": \"fail\", \"on_no_device\": \"fail\"" - "the same, and all says fail"
outcome "nothing 0" "{$device,$silent}" "$fail, \"on_denied\": \"fail\", \"on_no_device\": \"fail\"" - "a device, not asked for"
outcome "none 0" '{}' "$fail, \"on_denied\": \"fail\"" - "no device, asked for"
outcome "granted 0" '{}' "$fail, \"on_no_device\": \"tcp\"" - "no device, on_no_device tcp"
outcome "denied 1" '{}' '"on_no_device": "fail"' - "no device, on_no_device fail"
outcome "denied 0" "{$device}" "$other, $fail" - "denied, on_denied as it is"
outcome "denied 1" "{$device}" "$other, \"on_denied\": \"fail\"" - "denied, on_denied fail"
outcome "none 0" '{}' "$other, \"on_denied\": \"fail\"" - "denied without a device: there is nothing to give, on_denied fail"
outcome "denied 0" '{}' "$other, \"on_denied\": \"fail\", \"on_no_device\": \"tcp\"" - "TCP is denied, on_denied fail: it has no device"
outcome "denied 0" '{}' "$other, \"on_denied\": \"fail\", \"on_no_device\": \"fail\"" - "no device, and denied, all says fail: it has no device"
outcome "denied 0" "{$device,$silent}" "$other, \"opt_in\": \"device\", \"on_denied\": \"fail\"" - "denied, and it does not ask, on_denied fail"

for on_error in warn fail; do
	must=$([ $on_error = fail ] && echo 1 || echo 0)
	policy="\"on_error\": \"$on_error\""
	outcome "failed $must" "{$device}" "$policy" apply "a device, it cannot be applied, on_error $on_error"
	outcome "failed 0" '{}' "$policy, \"on_no_device\": \"tcp\"" apply "TCP, it cannot be applied, on_error $on_error: it has no device"
	outcome "failed $must" "{$device,$odd}" "$policy" - "a device, and a request that cannot be read, on_error $on_error"
	outcome "none 0" "{$odd}" "$policy" - "no device, and a request that cannot be read, on_error $on_error"
	outcome "failed 0" "{$device}" "$policy, \"memlok\": 1" - "a device, and a policy that cannot be read, on_error $on_error"
	outcome "none 0" '{}' "$policy, \"memlok\": 1" - "no device, and a policy that cannot be read, on_error $on_error"
	outcome "failed $must" "{$device}" "$policy" spec "a spec that cannot be read, asks and has a device, on_error $on_error"
done
exec {to_nri}>&-
finish
