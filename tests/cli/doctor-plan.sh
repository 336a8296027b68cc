#!/bin/bash
# oci-rdma-doctor on a container whose config.json it finds: what is decided on it is what --dry-run decides, and what of that has come
# true is told, with the entry point by which.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash

USERDATA=run/containers/storage/overlay-containers/$ID/userdata
# container CASE [OPTION…]: what the doctor says of it on a node with our hook; set before: $soft, $hard, $conf, $policy
container() {
	h100
	on_node
	rm -f "$NODE/proc/4711/root/etc/nccl.conf"
	bundle "$1"
	cp "$B/config.json" "$NODE/$USERDATA/"
	[ -z "$conf" ] || write proc/4711/root/etc/nccl.conf "$conf"
	[ -z "$policy" ] || write etc/oci-rdma-hook/config.json "$policy"
	doctor --format json --container "$ID" "${@:2}"
	defaults
	conf='' policy=''
}
defaults
conf='' policy=''
HCA='NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11'
EIGHT='soft=8388608 hard=8388608'
case_of() { jq -c -n --argjson more "$1" '{from: "h100-trainer.json"} + $more'; }
remedy_of() { jq -r --arg id "$1" '.findings[] | select(.id == $id) | .remedy' "$T/out"; }

# ---- granted ----
conf=$HCA
try "a container that has what the plan gives: the decision, by what, and that of --dry-run" plan ok "grant: 4 RDMA devices allocated and annotated" \
	container h100-trainer.json
healthy "nothing is wrong"
also plan_memlock ok "unlimited (/proc/4711/limits): by the hook; an exec gets the engine's limit"
also plan_nccl/NCCL_IB_HCA ok "(/etc/nccl.conf): set by the hook"
dry_run --format json
decided=$(jq -r '"\(.decision): \(.reason)"' "$T/out")
doctor --format json --container "$ID"
has "--dry-run's decision" "$decided (/run/" "$(jq -r '.findings[] | select(.id == "plan").evidence' "$T/out")"
conf=$HCA
try "a limit that config.json lists is an exec's as well" plan_memlock ok "an exec has it as well" \
	container '{"from":"h100-trainer.json","merge":{"process":{"rlimits":[{"type":"RLIMIT_MEMLOCK","soft":18446744073709551615,"hard":18446744073709551615}]}}}'

eval "$EIGHT"
try "granted, and not served: what was planned, what is, and where to look" plan_memlock fail "the plan gives unlimited, but the first process has 8 MiB" \
	container h100-trainer.json
has "what to do" "journalctl -t oci-rdma-hook" "$found"
causes "the cause" plan_memlock
timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" --dry-run "$ID" >"$T/out"
has "the dry run has it beside, and what it pins" "RLIMIT_MEMLOCK 8 MiB in its first process (/proc/4711/limits): created without what it would get now
it pins 0 bytes by 0 processes (VmPin and VmLck of /proc/PID/status); its memory limit is not seen here" "$(<"$T/out")"
doctor --format json --container "$ID"
also plan_nccl/NCCL_IB_HCA warn "neither in the environment nor in /etc/nccl.conf"
lacks "an annotated pod is not to be annotated" "Annotate the pod" "$(remedy_of memlock)"
has "where to look" plan_memlock "$(remedy_of memlock)"
# containerd's root.path is relative: the image's own values are found below the bundle
own_values() {
	container '{"from": "h100-trainer.json", "merge": {"root": {"path": "rootfs"}}}'
	local dir=run/containers/storage/overlay-containers/$ID/userdata
	write "$dir/rootfs/etc/nccl.conf" NCCL_IB_HCA=mlx5_0
	doctor --format json --container "$ID"
}
row "an image's own values, below a relative root.path, are no fault"
conf=NCCL_IB_HCA=mlx5_0 own_values
is "what is said" "" "$(jq -r '.findings[] | select(.id == "plan_nccl").evidence' "$T/out")"
conf=${HCA/mlx5_11/mlx5_12}
try "nccl.conf with another value" plan_nccl/NCCL_IB_HCA warn "neither" container h100-trainer.json

# an exec of a served container, which has the engine's limit
conf=$HCA
container h100-trainer.json
soft=8388608 hard=8388608 pid_ns=4026532999 process 4799 "$ALLOCATED"
ln -sfn 'mnt:[4026532998]' "$NODE/proc/4799/ns/mnt"
try "an exec: its container's plan is found by its process id; it lacks the limit, and the first process does not" plan ok "grant" doctor --format json --pid 4799
also memlock fail "an exec gets the engine's limit"
also plan_memlock ok "(/proc/4711/limits)"
ln -sfn 'pid:[4026533001]' "$NODE/proc/4799/ns/pid"
row "a process in a cgroup of that name, and not in the container, is not taken for one of it"
doctor --format json --pid 4799
is "the plan" "" "$(jq -r '.findings[] | select(.id == "plan") | .evidence' "$T/out")"

# ---- not granted: never "annotate" to an annotated pod; each reason is the plan's (unit core/plan/decision) ----
# refused NAME CASE STATUS EVIDENCE REMEDY
refused() {
	eval "$EIGHT"
	try "$1" plan "$3" "$4" container "$2"
	has "memlock's remedy" "$5" "$(remedy_of memlock)"
	[[ $5 = Annotate* ]] || lacks "it is not told to annotate" "Annotate the pod" "$(remedy_of memlock)$(remedy_of plan)"
}
refused "not annotated" "$(case_of '{"annotations":{"oci-rdma-hook.io/inject":null}}')" warn "none: not asked for" "Annotate the pod: oci-rdma-hook.io/inject"
refused "annotated, without a device" '{"from":"crio.json"}' warn "none: no RDMA device allocated" "no RDMA device was allocated to it"
refused "annotated, /dev/null in a device's place" '{"from":"crio.json","devices":[["/dev/infiniband/uverbs6",1,3]]}' warn \
	"none: no RDMA device allocated" "uverbs6 has the device number 1:3, which belongs to no verbs device"
refused "an unknown annotation" "$(case_of '{"annotations":{"oci-rdma-hook.io/injekt":"true"}}')" fail "injekt" "injekt"
refused 'inject "false"' "$(case_of '{"annotations":{"oci-rdma-hook.io/inject":"false"}}')" warn 'inject says "false"' 'inject says "false"'
policy='{"namespaces": []}'
refused '"namespaces": []' h100-trainer.json fail "is not among the namespaces of" "is not among the namespaces of"
policy='{"memlock": "much"}'
refused "a policy with a mistake" h100-trainer.json fail "memlock" "config.json: line 1"
policy='{"memlock": "16Gi"}' soft=17179869184 hard=17179869184 conf=$HCA
try "less by the policy is what is compared" plan_memlock ok "16384 MiB" container h100-trainer.json
without_hooks() { eval "$EIGHT"; container h100-trainer.json; rm -r "${NODE:?}/usr/share/containers/oci/hooks.d"; doctor --format json --container "$ID"; }
try "nothing of ours is installed" plan_memlock fail "Neither hook, shim nor NRI plugin is installed" without_hooks

# denied: the container, and the record of the plugin that has denied it
denied() {
	eval "$EIGHT"
	container h100-trainer.json
	write "run/oci-rdma-hook/records/team-a_u_trainer_denied_1_$ID.json" '{"id":"'"$ID"'","result":"denied","entry_point":"nri","time":1764115200,
		"policy":"/etc/oci-rdma-hook/config.json","reason":"namespace team-a is not among the namespaces of /etc/oci-rdma-hook/config.json"}'
	chmod 0700 "$NODE/run/oci-rdma-hook/records"
	doctor --format json --container "$ID"
}
try "denied by the plugin: its reason, its policy" plan fail "denied: namespace team-a is not among the namespaces of" denied
has "who, and by which policy" "by nri, policy /etc/oci-rdma-hook/config.json" "$(jq -r '.findings[] | select(.id == "plan").evidence' "$T/out")"
causes "one cause" plan
is "one line: nothing is said of what the plan would give" "" "$(jq -r '.findings[].id | select(startswith("plan_"))' "$T/out")"

row "inside of a container, which shows no config.json, nothing is said of a plan"
h100
in_container "$ALLOCATED"
doctor --format json
lacks "the report" '"plan' "$(<"$T/out")"
finish
