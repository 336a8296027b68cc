#!/bin/bash
# kubectl rdma-doctor selftest, with the real kubectl before a server that runs each pod's command in the doctor's image: what it creates, prints and
# leaves. What the pods find on a node is tried by hand; that libibverbs works in their image, by tests/vm/jobs/doctor.
# builds: tests/kubectl/.unpacked
# shellcheck disable=SC2016,SC2317 # jq's dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built DOCTOR "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}"
built KUBECTL "${BUILD:-build}/tests/kubectl/usr/bin/kubectl"
mkdir "$T/bin" "$T/pods"
ln -s "$KUBECTL" "$T/bin/kubectl"
ln -s "$(realpath install/kubectl/kubectl-rdma_doctor)" "$(realpath install/kubectl/kubectl-rdma_doctor-selftest)" "$T/bin/"
"$PYTHON" -IS tests/cli/tools/apiserver.py "$T" &
server=$!
trap 'kill "$server"; wait "$server" 2>/dev/null; rm -rf "$T"' EXIT
within test -s "$T/port"
cat >"$T/config" <<-EOT
	apiVersion: v1
	kind: Config
	clusters: [{name: c, cluster: {server: "http://127.0.0.1:$(<"$T/port")"}}]
	contexts: [{name: here, context: {cluster: c, user: u, namespace: default}}]
	users: [{name: u, user: {}}]
	current-context: here
EOT
export KUBECONFIG=$T/config HOME=$T
# A pod's command: PASS, but where $T/broken names its promise
printf '#!/bin/sh\nif grep -qsx "$2" %s/broken; then echo "FAIL: $2 is broken"; exit 1; fi; echo "PASS: $*"\n' "$T" >"$T/image"
chmod +x "$T/image"

selftest() {
	rm -f "$T/requests"
	PATH=$T/bin:$PATH timeout "$PATIENCE" kubectl rdma-doctor selftest "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}
# pods JQ-FILTER: of each pod's spec that was created
pods() { sed -n 's/^create oci-rdma-selftest[a-z-]* //p' "$T/requests" | jq -r "$1"; }

promises="client denied exec hca host-users init main no-device plain register server"
row "each promise has a pod, PASS and what it says; nothing is left"
selftest config/selftest --resource openshift.io/rail1 --image example.com/doctor:1 --network rail-1 --node node-7
is "status, stderr" "0 " "$rc $(<"$T/err")"
is "a line for each" "$promises" "$(sed -n 's/^\([a-z-]*\) *PASS: .*/\1/p' "$T/out" | sort | xargs)"
is "the image" "example.com/doctor:1" "$(pods '.containers[].image, .initContainers[]?.image' | sort -u)"
is "the node of all" "node-7" "$(pods '.nodeSelector["kubernetes.io/hostname"]' | sort -u)"
is "ten pods ask for the resource: all but the one that must get nothing" 10 "$(pods 'select(.containers[].resources.limits["openshift.io/rail1"] == "1") | 1' | wc -l)"
is "what is made is deleted, with the namespaces" "$(sed -n 's/^create Namespace //p' "$T/requests" | sort)" \
	"$(sed -n 's/^delete \(oci-rdma-selftest.*\)/\1/p' "$T/requests" | sort)"
is "pods" "" "$(ls "$T/pods")"

row "a broken promise: FAIL, its reason and status 1; nothing is left"
echo register >"$T/broken"
selftest config/selftest
is "status" 1 "$rc"
is "its line" "register    FAIL: register is broken" "$(grep FAIL "$T/out" | sed 's/ *$//')"
is "pods" "" "$(ls "$T/pods")"
rm "$T/broken"

row "the admission policy keeps its promise by refusing the pod; another refusal is a FAIL with its words"
echo "pods \"denied\" is forbidden: annotation oci-rdma-hook.io/inject: namespace oci-rdma-selftest-denied has no label oci-rdma-hook.io/allowed=true" >"$T/refused"
selftest config/selftest
is "status" 0 "$rc"
is "denied" "denied      PASS: the admission policy refuses the pod" "$(grep denied "$T/out")"
echo "pods \"denied\" is forbidden in oci-rdma-selftest-denied: exceeded quota" >"$T/refused"
selftest config/selftest
is "status" 1 "$rc"
has "denied" "quota" "$(grep '^denied *FAIL' "$T/out")"
rm "$T/refused"

row "an image that cannot be pulled: FAIL with the kubelet's reason"
selftest config/selftest --image missing --timeout 1
is "status" 1 "$rc"
is "each" "11" "$(grep -c 'FAIL: .*no such image' "$T/out")"
is "pods" "" "$(ls "$T/pods")"

row "OpenShift: no user is named, since restricted-v2 chooses it"
selftest config/openshift/selftest
is "status, users" "0 null" "$rc $(pods .securityContext.runAsUser | sort -u)"

row "what is refused: why, and nothing is made"
for arguments in "" "a b" "--nonsense" "config/selftest --image" "$T/nowhere"; do
	# shellcheck disable=SC2086 # words
	selftest $arguments
	is "'$arguments': status" 2 "$rc"
	check "'$arguments': nothing is made" test ! -e "$T/requests"
done
selftest --help
is "--help" 0 "$rc"
finish
