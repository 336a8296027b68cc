#!/bin/bash
# install/chart: the real Helm 3 and 4 lint, render, install, upgrade and uninstall the chart that a release has. It gives the objects of
# config/kubernetes and config/admission, and each of its values changes what values.yaml says of it.
# builds: tests/helm3/.unpacked tests/helm4/.unpacked tests/kubecheck
# shellcheck disable=SC2016,SC2317 # jq's dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
built KUBECHECK "${BUILD:-build}/tests/kubecheck"
built KUSTOMIZE "${BUILD:-build}/tests/go/usr/bin/kustomize"
built HELM3 "${BUILD:-build}/tests/helm3/package/lib/helm/helm"
built HELM4 "${BUILD:-build}/tests/helm4/package/lib/helm/helm"
export HOME=$T HELM_NAMESPACE=default KUBECONFIG=$T/config
mkdir "$T/manifests"
for dir in kubernetes/nri kubernetes/nri-launch kubernetes/events admission monitoring/operator; do
	"$KUSTOMIZE" build "config/$dir" >"$T/manifests/${dir//\//-}.yaml"
done
check "the chart is made" install/chart/make-chart 9.8.7 "$T/manifests" "$T/chart"
json() { python3 -c 'import json, sys, yaml; json.dump([o for f in sys.argv[1:] for o in yaml.safe_load_all(open(f)) if o], sys.stdout)' "$@"; }
# objects: of stdin, in one order, without the hash in the name of the policy's ConfigMap
objects() { jq -S 'walk(if type == "string" then sub("^oci-rdma-nri-[a-z0-9]{10}$"; "oci-rdma-nri-HASH") else . end) | sort_by(.kind, .metadata.name) | .[]'; }
# with VALUES [OPTION…]: what the chart gives with these
with() {
	echo "$1" >"$T/values.yaml"
	"${HELM:-$HELM4}" template rdma "$T/chart" --values "$T/values.yaml" "${@:2}" >"$T/rendered.yaml" 2>"$T/err" && json "$T/rendered.yaml"
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
all='launch: true, events: true'
with "{$all, nodeSelector: {kubernetes.io/os: linux, pool: gpu}}" >/dev/null
check "its kinds' types; kubernetes.io/os, which the chart sets too, stands once" "$KUBECHECK" "$T/rendered.yaml"
is "the chart and its application have the version" "9.8.7 9.8.7" "$(json "$T/chart/Chart.yaml" | jq -r '.[0] | .version + " " + .appVersion')"

# ---- values ----

pods='.[] | select(.kind == "DaemonSet").spec.template.spec'
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
for policy in config/config.json config/profiles/*.json; do
	check "policy: $policy is one" with "{}" --set-file "policy=$policy"
done

# ---- what is refused ----

is "the schema knows each value" "$(json "$T/chart/values.yaml" | jq -c '.[0] | keys')" "$(jq -c '.properties | del(.global) | keys' "$T/chart/values.schema.json")"
# refuses VALUES WORDS…: helm renders nothing with these, and says why
refuses() {
	check "refused: $1" test "$(with "$1" >/dev/null; echo $?)" = 1
	has "refused: $1, and why" "$2" "$(<"$T/err")"
}
refuses "evnets: true" evnets
refuses "events: yes please" events
refuses "images: {plugin: ''}" plugin
refuses "imagePullSecrets: [pull]" imagePullSecrets
refuses "nodeSelector: {pool: 1}" pool
refuses "policy: {a: b}" policy
refuses "policy: foo" 'policy: it must be a JSON object, as in {"opt_in": "annotation"}'
refuses "policy: '{\"opt_in\": annotation}'" "policy: invalid character 'a'"
refuses "policy: '{\"optin\": \"device\"}'" 'policy: unknown key "optin"; known: opt_in, namespaces,'
refuses "policy: '{\"nccl\": {\"hac\": true} // one }'" 'policy: '
refuses "policy: '{\"nccl\": {\"hac\": true}} // one'" 'policy: unknown key "hac"; known: hca,'
refuses "policy: '{\"on_missed\": \"refuze\"}'" 'policy: "on_missed" is "refuze"; write one of report, mend, refuse'

# ---- the chart's life, before an API server ----

api_server "$PYTHON" -IS tests/cluster/apiserver.py "$T/port"
api=http://127.0.0.1:$(<"$T/port")
# there: how many objects of each kind the server has, without Helm's own and the namespace that Helm creates
there() { curl -s "$api/objects" | jq -r --arg own "$namespace" '.[] | select(.kind != "Secret" and ([.kind, .metadata.name] | . != ["Namespace", "default"] and . != ["Namespace", $own])).kind' |
	sort | uniq -c | awk '{print $2 "=" $1}' | paste -sd ' '; }
for version in 3 4; do
	declare -n helm=HELM$version
	helm() { timeout "$PATIENCE" "$helm" "$@" >"$T/out" 2>&1; }
	check "Helm $version: lint" helm lint --strict "$T/chart"
	HELM=$helm with "{$all, monitoring: true}" | objects >"$T/by.$version"
	for namespace in oci-rdma-nri elsewhere; do
		case="Helm $version, in the namespace $namespace"
		own=$([ "$namespace" = oci-rdma-nri ] || echo "Namespace=1 ")
		check "$case: install" helm install rdma "$T/chart" --namespace "$namespace" --create-namespace || cat "$T/out"
		has "$case: what to do next" "kubectl label namespace NAMESPACE oci-rdma-hook.io/allowed=true" "$(<"$T/out")"
		is "$case: objects" "ConfigMap=1 DaemonSet=2 ${own}NetworkPolicy=1 ServiceAccount=1 ValidatingAdmissionPolicy=2 ValidatingAdmissionPolicyBinding=2" "$(there)"
		check "$case: upgrade" helm upgrade rdma "$T/chart" --namespace "$namespace" --set images.plugin=next:2,events=true,admission=false \
			--set-file policy=config/profiles/device.json
		is "$case: its images" "next:2 oci-rdma-events:0.1.0" \
			"$(curl -s "$api/objects" | jq -r '.[] | select(.kind == "DaemonSet").spec.template.spec.containers[].image' | sort -u | paste -sd ' ')"
		is "$case: objects after it" "ClusterRole=1 ClusterRoleBinding=1 ConfigMap=1 DaemonSet=3 Namespace=$((1 + ${#own} / 12)) NetworkPolicy=2 ServiceAccount=2" "$(there)"
		check "$case: uninstall" helm uninstall rdma --namespace "$namespace"
		is "$case: nothing is left but that namespace" "" "$(there)"
		curl -s -X DELETE "$api/api/v1/namespaces/$namespace" >"$T/out"
	done
done
is "both render the same" "" "$(diff "$T/by.3" "$T/by.4")"
finish
