#!/bin/bash
# install/chart: the Helm chart that a release has gives the objects of config/kubernetes and config/admission, and each of its values changes what
# values.yaml says of it. Rendered by tests/cluster/helmrender.go.
# builds: tests/helmrender tests/kubecheck
# shellcheck disable=SC2016,SC2317 # jq's dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
built HELMRENDER "${BUILD:-build}/tests/helmrender"
built KUBECHECK "${BUILD:-build}/tests/kubecheck"
built KUSTOMIZE "${BUILD:-build}/tests/go/usr/bin/kustomize"
mkdir "$T/manifests"
for dir in kubernetes/nri kubernetes/nri-launch kubernetes/events admission monitoring/operator; do
	"$KUSTOMIZE" build "config/$dir" >"$T/manifests/${dir//\//-}.yaml"
done
check "the chart is made" install/chart/make-chart 9.8.7 "$T/manifests" "$T/chart"
json() { python3 -c 'import json, sys, yaml; json.dump([o for f in sys.argv[1:] for o in yaml.safe_load_all(open(f)) if o], sys.stdout)' "$@"; }
# objects: of stdin, in one order, without the hash in the name of the policy's ConfigMap
objects() { jq -S 'walk(if type == "string" then sub("^oci-rdma-nri-[a-z0-9]{10}$"; "oci-rdma-nri-HASH") else . end) | sort_by(.kind, .metadata.name) | .[]'; }
# with VALUES: what the chart gives with these
with() {
	echo "$1" >"$T/values.yaml"
	"$HELMRENDER" "$T/chart" "$T/values.yaml" >"$T/rendered.yaml" 2>"$T/err" && json "$T/rendered.yaml"
}
# same_as DESCRIPTION VALUES FILE…: the chart gives what kustomize has put into these
same_as() {
	is "$1" "" "$(diff <(json "${@:3}" | objects) <(with "$2" | jq 'map(del(.imagePullSecrets))' | objects) 2>&1; cat "$T/err")"
}
m=$T/manifests
same_as "the defaults: config/kubernetes/nri and config/admission" "{}" "$m/kubernetes-nri.yaml" "$m/admission.yaml"
same_as "launch: config/kubernetes/nri-launch" "launch: true" "$m/kubernetes-nri-launch.yaml" "$m/admission.yaml"
same_as "all of it" "{launch: true, events: true, monitoring: true}" "$m"/{kubernetes-nri-launch,kubernetes-events,admission,monitoring-operator}.yaml
same_as "without the admission policy" "admission: false" "$m/kubernetes-nri.yaml"
with "{launch: true, events: true}" >/dev/null
check "its kinds' types" "$KUBECHECK" "$T/rendered.yaml"
is "the chart and its application have the version" "9.8.7 9.8.7" "$(json "$T/chart/Chart.yaml" | jq -r '.[0] | .version + " " + .appVersion')"

# ---- values ----

pods='.[] | select(.kind == "DaemonSet").spec.template.spec'
all='launch: true, events: true'
is "images" '["e","i","p"]' "$(with "{$all, images: {plugin: p, installer: i, events: e}}" | jq -c "[$pods | .containers[].image, (.initContainers // [])[].image] | unique")"
is "affinity: null leaves the label away" '[null]' "$(with "{$all, affinity: null}" | jq -c "[$pods.affinity] | unique")"
is "nodeSelector is added" '[{"kubernetes.io/os":"linux","pool":"gpu"}]' "$(with "{$all, nodeSelector: {pool: gpu}}" | jq -cS "[$pods.nodeSelector] | unique")"
is "tolerations" '[[{"key":"gpu","operator":"Exists"}]]' "$(with "{$all, tolerations: [{key: gpu, operator: Exists}]}" | jq -c "[$pods.tolerations] | unique")"
is "imagePullSecrets: each account has them" '[[{"name":"pull"}]]' "$(with "{$all, imagePullSecrets: [{name: pull}]}" | jq -c '[.[] | select(.kind == "ServiceAccount").imagePullSecrets] | unique')"
policy='{"namespaces": ["team-*"]}'
is "policy: the ConfigMap has it, and another name" "$policy true" "$(with "{policy: '$policy'}" | jq -r '(map(select(.kind == "ConfigMap"))[0]) as $map |
	$map.data["config.json"] + " " + ([.[] | select(.kind == "DaemonSet").spec.template.spec.volumes[].configMap.name // empty] | unique == [$map.metadata.name] | tostring)')"
first=$(with "{}" | jq -r '.[] | select(.kind == "ConfigMap").metadata.name')
check "…by which its pods are restarted" test "$first" != "$(with "{policy: '$policy'}" | jq -r '.[] | select(.kind == "ConfigMap").metadata.name')"
has "NOTES: what to do next" "kubectl label namespace NAMESPACE oci-rdma-hook.io/allowed=true" "$(NOTES=1 "$HELMRENDER" "$T/chart" 2>&1)"

# ---- the schema ----

valid() { python3 -c 'import json, sys, yaml, jsonschema; jsonschema.validate(yaml.safe_load(sys.argv[2]), json.load(open(sys.argv[1])))' "$T/chart/values.schema.json" "$1" 2>/dev/null; }
refused() { ! valid "$1"; }
check "the schema takes the defaults" valid "$(<"$T/chart/values.yaml")"
is "…and knows each of them" "$(json "$T/chart/values.yaml" | jq -c '.[0] | keys')" "$(jq -c '.properties | del(.global) | keys' "$T/chart/values.schema.json")"
for wrong in "evnets: true" "events: yes please" "images: {plugin: ''}" "policy: {a: b}" "imagePullSecrets: [pull]" "nodeSelector: {pool: 1}"; do
	check "the schema refuses $wrong" refused "$wrong"
done
finish
