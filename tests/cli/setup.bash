# shellcheck shell=bash disable=SC2034
# What the cli suites share. They work in $T with a recorded node ($NODE, tests/nodes) and bundles of a real container
# (tests/bundles), and say what they expect from the contracts alone: the JSON's fields, not its wording.
# HOOK is the executable under test, and ADMIN the administrator's program. A suite sources this from the repository's root.

. tests/lib.sh
built HOOK "${HOOK:-build/oci-rdma-hook}"
built ADMIN "${ADMIN:-${BUILD:-build}/oci-rdma-admin}"
umask 022
# As a node's services have it, whatever this shell has: jq 1.6 makes another number of "unlimited", which no limit is.
ulimit -l 8192 2>/dev/null || :
workdir
NODE=$T/node
B=$T/bundle

PYTHON=$(python3 -c 'import sys; print(sys.executable)') # hundreds of starts, so none by a wrapper, nor with site-packages

# node NAME: a fresh $NODE from tests/nodes/NAME.json; or the description itself
node() {
	local description=$1
	[[ $1 = "{"* ]] || description=tests/nodes/$1.json
	rm -rf "$NODE"
	"$PYTHON" -IS tests/nodes/mknode "$description" "$NODE"
}

# config [TEXT]: the node's config.json, none without TEXT
config() {
	local dir=$NODE/etc/oci-rdma-hook
	rm -rf "$dir"
	if [ $# -gt 0 ]; then
		mkdir -p "$dir"
		printf '%s' "$1" >"$dir/config.json"
	fi
}

# The functions of h100.json that the cases allocate
declare -A PCI=(
	[mlx5_1]=0000:2a:00.0 [mlx5_2]=0000:3b:00.0 [mlx5_6]=0000:3b:02.6 [mlx5_7]=0000:5d:00.3 [mlx5_10]=0000:9a:01.2
	[mlx5_11]=0000:ba:00.5 [mlx5_12]=0000:2a:00.2 [mlx5_13]=0000:3b:02.7
)

# allocate RESOURCE=IBDEV,…[=INFO] …: the member "allocate" of a case, with commas after it (tests/bundles/mkbundle)
allocate() {
	local spec resource ibdevs info ibdev devices all=
	for spec; do
		IFS='=' read -r resource ibdevs info <<<"$spec"
		devices=
		for ibdev in ${ibdevs//,/ }; do devices+="${devices:+,}\"${PCI[$ibdev]}\":\"$ibdev\""; done
		all+="${all:+,}{\"resource\":\"$resource\",\"devices\":{$devices},\"info\":\"${info:-after}\"}"
	done
	printf '"allocate":[%s]' "$all"
}

bundle() { "$PYTHON" -IS tests/bundles/mkbundle "$1" "$B"; }

# dry_run [OPTION…]: what it says about $B, in $T.out, $T.err and $rc
dry_run() {
	timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" --dry-run "$@" "$B" >"$T/out" 2>"$T/err"
	rc=$?
}

# plan CASE [OPTION…]: the bundle of the case, and its plan as JSON
plan() {
	bundle "$1"
	shift
	dry_run --format json "$@"
}

# that DESCRIPTION JQ-FILTER WANT: a field of the plan
that() { is "$1" "$3" "$({ [ -s "$T/out" ] && jq -r "$2" "$T/out" 2>&1; } || cat "$T/err")"; }

# gets DESCRIPTION [IBDEV,…]: a grant of just these devices, in this order
gets() { that "$1" '.decision + " " + ([.devices[].ibdev] | join(","))' "grant $2"; }

# decides DESCRIPTION DECISION: a decision that gives no device's rights
decides() { that "$1" '[.decision, (.rlimits + .capabilities | length)] | join(" ")' "$2 0"; }

# warns DESCRIPTION CODE,…: the codes of all its warnings, sorted
warns() { that "$1" '[.warnings[].code] | unique | join(",")' "$2"; }

# like DESCRIPTION NAME: the whole plan is that of expected/NAME.json, but for what is said to people
like() {
	local what='del(.reason) | .warnings |= map(.code)'
	same "$1" "$(jq -S . "tests/cli/expected/$2.json")" "$(jq -S "$what" "$T/out" 2>&1 || cat "$T/err")"
}

# same DESCRIPTION BEFORE AFTER: longer texts, of which a failure shows the difference only
same() {
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"))"; fi
}

# one_line DESCRIPTION PART…: exactly one line on stderr, with these parts in it
one_line() {
	local part missing='' err
	err=$(<"$T/err")
	for part in "${@:2}"; do [[ $err = *"$part"* ]] || missing+=" $part"; done
	if [ -n "$err" ] && [ "$err" = "${err//$'\n'/}" ] && [ -z "$missing" ]; then pass "$1"; else fail "$1" "want: one line, with:$missing
got:  $err"; fi
}

# api_server COMMAND…: starts one, which writes its port to $T/port and ends with the suite; kubectl is configured for it
server=
api_server() {
	launch server "$T/server" "$@"
	trap 'kill "$server"; wait "$server" 2>/dev/null; rm -rf "$T"' EXIT
	within test -s "$T/port"
	cat >"$T/config" <<-EOT
		apiVersion: v1
		kind: Config
		clusters: [{name: c, cluster: {server: "http://127.0.0.1:$(<"$T/port")"}}]
		contexts: [{name: here, context: {cluster: c, user: u, namespace: default}}, {name: other, context: {cluster: none, user: u}}]
		users: [{name: u, user: {}}]
		current-context: here
	EOT
	export KUBECONFIG=$T/config HOME=$T
}
