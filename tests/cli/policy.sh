#!/bin/bash
# What the administrator's config and the pod's annotations decide, from the files to the plan. Each rule in all its cases: unit core/policy (what is
# read), core/plan (what follows), core/spec (what the container has).
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
node h100
one=$(allocate a/r=mlx5_6)
two=$(allocate a/r=mlx5_6,mlx5_7)

# annotated NAME VALUE [CASE MEMBERS]
annotated() { plan "{${3:-$one},\"annotations\":{\"oci-rdma-hook.io/$1\":$2}}"; }

annotated inject null
decides "not asked for" none
that "and nothing is set" '.env | length' 0
annotated inject '"false"'
decides "refused by the pod" none
annotated inject '"true"'
gets "asked for" mlx5_6
annotated containers '"trainer"'
gets "containers: this one" mlx5_6
annotated containers '"loader"'
decides "containers: another one" none
annotated memlock '"16Gi"'
that "memlock reduces" '.rlimits[0] | [.type, .soft, .hard] | join(" ")' "RLIMIT_MEMLOCK 17179869184 17179869184"
annotated memlock '"unlimited"'
has "memlock unlimited of unlimited" '"soft":18446744073709551615' "$(tr -d ' \n' <"$T/out")"
annotated nccl '"false"'
gets "nccl false: the devices are granted" mlx5_6
that "but no environment" '.env | length' 0
for bad in 'inject "yes"' 'memlock "lots"' 'nccl "no"' 'containers "a,,b"' 'unheard-of "true"'; do
	read -r name value <<<"$bad"
	annotated "$name" "$value"
	check "$name $value is no grant" test "$(jq -r .decision "$T/out")" != grant
	has "$name $value is named" "oci-rdma-hook.io/$name" "$(cat "$T/out" "$T/err")"
done

config '{"opt_in": "device"}'
annotated inject null
gets "opt_in device: not asked, but allocated" mlx5_6
annotated inject '"false"'
decides "opt_in device: refused by the pod" none
annotated inject null '"env":[]'
decides "opt_in device: nothing allocated" none

# Namespaces
for try in '["team-a"] grant' '["team-*"] grant' '["team-b"] denied' '[] denied'; do
	config "{\"namespaces\": ${try% *}}"
	plan "{$one}"
	that "namespaces ${try% *}" .decision "${try#* }"
done
config '{"namespaces": ["team-b"]}'
plan "{$one}"
decides "a denied container gets nothing" denied
that "not even an environment" '.env | length' 0
plan "{$one,\"annotations\":{\"io.kubernetes.cri-o.Namespace\":\"team-b\",\"namespace\":\"team-b\"}}"
that "a forged io.kubernetes.cri-o.Namespace" .decision denied
plan "{$one,\"annotations\":{\"io.kubernetes.pod.namespace\":null}}"
that "without a namespace, a list of names denies" .decision denied
config
plan "{$one,\"annotations\":{\"io.kubernetes.pod.namespace\":null,\"io.kubernetes.pod.name\":null,\"io.kubernetes.container.name\":null}}"
gets "without Kubernetes' annotations (podman) the default config grants" mlx5_6
that "what is not known is null" '.container | [.name, .namespace, .pod] | map(type) | unique | join(",")' null

# Memory limit
config '{"require_memory_limit": true}'
plan "{$one}"
gets "a container with a memory limit" mlx5_6
plan "{$one,\"merge\":{\"linux\":{\"resources\":{\"memory\":null}}}}"
decides "a container without one" denied
# resources VALUE: the container's limits, as they stand in config.json
limits() { plan "{$one,\"merge\":{\"linux\":{\"resources\":$1}}}"; }
memory=$((2 << 40)) # of the node
limits "{\"memory\":{\"limit\":$memory,\"swap\":null}}"
decides "a limit of the node's memory is none" denied
limits "{\"memory\":{\"limit\":$((memory - 4096)),\"swap\":null}}"
gets "a limit just below the node's memory is one" mlx5_6
rm "$NODE/proc/meminfo"
plan "{$one}"
decides "a node whose memory is not known" denied
that "and the reason says so" '.reason | test("/proc/meminfo")' true
config
plan "{$one}"
gets "which matters to nobody else" mlx5_6
node h100

# memlock
# Capabilities
config '{"capabilities": ["CAP_IPC_LOCK", "CAP_SYS_NICE"]}'
plan "{$one}"
that "two capabilities" '.capabilities | sort | join(",")' CAP_IPC_LOCK,CAP_SYS_NICE

config '{"memlock": "8Gi"}'
plan "{$one}"
that "a finite limit: no CAP_IPC_LOCK, which the kernel asks for no limit" '[.decision, (.capabilities | length)] | join(" ")' "grant 0"
config
annotated memlock '"4Gi"'
that "the same by an annotation" '[.decision, (.capabilities | length)] | join(" ")' "grant 0"
config '{"memlock": "8Gi", "capabilities": ["CAP_IPC_LOCK"]}'
plan "{$one}"
that "a finite limit, and CAP_IPC_LOCK by name" '.capabilities | join(",")' CAP_IPC_LOCK

# The environment
# env NCCL-CONFIG [CASE MEMBERS]: the plan's env under this "nccl", as lines
env_of() {
	config "{\"nccl\": $1}"
	plan "{${2:-$two}}"
}
env='.env | to_entries | map("\(.key)=\(.value)") | sort | join(" ")'
hca='NCCL_IB_HCA==mlx5_6,mlx5_7'
env_of '{}'
that "by default the HCAs alone" "$env" "$hca"
env_of '{"socket_ifname": "rdma"}'
that "socket_ifname rdma: the netdevs of the devices" "$env" "$hca NCCL_SOCKET_IFNAME==net1,net2"
env_of '{"gid_index": "legacy"}'
that "gid_index legacy: all agree" "$env" "NCCL_IB_GID_INDEX=3 $hca"
env_of '{"extra": {"NCCL_IB_TC": "106", "UCX_TLS": "rc,cuda"}}'
that "extra" "$env" "$hca NCCL_IB_TC=106 UCX_TLS=rc,cuda"
dry_run --format nccl
is "nccl.conf has the same" "$(printf '%s\n' "$hca" NCCL_IB_TC=106 UCX_TLS=rc,cuda)" "$(grep -v '^#' "$T/out" | sort)"
env_of '{"extra": {"NCCL_IB_TC": "106"}}' "$two,\"env\":[\"NCCL_IB_HCA=mlx5_0\",\"NCCL_IB_TC=0\"]"
that "what the container sets itself is left alone" "$env" ""
warns "with a warning" env_already_set
dry_run --format nccl
is "in nccl.conf, too" "" "$(grep -v '^#' "$T/out")"
env_of '{"socket_ifname": "rdma"}' "$(allocate a/r=mlx5_13)"
check "a VF that is still in the host's namespace: its host name is not the pod's" \
	test "$(jq -r '.env.NCCL_SOCKET_IFNAME // ""' "$T/out")" = ""
warns "with a warning" no_netdev_name
# Nothing allocated
plan '{}'
decides "on_no_device ignore (the default)" none
config '{"on_no_device": "fail"}'
plan '{}'
decides "on_no_device fail" denied
config '{"on_no_device": "tcp"}'
plan '{}'
like "on_no_device tcp" tcp
plan "{$one}"
gets "on_no_device tcp with a device" mlx5_6
config

case=$(cat tests/bundles/h100-trainer.json)
config "$(cat config/profiles/roce-legacy.json)"
plan "$case"
that "the profile roce-legacy: what the wrappers set" '.env | to_entries | map(.key + "=" + .value) | sort | join(" ")' \
	"NCCL_IB_DISABLE=0 NCCL_IB_GID_INDEX=3 NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11 NCCL_NET_GDR_LEVEL=5 NCCL_SOCKET_IFNAME==net1,net2,net3,net4"
config "$(cat config/profiles/inference.json)"
plan "$(jq '.privileged = true' <<<"$case")"
that "the profile inference, in a privileged container" '.env | keys | join(" ")' "NCCL_IB_HCA NVSHMEM_HCA_PE_MAPPING UCX_NET_DEVICES"
warns "the profile inference: DeepEP's map wants GPUs" no_gpu_map
config
plan "$case"
that "off by default" '.env | keys | join(" ")' NCCL_IB_HCA
finish
