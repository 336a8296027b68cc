#!/bin/bash
# What an administrator of OpenShift applies and removes: the commands of doc/install-openshift.md, by the real kubectl, before an API server
# (tests/cluster/kubeapi.go) that merges with Kubernetes' own code.
# builds: tests/kubeapi tests/kubectl/.unpacked
# shellcheck disable=SC2016 # what eval expands
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
built KUBEAPI "${BUILD:-build}/tests/kubeapi"
built KUBECTL "${BUILD:-build}/tests/kubectl/usr/bin/kubectl"
api_server "$KUBEAPI" tests/cluster/crds.yaml "$T"
oc() { timeout "$PATIENCE" "$KUBECTL" "$@" >"$T/said" 2>&1; }

# ---- the node disruption policy, one object for all ----

# page FILE: the page's command that applies this file
page() {
	local command
	command=$(grep -oE "^ *oc apply .*-f config/openshift/$1\b.*" doc/install-openshift.md) && eval "$command"
}
# theirs MANAGER [FILE]…: another administrator applies entries of their own for these files, and one for a unit
theirs() {
	printf '%s\n' 'apiVersion: operator.openshift.io/v1' 'kind: MachineConfiguration' 'metadata: {name: cluster}' 'spec:' '  nodeDisruptionPolicy:' \
		'    units: [{name: theirs.service, actions: [{type: DaemonReload}]}]' '    files:' >"$T/theirs.yaml"
	printf '    - {path: %s, actions: [{type: Drain}]}\n' "${@:2}" >>"$T/theirs.yaml"
	oc apply --server-side --field-manager "$1" -f "$T/theirs.yaml"
}
# entries: all that the object has, ours as a number
entries() {
	"$KUBECTL" get machineconfiguration cluster -o 'jsonpath={.spec.nodeDisruptionPolicy.files[*].path} {.spec.nodeDisruptionPolicy.units[*].name}' |
		tr ' ' '\n' | sort | awk '/oci-rdma/ { ours++; next } NF { printf "%s ", $1 } END { print ours + 0 }'
}
ours=$(grep -cE '^ +- (path|name): .*oci-rdma' config/openshift/node-disruption-policy.yaml)

check "they first: ours" eval 'theirs kubectl /etc/a /etc/b && page node-disruption-policy.yaml'
is "they first: nobody's entries go" "/etc/a /etc/b theirs.service $ours" "$(entries)"
check "they first: an upgrade of theirs" theirs kubectl /etc/a
is "they first: …takes away what they took away, and nothing of ours" "/etc/a theirs.service $ours" "$(entries)"
check "they first: the page's removal" page no-node-disruption-policy.yaml
is "they first: …takes away ours alone, and all of them" "/etc/a theirs.service 0" "$(entries)"
oc delete machineconfiguration cluster

check "we first: theirs" eval 'page node-disruption-policy.yaml && theirs kubectl /etc/a'
is "we first: nobody's entries go" "/etc/a theirs.service $ours" "$(entries)"
check "we first: applied again" page node-disruption-policy.yaml
is "we first: …it is the same" "/etc/a theirs.service $ours" "$(entries)"
check "we first: the page's removal" page no-node-disruption-policy.yaml
is "we first: …takes away ours alone, and all of them" "/etc/a theirs.service 0" "$(entries)"
oc delete machineconfiguration cluster

theirs oci-rdma-hook /etc/a && page node-disruption-policy.yaml
is "control: with one manager for both, their entries go" "$ours" "$(entries)"
theirs oci-rdma-hook /etc/a
is "control: …or ours" "/etc/a theirs.service 0" "$(entries)"
oc delete machineconfiguration cluster

theirs kubectl /usr/local/bin/oci-rdma-hook
check "conflict: an entry of theirs for a file of ours" eval '! page node-disruption-policy.yaml'
has "conflict: …names them and the entry" 'conflict with "kubectl": .spec.nodeDisruptionPolicy.files[path="/usr/local/bin/oci-rdma-hook"].actions' "$(<"$T/said")"
is "conflict: …changes nothing" "theirs.service 1" "$(entries)"

# ---- the MachineConfigs ----

objects() { "$KUBECTL" get machineconfigs -o name | sed 's/.*oci-rdma-hook/ours/' | sort | xargs; }
NRI=1 RUNTIME=1 VALIDATOR=1 CHECK="$ADMIN" install/machineconfig/render-hook "$HOOK" "$T/mc.yaml" >/dev/null
check "MachineConfigs, by the file's own command: applied" eval "$(cd "$T" && sed -n 's|^# \(oc apply .*-f \)|\1'"$T"'/|p' mc.yaml)"
is "MachineConfigs, by the file's own command: all" "ours ours-doctor ours-enable" "$(objects)"
oc delete -f "$T/mc.yaml"
# kubectl copies each object into an annotation, and all annotations together may have 262144 bytes. Without the programs, what makes CRI-O look for them
# would do harm; the doctor may be missing (tests/cli/node-disruption: its unit starts nothing then).
oc apply -f "$T/mc.yaml"
is "MachineConfigs, without --server-side: what makes CRI-O look for programs comes with them" "ours ours-enable" "$(objects | sed 's/ ours-doctor//')"
check "MachineConfigs, without --server-side: …then the other way" oc apply --server-side --field-manager oci-rdma-hook -f "$T/mc.yaml"
awk '/source: data:;base64,/ && !n++ { for (i = 0; i < 7000; i++) $0 = $0 "AAAAAAAAAAAA" } { print }' "$T/mc.yaml" >"$T/large.yaml"
check "MachineConfigs, without --server-side: control: one that is too large is refused" eval '! oc apply -f "$T/large.yaml"'
has "MachineConfigs, without --server-side: control: …with the limit" 262144 "$(<"$T/said")"
finish
