#!/bin/bash
# oci-rdma-doctor on a node: the containers that ask, have a device, and lack the memlock limit, whatever the reason.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
h100
on_node
defaults
TASKS=run/containerd/io.containerd.runtime.v2.task/k8s.io
rdma='"devices":[["/dev/infiniband/uverbs6",231,198],["/dev/infiniband/uverbs7",231,199]]'

# runs NUMBER PID [MEMBERS [JQ-FILTER]]: a container of containerd with its process
runs() {
	ID=$(printf '%064x' "$1")
	bundle "{\"engine\":\"containerd\"${3:+,$3}}"
	mkdir -p "$NODE/$TASKS/$ID"
	jq "${4:-.}" "$B/config.json" >"$NODE/$TASKS/$ID/config.json"
	write "$TASKS/$ID/init.pid" "$2"
	process "$2"
}
# again: the node without containers
again() {
	rm -rf "${NODE:?}/run"
	soft=unlimited hard=unlimited
}
unasked='.annotations |= with_entries(select(.key | startswith("oci-rdma-hook.io/") | not))'

again
try "a node without containers" missed ok "0 ask and have an RDMA device" doctor --format json
runs 1 4711 "$rdma"
try "one that has its limit" missed ok "1 ask and have an RDMA device; each has its limit" doctor --format json

soft=8388608 hard=8388608
runs 2 4712 "$rdma"
runs 3 4713
runs 4 4714 "$rdma" '.annotations["oci-rdma-hook.io/inject"] = "false"'
runs 5 4715 "$rdma"
rm -r "${NODE:?}/proc/4715"
try "the one that lacks it is found, and no other: no device, refused, not running" missed/team-a/h-kim-0/trainer fail \
	"it asks and has 2 RDMA devices, but its first process has 8 MiB (/proc/4712/limits) instead of unlimited" doctor --format json
has "the remedy" "Delete the pod" "$found"
is "no other" "team-a/h-kim-0/trainer" "$(jq -r '.findings[] | select(.id == "missed" and .status == "fail").subject' "$T/out")"
doctor --format prometheus
has "as a metric" 'oci_rdma_doctor_finding{id="missed",subject="team-a/h-kim-0/trainer",status="fail"} 1' "$(cat "$T/out")"
doctor --format json --container "$(printf '%064x' 2)"
is "a container that is examined by itself has its own finding" "" "$(jq -r '.findings[] | select(.id == "missed").evidence' "$T/out")"

again
config '{"namespaces": ["team-b"]}'
soft=8388608 hard=8388608
runs 7 4717 "$rdma"
try "one that the policy denies: why; it does not lack anything" denied/team-a/h-kim-0/trainer warn "it asks and has 2 RDMA devices, and gets nothing: " \
	doctor --format json
has "why" "team-a" "${found#*nothing: }"
also missed ok "0 ask and have an RDMA device"
doctor --format prometheus
has "as a metric" 'oci_rdma_doctor_finding{id="denied",subject="team-a/h-kim-0/trainer",status="warn"} 1' "$(cat "$T/out")"
rm -r "${NODE:?}/proc/4717"
try "…and no more when it has ended" denied ok "no container" doctor --format json
row "many are denied: each is named, and the text says so in a few lines"
for ((i = 100; i < 140; i++)); do runs "$i" "$i" "$rdma"; done
doctor --format json
is "their number" 40 "$(jq '[.findings[] | select(.id == "denied")] | length' "$T/out")"
doctor
has "the text" "denied (32 more, see --verbose)" "$(cat "$T/out")"
config

again
soft=8388608 hard=8388608
runs 6 4716 "$rdma" "$unasked"
try "containerd, and it is not known whether it asks" missed "not checkable" "it is not known whether they ask: 1;" doctor --format json
config '{"opt_in": "device"}'
try "opt_in device: it asks" missed/team-a/h-kim-0/trainer fail "has 8 MiB" doctor --format json
config

# ---- what they pin ----
again
named() { echo ".annotations[\"io.kubernetes.cri.container-name\"] = \"$1\""; }
# pins PID VMPIN VMLCK: so many kB
pins() { printf 'VmLck:\t%s kB\nVmPin:\t%s kB\n' "$3" "$2" >>"$NODE/proc/$1/status"; }
runs 11 4711 "$rdma"
pins 4711 262144 512
process 4799
write proc/4799/cgroup "0::/kubepods.slice/crio-$ID.scope/child"
pins 4799 512 0
runs 12 4712 "$rdma" "$(named idle)"
runs 13 4713 "$rdma" "$(named idle)"
runs 14 4714 "" "$(named mlock)"
pins 4714 0 1024
runs 15 4715 "" "$(named none)"
runs 16 4716 "" ".annotations = {}"
pins 4716 4 0
runs 17 4717 "$rdma" "$(named ended)"
runs 18 4718 "$rdma" "$(named 'a b=c')"
mv "$NODE/$TASKS/$ID" "$NODE/$TASKS/f${ID:1}"
write proc/4718/cgroup "0::/kubepods.slice/crio-f${ID:1}.scope"
rm -r "${NODE:?}/proc/4717"
process 4720
write proc/4720/cgroup 0::/system.slice/other.service
pins 4720 4096 0
doctor --format prometheus
row "what each container pins that has a device, or pins memory, as a metric: by its processes, and once"
is "all of them, a name that is none by its id" 'oci_rdma_pinned_bytes{namespace="",pod="",container="000000000000"} 4096
oci_rdma_pinned_bytes{namespace="",pod="",container="f00000000000"} 0
oci_rdma_pinned_bytes{namespace="team-a",pod="h-kim-0",container="idle"} 0
oci_rdma_pinned_bytes{namespace="team-a",pod="h-kim-0",container="mlock"} 1048576
oci_rdma_pinned_bytes{namespace="team-a",pod="h-kim-0",container="trainer"} 269484032' "$(grep ^oci_rdma_pinned "$T/out" | sort)"
try "in words" pinned/team-a/h-kim-0/trainer ok "257 MiB by 2 processes (VmPin and VmLck of /proc/PID/status); its memory limit is not seen here" \
	doctor --format json
is "for programs" '{"bytes":"269484032","namespace":"team-a","pod":"h-kim-0","container":"trainer"}' \
	"$(jq -c '.findings[] | select(.id == "pinned" and (.subject | endswith("/trainer"))).values' "$T/out")"
doctor --format prometheus --container "$(printf '%064x' 11)"
is "a container that is examined by itself is no series" "" "$(grep ^oci_rdma_pinned "$T/out")"
finish
