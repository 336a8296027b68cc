#!/bin/bash
# What a cluster is given: config/admission, crio, openshift, kubernetes and the examples. Parsed and judged by kustomize, by
# Kubernetes' own types and CEL (tests/cluster/kubecheck.go), by definitions of the kinds that Kubernetes does not have
# (tests/cluster/crdcheck), and held against what the project promises.
# builds: tests/kubecheck
# shellcheck disable=SC2016,SC2317 # jq's and CEL's dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
built KUBECHECK "${BUILD:-build}/tests/kubecheck"
built KUSTOMIZE "${BUILD:-build}/tests/go/usr/bin/kustomize"
CRDS=tests/cluster/crds.yaml
POLICY=config/openshift/node-disruption-policy.yaml
refused() { ! "$@"; }
# The groups of tests/cluster/crds.yaml
FOREIGN='^apiVersion: (sriovnetwork\.openshift\.io|(security|monitoring)\.openshift\.io|monitoring\.coreos\.com|(operator|machineconfiguration)\.openshift\.io|k8s\.cni\.cncf\.io|(trainer\.)?kubeflow\.org|ray\.io|batch\.volcano\.sh|jobset\.x-k8s\.io|leaderworkerset\.x-k8s\.io)/'
# judge FILE: each of its objects, by who knows its kind
judge() {
	rm -f "$T"/judged.*
	FOREIGN=$FOREIGN awk -v to="$T/judged" '
		function flush() { if (text ~ /kind:/) print "---\n" text >(to (foreign ? ".foreign" : ".own")); text = ""; foreign = 0 }
		/^---/ { flush(); next }
		$0 ~ ENVIRON["FOREIGN"] { foreign = 1 }
		{ text = text $0 "\n" }
		END { flush() }' "$1" && ls "$T"/judged.* >"$T/list" &&
		{ [ ! -e "$T/judged.own" ] || "$KUBECHECK" "$T/judged.own"; } &&
		{ [ ! -e "$T/judged.foreign" ] || python3 tests/cluster/crdcheck "$CRDS" "$T/judged.foreign"; }
}
# breaks SED FILE: the file is good, and refused with this change
breaks() { judge "$2" && sed "$1" "$2" >"$T/broken.yaml" && ! cmp -s "$2" "$T/broken.yaml" && ! judge "$T/broken.yaml"; }

# ---- every file ----

mapfile -t files < <(find config -name '*.yaml' | sort)
check "yamllint: config" yamllint -s -c tests/yamllint "${files[@]}"
for dir in $(find config -name kustomization.yaml | sort | xargs grep -L '^kind: Component' | xargs -n 1 dirname); do
	name=${dir//\//-}
	check "kustomize: $dir" "$KUSTOMIZE" build "$dir" --output "$T/$name.yaml"
	check "its kinds' types: what $dir gives" judge "$T/$name.yaml"
done
for file in config/examples/*.yaml config/openshift/{canary,machineosconfig,{,no-}node-disruption-policy}.yaml; do check "its kinds' types: $file" judge "$file"; done

check "control: kubecheck refuses an unknown field" breaks 's/  replicas: 2/  replica: 2/' config/examples/statefulset.yaml
check "control: kubecheck refuses an unknown kind" breaks 's/^kind: StatefulSet/kind: StatefulSets/' config/examples/statefulset.yaml
sriov=$T/config-examples-sriov.yaml
while IFS='|' read -r file what change; do
	check "control: crdcheck refuses $what" breaks "$change" "$file"
done <<-END
	$sriov|a value of another type|s/  numVfs: 8/  numVfs: eight/
	$sriov|what lacks a field|/  resourceName: rail8/d
	$sriov|an unknown kind|s/^kind: SriovNetwork\$/kind: SriovNetworks/
	$T/config-openshift-nri.yaml|an unknown field|s/^allowHostPID/allowHostPid/
	$POLICY|Restart without a unit's name|s/- type: None/- type: Restart/
	$POLICY|a unit's name beside another type|s/- type: Restart/- type: Drain/
	$POLICY|None beside another action|s/^\( *\)- type: Restart/\1- type: None\n&/
	$POLICY|what is no unit's name|s/serviceName: .*/serviceName: crio/
END

# What a stranger has, who applies by URL: a clone of a commit, in which no file may be named that is outside of it
CLONE=$T/oci-rdma-hook
mkdir "$CLONE" && cp -a config "$CLONE" && git -C "$CLONE" init -q -b stranger && git -C "$CLONE" add . &&
	git -C "$CLONE" -c user.name=test -c user.email=test@localhost commit -qm all

# ---- the examples ----

# json FILE: its objects. Those of the tree's files and of what kustomize made are kept: most are asked for five times.
json() {
	local kept=$T/json${1//\//-} part=$T/json.$BASHPID
	if [ ! -e "$kept" ]; then
		python3 -c 'import json, sys, yaml; json.dump([o for o in yaml.safe_load_all(open(sys.argv[1])) if o], sys.stdout)' "$1" >"$part" || return
		case $1 in
		config/* | "$T"/config-*) mv "$part" "$kept" ;;
		*) kept=$part ;;
		esac
	fi
	cat "$kept"
}
templates='[.[] | if .kind == "PyTorchJob" then .spec.pytorchReplicaSpecs[].template elif .kind == "MPIJob" then .spec.mpiReplicaSpecs[].template
	elif .kind == "JobSet" then .spec.replicatedJobs[].template.spec.template
	elif .kind == "RayCluster" then .spec.headGroupSpec.template, .spec.workerGroupSpecs[].template
	elif .kind == "TrainingRuntime" then .spec.template.spec.replicatedJobs[].template.spec.template
	elif .spec.tasks then .spec.tasks[].template
	elif .kind == "LeaderWorkerSet" then .spec.leaderWorkerTemplate.workerTemplate
	else .spec.template // select(.kind == "Pod") end]'
# pods FILE: its pods as objects, which Kubernetes' types judge also where they do not know the kind around them
pods() { json "$1" | jq "$templates | .[] | {apiVersion: \"v1\", kind: \"Pod\", metadata: (.metadata // {}), spec}" | sed 's/^{$/---\n{/' >"$T/pods.yaml" && "$KUBECHECK" "$T/pods.yaml"; }
# example FILE DESCRIPTION JQ-FILTER: true of each of its pods
example() {
	is "$(basename "$1" .yaml): $2" true "$(json "$1" |
		jq "def containers: .spec.containers + (.spec.initContainers // []); $templates | length > 0 and all(.[]; $3)")"
}
for file in config/examples/*.yaml config/examples/benchmark-torch/job.yaml; do
	check "$(basename "$file" .yaml): its pods, by Kubernetes' types" pods "$file"
	example "$file" "the annotation is on the pod, but not on MPI's launcher or Ray's head" \
		'(.metadata.annotations["oci-rdma-hook.io/inject"] == "true") != (.spec.containers[0].name | IN("launcher", "ray-head"))'
	example "$file" "nothing that restricted-v2 and the level restricted refuse" '
		([paths | map(tostring) | last] | all(IN("privileged", "hostPath", "hostNetwork", "hostPID", "hostIPC", "add",
			"serviceAccountName", "hostPort") | not)) and
		.spec.securityContext.runAsNonRoot and .spec.securityContext.seccompProfile.type == "RuntimeDefault" and
		(containers | all(.securityContext.allowPrivilegeEscalation == false and
			.securityContext.capabilities.drop == ["ALL"]))'
	example "$file" "no limit is raised, no HCA named" '[.spec | .. | strings] | all(test("ulimit -l [^;]|^NCCL_IB_HCA$|NCCL_IB_HCA=[^$]|memlock") | not)'
	example "$file" "a memory limit, which bounds what is locked" 'containers | all(.resources.limits.memory)'
	example "$file" "a device for each network, by its name" '
		(.metadata.annotations["k8s.v1.cni.cncf.io/networks"] // "" | split(",") | map("openshift.io/" + sub("-"; ""))) ==
		([containers[].resources.limits | keys[] | select(startswith("openshift.io/"))] | unique)'
done

json config/examples/statefulset.yaml >"$T/rdma.json"
is "statefulset-tcp: the same, but for its name, the networks and the devices" "" "$(diff \
	<(json config/examples/statefulset-tcp.yaml | jq -S 'walk(if type == "string" then gsub("trainer-tcp"; "trainer") else . end)') \
	<(jq -S 'del(.[1].spec.template.metadata.annotations["k8s.v1.cni.cncf.io/networks"]) |
		.[1].spec.template.spec.containers[0].resources.limits |= with_entries(select(.key | startswith("openshift.io/") | not))' "$T/rdma.json"))"
# deployed TYPE-MODE: what that directory gives, with its program where the example alone has it
deployed() { json "$T/config-examples-deploy-$1.yaml" | jq -S '(.. | objects | select(has("args"))) |= (.command += .args | del(.args))'; }
is "deploy: statefulset-rdma is statefulset.yaml" "" "$(diff <(jq -S . "$T/rdma.json") <(deployed statefulset-rdma))"
is "deploy: statefulset-tcp is statefulset-tcp.yaml" "" "$(diff <(deployed statefulset-tcp) \
	<(json config/examples/statefulset-tcp.yaml | jq -S 'walk(if type == "string" then gsub("trainer-tcp"; "trainer") else . end)'))"
is "deploy: job-rdma is job-torchrun.yaml" "" "$(diff <(json config/examples/job-torchrun.yaml | jq -S .) <(deployed job-rdma))"
is "deploy: job-tcp is that without networks and devices" "" "$(diff <(deployed job-tcp) <(deployed job-rdma |
	jq -S 'del(.[1].spec.template.metadata.annotations["k8s.v1.cni.cncf.io/networks"]) |
		.[1].spec.template.spec.containers[0].resources.limits |= with_entries(select(.key | startswith("openshift.io/") | not))'))"
# The page's lines in a clone, of which then no file differs, with each of the four in their place
overlays() {
	local name lines
	lines=$(awk '/<!-- run: deploy-overlay -->/ { on = 1 } on && /^    / { print substr($0, 5) } /^## Training/ { exit }' doc/examples.md | sed 's/^\$ //; s/^oc apply -k \([^ ]*\).*/"$KUSTOMIZE" build \1/')
	cd "$CLONE" || return
	for name in statefulset-rdma statefulset-tcp job-rdma job-tcp; do (eval "${lines//statefulset-rdma/$name}") >"$T/deployed.yaml" && json "$T/deployed.yaml"; rm -r ../training; done |
		jq -rs '[.[][1].spec.template.spec.containers[0] | .image + " " + (.args | join(" "))] | unique[]'
	git status --porcelain
}
is "deploy: image and program are in a directory beside the clone, for all" "registry.example/train train.py --epochs=3" "$(overlays)"
is "statefulset: torchrun waits for as many pods as there are, at the first one's name" true "$(jq '.[1].spec as $set |
	$set.template.spec.containers[0].command | index("--nnodes=\($set.replicas)") != null and
	index("--rdzv-endpoint=trainer-0.\($set.serviceName):29500") != null' "$T/rdma.json")"
for file in config/examples/job-torchrun.yaml config/examples/benchmark-torch/job.yaml; do
	is "$(basename "$file" .yaml): torchrun waits for as many pods as there are, at the first one's name" true "$(json "$file" |
		jq '.[0] as $service | .[1] as $job | $job.metadata.name as $name | $job.spec.template.spec as $pod | $pod.containers[0].command |
			$job.spec.completions == $job.spec.parallelism and $job.spec.completionMode == "Indexed" and
			index("--nnodes=\($job.spec.completions)") != null and
			index("--node-rank=$(JOB_COMPLETION_INDEX)") != null and
			index("--master-addr=\($name)-0.\($pod.subdomain)") != null and
			$service.metadata.name == $pod.subdomain and $service.spec.selector == {"job-name": $name} and
			$service.spec.publishNotReadyAddresses')"
done
is "preflight: the doctor fails before the program starts, and tries the program's own devices" true "$(json config/examples/preflight.yaml |
	jq '.[0].spec | .restartPolicy == "Never" and (.initContainers | length) == 2 and .initContainers[1].resources == .containers[0].resources and
		.initContainers[1].command == ["/doctor/oci-rdma-doctor", "--verbs"] and .initContainers[1].image == .containers[0].image')"
is "preflight: …which comes from its own image, as install/kubernetes/doctor makes that" "busybox cp /oci-rdma-doctor /doctor/" "$(json config/examples/preflight.yaml |
	jq -r '.[0].spec.initContainers[0] | .command | join(" ")')"
is "pytorchjob, leaderworkerset, jobset: torchrun is told as many nodes as there are" "2 2 \$(LWS_GROUP_SIZE) 2" "$(for name in pytorchjob jobset leaderworkerset; do
	json config/examples/$name.yaml; done | jq -r '.[0] | [if .kind == "PyTorchJob" then ([.spec.pytorchReplicaSpecs[].replicas] | add), .spec.pytorchReplicaSpecs.Master.template
		elif .kind == "JobSet" then .spec.replicatedJobs[0].template.spec | .completions, .template else .spec.leaderWorkerTemplate | .size, .workerTemplate end] |
		.[0] as $nodes | .[1].spec.containers[0].command | map(select(startswith("--nnodes=")))[0] | sub("--nnodes="; "") |
		if . == "$(LWS_GROUP_SIZE)" then . , ($nodes | tostring) else select(. == ($nodes | tostring)) end' | xargs)"
is "volcano: torchrun waits for as many pods as there are, at the first one's name" true "$(json config/examples/volcano.yaml | jq '.[0] as $job | $job.spec |
	.tasks[0] as $task | $task.template.spec.containers[0].command as $command | .minAvailable == $task.replicas and (.plugins | keys) == ["env", "svc"] and
	($command | index("--nnodes=\($task.replicas)") != null and index("--node-rank=$(VC_TASK_INDEX)") != null and
		index("--master-addr=\($job.metadata.name)-\($task.name)-0.\($job.metadata.name)") != null)')"
is "raycluster, trainjob: the job names what is beside it" '"ray" "torch-rdma"' "$(for name in raycluster trainjob; do json config/examples/$name.yaml; done |
	jq -c '.[0].metadata.name as $name | .[1].spec | (.clusterSelector["ray.io/cluster"] // .runtimeRef.name) | select(. == $name)' | xargs -0 | tr '\n' ' ' | sed 's/ *$//')"
is "mpijob: a process for each slot of each worker" true "$(json config/examples/mpijob.yaml | jq '.[0].spec | (.mpiReplicaSpecs.Launcher.template.spec.containers[0].command) as $command |
	$command[($command | index("-np")) + 1] == (.slotsPerWorker * .mpiReplicaSpecs.Worker.replicas | tostring) and
	(.slotsPerWorker | tostring) == .mpiReplicaSpecs.Worker.template.spec.containers[0].resources.limits["nvidia.com/gpu"]')"

json "$sriov" >"$T/sriov.json"
json "$T/config-examples-attachments.yaml" >"$T/attachments.json"
rails=$(seq 8 | sed 's/.*/rail-& rail&/')
is "sriov: a policy for each of eight ports, with a resource of its own" "$rails 8" "$(jq -r '[.[] | select(.kind == "SriovNetworkNodePolicy")] |
	([.[].spec.nicSelector.pfNames[]] | unique | length) as $ports |
	([.[] | "\(.metadata.name) \(.spec.resourceName)"] | join("\n")) + " \($ports)"' "$T/sriov.json")"
is "sriov: a network for each, where the operator looks for it, with a range of its own" "$rails 8" "$(jq -r '[.[] | select(.kind == "SriovNetwork")] |
	([.[].spec.ipam | fromjson.range] | unique | length) as $ranges |
	([.[] | select(.metadata.namespace == "openshift-sriov-network-operator") | "\(.metadata.name) \(.spec.resourceName)"] | join("\n")) + " \($ranges)"' "$T/sriov.json")"
is "attachments: the same names, resources and ranges without the operator" \
	"$(jq -c '[.[] | select(.kind == "SriovNetwork") | [.metadata.name, "openshift.io/" + .spec.resourceName, .spec.networkNamespace, (.spec.ipam | fromjson)]]' "$T/sriov.json")" \
	"$(jq -c '[.[] | [.metadata.name, .metadata.annotations["k8s.v1.cni.cncf.io/resourceName"], .metadata.namespace, (.spec.config | fromjson.ipam)]]' "$T/attachments.json")"
# ---- an overlay of GitOps ----

overlay=$T/config-examples-gitops.yaml
is "gitops: each image is the overlay's" "registry.example/oci-rdma-events:your-tag registry.example/oci-rdma-nri:your-tag" "$(sed -n 's/^ *image: //p' "$overlay" | sort -u | xargs)"
is "gitops: its policy is the one that the plugins read" "$(<config/examples/gitops/config.json)" \
	"$(json "$overlay" | jq -r '([.[] | select(.kind == "DaemonSet").spec.template.spec.volumes[].configMap.name // empty] | unique) as $read |
		.[] | select(.kind == "ConfigMap" and ([.metadata.name] == $read)).data["config.json"]')"
is "gitops: plugin, admission policy and events, as they are without it" "$(sed -n 's/^kind: //p' "$T"/config-kubernetes{,-events}.yaml | sort)" "$(sed -n 's/^kind: //p' "$overlay" | sort)"
mkdir "$T/pull" && cp config/examples/gitops/config.json "$T/pull"
sed "/^# patches:/,/imagePullSecrets/s/^# //; s|\.\./\.\./|$(realpath --relative-to="$T/pull" config)/|" config/examples/gitops/kustomization.yaml >"$T/pull/kustomization.yaml"
is "gitops: its patch gives each account the registry's secret" 2 "$("$KUSTOMIZE" build "$T/pull" | grep -c '^- name: SECRET')"
readme=$(sed -n 's/^    kubectl kustomize config\/kubernetes | \(sed .*\) | kubectl apply -f -$/\1/p' README.md)
is "README: its line names IMAGE in each pod" IMAGE "$(eval "${readme:-false}" <"$T/config-kubernetes.yaml" | sed -n 's/^ *image: //p' | sort -u)"
mkdir "$T/overlay" && cp config/examples/gitops/config.json "$T/overlay"
awk '/<!-- run: hook-overlay -->/ { on = 1; next } on && /^       / { print substr($0, 8) } on && /^[^ ]/ { exit }' doc/install-kubernetes.md |
	sed "s|\.\./\.\./|$(realpath --relative-to="$T/overlay" config)/|g" >"$T/overlay/kustomization.yaml"
check "the page's overlay for the hook: its kinds' types" eval '"$KUSTOMIZE" build "$T/overlay" >"$T/overlay.yaml" && judge "$T/overlay.yaml"'
is "the page's overlay for the hook: image, option and policy" '[["RUNTIME=1"],["registry.example/oci-rdma-hook-installer:your-tag"]] {"namespaces":["team-*"]}' \
	"$(json "$T/overlay.yaml" | jq -r '([.[] | select(.kind == "DaemonSet").spec.template.spec | .containers[], .initContainers[]] | [map(.env[] | .name + "=" + .value), map(.image)] | map(unique) | tojson) + " " +
		(.[] | select(.kind == "ConfigMap").data["config.json"] | sub("^//[^\n]*"; "") | fromjson | tojson)')"
is "README's kustomization: plugin and admission policy" "$(cat "$T"/config-{kubernetes-nri,admission}.yaml | sed -n 's/^kind: //p' | sort)" "$(sed -n 's/^kind: //p' "$T/config-kubernetes.yaml" | sort)"

# ---- the benchmark's script ----

is "benchmark-torch: the Job's pods run the script that the ConfigMap has" true "$(json "$T/config-examples-benchmark-torch.yaml" |
	jq --rawfile script config/examples/benchmark-torch/allreduce.py '(map(select(.kind == "ConfigMap"))[0]) as $map |
		map(select(.kind == "Job"))[0].spec.template.spec | $map.data == {"allreduce.py": $script} and
		.containers[0].command[-1] == "/benchmark/allreduce.py" and
		(.containers[0].volumeMounts | map(select(.mountPath == "/benchmark"))[0].name) as $volume |
		(.volumes | map(select(.name == $volume))[0].configMap.name) == $map.metadata.name')"
# allreduce EXPRESSION: its value, with the script's functions; there need be no PyTorch for it
allreduce() {
	"$PYTHON" -IBSc 'import sys; sys.path.insert(0, "config/examples/benchmark-torch"); from allreduce import *; print(eval(sys.argv[1]))' "$1"
}
# found NUMBER…: the ports of devices of the recorded node, and their sum
found() {
	allreduce "(lambda ports: ' '.join(sorted(ports)) + f' {sum_gbps(ports):.0f}')(find_ports('$*'.split(), '$NODE/sys'))"
}
# judged BUSBW POD…: the verdict on pods, each GBPS or GBPS=IDLE-PORT
judged() {
	allreduce "verdict($1, [{'host': f'pod-{i}', 'gbps': float(pod.split('=')[0]), 'ports': ['mlx5_6:1', 'mlx5_7:1'], 'idle': pod.split('=')[1:]} for i, pod in enumerate('${*:2}'.split())])"
}
node h100
port=$NODE/sys/class/infiniband/mlx5_7/ports/1
mkdir "$T/dev" && ln -s /dev/null "$T/dev/uverbs0" && ln -s /dev/zero "$T/dev/issm0"
is "allreduce.py: the container's devices are those below /dev, by number" "['1:3']" "$(allreduce "device_numbers('$T/dev')")"
is "allreduce.py: their ports, not the node's others" "mlx5_6:1 mlx5_7:1 800" "$(found 231:198 231:199)"
is "allreduce.py: two functions of one port have its bandwidth once" "mlx5_13:1 mlx5_6:1 400" "$(found 231:198 231:205)"
mkdir -p "$port/counters" && echo 250 >"$port/counters/port_xmit_data"
is "allreduce.py: what a port has sent, in bytes; unknown without a counter" "1000 None" \
	"$(allreduce "(lambda ports: f\"{ports['mlx5_7:1']['sent']} {ports['mlx5_6:1']['sent']}\")(find_ports(['231:198', '231:199'], '$NODE/sys'))")"
echo "1: DOWN" >"$port/state"
is "allreduce.py: a port that is down carries nothing" "mlx5_6:1 400" "$(found 231:198 231:199)"
is "allreduce.py: a rail that sent almost nothing is idle, one that is not counted is not" "['b']" \
	"$(allreduce "idle_ports({p: {'sent': s} for p, s in zip('abc', [5, 7, None])}, {p: {'sent': s} for p, s in zip('abc', [1005, 57, None])})")"
is "allreduce.py: busbw as nccl-tests has it" 187.5 "$(allreduce "bus_bandwidth(10**9, 0.01, 16)")"
is "allreduce.py: at the minimum, and below" "True False" "$(allreduce "' '.join(str(verdict(busbw, [{'host': 'a', 'gbps': 800, 'ports': ['a'], 'idle': []}] * 2)[0]) for busbw in (80, 79.9))")"
is "allreduce.py: the pod with the fewest ports is what is compared with" "(True, 'good: 48.0 GB/s are 96% of the 50.0 GB/s of the ports of pod-1')" "$(judged 48 1600 400)"
has "allreduce.py: half of it names the rail that is missing" "(False, 'a rail is missing: 100.0 GB/s are 50% of the 200.0 GB/s of the ports of pod-0; almost nothing was sent by pod-1 mlx5_7:1')" \
	"$(judged 100 1600 1600=mlx5_7:1)"
has "allreduce.py: …or GPUDirect, where all rails sent" "(False, 'low: 100.0 GB/s are 50%" "$(judged 100 1600 1600)"
has "allreduce.py: a hundredth is no RDMA" "(False, 'not RDMA, it seems: 1.0 GB/s are 0%" "$(judged 1 1600 1600)"
has "allreduce.py: a pod without a port has TCP, which fails" "(False, 'TCP: pod-1 has no active RDMA port" "$(judged 1 400 0)"

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

# What is accepted and would do nothing gets a warning.
# warns_of DESCRIPTION WANT OBJECT NAMESPACE
warns_of() {
	is "warning: $1" "$2" "$(printf '{"object":%s,"namespaceObject":%s}' "$3" "$4" | "$KUBECHECK" --policy config/admission/warnings.yaml 2>&1)"
}
template() { printf '{"metadata":{"labels":{"a":"b"}%s},"spec":{}}' "${1:+,\"annotations\":$1}"; }
# of KIND [ANNOTATIONS]: an object of that kind with one pod template
of() {
	local spec version=v1
	case $1 in
	CronJob) spec="{\"jobTemplate\":{\"spec\":{\"template\":$(template "${2-}")}}}" ;;
	PyTorchJob) spec="{\"pytorchReplicaSpecs\":{\"Master\":{\"template\":$(template)},\"Worker\":{\"template\":$(template "${2-}")}}}" ;;
	MPIJob) spec="{\"mpiReplicaSpecs\":{\"Launcher\":{\"template\":$(template)},\"Worker\":{\"template\":$(template "${2-}")}}}" ;;
	JobSet) spec="{\"replicatedJobs\":[{\"template\":{\"spec\":{\"template\":$(template "${2-}")}}}]}" ;;
	LeaderWorkerSet) spec="{\"leaderWorkerTemplate\":{\"workerTemplate\":$(template "${2-}")}}" ;;
	RayCluster) spec="{\"headGroupSpec\":{\"template\":$(template)},\"workerGroupSpecs\":[{\"template\":$(template "${2-}")}]}" ;;
	RayJob) spec="{\"rayClusterSpec\":{\"headGroupSpec\":{\"template\":$(template "${2-}")}}}" ;;
	TrainJob) spec="{\"runtimeRef\":{\"name\":\"r\"},\"podTemplateOverrides\":[$(template "${2-}")]}" ;;
	TrainingRuntime) spec="{\"template\":{\"spec\":{\"replicatedJobs\":[{\"template\":{\"spec\":{\"template\":$(template "${2-}")}}}]}}}" ;;
	VolcanoJob) spec="{\"tasks\":[{\"template\":$(template)},{\"template\":$(template "${2-}")}]}" version=batch.volcano.sh/v1alpha1 ;;
	*) spec="{\"template\":$(template "${2-}")}" ;;
	esac
	printf '{"apiVersion":"%s","kind":"%s","metadata":{"name":"x"%s},"spec":%s}' "$version" "${1#Volcano}" "${3:+,\"annotations\":$3}" "$spec"
}
a_pod() { printf '{"kind":"Pod",%s' "$(pod "$1" | cut -c 2-)"; }
refused="deny: its pods will be refused, because namespace team-a has no label oci-rdma-hook.io/allowed=true; ask a cluster administrator for it"
nothing="deny: annotation oci-rdma-hook/inject does nothing: the prefix is oci-rdma-hook.io/, as in oci-rdma-hook.io/inject"
kinds=(Deployment StatefulSet DaemonSet Job CronJob PyTorchJob MPIJob JobSet LeaderWorkerSet RayCluster RayJob TrainJob TrainingRuntime VolcanoJob)
for kind in "${kinds[@]}"; do
	warns_of "a $kind that asks, where it may not" "$refused" "$(of "$kind" "$ask")" "$(namespace)"
	warns_of "…where it may" allow "$(of "$kind" "$ask")" "$allowed"
	warns_of "…that does not ask" allow "$(of "$kind")" "$(namespace)"
	warns_of "…with a value that the node cannot read" \
		'deny: its pods will be refused: annotation oci-rdma-hook.io/memlock is "much": write an amount of memory, as in "64Gi", or "unlimited"' \
		"$(of "$kind" '{"oci-rdma-hook.io/inject":"true","oci-rdma-hook.io/memlock":"much"}')" "$allowed"
	warns_of "…with another prefix" "$nothing" "$(of "$kind" '{"oci-rdma-hook/inject":"true"}')" "$allowed"
	warns_of "…with the annotation beside its template" \
		"deny: annotation oci-rdma-hook.io/inject does nothing on a ${kind#Volcano}: write it into the metadata of its pod template, because the node sees only the annotations of pods" \
		"$(of "$kind" "" "$ask")" "$allowed"
done
warns_of "a leader's template" "$refused" '{"kind":"LeaderWorkerSet","metadata":{},"spec":{"leaderWorkerTemplate":{"leaderTemplate":'"$(template "$ask")"',"workerTemplate":'"$(template)"'}}}' "$(namespace)"
for kind in RayJob TrainJob; do
	warns_of "a $kind that names its pods elsewhere" allow "{\"apiVersion\":\"v1\",\"kind\":\"$kind\",\"metadata\":{},\"spec\":{}}" "$(namespace)"
done
warns_of "a template with an unknown name" "deny: its pods will be refused: annotation oci-rdma-hook.io/memlok is unknown; known after oci-rdma-hook.io/: inject, containers, memlock, nccl" \
	"$(of Job '{"oci-rdma-hook.io/memlok":"1Gi"}')" "$allowed"
warns_of "a pod with another prefix" "$nothing" "$(a_pod '{"oci-rdma-hook/inject":"true"}')" "$allowed"
warns_of "…and another" "${nothing/oci-rdma-hook\/inject/rdma-hook.io/inject}" "$(a_pod '{"rdma-hook.io/inject":"true"}')" "$allowed"
warns_of "a pod that asks is left to policy.yaml" allow "$(a_pod "$ask")" "$(namespace)"
warns_of "annotations of others" allow "$(a_pod '{"k8s.v1.cni.cncf.io/networks":"rdma-1","required-plugins.noderesource.dev":"[oci-rdma]"}')" "$(namespace)"
is "the kinds with a warning are those that the rules name" "cronjobs daemonsets deployments jobs jobs jobsets leaderworkersets mpijobs pods pytorchjobs rayclusters rayjobs statefulsets trainingruntimes trainjobs" \
	"$(json config/admission/warnings.yaml | jq -r '[.[0].spec.matchConstraints.resourceRules[].resources[]] | sort | join(" ")')"
is "warnings: nothing is refused, also when the policy fails" '["Ignore",["Warn"]]' \
	"$(json config/admission/warnings.yaml | jq -c '[.[0].spec.failurePolicy, .[1].spec.validationActions]')"

# A pod that asks requires the plugin.
required="required-plugins.noderesource.dev"
# requires DESCRIPTION WANT ANNOTATIONS [NAMESPACE]
requires() {
	is "required: $1" "$2" "$(printf '{"object":%s,"namespaceObject":%s}' "$(pod "$3")" "${4:-$allowed}" |
		"$KUBECHECK" --policy "$T/config-admission-required.yaml" 2>&1)"
}
name=$(sed -n 's/^#define PLUGIN_NAME "\(.*\)"/\1/p' nri/session.c)
requires "a pod that asks, by the name under which the plugin registers" "patch: add /metadata/annotations/$required [$name]" "$ask"
requires "…where it may not ask" unchanged "$ask" "$(namespace)"
requires "…that has it already" unchanged "{\"oci-rdma-hook.io/inject\":\"true\",\"$required\":\"[oci-rdma]\"}"
requires "…that requires others" "patch: add /metadata/annotations/$required [oci-rdma, a, oci-rdma-2]" \
	"{\"oci-rdma-hook.io/inject\":\"true\",\"$required\":\"[a, oci-rdma-2]\"}"
requires "…whose list is not in brackets" unchanged "{\"oci-rdma-hook.io/inject\":\"true\",\"$required\":\"- a\"}"
requires "a pod that refuses" unchanged '{"oci-rdma-hook.io/inject":"false"}'
requires "a pod without annotations" unchanged ""
sed '/^kind: MutatingAdmissionPolicyBinding/,/^---/d' "$T/config-admission-required-v1beta1.yaml" >"$T/beta.yaml"
is "required: v1beta1 is the same for an older API server" "" "$(diff <(sed 's,admissionregistration.k8s.io/v1$,&beta1,' "$T/config-admission-required.yaml") "$T/config-admission-required-v1beta1.yaml")"

# The policy and the node are of one mind: each value is read by the hook, too.
node h100
texts=()
for value in true false True TRUE yes 1 '' ' true' 'true '; do texts+=("inject=$value" "nccl=$value"); done
for value in a 'a,b' 'trainer,loader-2' a.b '' ',' 'a,' ',a' 'a,,b' A 'a b' a/b a_b; do texts+=("containers=$value"); done
for value in unlimited Unlimited '' 0 00 0Gi 1 007 1Ki 1Mi 64Gi 2Ti 3Pi 1Ei 1k 1M 1G 1T 1P 1E 1K 1m 1i 1Gib 1GiB 64GB 1.5Gi -1 +1 ' 1' '1 ' 1Gi1 Gi 15Ei 16Ei 16383Pi 16384Pi \
	16777215Ti 16777216Ti 17179869183Gi 17179869184Gi 17592186044415Mi 17592186044416Mi 18014398509481983Ki 18014398509481984Ki 18E 19E 18446P 18447P \
	18446744T 18446745T 18446744073G 18446744074G 18446744073709M 18446744073710M 18446744073709551k 18446744073709552k 9999999999999999999 \
	99999999999999999999 99999999999999999999Gi 1unlimited; do
	texts+=("memlock=$value")
done
of_the_node=() requests=() jobs=()
for text in "${texts[@]}"; do
	annotation="{\"oci-rdma-hook.io/${text%%=*}\":\"${text#*=}\"}"
	requests+=("{\"object\":$(pod "$annotation"),\"oldObject\":null,\"namespaceObject\":$allowed}")
	jobs+=("{\"object\":$(of Job "$annotation"),\"namespaceObject\":$allowed}")
	bundle "{\"annotations\":$annotation}"
	if dry_run && [ "$rc" -eq 0 ]; then of_the_node+=("$text: allow"); else of_the_node+=("$text: deny"); fi
done
mapfile -t decisions < <(printf '%s' "${requests[@]}" | "$KUBECHECK" --policy config/admission/policy.yaml 2>&1)
mapfile -t warned < <(printf '%s' "${jobs[@]}" | "$KUBECHECK" --policy config/admission/warnings.yaml 2>&1)
for i in "${!texts[@]}"; do is "warning: as the node reads ${texts[i]}" "${of_the_node[i]}" "${texts[i]}: ${warned[i]%%:*}"; done
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
RUNTIME=1 NRI=1 VALIDATOR=1 install/machineconfig/render-hook "$HOOK" "$T/mc.yaml" >/dev/null
# The operator takes the policy of the longest path that is the file or a directory above it (FindClosestFilePolicyPathMatch).
is "a change of no file of the MachineConfigs reboots, and CRI-O is restarted for its own alone" \
	"/etc/containers/oci/hooks.d/90-oci-rdma-hook.json None
/etc/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json None
/etc/crio/crio.conf.d/60-oci-rdma-hook.conf Restart
/etc/oci-rdma-hook/config.json None
/usr/local/bin/oci-rdma-doctor None
/usr/local/bin/oci-rdma-hook None
/usr/local/bin/oci-rdma-nri Restart,Restart
/usr/local/bin/oci-rdma-runtime-crun None
/usr/local/share/oci-rdma-hook/monitoring/collect Restart" \
	"$(jq -rn --slurpfile mc <(json "$T/mc.yaml") --slurpfile policy <(json "$POLICY") '
		$policy[0][0].spec.nodeDisruptionPolicy.files as $files |
		[$mc[0][].spec.config.storage.files[]?.path] | sort[] | . as $path |
		([$files[] | select(.path == $path or ((.path + "/") as $dir | $path | startswith($dir)))] |
			max_by(.path | length) | .actions | map(.type) | join(",")) as $action | "\($path) \($action // "Reboot")"')"
is "a change of no unit of the MachineConfigs reboots, and the policy has no other" "$(json "$T/mc.yaml" | jq -c '[.[].spec.config.systemd.units // [] | .[].name]')" \
	"$(json "$POLICY" | jq -c '[.[0].spec.nodeDisruptionPolicy.units[].name]')"
is "no action names a unit that the same update may remove" "" "$(jq -rn --slurpfile mc <(json "$T/mc.yaml") \
	--slurpfile policy <(json "$POLICY") '[$mc[0][].spec.config.systemd.units // [] | .[].name] as $ours |
		$policy[0][0].spec.nodeDisruptionPolicy | (.files + .units)[].actions[].restart.serviceName // empty | select(IN($ours[]))')"
is "canary: a pool of its own, with what ROLE=canary renders and what all workers have" '["canary","machineconfiguration.openshift.io/role",["worker","canary"],["node-role.kubernetes.io/canary"]]' \
	"$(json config/openshift/canary.yaml | jq -c '.[0] | [.metadata.name, (.spec.machineConfigSelector.matchExpressions[] | .key, .values), (.spec.nodeSelector.matchLabels | keys)]')"
is "canary: there and back by its commands, none waiting without an end" "label apply wait apply wait wait label delete wait wait delete label wait wait delete" \
	"$(sed -nE '/^#   oc wait .* --timeout=|^#   oc (label|apply|delete) /s/^#   oc ([a-z]*) .*/\1/p' config/openshift/canary.yaml | xargs)"

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
		"/etc/crio", "/etc/tmpfiles.d", "/run/oci-rdma-hook", "/usr/bin", "/usr/sbin", "/usr/libexec"] | sort) and
	([.initContainers[0].volumeMounts[] | select(.readOnly) | .mountPath] | sort) == (["/host/usr/bin", "/host/usr/sbin",
		"/host/usr/libexec", "/host/run/oci-rdma-hook"] | sort) and
	([.volumes[] | select(.hostPath) | [.name, "/host" + .hostPath.path]] | sort) ==
		([.initContainers[0].volumeMounts[] | select(.name != "config") | [.name, .mountPath]] | sort)' install)"

# runc's first process counts for a container's limit, with a copy of runc in memory: 16Mi is too little for it.
grep -l '^kind: DaemonSet' "$T"/config-*.yaml >"$T/daemonsets"
while read -r file; do
	name=$(basename "$file" .yaml)
	is "${name#config-}: runc can start in each container's limit of memory" "" "$(json "$file" | jq -r '.[] | select(.kind == "DaemonSet").spec.template.spec |
		(.initContainers // []) + .containers | .[] | select((.resources.limits.memory // "64Mi") != "64Mi").name')"
done <"$T/daemonsets"

for name in kubernetes-nri openshift-nri; do
	json "$T/config-$name.yaml" >"$T/$name.json"
	is "$name: a node has two DaemonSets, which differ by name and selector alone" '["oci-rdma-nri-a","oci-rdma-nri-b"] 1' "$(jq -r 'map(select(.kind == "DaemonSet")) |
		"\(map(.metadata.name) | tojson) \(map(del(.metadata.name, .spec.selector.matchLabels["app.kubernetes.io/instance"],
			.spec.template.metadata.labels["app.kubernetes.io/instance"])) | unique | length)"' "$T/$name.json")"
	is "$name: …neither selects the other one's pods, and each its own" '[["a","a"],["b","b"]]' "$(jq -c 'map(select(.kind == "DaemonSet").spec |
		[.selector.matchLabels, .template.metadata.labels | .["app.kubernetes.io/instance"]])' "$T/$name.json")"
	# The DaemonSet controller deletes the old pod of a node when the new one is ready (updateStrategy in pkg/controller/daemon/update.go).
	is "$name: an old pod stays until the new one of its node is connected" '[[0,true],[0,true]]' "$(jq -c 'map(select(.kind == "DaemonSet").spec |
		[.updateStrategy.rollingUpdate.maxUnavailable, (.template.spec.containers[0].readinessProbe.exec.command == ["/oci-rdma-nri", "--check"])])' "$T/$name.json")"
	# A pod that hangs may not keep its node's next one away for long.
	is "$name: the kubelet waits no longer for a plugin that ends than systemd" "$(sed -n 's/^TimeoutStopSec=//p' config/nri/oci-rdma-nri-a.service)" \
		"$(daemonset .terminationGracePeriodSeconds "$name")"
	is "$name: of the node it may write to one directory, where the doctor reads its status" '["/run/oci-rdma-hook"]' "$(daemonset '(.volumes | map(select(.hostPath) |
		{key: .name, value: .hostPath.path}) | from_entries) as $paths | [.containers[].volumeMounts[] | select(.readOnly == null and .name != "nri") |
		select($paths[.name] == .mountPath).mountPath] | tojson' "$name")"
	# What listens serves no container, and what serves containers does not listen.
	is "$name: what answers a collector is not root, and has nothing of the node or of SELinux" true "$(daemonset '
		(.volumes | map(select(.emptyDir).name)) as $own | .containers[] | select(.ports) | .name == "metrics" and
		(.securityContext | .runAsNonRoot and .runAsUser != 0 and .readOnlyRootFilesystem and .capabilities == {"drop": ["ALL"]} and
			.allowPrivilegeEscalation == false and .seccompProfile.type == "RuntimeDefault" and .seLinuxOptions == null) and
		.resources.limits.memory != null and .volumeMounts == [{"name": "metrics", "mountPath": "/metrics", "readOnly": true}] and
		("metrics" | IN($own[]))' "$name")"
	is "$name: …it serves the file that the plugin writes, on the port that the policy of the network allows" true "$(daemonset '
		.containers as [$write, $serves] | $serves.args == ["--serve-metrics", "\($serves.ports[0].containerPort)"] + $write.args and
		$write.args == ["--metrics", "/metrics/oci-rdma-nri.prom"] and
		([$write.volumeMounts[] | select(.name == "metrics").mountPath] == ["/metrics"])' "$name")"
	is "$name: …and that the annotations name" '["true","9465","/metrics"]' "$(jq -c 'map(select(.kind == "DaemonSet"))[0].spec.template.metadata.annotations |
		[.["prometheus.io/scrape"], .["prometheus.io/port"], .["prometheus.io/path"]]' "$T/$name.json")"
done
# selected FILE.json POD-MONITORS: whether it selects the pods of openshift-nri, by a port that they have
monitored='(map(select(.kind == "DaemonSet"))[0].spec.template) as $pod | (map(select(.kind == "PodMonitor"))[0]) as $monitor |
	($monitor.spec.selector.matchLabels | to_entries | all(.value == $pod.metadata.labels[.key])) and
	([$pod.spec.containers[].ports[]?.name] == [$monitor.spec.podMetricsEndpoints[].port]) and
	$monitor.metadata.namespace == map(select(.kind == "DaemonSet"))[0].metadata.namespace'
is "openshift-nri: the cluster's Prometheus looks into the namespace, and may list its pods" 'true [["get","list","watch"]] prometheus-k8s openshift-monitoring' "$(jq -r '
	(map(select(.kind == "Namespace"))[0].metadata.labels["openshift.io/cluster-monitoring"]) + " " +
	([.[] | select(.kind == "Role" and .metadata.name == "oci-rdma-nri-monitoring").rules[] | select(.resources == ["pods"]).verbs] | tojson) + " " +
	(.[] | select(.kind == "RoleBinding" and .roleRef.name == "oci-rdma-nri-monitoring").subjects[0] | .name + " " + .namespace)' "$T/openshift-nri.json")"
json "$T/config-monitoring-operator.yaml" >"$T/operator.json"
for name in kubernetes-nri openshift-nri; do
	is "the Prometheus operator: its monitor selects the pods and the port of $name" true "$(jq -s "add | $monitored" "$T/$name.json" "$T/operator.json")"
done

# The component that mends, as doc/install-kubernetes.md names it; NAME BASE COMPONENT
while read -r name base component; do
	mkdir "$T/$name"
	printf 'resources: [%s]\ncomponents: [%s/mend]\n' "$(realpath --relative-to="$T/$name" "config/$base")" "$(realpath --relative-to="$T/$name" "config/$component")" >"$T/$name/kustomization.yaml"
	check "kustomize: $name" "$KUSTOMIZE" build "$T/$name" --output "$T/$name.yaml"
	check "its kinds' types: $name" judge "$T/$name.yaml"
	json "$T/$name.yaml" >"$T/$name.json"
done <<-'END'
	mend kubernetes/nri kubernetes/nri
	mend-openshift openshift/nri openshift/nri
	mend-refused openshift/nri kubernetes/nri
END
mends='map(select(.kind == "DaemonSet").spec.template.spec | .hostPID, (.containers[0].securityContext.capabilities | .add == ["SYS_RESOURCE"] and .drop == ["ALL"]))'
is "mend: both plugins see the node's processes and may raise a limit" "[true,true,true,true]" "$(jq -c "$mends" "$T/mend.json")"
is "…control: neither without it" "[null,false,null,false]" "$(jq -c "$mends" "$T/kubernetes-nri.json")"

# On OpenShift the pod has more than the SCC of config/openshift/nri allows, as its admission compares them (openshift/apiserver-library-go,
# securitycontextconstraints: capabilities and hostPID)
admits='(map(select(.kind == "SecurityContextConstraints"))[0]) as $scc | map(select(.kind == "DaemonSet"))[0].spec.template.spec |
	((.hostPID // false) == $scc.allowHostPID) and
	([.containers[] | select(.name != "metrics").securityContext.capabilities] | all((.add // []) == $scc.allowedCapabilities and .drop == $scc.requiredDropCapabilities))'
is "mend on OpenShift: the SCC admits the pod, and allows no more than it has" true "$(jq "$admits" "$T/mend-openshift.json")"
is "…control: not with the component of Kubernetes alone" false "$(jq "$admits" "$T/mend-refused.json")"
is "mend on OpenShift: both plugins see the node's processes and may raise a limit" "[true,true,true,true]" "$(jq -c "$mends" "$T/mend-openshift.json")"
is "mend on OpenShift: nothing else of the SCC differs" "[\"allowHostPID\",\"allowedCapabilities\"]" "$(jq -nc --slurpfile a "$T/mend-openshift.json" --slurpfile b "$T/openshift-nri.json" '
	($a[0][] | select(.kind == "SecurityContextConstraints")) as $a | ($b[0][] | select(.kind == "SecurityContextConstraints")) as $b |
	[$a | keys[] | . as $key | select($a[$key] != $b[$key])]')"

# The DaemonSet that lets the engine launch the plugin
launching() { jq -r 'map(select(.kind == "DaemonSet" and .metadata.name == "oci-rdma-nri-launch"))[0].spec.template.spec | '"$1" "$T/$2.json"; }
for name in kubernetes-nri-launch kubernetes-nri-launch-remove openshift-nri-launch; do
	json "$T/config-$name.yaml" >"$T/$name.json"
	is "$name: no privilege, the plugin's account, and what node-install writes for it" true "$(launching '
		([.initContainers[], .containers[]] | all(.securityContext.privileged == null and .securityContext.capabilities == {"drop": ["ALL"]} and
			.securityContext.readOnlyRootFilesystem)) and .serviceAccountName == "oci-rdma-nri" and
		([.volumes[] | .hostPath.path // empty] | sort) == ["/etc/oci-rdma-hook", "/opt/nri", "/usr/local/bin"] and
		([.initContainers[0].volumeMounts[] | select(.readOnly) | .mountPath]) == ["/host/usr/local/bin"] and
		([.volumes[] | select(.hostPath) | [.name, "/host" + .hostPath.path]] | sort) ==
			([.initContainers[0].volumeMounts[] | select(.name != "config") | [.name, .mountPath]] | sort) and
		.initContainers[0].volumeMounts == .containers[0].volumeMounts' "$name")"
	is "$name: a node has the plugin's pods, too, with the same policy" "$(daemonset '.volumes[] | select(.name == "config").configMap.name' "$name")" \
		"$(launching '.volumes[] | select(.name == "config").configMap.name' "$name")"
	is "$name: its pods are not those of the plugin" "oci-rdma-nri oci-rdma-nri oci-rdma-nri-launch" "$(jq -r '[.[] | select(.kind == "DaemonSet") |
		select(.spec.selector.matchLabels as $wanted | .spec.template.metadata.labels | contains($wanted)).spec.selector.matchLabels.app] | join(" ")' "$T/$name.json")"
done
for name in kubernetes-nri-launch openshift-nri-launch; do
	is "$name: it installs, stays, and looks whether all is as installed" "install nri stay check nri" "$(launching '
		[.initContainers[0].args, .containers[0].args, .containers[0].readinessProbe.exec.command[1:]] | add | join(" ")' "$name")"
done
is "nri-launch-remove: it removes, and stays" "remove nri stay null" "$(launching '[.initContainers[0].args[], .containers[0].args[], "\(.containers[0].readinessProbe)"] | join(" ")' kubernetes-nri-launch-remove)"
objects='map([.kind, .metadata.namespace, .metadata.name] | map(. // "") | join("/"))'
is "nri-launch-remove: …they are the same objects, so that it deletes all of them" "[]" \
	"$(jq -nc --slurpfile a "$T/kubernetes-nri-launch.json" --slurpfile b "$T/kubernetes-nri-launch-remove.json" "(\$a[0] | $objects) as \$a | (\$b[0] | $objects) as \$b | (\$a - \$b) + (\$b - \$a)")"
is "nri-launch: the plugin itself is as without it" "" "$(diff <(daemonset . kubernetes-nri) <(daemonset . kubernetes-nri-launch))"

# What several installations share is in none of them, so that removing one leaves it to the others.
for name in kubernetes-install kubernetes-remove kubernetes-nri kubernetes-nri-launch kubernetes-nri-launch-remove openshift-nri openshift-nri-launch openshift-install openshift-remove kubernetes-events openshift-events; do
	json "$T/config-$name.yaml" >"$T/$name.json"
	is "$name: no admission policy, no RuntimeClass" "" "$(jq -r '.[] | select(.kind | test("Admission|RuntimeClass")) | .kind' "$T/$name.json")"
	is "$name: each object of a namespace is in its namespace, each of the cluster in none" "" "$(jq -r '.[] |
		(.kind | IN("Namespace", "SecurityContextConstraints", "ClusterRole", "ClusterRoleBinding")) as $cluster |
		select($cluster == (.metadata | has("namespace"))) | .kind + " " + .metadata.name' "$T/$name.json")"
	# The plugin's pods are asked for their metrics. The reporter speaks to the API server, and nobody speaks to it.
	ports='[]'
	case $name in
	*-nri*) ports='[{"from":[{"namespaceSelector":{"matchLabels":{"network.openshift.io/policy-group":"monitoring"}}},{"namespaceSelector":{"matchLabels":{"oci-rdma-hook.io/monitoring":"true"}}}],"ports":[{"port":9465,"protocol":"TCP"}]}]' ;;
	*-events) ports='[{"ports":[{"port":443,"protocol":"TCP"},{"port":6443,"protocol":"TCP"}]}]' ;;
	esac
	is "$name: its pods use no network but what they need" "[$ports,[\"Ingress\",\"Egress\"]]" "$(jq -c '.[] | select(.kind == "NetworkPolicy").spec | [.ingress + .egress // [], .policyTypes]' "$T/$name.json")"
	# What enforces alone leaves a warning with each apply, and a line in the audit log. Kinds that a cluster may lack are in config/monitoring/operator.
	is "$name: its namespace neither refuses its pods nor warns of them" "[\"privileged\",\"privileged\",\"privileged\"]" "$(jq -c '.[] | select(.kind == "Namespace").metadata.labels |
		[.["pod-security.kubernetes.io/enforce", "pod-security.kubernetes.io/warn", "pod-security.kubernetes.io/audit"]]' "$T/$name.json")"
	is "$name: a cluster without the Prometheus operator knows each kind" "" "$(jq -r '.[] | select(.apiVersion | test("monitoring")).kind' "$T/$name.json")"
	is "$name: a URL with ?ref= gives the same objects" "" "$("$KUSTOMIZE" build "file://$CLONE//config/${name/-//}?ref=stranger" | diff - "$T/config-$name.yaml")"
	is "$name: a probe has time on a loaded node" true "$(jq '[.. | objects | .startupProbe, .readinessProbe, .livenessProbe | values] | all(.timeoutSeconds >= 5)' "$T/$name.json")"
	[[ $name != *-nri* ]] || is "$name: on a node whose engine has NRI off no container is ended; none is ready" "[\"--check-alive\",\"--check-alive\",\"--check\"]" \
		"$(jq -c '[.[] | select(.kind == "DaemonSet").spec.template.spec.containers[] | select(.startupProbe) |
			[.startupProbe, .livenessProbe, .readinessProbe | .exec.command[1]]] | unique[]' "$T/$name.json")"
	is "$name: an account of its own, without a token" true "$(jq '(map(select(.kind == "ServiceAccount"))[0]) as $account |
		$account.automountServiceAccountToken == false and
		([.[] | select(.kind == "DaemonSet").spec.template.spec] | all(.serviceAccountName == $account.metadata.name and .automountServiceAccountToken == false))' "$T/$name.json")"
done
# SCC: as OpenShift's admission compares a pod with it (openshift/apiserver-library-go, securitycontextconstraints)
for name in openshift-nri openshift-nri-launch openshift-install openshift-remove openshift-events; do
	is "$name: the SCC admits the pods" true "$(jq '(map(select(.kind == "SecurityContextConstraints"))[0]) as $scc |
		[.[] | select(.kind == "DaemonSet").spec.template.spec | .containers[], .initContainers[]?] |
		all((.securityContext.runAsUser | . == $scc.runAsUser.uid or . >= $scc.runAsUser.uidRangeMin and . <= $scc.runAsUser.uidRangeMax) and
			.securityContext.readOnlyRootFilesystem and
			($scc.seLinuxContext.type == "RunAsAny" or .securityContext.seLinuxOptions == $scc.seLinuxContext.seLinuxOptions) and .securityContext.capabilities == {"drop": $scc.requiredDropCapabilities} and
			.securityContext.allowPrivilegeEscalation == false and ("runtime/" + (.securityContext.seccompProfile.type | sub("RuntimeDefault"; "default"))) == $scc.seccompProfiles[0])' "$T/$name.json")"
	is "$name: …and has no volume that the pods do not have" true "$(jq '(map(select(.kind == "SecurityContextConstraints"))[0]) as $scc |
		map(select(.kind == "DaemonSet").spec.template.spec) | ([.[].volumes[] | keys[] | select(. != "name")] | unique) == ($scc.volumes | sort) and
		all([.hostPID, .hostNetwork, .hostIPC] == [null, null, null])' "$T/$name.json")"
	is "$name: …and allows nothing else" true "$(jq 'map(select(.kind == "SecurityContextConstraints"))[0] |
		[.allowPrivilegedContainer, .allowPrivilegeEscalation, .allowHostIPC, .allowHostNetwork, .allowHostPID, .allowHostPorts] == [false, false, false, false, false, false] and
		.allowedCapabilities == [] and .users == [] and .groups == [] and .priority == null' "$T/$name.json")"
	is "$name: the account may use it, and only it" true "$(jq '(map(select(.kind == "SecurityContextConstraints"))[0].metadata.name) as $scc |
		(map(select(.kind == "ServiceAccount"))[0].metadata) as $account | (map(select(.kind == "RoleBinding" and .subjects[0].name == $account.name))[0]) as $binding |
		(map(select(.kind == "Role" and .metadata.name == $binding.roleRef.name))[0]) as $role |
		$role.rules == [{"apiGroups": ["security.openshift.io"], "resources": ["securitycontextconstraints"], "resourceNames": [$scc], "verbs": ["use"]}] and
		$binding.roleRef.name == $role.metadata.name and $binding.roleRef.kind == "Role" and
		$binding.subjects == [{"kind": "ServiceAccount", "name": $account.name, "namespace": $account.namespace}]' "$T/$name.json")"
done
# RHCOS's /usr is read-only. What node-install writes to has to be mounted, and nothing else.
hooks='[.[] | select(.kind == "DaemonSet").spec.template.spec | (.volumes[] | select(.name == "hooks").hostPath.path),
	(.initContainers[0], .containers[0] | ((.env // [])[] | .name + "=" + .value), (.volumeMounts[] | select(.name == "hooks").mountPath))] | join(" ")'
for name in openshift-install openshift-remove; do
	is "$name: the hook files are where CRI-O reads them on RHCOS, and the script knows" \
		"/etc/containers/oci/hooks.d HOOKS_DIR=/etc/containers/oci/hooks.d /host/etc/containers/oci/hooks.d HOOKS_DIR=/etc/containers/oci/hooks.d /host/etc/containers/oci/hooks.d" \
		"$(jq -r "$hooks" "$T/$name.json")"
done
is "kubernetes-install: they are in CRI-O's own directory" "/usr/share/containers/oci/hooks.d /host/usr/share/containers/oci/hooks.d /host/usr/share/containers/oci/hooks.d" \
	"$(jq -r "$hooks" "$T/kubernetes-install.json")"
is "events: the role may create events, and nothing else" '[[{"apiGroups":["events.k8s.io"],"resources":["events"],"verbs":["create"]}],"oci-rdma-events/oci-rdma-events"]' \
	"$(jq -c '[(map(select(.kind == "ClusterRole"))[0].rules), (map(select(.kind == "ClusterRoleBinding"))[0].subjects[0] | .namespace + "/" + .name)]' "$T/kubernetes-events.json")"
is "events: of the node it sees one directory, and may not write there" '[["/run/oci-rdma-hook/records"],[true,true]]' \
	"$(daemonset '[[.volumes[].hostPath.path // empty], [.containers[].volumeMounts[].readOnly]]' kubernetes-events | jq -c .)"
is "events: the plugin writes where it reads" true "$(daemonset '[.containers[] | select(.name != "metrics").volumeMounts | any(.mountPath == "/run/oci-rdma-hook" and .readOnly == null)] | all' kubernetes-nri)"
json "$T/config-openshift-doctor.yaml" >"$T/openshift-doctor.json"
is "openshift-doctor: the SCC is for the account under which kubectl debug runs its pods, in a namespace of its own" \
	"default oci-rdma-doctor use oci-rdma-doctor false" "$(jq -r '(map(select(.kind == "RoleBinding"))[0].subjects[0]) as $who |
	(map(select(.kind == "Role"))[0]) as $role | [$who.name, $who.namespace, $role.rules[0].verbs[], $role.rules[0].resourceNames[],
	(map(select(.kind == "ServiceAccount"))[0].automountServiceAccountToken)] | join(" ")' "$T/openshift-doctor.json")"
# nodes KUSTOMIZATION: where its DaemonSets run; "everywhere" without a rule
nodes() {
	json "$T/config-$1.yaml" | jq -r '[.[] | select(.kind == "DaemonSet").spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms |
		if . then map(.matchExpressions | map(.key + " " + .operator + ((.values // []) | map(" " + .) | join(""))) | join(", ")) | join("; or ") else "everywhere" end] | unique[]'
}
for name in {kubernetes,openshift}-{nri,nri-launch,install,events}; do
	is "$name: only workers with an HCA have its pods, and nodes that are labelled by hand" \
		"$(printf 'feature.node.kubernetes.io/rdma.%s In true, node-role.kubernetes.io/control-plane DoesNotExist; or ' capable available)oci-rdma-hook.io/rdma In true" "$(nodes "$name")"
	# config/openshift adds roles and SCCs, which no release changes by itself.
	is "$name: each object and pod says its version" "$(sed -n 's/^VERSION := //p' Makefile)" "$(json "$T/config-$name.yaml" |
		jq -r '[.[] | select(.kind | IN("Role", "RoleBinding", "SecurityContextConstraints") | not) | .metadata, (.spec.template.metadata // empty) | .labels["app.kubernetes.io/version"]] | unique[]')"
done
for name in {kubernetes,openshift}-remove; do is "$name: removes from every node" everywhere "$(nodes "$name")"; done
has "kubernetes-nri-launch-remove: removes from every node" everywhere "$(nodes kubernetes-nri-launch-remove)"

# ---- the self-test ----

json "$T/config-selftest.yaml" >"$T/selftest.json"
check "selftest: its pods, by Kubernetes' types" pods "$T/config-selftest.yaml"
is "selftest: nothing that restricted-v2 and the level restricted refuse" true "$(json "$T/config-openshift-selftest.yaml" | jq '[.[] | select(.kind == "Pod").spec] |
	all((.securityContext | if .runAsUser == 1000 then del(.runAsUser) else . end) == {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}} and .volumes == [{"name": "tmp", "emptyDir": {}}] and
		(.containers + (.initContainers // []) | all(.securityContext == {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}})))')"
is "selftest: each pod ends by itself, and names a promise that the image knows" "" "$(jq -r '.[] | select(.kind == "Pod") | select(.spec.activeDeadlineSeconds != 300 or
	.spec.restartPolicy != "Never" or .spec.automountServiceAccountToken != false).metadata.name' "$T/selftest.json"; jq -r '.. | objects | .command? // empty | select(.[0] == "selftest")[1]' "$T/selftest.json" |
	while read -r promise; do grep -qE "^$promise\\)|\\b$promise( \\||\\))" install/kubernetes/doctor/selftest || echo "$promise"; done)"
is "selftest: all but the pod without a device have one, by one line" "rdma/hca" "$(jq -r '[.[] | select(.kind == "Pod" and .metadata.name != "no-device").spec.containers[0].resources.limits |
	keys - ["cpu", "memory"] | join(" ")] | unique[]' "$T/selftest.json")"
is "selftest: …that stands in the file once" 1 "$(grep -c rdma/hca config/selftest/pods.yaml)"
is "selftest: who asks, and where" "denied:oci-rdma-selftest-denied no-device:oci-rdma-selftest plain" "$(jq -r '[.[] | select(.kind == "Pod") |
	select(.metadata.name | IN("denied", "no-device", "plain")) | .metadata.name + (if .metadata.annotations["oci-rdma-hook.io/inject"] then ":" + .metadata.namespace else "" end)] | sort | join(" ")' "$T/selftest.json")"

# ---- the words ----

mapfile -t docs < <(find doc -name '*.md' | sort)
is "who applies by the server does so under our name, so that nobody else's fields go" "" "$(grep -rnE '(oc|kubectl) apply .*--server-side' README.md doc config install |
	grep -v -- '--server-side --field-manager oci-rdma-hook')"
is "what the documents name of config/, install/, tests/ and tools/ is there" "" "$(grep -ohE '\b(config|install|tests|tools|doc)/[a-zA-Z0-9_./-]*[a-zA-Z0-9]' "${docs[@]}" "${files[@]}" |
	sort -u | while read -r path; do [ -e "$path" ] || [[ $path = */NAME ]] || echo "$path"; done)"
finish
