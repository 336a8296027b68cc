#!/bin/bash
# What dry run and doctor say of a container of containerd, whose config.json does not have its pod's annotations: by the record that the NRI
# plugin has left, and without one.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
by_case
h100
on_node
defaults
BUNDLE=run/containerd/io.containerd.runtime.v2.task/k8s.io/$ID
NOTE=run/oci-rdma-hook/records/team-a_944c324a-7958-438a-b04f-699cedbf673d_trainer_RESULT_0000000001_$ID.json
rdma='"devices":[["/dev/infiniband/uverbs6",231,198],["/dev/infiniband/uverbs7",231,199]]'

# kept [JQ-FILTER]: the container, as containerd keeps it: without its pod's annotations; and its process
kept() {
	rm -rf "${NODE:?}/run"
	bundle "{\"engine\":\"containerd\",$rdma}"
	mkdir -p "$NODE/$BUNDLE"
	jq '.annotations |= with_entries(select(.key | startswith("oci-rdma-hook.io/") | not)) | '"${1:-.}" "$B/config.json" >"$NODE/$BUNDLE/config.json"
	touch -d 2026-11-22T17:05:51Z "$NODE/$BUNDLE/config.json"
	write "$BUNDLE/init.pid" 4711
	process 4711
}
# noted RESULT REASON [JQ-FILTER]
noted() {
	install -d -m 0700 "$NODE/run/oci-rdma-hook" "$NODE/run/oci-rdma-hook/records"
	noted=$NODE/${NOTE/RESULT/$1}
	jq -n --arg id "$ID" --arg result "$1" --arg reason "$2" '{schema: 1, id: $id, container: "trainer", pod: "h-kim-0", namespace: "team-a",
		result: $result, reason: $reason, entry_point: "nri", policy: "/etc/oci-rdma-hook/config.json", time: 1795367151,
		memlock: 18446744073709551615, annotations: {inject: "true"}, env: {}}' | sed 's/18446744073709552000/18446744073709551615/' |
		jq -c "${3:-.}" | sed 's/18446744073709552000/18446744073709551615/' >"$noted"
	chmod 600 "$noted"
}
# connected SINCE: the plugin's status
connected() {
	install -d -m 0700 "$NODE/run/oci-rdma-hook"
	write run/oci-rdma-hook/nri.json "{\"pid\":77,\"started\":1,\"socket\":\"/var/run/nri/nri.sock\",\"connected_since\":\"$1\",
		\"runtime\":\"containerd\",\"version\":\"2.1.9\"}"
}
dry_run() { timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" --dry-run "$@" "$ID" >"$T/out" 2>"$T/err"; }
# says DESCRIPTION PART / silent DESCRIPTION PART: the dry run and the doctor
says() {
	dry_run
	has "$1: the dry run" "$2" "$(cat "$T/out" "$T/err")"
	doctor --container "$ID" --verbose
	has "$1: the doctor" "$2" "$(tr '\n' ' ' <"$T/out" | tr -s ' ')"
}
silent() {
	dry_run
	lacks "$1: the dry run" "$2" "$(cat "$T/out")"
	doctor --container "$ID" --verbose
	lacks "$1: the doctor" "$2" "$(tr '\n' ' ' <"$T/out" | tr -s ' ')"
}

# ---- with a note ----
kept
noted granted "2 RDMA devices allocated and annotated"
dry_run --format json
is "granted: the dry run knows that the pod asks" grant "$(jq -r .decision "$T/out")"
is "granted: and when, by whom, by which policy" '["granted","nri","/etc/oci-rdma-hook/config.json","2026-11-22T17:05:51Z"]' \
	"$(jq -c '.note | [.result, .entry_point, .policy, .time]' "$T/out")"
says "granted" "granted"
silent "granted" "nnotate the pod"
doctor --format json --container "$ID"
finds "granted: the doctor's plan" plan ok "granted: 2 RDMA devices allocated and annotated (noted at 2026-11-22T17:05:51Z by nri"
finds "granted: its limit" plan_memlock ok "unlimited"

soft=8388608 hard=8388608
kept
noted missed "created 2026-11-22T17:05:51Z, the plugin is connected since 2026-11-22T17:06:16Z: its limit is 8 MiB; delete the pod"
doctor --format json --container "$ID"
finds "missed: the doctor's plan fails" plan fail "missed: created 2026-11-22T17:05:51Z, the plugin is connected since 2026-11-22T17:06:16Z"
finds "missed: the limit that it lacks" plan_memlock fail "the first process has 8 MiB"
silent "missed" "nnotate the pod"

kept
noted denied "namespace team-a is not among those of /etc/oci-rdma-hook/config.json"
doctor --format json --container "$ID"
finds "denied by the policy of a ConfigMap, which the node does not have" plan fail "denied: namespace team-a is not among"
kept
noted nothing "not asked for: no annotation oci-rdma-hook.io/inject" '.annotations = {}'
doctor --format json --container "$ID"
finds "not asked for, as the plugin saw: then annotating is right" plan warn "Annotate the pod"
kept '.annotations["oci-rdma-hook.io/inject"] = "true"'
noted nothing "no RDMA device allocated"
doctor --format json --container "$ID"
finds "nothing, though the node would grant it now: no grant" plan warn "no RDMA device allocated"
lacks "nothing, though the node would grant it now: no limit" plan_memlock "$(<"$T/out")"

# ---- a note that is not believed ----
kept
noted granted "2 RDMA devices allocated"
chmod 622 "$noted"
dry_run
is "a note that others could have written: status" 1 "$?"
has "a note that others could have written is not believed" "is not trusted" "$(cat "$T/err")"

# ---- without a note ----
kept
connected 2026-11-22T17:06:16Z
says "created before the plugin was connected" "created 2026-11-22T17:05:51Z, the NRI plugin is connected since 2026-11-22T17:06:16Z"
says "the remedy" "delete the pod"
silent "it may be annotated" "nnotate the pod:"
doctor --format json --container "$ID"
finds "created before the plugin was connected: not checkable" plan "not checkable" "it is not known whether the pod asks"
kept
connected 2026-11-22T17:05:00Z
says "created when the plugin was connected, which left no note: it is not annotated" "not asked for"
lacks "then it is known" "not known" "$(cat "$T/out")"
kept
says "no plugin at all: annotations cannot be known" "kubectl get pod"
silent "no plugin at all" "nnotate the pod:"
kept '.annotations["oci-rdma-hook.io/inject"] = "true"'
dry_run --format json
is "control: a handler whose pod_annotations name ours" '["grant",null,null]' "$(jq -c '[.decision, .doubt, .note]' "$T/out")"
kept
config '{"opt_in": "device"}'
dry_run --format json
is "opt_in device: no annotation is needed" '["grant",null]' "$(jq -c '[.decision, .doubt]' "$T/out")"
# ---- denied by a plugin whose policy is its own: one cause, one line ----
kept
process 77
rm -f "$NODE/etc/oci-rdma-hook/config.json"
noted denied "namespace team-a is not among the namespaces of /etc/oci-rdma-hook/config.json"
connected 2026-11-22T16:00:00Z
soft=8388608 hard=8388608 process 4711
mkdir -p "$NODE/proc/77/root/etc/oci-rdma-hook"
echo '{"namespaces":["team-b"]}' >"$NODE/proc/77/root/etc/oci-rdma-hook/config.json"
doctor --container "$ID" --format json
is "denied by the plugin: the plan fails once" "plan:fail" "$(jq -r '[.findings[] | select(.id | startswith("plan")) | "\(.id):\(.status)"] | join(" ")' "$T/out")"
has "denied by the plugin: its policy is said to be a ConfigMap's" "a ConfigMap's" "$(jq -r '.findings[] | select(.id == "policy").evidence' "$T/out")"
lacks "denied by the plugin: that the node has none is not said" "the defaults apply" "$(<"$T/out")"
finish
