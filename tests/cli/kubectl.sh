#!/bin/bash
# config/kubectl/kubectl-rdma_doctor with the real kubectl, before a server that has as much of the API as it needs: on the node, and in the pod.
# shellcheck disable=SC2016,SC2317 # the inner shells' dollars; functions that within calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
DOCTOR=$(realpath "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}")
KUBECTL=$(realpath "${BUILD:-build}/tests/kubectl")
mkdir "$T/bin" "$T/pods" "$T/inside"
ln -s "$KUBECTL" "$T/bin/kubectl"
ln -s "$(realpath config/kubectl/kubectl-rdma_doctor)" "$T/bin/kubectl-rdma_doctor"
"$PYTHON" -IS tests/cli/tools/apiserver.py "$T" &
server=$!
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
id=$(printf '940942ebb876%052d' 7)
jq -n --arg id "cri-o://$id" '{kind: "Pod", apiVersion: "v1", metadata: {name: "h-kim-0", namespace: "team-a"}, spec: {nodeName: "n1",
	containers: [{name: "trainer"}, {name: "loader"}]}, status: {phase: "Running", containerStatuses: [{name: "trainer", containerID: $id},
	{name: "loader", containerID: "containerd://1234"}]}}' >"$T/pods/h-kim-0.json"
jq '.metadata.name = "pending" | del(.spec.nodeName, .status)' "$T/pods/h-kim-0.json" >"$T/pods/pending.json"
jq '.metadata.name = "starting" | del(.status)' "$T/pods/h-kim-0.json" >"$T/pods/starting.json"

# plugin ARGUMENT…: as kubectl finds and starts it
plugin() {
	rm -f "$T/requests"
	PATH=$T/bin:$PATH timeout "$PATIENCE" kubectl rdma-doctor "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}
# the image: says what it was asked, and ends as told
printf '#!/bin/sh\necho "$*"; exit "$(cat %s/status)"\n' "$T" >"$T/image"
# a container: its own shell and root directory would be there
printf '#!/bin/sh\nshift; exec "$@"\n' >"$T/exec"
chmod +x "$T/image" "$T/exec"

# ---- on the node ----
echo 0 >"$T/status"
plugin h-kim-0 -n team-a -- --format html
is "on the node: the doctor is asked about the pod's container" "0 node-doctor --container $id --format html" "$rc $(<"$T/out")"
is "…on its node, with the node's root directory, privileged" "n1 / true" \
	"$(sed -n 's/^create team-a //p' "$T/requests" | jq -r '[.nodeName, .volumes[0].hostPath.path, .containers[0].securityContext.privileged] | join(" ")')"
is "…by the image of this version" "oci-rdma-doctor:$("$DOCTOR" --version | sed 's/.* //')" "$(sed -n 's/^create team-a //p' "$T/requests" | jq -r .containers[0].image)"
is "…and nothing is left" "h-kim-0 pending starting" "$(cd "$T/pods" && printf '%s\n' ./*.json | sed 's|./||; s|.json||' | xargs)"
echo 1 >"$T/status"
plugin -n team-a pod/h-kim-0 -c loader --image mine:1
is "another container, another image, and the doctor's status" "1 node-doctor --container 1234 mine:1" \
	"$rc $(<"$T/out") $(sed -n 's/^create team-a //p' "$T/requests" | jq -r .containers[0].image)"
plugin -n team-a h-kim-0 --image missing
is "an image that is not there: status 2" 2 "$rc"
has "an image that is not there: why" "ImagePullBackOff no such image" "$(<"$T/err")"
has "…and nothing is left" "delete node-debugger-n1" "$(<"$T/requests")"

# refused PART ARGUMENT…: status 2, and why
refused() {
	local part=$1
	shift
	plugin "$@"
	is "$*: status 2" 2 "$rc"
	has "$*: why" "$part" "$(<"$T/err")"
	check "$*: nothing is made" test ! -e "$T/requests"
}
refused "not found" nowhere
refused "is not on a node yet" pending
refused "does not exist or has not started yet" starting
refused "does not exist or has not started yet" h-kim-0 -c other
refused "unknown option" --nonsense
refused "name only one pod" a b
refused "name a pod"
refused "needs a value" h-kim-0 -n
refused "context was not found" --context nowhere h-kim-0
plugin --help
is "--help" 0 "$rc"

# ---- in the pod ----
plugin --in-pod --doctor "$DOCTOR" h-kim-0 -- --format json
check "in the pod: the doctor has run there" test "$rc" -le 1
is "…with its options" 1 "$(jq .schema "$T/out")"
is "…with its status" "$((0$(jq .summary.fail "$T/out") > 0))" "$rc"
is "…in the first container" trainer "$(awk '/^exec/ { print $2 }' "$T/requests" | sort -u)"
copy=$(awk '/^exec/ && /rm -f/ { print $NF }' "$T/requests")
has "…from a file of its own" /oci-rdma-doctor. "$copy"
check "…which is gone" test ! -e "$copy"
printf '#!/bin/sh\nshift; case $1 in */oci-rdma-doctor.*) echo "not found" >&2; exit 127 ;; esac; exec "$@"\n' >"$T/exec.new" && chmod +x "$T/exec.new" && mv "$T/exec.new" "$T/exec"
plugin --in-pod --doctor "$DOCTOR" h-kim-0
is "in a pod with another C library: status 2" 2 "$rc"
has "…it says what it wants" "needs glibc 2.34 or newer" "$(<"$T/err")"
check "…and is gone" test ! -e "$(awk '/^exec/ && /rm -f/ { print $NF }' "$T/requests")"
printf '#!/bin/sh\necho "no sh" >&2; exit 126\n' >"$T/exec.new" && chmod +x "$T/exec.new" && mv "$T/exec.new" "$T/exec"
plugin --in-pod --doctor "$DOCTOR" h-kim-0
is "in a pod without a shell: status 2" 2 "$rc"
has "…why" "its image lacks sh, cat, chmod or rm" "$(<"$T/err")"
finish
