#!/bin/bash
# From a container that is left without, or denied, to the alert, and back: a real Prometheus with config/monitoring/rules.yaml scrapes a real node
# exporter, to which install/monitoring/collect brings what the doctor finds on a recorded node, and the plugin's metrics, as the DaemonSet serves
# them. What the listener itself answers is in serve-metrics.sh.
# packages: monitoring
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
built NRI "${BUILD:-build}/oci-rdma-nri"
refused() { ! "$@"; }

# Ports of its own
if ! may_mount; then
	pass "Prometheus, node exporter and our listener # skip they need root that may make a network namespace"
	finish
fi
if [ -z "${IN_A_NETWORK-}" ]; then
	exec env IN_A_NETWORK=1 unshare --net -- sh -c 'ip link set lo up && exec "$@"' - bash tests/cli/alerts.sh
fi
started=()
# shellcheck disable=SC2154 # T is workdir's
trap 'kill "${started[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$T"' EXIT
begin() {
	local pid
	launch pid "$T/$(basename "$1").log" "$@"
	started+=("$pid")
}

# ---- the paths ----

defaults
h100
on_node
rm -r "$NODE/run" # its container
ROOT=$T/root
node_exporter=$T/root/var/lib/prometheus/node-exporter
mkdir -p "$ROOT/usr/local/bin" "$ROOT/run/oci-rdma-hook" "$ROOT/var/log/pods"
printf '#!/bin/sh\nexec %s --sysroot %s "$@"\n' "$DOCTOR" "$NODE" >"$ROOT/usr/local/bin/oci-rdma-doctor"
chmod 755 "$ROOT/usr/local/bin/oci-rdma-doctor"
rdma='"devices":[["/dev/infiniband/uverbs6",231,198],["/dev/infiniband/uverbs7",231,199]]'
# runs NUMBER PID LIMIT: a container with two devices, and its process
runs() {
	ID=$(printf '%064x' "$1")
	bundle "{\"engine\":\"containerd\",$rdma}"
	mkdir -p "$NODE/run/containerd/io.containerd.runtime.v2.task/k8s.io/$ID"
	cp "$B/config.json" "$NODE/run/containerd/io.containerd.runtime.v2.task/k8s.io/$ID/"
	write "run/containerd/io.containerd.runtime.v2.task/k8s.io/$ID/init.pid" "$2"
	soft=$3 hard=$3 process "$2"
}
ends() { rm -r "${NODE:?}/run/containerd" "${NODE:?}/proc/$1"; }

# Nothing to write to, then Debian's directory, and OpenShift's
begin env ROOT="$ROOT" INTERVAL=0.2 sh install/monitoring/collect
says() { grep -q "$1" "$T/env.log"; }
check "no node exporter: it is said" within says "there is no directory of a node exporter yet"
check "…once" refused says "metrics are written"
mkdir -p "$node_exporter"
check "a directory that comes later is written to" within test -s "$node_exporter/oci-rdma-doctor.prom"
check "…which is said" within says "metrics are written"
uid=5f0c9e4c-1d2b-4d68-9a54-000000000001
other=5f0c9e4c-1d2b-4d68-9a54-000000000002
volume() { echo "$ROOT/var/lib/kubelet/pods/$1/volumes/kubernetes.io~empty-dir/node-exporter-textfile"; }
mkdir -p "$(volume $uid)" "$(volume $other)" "$ROOT/var/log/pods/openshift-monitoring_node-exporter-x7k2p_$uid" "$ROOT/var/log/pods/team-a_node-exporter-x7k2p_$other"
check "OpenShift's node exporter has a directory in its pod" within test -s "$(volume $uid)/oci-rdma-doctor.prom"
is "…and a pod of another namespace with a volume of that name gets nothing" "" "$(ls -A "$(volume $other)")"

# Two plugins have the same series, which node exporter would refuse
for name in a b; do printf '# HELP %s x\n# TYPE %s gauge\n%s{result="denied"} 1\n' oci_rdma_{t,t,t} >"$ROOT/run/oci-rdma-hook/oci-rdma-nri-$name.prom"; done
brought() { cat "$(volume "$uid")"/oci-rdma-nri-*.prom 2>/dev/null | grep -v '^#' | xargs -d '\n'; }
is_brought() { [ "$(brought)" = "$1" ]; }
check "both plugins' counters, each with its name" within is_brought 'oci_rdma_t{plugin="a",result="denied"} 1 oci_rdma_t{plugin="b",result="denied"} 1'

# ---- the alerts ----

mkdir "$T/metrics"
begin "$NRI" --serve-metrics 9465 --metrics "$T/metrics/oci-rdma-nri.prom"
begin prometheus-node-exporter --collector.disable-defaults --collector.meminfo --collector.textfile --collector.textfile.directory="$node_exporter" \
	--web.listen-address=127.0.0.1:9100
cat >"$T/prometheus.yml" <<END
global: {scrape_interval: 3s, scrape_timeout: 3s, evaluation_interval: 500ms}
rule_files: [$PWD/config/monitoring/rules.yaml]
scrape_configs:
  - job_name: node-exporter
    static_configs: [{targets: ["127.0.0.1:9100"]}]
  - job_name: oci-rdma-nri
    static_configs: [{targets: ["127.0.0.1:9465"]}]
END
begin prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" --web.listen-address=127.0.0.1:9090 --log.level=warn
# alerts: those that fire, a line each: name, subject or result
alerts() {
	python3 -c 'import json, urllib.request
for alert in json.load(urllib.request.urlopen("http://127.0.0.1:9090/api/v1/alerts"))["data"]["alerts"]:
    if alert["state"] == "firing":
        print(alert["labels"]["alertname"], alert["labels"].get("subject") or alert["labels"].get("result") or "")'
}
fires() { alerts | grep -qx "$1"; }
# silent ALERT SERIES: it does not fire, and Prometheus has heard why
silent() { now=$(alerts) && ! grep -q "^$1" <<<"$now" && scraped "$2"; }
# scraped SERIES: Prometheus has it
scraped() {
	python3 -c 'import json, sys, urllib.parse, urllib.request
query = urllib.parse.quote(sys.argv[1])
sys.exit(not json.load(urllib.request.urlopen(f"http://127.0.0.1:9090/api/v1/query?query={query}"))["data"]["result"])' "$1"
}
check "node exporter has both plugins' counters" within scraped 'count(oci_rdma_t) == 2'
rm "$ROOT/run/oci-rdma-hook/oci-rdma-nri-a.prom"
check "…which go with their plugin" within is_brought 'oci_rdma_t{plugin="b",result="denied"} 1'
rm "$ROOT/run/oci-rdma-hook/oci-rdma-nri-b.prom"
check "Prometheus scrapes both" within scraped 'count(up == 1) == 2'
check "…the doctor's findings" within scraped 'oci_rdma_doctor_finding{id="missed",status="ok"} == 1'
is "a node where nobody lacks anything: no alert about containers" "" "$(alerts | grep -E 'Container|Missed|Denie')"

runs 1 4711 8388608
check "hook and shim: a container without its limit is an alert" within fires "OciRdmaContainerWithoutLimit team-a/h-kim-0/trainer"
runs 1 4711 unlimited
check "…which is resolved when it has the limit" within silent OciRdmaContainerWithoutLimit 'oci_rdma_doctor_finding{id="missed",status="ok"} == 1'
config '{"namespaces": ["team-b"]}'
check "a container that the policy denies is an alert" within fires "OciRdmaContainerDenied team-a/h-kim-0/trainer"
check "what it pins is a metric" within scraped 'oci_rdma_pinned_bytes{namespace="team-a",pod="h-kim-0",container="trainer"} == 0'
echo "VmPin: $((1 << 50)) kB" >>"$NODE/proc/4711/status"
check "…and more than the node has an alert to come" within scraped 'ALERTS{alertname="OciRdmaPinnedMemory",alertstate="pending"}'
ends 4711
check "…which is resolved when it has ended" within silent OciRdmaContainerDenied 'oci_rdma_doctor_finding{id="denied",status="ok"} == 1'
check "…and so is what it pinned" within scraped 'absent(ALERTS{alertname="OciRdmaPinnedMemory"})'

# By the plugin, through the listener
coproc SCENE { exec env PYTHONDONTWRITEBYTECODE=1 python3 tests/cli/tools/nri_alerts.py "$NRI" "$T/scene" 2>"$T/scene.log"; }
mkdir -p "$T/scene"
from=${SCENE[0]} to=${SCENE[1]}
# told WORD: the scene does it; none: it begins
told() {
	[ $# -eq 0 ] || echo "$1" >&"$to"
	read -r -t "$PATIENCE" word <&"$from"
}
told
is "a plugin connects, and finds a container that was missed" missed "$word"
serve() { cp "$T/scene/metrics.prom" "$T/metrics/.new" && mv "$T/metrics/.new" "$T/metrics/oci-rdma-nri.prom"; }
served() { serve && "$@"; }
check "the DaemonSet: a container that was missed is an alert" within served fires "OciRdmaNriMissed "
told mend
check "…which is resolved when it has the limit" within served silent OciRdmaNriMissed 'oci_rdma_nri_missed_containers == 0'
told deny
check "a container that the plugin denies is an alert" within served fires "OciRdmaNriDenies denied"
echo end >&"$to"
is "nothing else was said" "" "$(grep -v '^$' "$T/scene.log")"
finish
