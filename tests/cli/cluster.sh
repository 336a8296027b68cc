#!/bin/bash
# What a cluster is given: config/admission, crio, openshift, kubernetes and the examples. Parsed and judged by kustomize, by
# Kubernetes' own types and CEL (tests/cluster/kubecheck.go), and held against what the project promises.
# shellcheck disable=SC2016,SC2317 # jq's and CEL's dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
KUBECHECK=${BUILD:-build}/tests/kubecheck
KUSTOMIZE=${BUILD:-build}/tests/kustomize
refused() { ! "$@"; }

# ---- every file ----

mapfile -t files < <(git ls-files 'config/*.yaml')
check "yamllint: config" yamllint -s -c tests/yamllint "${files[@]}"
for dir in $(git ls-files 'config/*kustomization.yaml' | xargs -n 1 dirname); do
	name=${dir//\//-}
	check "kustomize: $dir" "$KUSTOMIZE" build "$dir" --output "$T/$name.yaml"
	check "kubecheck: what $dir gives" "$KUBECHECK" "$T/$name.yaml"
done
for file in config/examples/*.yaml; do check "kubecheck: $file" "$KUBECHECK" "$file"; done

sed 's/  replicas: 2/  replica: 2/' config/examples/statefulset.yaml >"$T/broken.yaml"
check "control: kubecheck refuses an unknown field" refused "$KUBECHECK" "$T/broken.yaml"
sed 's/  replicas: 2/  replicas: two/' config/examples/statefulset.yaml >"$T/broken.yaml"
check "control: kubecheck refuses a value of another type" refused "$KUBECHECK" "$T/broken.yaml"
sed 's/^kind: StatefulSet/kind: StatefulSets/' config/examples/statefulset.yaml >"$T/broken.yaml"
check "control: kubecheck refuses an unknown kind" refused "$KUBECHECK" "$T/broken.yaml"
mkdir "$T/broken" && printf 'resources: [none.yaml]\n' >"$T/broken/kustomization.yaml"
check "control: kustomize refuses what is not there" refused "$KUSTOMIZE" build "$T/broken"

# ---- the examples ----

json() { python3 -c 'import json, sys, yaml; json.dump([o for o in yaml.safe_load_all(open(sys.argv[1])) if o], sys.stdout)' "$1"; }
templates='[.[] | .spec.template // select(.kind == "Pod")]'
# example NAME DESCRIPTION JQ-FILTER: true of each of its pods
example() { is "$1: $2" true "$(json "config/examples/$1.yaml" | jq "$templates | length > 0 and all(.[]; $3)")"; }
for file in config/examples/*.yaml; do
	name=$(basename "$file" .yaml)
	example "$name" "the annotation is on the pod" '.metadata.annotations["oci-rdma-hook.io/inject"] == "true"'
	example "$name" "nothing that restricted-v2 and the level restricted refuse" '
		([paths | map(tostring) | last] | all(IN("privileged", "hostPath", "hostNetwork", "hostPID", "hostIPC", "add",
			"serviceAccountName", "hostPort") | not)) and
		.spec.securityContext.runAsNonRoot and .spec.securityContext.seccompProfile.type == "RuntimeDefault" and
		(.spec.containers | all(.securityContext.allowPrivilegeEscalation == false and
			.securityContext.capabilities.drop == ["ALL"]))'
	example "$name" "no limit is raised, no HCA named" '[.spec | .. | strings] | all(test("ulimit -l [^;]|NCCL_IB_HCA|memlock") | not)'
	example "$name" "a memory limit, which bounds what is locked" '.spec.containers | all(.resources.limits.memory)'
	example "$name" "as many networks as devices" '
		((.metadata.annotations["k8s.v1.cni.cncf.io/networks"] // "") | split(",") | length) ==
		([.spec.containers[].resources.limits | keys[] | select(startswith("openshift.io/"))] | length)'
done
is "statefulset: two pods, four networks, a headless service" "2 4 None trainer" "$(json config/examples/statefulset.yaml |
	jq -r '.[1].spec as $set | [$set.replicas, ($set.template.metadata.annotations["k8s.v1.cni.cncf.io/networks"] | split(",") | length),
		.[0].spec.clusterIP, $set.serviceName] | join(" ")')"

# ---- the admission policy ----

namespace() { printf '{"metadata":{"name":"team-a"%s}}' "${1:+,\"labels\":$1}"; }
pod() { printf '{"metadata":{"name":"p"%s}}' "${1:+,\"annotations\":$1}"; }
# admits DESCRIPTION WANT OBJECT OLD NAMESPACE
admits() {
	is "admission: $1" "$2" "$(printf '{"object":%s,"oldObject":%s,"namespaceObject":%s}' "$3" "$4" "$5" |
		"$KUBECHECK" --policy config/admission/policy.yaml 2>&1)"
}
ask='{"oci-rdma-hook.io/inject":"true"}'
allowed=$(namespace '{"oci-rdma-hook.io/allowed":"true"}')
denied="deny: annotation oci-rdma-hook.io/inject: namespace team-a has no label oci-rdma-hook.io/allowed=true; ask a cluster administrator for it"
admits "a pod that asks, where it may" allow "$(pod "$ask")" null "$allowed"
admits "a pod that asks, where it may not" "$denied" "$(pod "$ask")" null "$(namespace '{"other":"true"}')"
admits "…in a namespace without any label" "$denied" "$(pod "$ask")" null "$(namespace)"
admits "…where the label says false" "$denied" "$(pod "$ask")" null "$(namespace '{"oci-rdma-hook.io/allowed":"false"}')"
admits "a pod without annotations" allow "$(pod)" null "$(namespace)"
admits "a pod with other annotations" allow "$(pod '{"oci-rdma-hook.iox/inject":"true","x/oci-rdma-hook.io":""}')" null "$(namespace)"
admits "any annotation of ours" "${denied/inject/memlock}" "$(pod '{"a":"b","oci-rdma-hook.io/memlock":"1Gi"}')" null "$(namespace)"
admits "an update that adds it" "$denied" "$(pod "$ask")" "$(pod '{"a":"b"}')" "$(namespace)"
admits "an update that adds the first annotation" "$denied" "$(pod "$ask")" "$(pod)" "$(namespace)"
admits "an update that changes it" "$denied" "$(pod "$ask")" "$(pod '{"oci-rdma-hook.io/inject":"false"}')" "$(namespace)"
admits "an update of something else, after the label has gone" allow "$(pod "$ask")" "$(pod "$ask")" "$(namespace)"
admits "an update that takes it off" allow "$(pod)" "$(pod "$ask")" "$(namespace)"
admits "an update of something else, with a mistake that was there" allow "$(pod '{"a":"b","oci-rdma-hook.io/injekt":"true"}')" \
	"$(pod '{"oci-rdma-hook.io/injekt":"true"}')" "$allowed"
mistake() { admits "$1=$2: ${3:0:40}…" "deny: annotation oci-rdma-hook.io/$1 $3" "$(pod "{\"oci-rdma-hook.io/$1\":\"$2\"}")" null "$allowed"; }
mistake memlok 1Gi "is unknown; known after oci-rdma-hook.io/: inject, containers, memlock, nccl"
mistake inject True 'is "True": write "true" or "false"'
mistake containers 'a, b' 'is "a, b": write the names of containers, as in "a,b"'
mistake memlock 64GB 'is "64GB": write an amount of memory, as in "64Gi", or "unlimited"'

# The policy and the node are of one mind: each value is read by the hook, too.
node h100
texts=()
for value in true false True TRUE yes 1 '' ' true' 'true '; do texts+=("inject=$value" "nccl=$value"); done
for value in a a,b trainer,loader-2 a.b '' , a, ,a a,,b A 'a b' a/b a_b; do texts+=("containers=$value"); done
for value in unlimited Unlimited '' 0 00 0Gi 1 007 1Ki 1Mi 64Gi 2Ti 3Pi 1Ei 1k 1M 1G 1T 1P 1E 1K 1m 1i 1Gib 1GiB 64GB 1.5Gi -1 +1 ' 1' '1 ' 1Gi1 Gi 15Ei 16Ei 16383Pi 16384Pi \
	16777215Ti 16777216Ti 17179869183Gi 17179869184Gi 17592186044415Mi 17592186044416Mi 18014398509481983Ki 18014398509481984Ki 18E 19E 18446P 18447P \
	18446744T 18446745T 18446744073G 18446744074G 18446744073709M 18446744073710M 18446744073709551k 18446744073709552k 9999999999999999999 \
	99999999999999999999 99999999999999999999Gi 1unlimited; do
	texts+=("memlock=$value")
done
of_the_node=() requests=()
for text in "${texts[@]}"; do
	annotation="{\"oci-rdma-hook.io/${text%%=*}\":\"${text#*=}\"}"
	requests+=("{\"object\":$(pod "$annotation"),\"oldObject\":null,\"namespaceObject\":$allowed}")
	bundle "{\"annotations\":$annotation}"
	if dry_run && [ "$rc" -eq 0 ]; then of_the_node+=("$text: allow"); else of_the_node+=("$text: deny"); fi
done
mapfile -t decisions < <(printf '%s' "${requests[@]}" | "$KUBECHECK" --policy config/admission/policy.yaml 2>&1)
for i in "${!texts[@]}"; do is "admission: as the node reads ${texts[i]}" "${of_the_node[i]}" "${texts[i]}: ${decisions[i]%%:*}"; done
policy=$(json config/admission/policy.yaml | jq -c '.[0].spec | [.failurePolicy, .matchConstraints.resourceRules[0].operations, .matchConstraints.resourceRules[0].resources]')
is "admission: CREATE and UPDATE of pods, and closed when it fails" '["Fail",["CREATE","UPDATE"],["pods"]]' "$policy"
is "admission: the binding denies, with the policy's name" '["oci-rdma-hook",["Deny"]]' \
	"$(json config/admission/binding.yaml | jq -c '.[0].spec | [.policyName, .validationActions]')"
sed "s/size(variables.asked) == 0/size(variables.aksed) == 0/" config/admission/policy.yaml >"$T/policy.yaml"
has "control: a variable that is not there is an error" "error: " \
	"$(printf '{"object":%s,"namespaceObject":%s}' "$(pod "$ask")" "$(namespace)" | "$KUBECHECK" --policy "$T/policy.yaml" 2>&1)"
sed "s/size(variables.asked) == 0/size(variables.asked == 0/" config/admission/policy.yaml >"$T/policy.yaml"
check "control: an expression that does not parse is refused" refused sh -c '"$1" --policy "$2" </dev/null' - "$KUBECHECK" "$T/policy.yaml"

# ---- what belongs together ----

handler=$(sed -n 's/^\[crio.runtime.runtimes.\(.*\)\]$/\1/p' config/machineconfig/60-oci-rdma-hook.conf)
is "the RuntimeClass names the drop-in's handler" "$handler" "$(json config/crio/runtimeclass.yaml | jq -r '.[0].handler')"
RUNTIME=1 config/machineconfig/render-hook "$HOOK" "$T/mc.yaml" >/dev/null
# The operator takes the policy of the longest path that is the file or a directory above it (FindClosestFilePolicyPathMatch).
is "a change of no file of the MachineConfigs reboots, and CRI-O is restarted for its own alone" \
	"/etc/containers/oci/hooks.d/90-oci-rdma-hook.json None
/etc/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json None
/etc/crio/crio.conf.d/60-oci-rdma-hook.conf Restart
/etc/oci-rdma-hook/config.json None
/usr/local/bin/oci-rdma-hook None
/usr/local/bin/oci-rdma-runtime-crun None" \
	"$(jq -rn --slurpfile mc <(json "$T/mc.yaml") --slurpfile policy <(json config/openshift/node-disruption-policy.yaml) '
		$policy[0][0].spec.nodeDisruptionPolicy.files as $files |
		[$mc[0][].spec.config.storage.files[].path] | sort[] | . as $path |
		([$files[] | select(.path == $path or ((.path + "/") as $dir | $path | startswith($dir)))] |
			max_by(.path | length) | .actions | map(.type) | join(",")) as $action | "\($path) \($action // "Reboot")"')"
is "…in the operator's words: Restart names a service, None nothing" true "$(json config/openshift/node-disruption-policy.yaml |
	jq '.[0].spec.nodeDisruptionPolicy.files | all(.[]; .actions | length == 1) and
		all(.[].actions[]; (.type == "Restart") == has("restart")) and all(.[].actions[]; .type | IN("None", "Restart"))')"

is "MachineOSConfig: as its type in the operator's API has it" "containerFile imageBuilder machineConfigPool renderedImagePushSecret renderedImagePushSpec" \
	"$(json config/openshift/machineosconfig.yaml | jq -r '.[0].spec | keys | join(" ")')"

# metadata.annotations may have 256 KiB together (apimachinery, ValidateAnnotationsSize), and oc apply copies the object into one.
is "MachineConfigs are applied by the server, wherever it is said" "" "$(grep -rnE 'oc apply (-f )?[^-]*build/99' README.md doc config)"
has "…and in the file itself" "oc apply --server-side -f mc.yaml" "$(sed -n 2p "$T/mc.yaml")"

daemonset() { jq -r 'map(select(.kind == "DaemonSet"))[0].spec.template.spec | '"$1" "$T/$2.json"; }
json "$T/config-kubernetes-install.yaml" >"$T/install.json"
json "$T/config-kubernetes-remove.yaml" >"$T/remove.json"
is "the DaemonSet installs before it stays" "install stay" "$(daemonset '[.initContainers[0].args[0], .containers[0].args[0]] | join(" ")' install)"
is "its opposite removes" "remove stay" "$(daemonset '[.initContainers[0].args[0], .containers[0].args[0]] | join(" ")' remove)"
is "…and is the same object" true "$(jq -n --slurpfile a "$T/install.json" --slurpfile b "$T/remove.json" '[$a, $b | map(.[] | [.kind, .metadata.name, .metadata.namespace])] | .[0] == .[1]')"
is "both are given what node-install writes, and no privilege" true "$(daemonset '
	([.initContainers[], .containers[]] | all(.securityContext.privileged == null and .securityContext.capabilities == {"drop": ["ALL"]} and
		.securityContext.readOnlyRootFilesystem)) and
	([.volumes[] | .hostPath.path // empty] | sort) == (["/usr/local/bin", "/etc/oci-rdma-hook", "/usr/share/containers/oci/hooks.d",
		"/etc/crio", "/run/oci-rdma-hook", "/usr/bin", "/usr/sbin", "/usr/libexec",
		"/var/lib/containers/storage/overlay-containers"] | sort) and
	([.initContainers[0].volumeMounts[] | select(.readOnly) | .mountPath] | sort) == (["/host/usr/bin", "/host/usr/sbin",
		"/host/usr/libexec", "/host/var/lib/containers/storage/overlay-containers", "/host/run/oci-rdma-hook"] | sort) and
	([.volumes[] | select(.hostPath) | [.name, "/host" + .hostPath.path]] | sort) ==
		([.initContainers[0].volumeMounts[] | select(.name != "config") | [.name, .mountPath]] | sort)' install)"

# ---- the words ----

mapfile -t docs < <(git ls-files 'doc/*.md')
is "what the documents name of config/ and tests/ is there" "" "$(grep -ohE '\b(config|tests|doc)/[a-zA-Z0-9_./-]*[a-zA-Z0-9]' "${docs[@]}" "${files[@]}" |
	sort -u | while read -r path; do [ -e "$path" ] || echo "$path"; done)"
is "no registry is named" "" "$(git grep -lE '\b(quay|docker|ghcr|gcr|nvcr|registry)\.(io|com|redhat|k8s)' -- config doc tests/cluster)"
finish
