#!/bin/bash
# `oc adm must-gather` with the doctor's image: gather, in the image's root and by the command of oc's pod, before an API server with TLS
# (tests/cli/tools/events_api.py). It writes what it found as `oc adm inspect` lays it out, reads only, and shows nobody's pods but those that ask.
# packages: events doctor-image
# shellcheck disable=SC2016,SC2317 # the pod's shell expands; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built DOCTOR "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}"
if ! may_mount; then
	pass "gather # skip it needs root, and mounts of its own"
	finish
fi
image=$T/context/root
API=$T/api
server=''
trap '[ -z "$server" ] || { kill -9 "$server"; wait "$server"; } 2>/dev/null; rm -rf "$T"' EXIT
check "the image" install/kubernetes/doctor/make-context "$DOCTOR" "$T/context"

# ---- the cluster ----

mkdir -p "$API" "$T/account"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=api -addext subjectAltName=IP:127.0.0.1 \
	-keyout "$API/key.pem" -out "$API/cert.pem" 2>/dev/null
cp "$API/cert.pem" "$T/account/ca.crt"
echo secret >"$API/token" && echo secret >"$T/account/token"
# has_object PATH [TYPE]: the API server has this, which is stdin
has_object() { mkdir -p "$API/get${1%/*}" && cat >"$API/get$1.${2-yaml}"; }
has_object /api/v1/nodes <<'YAML'
apiVersion: v1
items:
- metadata:
    labels:
      name: none
    name: node-1
  status:
    images:
    - names:
      - registry/image
- metadata:
    name: node-2
kind: NodeList
YAML
has_object /api/v1/namespaces <<<'items: [team-a]'
has_object /apis/machineconfiguration.openshift.io/v1/machineconfigs <<<'the executables, megabytes of them'
has_object /apis/machineconfiguration.openshift.io/v1/machineconfigs Partial <<<'oci-rdma-hook.io/options: NRI=1'
# What a cluster of OpenShift serves, by its CRDs: a wrong group or version has no object.
for resource in machineconfiguration.openshift.io/v1/{machineconfigpools,machineosconfigs} operator.openshift.io/v1/machineconfigurations node.k8s.io/v1/runtimeclasses \
	admissionregistration.k8s.io/v1/{validating,mutating}admissionpolic{ies,ybindings}; do
	has_object "/apis/$resource" <<<"$resource"
done
has_object /api/v1/namespaces/oci-rdma-nri <<<'kind: Namespace'
has_object /apis/apps/v1/namespaces/oci-rdma-nri/daemonsets <<<'kind: DaemonSetList'
has_object /api/v1/namespaces/oci-rdma-nri/configmaps <<<'config.json: {}'
has_object /api/v1/namespaces/oci-rdma-nri/secrets <<<'password'
has_object /api/v1/namespaces/oci-rdma-nri/pods <<'YAML'
items:
- metadata:
    annotations:
      note: |
        spec:
    name: oci-rdma-nri-a-x7k2p
    ownerReferences:
    - kind: DaemonSet
      name: oci-rdma-nri-a
  spec:
    containers:
    - args:
      - |-
        name: text
      env:
      - name: VARIABLE
        value: x
      image: plugin
      name: plugin
      ports:
      - containerPort: 9465
        name: metrics
    - name: metrics
    initContainers:
    - image: i
      name: install
    volumes:
    - name: run
  status:
    containerStatuses:
    - name: plugin
YAML
has_object /api/v1/namespaces/oci-rdma-nri/pods/oci-rdma-nri-a-x7k2p/log <<<'a line of a log'
has_object /api/v1/events <<<'reason: RDMADenied'
has_object /api/v1/pods <<<'env: [password]'
has_object /api/v1/pods Table <<'YAML'
apiVersion: meta.k8s.io/v1
columnDefinitions:
- name: Name
rows:
- cells:
  - plain
  object:
    metadata:
      annotations:
        example.com/text: |
          - cells:
            oci-rdma-hook.io/inject
      name: plain
- cells:
  - trainer
  - node-2
  object:
    metadata:
      annotations:
        kubectl.kubernetes.io/last-applied-configuration: |
          {"spec":{"containers":[{"env":[{"name":"password","value":"password"}]}]}}
        oci-rdma-hook.io/inject: "true"
      name: trainer
      namespace: team-a
- cells:
  - other
  object:
    metadata:
      name: other
YAML
has_object /api/v1/nodes/node-2/proxy/logs/journal <<<'granted by nri container=x name=trainer pod=trainer namespace=team-a'
launch server "$T/server" python3 -IS tests/cli/tools/events_api.py "$API"
within test -s "$API/port"

# ---- the pod ----

# The command as buildPodCommand of openshift/oc has it (pkg/cli/admin/mustgather/mustgather.go)
command='if command -v setsid >/dev/null 2>&1 && command -v ps >/dev/null 2>&1 && command -v pkill >/dev/null 2>&1; then
  HAVE_SESSION_TOOLS=true
else
  HAVE_SESSION_TOOLS=false
fi

echo "[disk usage checker] Started"
target_dir="/must-gather"
usage_percentage_limit="101"
while true; do
usage_percentage=$(df -P "$target_dir" | awk '"'NR==2 {print \$5}'"' | sed '"'s/%//'"')
echo "[disk usage checker] Volume usage percentage: current = ${usage_percentage} ; allowed = ${usage_percentage_limit}"
if [ "$usage_percentage" -gt "$usage_percentage_limit" ]; then
	if [ "$HAVE_SESSION_TOOLS" = "true" ]; then
		ps -o sess --no-headers | sort -u | while read sid; do
			[[ "$sid" -eq "${$}" ]] && continue
			pkill --signal SIGKILL --session "$sid"
		done
	else
		kill 0
	fi
	exit 1
fi
sleep 5
done & if [ "$HAVE_SESSION_TOOLS" = "true" ]; then
  setsid -w bash <<-MUSTGATHER_EOF
/usr/bin/gather
MUSTGATHER_EOF
else
  /usr/bin/gather
fi; sync'
# pod COMMAND…: in the image, as a container of that pod has it: $out is the volume, the account's directory is mounted, and of the node nothing is
out=$T/must-gather
mkdir -p "$out" "$image"/{dev,proc,must-gather,var/run/secrets/kubernetes.io/serviceaccount}
pod=(unshare --mount --pid --fork --kill-child env -i PATH="$PATH" image="$image" account="$T/account" out="$out" sh -ec '
	mount --rbind /dev "$image/dev"
	mount -t proc proc "$image/proc"
	mount --bind "$out" "$image/must-gather"
	mount --bind "$account" "$image/var/run/secrets/kubernetes.io/serviceaccount"
	exec chroot "$image" /bin/env -i PATH=/bin NODE_NAME=node-1 POD_NAME=must-gather-x KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT="$0" "$@"' "$(<"$API/port")")
row "gather runs by the command of oc's pod, and ends with 0"
"${pod[@]}" /bin/bash -c "$command" >"$T/out" 2>"$T/err"
is "status" 0 "$?"
is "nothing goes wrong" "" "$(<"$T/err")"
has "the volume is watched" "current = " "$(<"$T/out")"
row "what it leaves is what oc copies, by tar, from a container that only sleeps"
logs=namespaces/oci-rdma-nri/pods/oci-rdma-nri-a-x7k2p
is "the files" "$(printf 'cluster-scoped-resources/%s.yaml\n' admissionregistration.k8s.io/{mutating,validating}admissionpolic{ies,ybindings} core/{namespaces,nodes} \
	machineconfiguration.openshift.io/machine{configpools,configs,osconfigs} node.k8s.io/runtimeclasses operator.openshift.io/machineconfigurations)
journal/node-2.log
namespaces/oci-rdma-nri/apps/daemonsets.yaml
namespaces/oci-rdma-nri/core/configmaps.yaml
namespaces/oci-rdma-nri/core/pods.yaml
namespaces/oci-rdma-nri/oci-rdma-nri.yaml
$(for container in install metrics plugin; do echo "$logs/$container/$container/logs/current.log"; done)
rdma-events.yaml
rdma-pods.yaml
version" "$("${pod[@]}" /bin/tar -C /must-gather -c . | tar -t | sed -n 's|^\./||; /[^/]$/p' | LC_ALL=C sort)"
timeout 2 "${pod[@]}" /bin/bash -c 'trap : TERM INT; sleep infinity & wait'
is "that container stays until it is ended" 124 "$?"
is "no empty directory is left" "" "$(find "$out" -type d -empty)"
is "a log" "a line of a log" "$(<"$out/$logs/plugin/plugin/logs/current.log")"
is "the version" "oci-rdma-hook/must-gather $("$DOCTOR" --version)" "$(paste -sd ' ' "$out/version")"
row "a MachineConfig is its metadata alone, a pod of others, if it asks, its row and our annotations; no Secret is read"
is "MachineConfigs" "oci-rdma-hook.io/options: NRI=1" "$(<"$out/cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigs.yaml")"
is "pods" "[{'cells': ['trainer', 'node-2'], 'namespace': 'team-a', 'annotations': {'oci-rdma-hook.io/inject': 'true'}}]" \
	"$(python3 -c 'import sys, yaml; print(yaml.safe_load(sys.stdin))' <"$out/rdma-pods.yaml")"
is "Secrets, environments" "" "$(grep -rl password "$out")"
is "it only reads" GET "$(cut -d ' ' -f 2 "$API/requests" | sort -u)"
row "the journal is asked for the lines that the hook and the plugin write, and no others"
is "the request" "$(printf '%s&' grep pattern | sed 's/&/=container=.*pod=.*namespace=&/g')case-sensitive=true&tail=10000&tailLines=10000" \
	"$(sed -n 's/.*node-2.proxy.logs.journal?//p' "$API/requests")"
check "…as core/report/log.c has them" grep -q '^#define IDENTITY " container=.* pod=.* namespace=' core/report/log.c
is "the events are those of the reporter" "oci-rdma-hook.io/events" "$(sed -n 's|.*reportingComponent%3D\(.*\)|\1|p' "$API/requests" | sed 's/%2F/\//')"
check "…by its name" grep -q '^#define CONTROLLER "oci-rdma-hook.io/events"' events/event.c

row "a container that has ended has its former log too"
has_object /api/v1/namespaces/oci-rdma-nri/pods/oci-rdma-nri-a-x7k2p/log previous <<<'its last line'
"${pod[@]}" /usr/bin/gather >/dev/null
is "its log" "its last line" "$(<"$out/$logs/plugin/plugin/logs/previous.log")"

# ---- what goes wrong ----

row "without the right to read it says so, and ends with 1"
rm -rf "${out:?}"/*
echo other >"$API/token"
"${pod[@]}" /usr/bin/gather >"$T/out" 2>"$T/err"
is "status, files" "1 0" "$? $(find "$out" -type f | wc -l)"
has "which request" "gather: /api/v1/nodes: 401" "$(<"$T/err")"
row "a server that is not the cluster's gets no token"
: >"$API/requests"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=other -addext subjectAltName=IP:127.0.0.1 \
	-keyout "$T/other.key" -out "$T/account/ca.crt" 2>/dev/null
"${pod[@]}" /usr/bin/gather >"$T/out" 2>"$T/err"
is "status, requests" "1 " "$? $(<"$API/requests")"
has "why" "certificate" "$(<"$T/err")"
finish
