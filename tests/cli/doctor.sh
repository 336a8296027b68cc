#!/bin/bash
# shellcheck disable=SC2317 # commands that on_a_node calls
# oci-rdma-doctor on recorded nodes and containers: each failure that users lived through is found by name, and nothing is found
# where all is well.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults

# ---- all is well ----
container
healthy "a healthy container: nothing fails or warns"
is "it knows that it is in a container" "container /run/.containerenv is there" "$(jq -r '.where + " " + .where_evidence' "$T/out")"
finds "its devices" rdma_devices ok "4 of the 14 that sysfs shows: mlx5_6, mlx5_7, mlx5_10, mlx5_11"
finds "a device file is what its name says" uverbs//dev/infiniband/uverbs6 ok "231:198 is mlx5_6"
finds "a port" port/mlx5_6 ok "ACTIVE, 400 Gb/s Ethernet, so RoCE"
finds "its GID" gid/mlx5_10 ok "GID 3 is ::ffff:10.0.105.7, RoCE v2"
finds "its interface" mtu/mlx5_7 ok "net2 has 9000"
finds "the limit, and where it was read" memlock ok "unlimited, hard unlimited (/proc/self/limits)"
finds "GPUDirect by DMA-BUF" gpudirect ok "DMA-BUF: driver 580.65.06"
finds "what is not seen from a container is said" node_files "not checkable" "--container ID"

h100
on_node
doctor --format json
healthy "a healthy node"
is "it knows that it is on a node" node "$(jq -r .where "$T/out")"
finds "the kernel's log" kernel_log ok "no IOMMU fault in 2 records"
finds "the hook" hook_installed ok
finds "CRI-O's default handler" crio_handler/crun ok "the default (/etc/crio/crio.conf.d/00-default)"
doctor --format json --container 940942ebb876
healthy "a healthy container, looked at from the node"
is "it says which" "$ID 4711" "$(jq -r '.target | "\(.container) \(.pid)"' "$T/out")"
finds "its limits" memlock ok "/proc/4711/limits"
finds "its seccomp profile" seccomp ok "/userdata/config.json"
doctor --format json --pid 4711
healthy "the same by its process id"
soft=8388608 hard=8388608 process 4711
defaults
ln -sfn 'mnt:[4026531841]' "$NODE/proc/self/ns/mnt"
doctor --format json --pid 4711
finds "a process whose mount namespace is not shown is judged by its container's plan" memlock fail "does not have it: see the finding plan_memlock"
ln -sfn 'mnt:[4026532998]' "$NODE/proc/4711/ns/mnt"
doctor --format json --pid 4711
finds "one with another mount namespace is, and its container's plan decides what to say" memlock fail "does not have it: see the finding plan_memlock"

# ---- memlock; the numbers are those of the failures that users lived through ----
soft=8388608 hard=8388608
container
causes "1: memlock 8 MiB is the cause" memlock
finds "1: in MiB, not in KiB" memlock fail "soft 8 MiB, hard 8 MiB (/proc/self/limits)"
finds "1: and what it leads to" memlock fail "ENOMEM"
has "1: the remedy is the annotation" 'oci-rdma-hook.io/inject: "true"' "$found"
soft=8388608
container
finds "the soft limit alone counts" memlock fail "ulimit -l unlimited before the program starts"
soft=8388608 hard=8388608
h100
process 1
soft=unlimited hard=unlimited process 1
in_container "$ALLOCATED"
doctor --format json
finds "an exec beside a served process 1" memlock fail "an exec gets the engine's limit"
finds "…in which the capability is missing, too" ipc_lock warn "so that the limit counts, which is too low"
defaults
soft=8388608 hard=8388608 capabilities=00000000000045fb
container
finds "3: IPC_LOCK lifts the limit without changing it" memlock ok "CAP_IPC_LOCK overrides the limit"
finds "3: and counts" ipc_lock ok "in the first user namespace"
healthy "3: nothing else is wrong"
soft=8388608 hard=8388608 capabilities=00000000000045fb user_ns=4026533001
container
finds "IPC_LOCK in a user namespace does not count" ipc_lock warn "in a user namespace"
finds "so that the limit holds" memlock fail
soft=8388608 hard=8388608 capabilities=0000000000000000 bounding=00000000000045fb
container
finds "IPC_LOCK that another user than root lost" ipc_lock warn "not effective"
capabilities=00000000000045fb user_ns=4026533001
container
healthy "IPC_LOCK in a user namespace is no matter where the limit is raised"
soft=536870912 hard=536870912
container
finds "512 MiB: some, but little" memlock warn "512 MiB"

# ---- IOMMU ----
# iommu FUNCTION-FILTER: the container of a node where these functions are translated
iommu() {
	node "$(jq -c ". + {$MTUS} | $1" tests/nodes/h100.json)"
	in_container "$ALLOCATED"
	write proc/cmdline 'BOOT_IMAGE=/vmlinuz intel_iommu=on'
	doctor --format json
}
iommu '(.functions[].vfs[]? | select(.ibdev == "mlx5_6")).iommu = "DMA-FQ"'
causes "2, 6: a translated VF is the cause of LOC_PROT_ERR, not memlock" iommu_group
finds "2: it names the error" iommu_group/mlx5_6 fail "IBV_WC_LOC_PROT_ERR (status 4, vendor error 81)"
has "2: and what mends it" "iommu=pt" "$found"
finds "the other VFs are well" iommu_group/mlx5_7 ok identity
finds "memlock is well" memlock ok
finds "the kernel's arguments explain" iommu_arguments ok "intel_iommu=on"
iommu '(.functions[] | select(.vendor == "0x10de")).iommu = "DMA"'
finds "a translated GPU" "iommu_group/GPU 0000:1b:00.0" fail LOC_PROT_ERR
iommu '.iommu = "DMA" | del(.functions[] | select(.vendor == "0x10de"))'
finds "without a GPU translation is no fault" iommu_group/mlx5_6 ok "fine for host memory"
healthy "without a GPU"
iommu '.iommu = null'
finds "no IOMMU" iommu_group/mlx5_6 ok

h100
on_node
write dev/kmsg '6,1,0,-;Linux version
3,900,77,-;DMAR: [DMA Write NO_PASID] Request device [3b:02.6] fault addr 0x20b000 [fault reason 0x05] PTE Write access is not set'
doctor --format json
finds "a DMAR fault of ours in the kernel's log" kernel_log fail "1 IOMMU fault since boot"
write dev/kmsg '3,900,77,-;mlx5_core 0000:5d:00.3: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0012 address=0x20b000 flags=0x0020]'
doctor --format json
finds "an AMD-Vi fault" kernel_log fail "0000:5d:00.3"
write dev/kmsg '3,900,77,-;DMAR: [DMA Read NO_PASID] Request device [00:14.0] fault addr 0x20b000 [fault reason 0x06]'
doctor --format json
finds "a fault of another device only warns" kernel_log warn "none of them of an HCA or GPU"
rm "$NODE/dev/kmsg"
doctor --format json
finds "no log, no guess" kernel_log "not checkable"

# ACS: a GPU and an HCA below one switch
switch='"bridges":{"0000:3b":["0000:38:00.0","0000:39:00.0","0000:3a:01.0"],"0000:1b":["0000:38:00.0","0000:39:00.0","0000:3a:02.0"]}'
h100 "$MTUS,$switch,\"acs\":{\"0000:3a:01.0\":29,\"0000:3a:02.0\":0}"
in_container "$ALLOCATED"
doctor --format json
finds "ACS redirect on the bridge between them" acs/0000:3a:01.0 warn "control 001d"
is "on that one only" 1 "$(jq '[.findings[] | select(.id == "acs")] | length' "$T/out")"
h100 "$MTUS,$switch,\"acs\":{\"0000:38:00.0\":29,\"0000:3a:02.0\":0}"
in_container "$ALLOCATED"
doctor --format json
finds "a bridge above the switch does not count" acs ok "2 bridges"
truncate -s 64 "$NODE"/sys/devices/pci0000:38/0000:38:00.0/0000:39:00.0/0000:3a:0[12].0/config
doctor --format json
finds "64 bytes, as for another user than root" acs "not checkable" "2 of 2 bridges"

# ---- NCCL ----
container NCCL_IB_HCA=mlx5_1,mlx5_6
finds "7: NCCL_IB_HCA without =" nccl_ib_hca/mlx5_1 warn 'selects mlx5_10'
has "7: the remedy is what to write" "NCCL_IB_HCA==mlx5_1,mlx5_6" "$found"
container NCCL_IB_HCA==mlx5_6,mlx5_7
finds "with = it is exact" nccl_ib_hca ok "selects mlx5_6, mlx5_7"
healthy "with ="
container NCCL_IB_HCA=mlx5
healthy "a beginning that is no device's name is meant as one"
container NCCL_IB_HCA=mlx5_12,mlx5_99,mlx5_6
finds "13: an HCA that is not this container's" nccl_ib_hca/mlx5_12 warn "on the node, but does not belong to this container"
finds "an HCA of another node" nccl_ib_hca/mlx5_99 warn "not the name of a device here"
container NCCL_IB_HCA==mlx5_99
causes "names of another node only: no device" nccl_ib_hca
finds "names of another node only" nccl_ib_hca fail "No device found"
container NCCL_IB_HCA=^mlx5_6
finds "an excluding list" nccl_ib_hca ok "selects mlx5_7, mlx5_10, mlx5_11"

container NCCL_IB_GID_INDEX=3
finds "8: GID index 3 where it fits" nccl_ib_gid_index/mlx5_6 ok "choose it without this variable"
healthy "8: GID index 3 where it fits"
container NCCL_IB_GID_INDEX=2
finds "a RoCE v1 entry" nccl_ib_gid_index/mlx5_6 fail "RoCE v1"
container NCCL_IB_GID_INDEX=0
finds "a link-local entry" nccl_ib_gid_index/mlx5_6 fail
container NCCL_IB_GID_INDEX=99
finds "an index behind the table" nccl_ib_gid_index/mlx5_6 fail "not in the table"
shifted='[["fe80::1",1,"net1"],["fe80::1",2,"net1"],["2001:db8::1",1,"net1"],["2001:db8::1",2,"net1"],["::ffff:10.0.103.7",1,"net1"],["::ffff:10.0.103.7",2,"net1"]]'
node "$(jq -c ". + {$MTUS} | (.functions[].vfs[]? | select(.ibdev == \"mlx5_6\")) |= (del(.ip) | .gids = $shifted)" tests/nodes/h100.json)"
in_container "$ALLOCATED" NCCL_IB_GID_INDEX=3
doctor --format json
finds "8: a second address has moved it" nccl_ib_gid_index/mlx5_6 warn "GID 5 is suitable, ::ffff:10.0.103.7"
finds "8: on this device only" nccl_ib_gid_index/mlx5_7 ok

container NCCL_NET_GDR_LEVEL=5
finds "9: GDR level 5 is SYS" nccl_net_gdr_level warn "is SYS"
container NCCL_NET_GDR_LEVEL=LOC
finds "LOC is for comparing" nccl_net_gdr_level warn "switches GPUDirect RDMA off"
container NCCL_NET_GDR_LEVEL=PHB
finds "another level" nccl_net_gdr_level ok

interfaces='lo eth0 net1 net2 net10'
container NCCL_SOCKET_IFNAME=net1
finds "10: net1 also means net10" nccl_socket_ifname warn "also selects net10"
has "10: the remedy is what to write" "NCCL_SOCKET_IFNAME==net1" "$found"
container NCCL_SOCKET_IFNAME=net1,net2,net3,net4
finds "10: the bootstrap on an RDMA rail" nccl_socket_ifname warn "the interface of mlx5_6"
container NCCL_SOCKET_IFNAME==eth0
finds "the pod's own interface" nccl_socket_ifname ok "selects eth0"
container NCCL_SOCKET_IFNAME=bond0
causes "an interface that is not there" nccl_socket_ifname
finds "an interface that is not there" nccl_socket_ifname fail "no socket interface found"

container NCCL_IB_DISABLE=0
finds "15: 0 is the default" nccl_ib_disable ok
container NCCL_IB_DISABLE=1
causes "1: TCP" nccl_ib_disable
container NCCL_NET=Socket
causes "NCCL_NET=Socket: TCP" nccl_net

# what an entry point sets is lost in an exec
h100
in_container "$ALLOCATED" NCCL_DEBUG=INFO NCCL_IB_HCA==mlx5_6
write proc/1/ns ''
printf '%s\0' NCCL_DEBUG=INFO NCCL_IB_HCA==mlx5_6,mlx5_7 NCCL_IB_TC=106 MY_NCCL_X=1 NCCL_ >"$NODE/proc/1/environ"
doctor --format json
finds "12: an exec lacks what the entry point sets" nccl_exec warn "process 1 has NCCL_IB_HCA, NCCL_IB_TC, and this process has no such value"
printf '%s\0' NCCL_X{1..10}=1 >"$NODE/proc/1/environ"
doctor --format json
finds "not more of them than a line bears" nccl_exec warn "NCCL_X7, NCCL_X8, …, and"
for case in NCCL_IB_HCA==mlx5_6 PATH=/bin NCCL_IB_HCA; do
	printf '%s\0' "$case" >"$NODE/proc/1/environ"
	doctor --format json
	lacks "process 1 with $case says nothing" nccl_exec "$(cat "$T/out")"
done
on_node
write proc/1/ns ''
printf '%s\0' NCCL_IB_TC=106 >"$NODE/proc/1/environ"
doctor --format json
lacks "process 1 of the node says nothing" nccl_exec "$(cat "$T/out")"
doctor --format json --container "$ID"
lacks "process 1 of the node says nothing of a container" nccl_exec "$(cat "$T/out")"

# files, in NCCL's order
h100
in_container "$ALLOCATED" NCCL_IB_HCA==mlx5_6
write etc/nccl.conf 'NCCL_IB_HCA==mlx5_7
NCCL_IB_DISABLE=1'
write root/.nccl.conf 'NCCL_IB_DISABLE=0'
doctor --format json
finds "the environment wins" nccl_ib_hca ok "=mlx5_6 (/proc/self/environ)"
finds "then the user's own file" nccl_ib_disable ok "(/root/.nccl.conf)"
in_container "$ALLOCATED" NCCL_CONF_FILE=/opt/nccl.conf
doctor --format json
finds "NCCL_CONF_FILE takes the place of the user's file" nccl_ib_disable fail "(/etc/nccl.conf)"
write etc/nccl.conf 'NCCL_IB_HCA = mlx5_7
#NCCL_IB_DISABLE=1'
doctor --format json
finds "a space is part of the name" nccl_conf//etc/nccl.conf warn "never found"
ln -sfn /../../../../../../../../etc/passwd "$NODE/etc/nccl.conf"
doctor --format json
lacks "a link does not lead out of the container" root:x "$(cat "$T/out")"

# ---- devices ----
h100
in_container "$ALLOCATED"
device_files . uverbs6=231:199 uverbs7=231:199
doctor --format json
causes "stale numbers are the cause" uverbs
finds "a number that is another device by now" uverbs//dev/infiniband/uverbs6 fail "is uverbs7, mlx5_7"
finds "so that an allocated one is missing" allocation/0000:3b:02.6 fail
device_files . uverbs6=231:250
doctor --format json
finds "a number that is no device any more" uverbs//dev/infiniband/uverbs6 fail "231:250 belongs to no verbs device"
rm -r "$NODE/dev/infiniband"
doctor --format json
causes "no device files in the container" rdma_devices
finds "…of so many" rdma_devices fail "has 14 devices ->"
is "then the node's devices are not taken for its own" "" \
	"$(jq -r '.findings[] | select(.subject | test("^mlx5")) | "\(.id) \(.subject)"' "$T/out")"
h100
in_container "$ALLOCATED"
device_files . uverbs12=231:204
doctor --format json
finds "11: a privileged pod takes what others were given" nccl_ib_hca/mlx5_12 fail "not allocated"
rm "$NODE/dev/infiniband/rdma_cm"
doctor --format json
finds "no rdma_cm in a pod: its device plugin hands it out" rdma_cm warn "restart the device plugin"
lacks "…podman's option is not for it" podman "$found"
process self
doctor --format json
finds "no rdma_cm in another container" rdma_cm warn "with podman also use --device /dev/infiniband/rdma_cm"

exclusive='(.functions[].vfs[]? | select(.ibdev == "mlx5_6")).exclusive = true'
node "$(jq -c ". + {$MTUS} | $exclusive" tests/nodes/h100.json)"
in_container "$ALLOCATED"
write sys/module/ib_core/parameters/netns_mode N
doctor --format json
finds "exclusive mode" rdma_netns_mode ok exclusive
causes "a device in another network namespace is the cause" rdma_netns
finds "a device in another network namespace" rdma_netns/mlx5_6 fail "EPERM"

# port STATE-JSON: the container's first VF has these members
port() {
	node "$(jq -c ". + {$MTUS} | (.functions[].vfs[]? | select(.ibdev == \"mlx5_6\")) += $1" tests/nodes/h100.json)"
	in_container "$ALLOCATED"
	doctor --format json
}
port '{"state":"DOWN"}'
causes "a port that is down" port
finds "a port that is down" port/mlx5_6 fail "DOWN, Polling"
port '{"gids":[["fe80::1",1,"net1"],["fe80::1",2,"net1"]],"slots":8}'
finds "an interface without an address" gid/mlx5_6 fail "no RoCE v2 GID"
port '{"gids":[["fe80::1",1,"net1"],["2001:db8::7",2,"net1"]],"slots":8}'
finds "IPv6 only" gid/mlx5_6 warn "2001:db8::7"
port '{"link_layer":"InfiniBand"}'
finds "14: InfiniBand is InfiniBand" port/mlx5_6 ok "Gb/s InfiniBand"
healthy "InfiniBand needs no IPv4 GID"
h100 '"mtus":{"net1":1500,"net2":4191,"net3":4192,"net4":9000}'
in_container "$ALLOCATED"
doctor --format json
finds "a small MTU" mtu/mlx5_6 warn "net1 has MTU 1500"
finds "one byte less than 4096 and RoCE's headers" mtu/mlx5_7 warn "net2 has MTU 4191"
finds "as much as that" mtu/mlx5_10 ok "net3 has 4192"

# ---- GPUDirect ----
h100
in_container "$ALLOCATED"
write proc/driver/nvidia/version 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07'
doctor --format json
finds "closed modules without peermem" gpudirect warn "copies through host memory"
mkdir -p "$NODE/sys/module/nvidia_peermem"
doctor --format json
finds "with peermem" gpudirect ok "nvidia_peermem"
rm -r "$NODE/sys/module/nvidia"
doctor --format json
finds "no driver" gpudirect "not checkable"

# ---- the node's files ----
# on_a_node COMMAND…: a healthy node, changed by the command
on_a_node() {
	h100
	on_node
	"$@"
	doctor --format json
}
HOOKS=usr/share/containers/oci/hooks.d
on_a_node cp config/podman/precreate.d/90-oci-rdma-hook-precreate.json "$NODE/$HOOKS/"
finds "a precreate hook where CRI-O reads" "hook_file//$HOOKS/90-oci-rdma-hook-precreate.json" fail "CRI-O will not start again"
on_a_node rm "$NODE/usr/local/bin/oci-rdma-hook"
causes "a hook whose executable is missing" hook_file
finds "a hook whose executable is missing" "hook_file//$HOOKS/90-oci-rdma-hook.json" fail "does not exist, so that no engine runs the hook"
finds "then the hook is not installed" hook_installed warn
on_a_node chmod 644 "$NODE/usr/local/bin/oci-rdma-hook"
finds "a hook that cannot be executed" "hook_file//$HOOKS/90-oci-rdma-hook.json" fail "chmod 0755"
on_a_node sed -i '/"stages"/s/createRuntime/poststart/' "$NODE/$HOOKS/90-oci-rdma-hook.json"
finds "of ours it says what --check-config says: another stage than the arguments'" "hook_file//$HOOKS/90-oci-rdma-hook.json" fail "write one file for each stage"
on_a_node chmod 666 "$NODE/$HOOKS/90-oci-rdma-hook.json"
finds "a file of ours that others may write" "hook_file//$HOOKS/90-oci-rdma-hook.json" fail "chmod go-w"
on_a_node sed -i 's/"timeout": *[0-9]*/"timeout": 5/' "$NODE/$HOOKS/90-oci-rdma-hook.json"
finds "a timeout that is too short to say why" "hook_file//$HOOKS/90-oci-rdma-hook.json" warn "the 5 s that the hook allows itself"
finds "is no reason to take the hook for missing" hook_installed ok
on_a_node write "$HOOKS/10-x.json" '{"version":"1.0.0","hook":{"path":"/usr/bin/crun"},"when":{"always":true},"stages":["createruntime"]}'
finds "a stage that does not exist" "hook_file//$HOOKS/10-x.json" fail 'stage "createruntime" does not exist'
on_a_node write "$HOOKS/10-x.json" '{"version":"1.0.0",'
finds "malformed JSON" "hook_file//$HOOKS/10-x.json" fail
on_a_node write "$HOOKS/10-x.json" '{"hook":{"path":"/usr/bin/crun"},"when":{"always":true},"stages":["poststop"]}'
finds "no version" "hook_file//$HOOKS/10-x.json" fail version
on_a_node write "$HOOKS/10-x.json" '{"version":"1.0.0","hook":{"path":"/usr/bin/crun"},"when":{"always":true},"stages":["prestart","createRuntime"]}'
finds "both of two stages that are one" "hook_file//$HOOKS/10-x.json" warn twice
on_a_node rm "$NODE/$HOOKS/91-oci-rdma-hook-poststart.json"
finds "half of our hook" hook_installed warn poststart
on_a_node rm -r "$NODE/$HOOKS"
finds "no hook" hook_installed warn "keep the engine's limit"
on_a_node sed -i '/"\/usr\/share/d' "$NODE/etc/crio/crio.conf.d/00-default"
finds "a directory that CRI-O does not read is podman's" "hook_file//$HOOKS/90-oci-rdma-hook.json" ok

# Of one name: hooks_dir's last wins, here /usr/share; with podman /etc's
OVER=etc/containers/oci/hooks.d
poststop='{"version":"1.0.0","hook":{"path":"/usr/bin/crun"},"when":{"always":true},"stages":["poststop"]}'
on_a_node write "$OVER/90-oci-rdma-hook.json" "$poststop"
finds "two of one name: the one that is read first is not in force" "hook_file//$OVER/90-oci-rdma-hook.json" ok \
	"not in force: /$HOOKS/90-oci-rdma-hook.json has the same name"
finds "two of one name: the one that is read last is" "hook_file//$HOOKS/90-oci-rdma-hook.json" ok createRuntime
finds "two of one name: the hook is installed" hook_installed ok
reversed() {
	write etc/crio/crio.conf.d/90-x "[crio.runtime]
hooks_dir = [\"/$HOOKS\", \"/$OVER\"]"
	write "$OVER/90-oci-rdma-hook.json" "$1"
}
on_a_node reversed "$poststop"
finds "two of one name, read the other way round" "hook_file//$HOOKS/90-oci-rdma-hook.json" ok "not in force: /$OVER/90-"
finds "two of one name: ours is not in force, so it is not installed" hook_installed warn "in force"
on_a_node reversed "${poststop/usr\/bin\/crun/nowhere}"
finds "one whose program is missing overrides nothing" "hook_file//$HOOKS/90-oci-rdma-hook.json" ok createRuntime
finds "one whose program is missing overrides nothing: the hook is installed" hook_installed ok
on_a_node reversed '{'
finds "nor does one with a mistake" "hook_file//$HOOKS/90-oci-rdma-hook.json" ok createRuntime
mistake() { reversed "$poststop" && write "$HOOKS/90-oci-rdma-hook.json" '{'; }
on_a_node mistake
finds "a mistake is one, in force or not" "hook_file//$HOOKS/90-oci-rdma-hook.json" fail "will not start again"
podman_alone() { rm -r "$NODE/etc/crio" && write "$OVER/90-oci-rdma-hook.json" "$poststop"; }
on_a_node podman_alone
finds "podman alone: /etc wins" "hook_file//$HOOKS/90-oci-rdma-hook.json" ok "not in force: /$OVER/90-"

rdma() { cp config/machineconfig/60-oci-rdma-hook.conf "$NODE/etc/crio/crio.conf.d/"; }
on_a_node rdma
causes "a handler whose runtime is missing" crio_handler
finds "a handler whose runtime is missing" crio_handler/rdma fail "drops the handler"
with_shim() { rdma && executable usr/local/bin/oci-rdma-runtime-crun; }
on_a_node with_shim
healthy "the MachineConfig's handler, with conmon in PATH"
finds "the MachineConfig's handler" crio_handler/rdma ok
lacks "a CRI-O that runs is not spoken of" crio_running "$(cat "$T/out")"
dead() { with_shim && rm -r "$NODE/proc/812"; }
on_a_node dead
causes "a handler of ours, and CRI-O does not run" crio_running
finds "a handler of ours, and CRI-O does not run" crio_running fail "with the handler rdma (/etc/crio/crio.conf.d/60-oci-rdma-hook.conf)"
off() { rm "$NODE/proc/812/comm"; }
on_a_node off
lacks "without a handler of ours that is not our business" crio_running "$(cat "$T/out")"
# upstream: CRI-O's packages bring crun, runc and conmon along, and the drop-in knows nothing of it
upstream() {
	rm -r "$NODE/etc/crio" "$NODE/usr/bin/conmon"
	write etc/crio/crio.conf.d/10-crio.conf "$(<tests/cli/crio/upstream.conf)"
	for name in crun runc conmon; do executable "usr/libexec/crio/$name"; done
	with_shim
}
on_a_node upstream
causes "a handler whose monitor CRI-O will not find, before it happens" crio_handler
finds "a handler whose monitor CRI-O will not find" crio_handler/rdma fail "no conmon in CRI-O's PATH"
has "…and what mends it" "--crio-handler" "$found"
finds "its neighbour is well" crio_handler/crun ok
made() {
	upstream && rm "$NODE/etc/crio/crio.conf.d/60-oci-rdma-hook.conf" &&
		"$HOOK" --sysroot "$NODE" --crio-handler /usr/local/bin/oci-rdma-runtime-crun >"$T/made" &&
		write etc/crio/crio.conf.d/60-oci-rdma-hook.conf "$(<"$T/made")"
}
on_a_node made
healthy "the handler as --crio-handler makes it"
moved() { made && rm "$NODE/usr/libexec/crio/conmon"; }
on_a_node moved
finds "a monitor that went away" crio_handler/crun fail "/usr/libexec/crio/conmon is not an executable file"
other_runtime() { made && write etc/oci-rdma-hook/config.json '{"runtimes": ["/usr/bin/crun"]}'; }
on_a_node other_runtime
finds "a shim that runs another crun than CRI-O" crio_handler/rdma warn \
	"the shim runs /usr/bin/crun, but CRI-O's own handler crun runs /usr/libexec/crio/crun"
without_hook() { with_shim && rm -r "${NODE:?}/$HOOKS"; }
on_a_node without_hook
finds "the shim is an entry point, too" hook_installed ok "served by the shim"
on_a_node write etc/crio/crio.conf.d/90-x '[crio.runtime]
default_runtime = "kata"'
finds "a default that has no table" crio_handler/kata fail "will not start again"
on_a_node write etc/crio/crio.conf.d/90-x '[crio.runtime.runtimes.crun]
runtime_path = "/opt/crun"'
finds "a table replaces the whole entry, by the order of names" crio_handler/crun fail "it is the default"
two_tables() {
	write etc/crio/crio.conf.d/50-x '[crio.runtime.runtimes.crun]
runtime_path = "/opt/crun"'
	write etc/crio/crio.conf.d/90-x '[crio.runtime.runtimes.crun]
runtime_type = "oci"'
}
on_a_node two_tables
finds "also by one that has no path: then it is looked for" crio_handler/crun ok "(/etc/crio/crio.conf.d/90-x)"
on_a_node write etc/crio/crio.conf.d/90-x '[crio.runtime]
default_ulimits = ["nofile=1024:1024", "memlock=8388608:8388608"]'
finds "memlock of default_ulimits" crio_ulimits warn "memlock=8388608:8388608 (/etc/crio/crio.conf.d/90-x)"
on_a_node write etc/crio/crio.conf.d/90-x '[crio.runtime]
default_ulimits = ["memlock=-1:-1"]'
finds "unlimited by default_ulimits" crio_ulimits ok "in an exec as well"
on_a_node write etc/crio/crio.conf.d/90-x '[crio.runtime]
default_ulimits = ["nofile=1024:1024"]'
finds "default_ulimits without memlock" crio_ulimits ok "default_ulimits (/etc/crio/crio.conf.d/90-x) has no memlock, so that"
on_a_node write etc/crio/crio.conf.d/00-default "[crio.runtime]"
finds "no default_ulimits" crio_ulimits ok "default_ulimits is not set, so that"
on_a_node write etc/crio/crio.conf.d/90-x '[crio.runtime]
default_ulimits = ["memlock=unlimited"]'
finds "a limit that CRI-O cannot read" crio_ulimits fail "will not start again"
on_a_node write etc/crio/crio.conf.d/90-x '[crio.runtime'
finds "a file that is no TOML" crio_config fail "90-x:1"

on_a_node write etc/oci-rdma-hook/config.json '{"memlock": "much"}'
causes "a policy with a mistake" policy
finds "a policy with a mistake: where" policy fail "config.json: line 1"
on_a_node write etc/oci-rdma-hook/config.json '{"opt_in": "device"}'
finds "a policy" policy ok "by device"
finds "every container is meant, and only annotated ones are shown" hook_installed warn "only for annotated containers"
everyone() { write etc/oci-rdma-hook/config.json '{"opt_in": "device"}' && cp config/hooks.d/device/*.json "$NODE/$HOOKS/"; }
on_a_node everyone
finds "the files for every container" hook_installed ok
on_a_node write etc/oci-rdma-hook/config.json '{"namespaces": []}'
finds "a policy that serves nobody" policy warn "namespaces: the list is empty"
on_a_node write sys/fs/selinux/enforce 1
finds "SELinux" selinux ok enforcing
write usr/local/bin/oci-rdma-hook.selinux system_u:object_r:user_home_t:s0
write usr/local/bin/oci-rdma-nri ''
write usr/local/bin/oci-rdma-nri.selinux system_u:object_r:bin_t:s0
doctor --format json
finds "the hook may have any label, since engines are not confined" selinux//usr/local/bin/oci-rdma-hook ok user_home_t
finds "the label of what systemd may start" selinux//usr/local/bin/oci-rdma-nri ok bin_t
for type in user_home_t admin_home_t user_tmp_t tmp_t var_t default_t unlabeled_t container_file_t; do
	write usr/local/bin/oci-rdma-nri.selinux "system_u:object_r:$type:s0"
	doctor --format json
	finds "systemd may not start $type" selinux//usr/local/bin/oci-rdma-nri warn "restorecon -v /usr/local/bin/oci-rdma-nri"
done

doctor
has "text: what is about the whole says so in a group of subjects" \
	"selinux (2): enforcing (/sys/fs/selinux/enforce); label of this process: not known, /usr/local/bin/oci-rdma-hook" \
	"$(tr -s ' \n' ' ' <"$T/out")"

# ---- device files that are listed, and may not be looked at: SELinux refuses getattr of infiniband_device_t ----

# refusing [FILE…]: the doctor's findings where stat of these device files is refused
refusing() {
	strace -f -qq -o /dev/null "${@/#/--trace-path=$NODE/dev/infiniband/}" -e inject=fstat,newfstatat,statx:error=EACCES \
		timeout "$PATIENCE" "$DOCTOR" --sysroot "$NODE" --format json >"$T/out" 2>"$T/err"
	rc=$?
}
h100
in_container "$ALLOCATED"
refusing uverbs6 uverbs7 uverbs10 uverbs11
finds "all refused" rdma_devices fail "4 files in /dev/infiniband"
has "…which is no device that was not requested" "setsebool -P container_use_devices 1" "$found"
finds "…each by its name" uverbs//dev/infiniband/uverbs6 fail "stat(/dev/infiniband/uverbs6): Permission denied"
refusing uverbs7
finds "one refused" rdma_devices ok "3 of the"
finds "…is named" uverbs//dev/infiniband/uverbs7 fail "container_use_devices"
defaults

# ---- a container, looked at from the node ----
h100
soft=8388608 hard=8388608
on_node
doctor --format json --container "$ID"
causes "8 MiB of a container that is granted more, seen from the node: it was not served" plan_memlock
finds "8 MiB of a container" memlock fail "/proc/4711/limits"
defaults
doctor --format json
finds "and not of the node's own shell" memlock ok
mkdir -p "$NODE/run/crun/940942ffff"
write run/crun/940942ffff/status '{"pid":1,"bundle":"/nowhere"}'
doctor --container 940942
is "a beginning of two containers: no guess" "2 1" "$rc $(grep -c 'is the beginning of' "$T/err")"
doctor --container 12345
one_line "no such container" 12345
is "no such container: status" 2 "$rc"
doctor --pid 999999
is "no such process: status" 2 "$rc"
bundle '{"from":"h100-trainer.json","merge":{"linux":{"seccomp":{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"names":["mmap","munmap","madvise"],"action":"SCMP_ACT_ALLOW"}]}}}}'
cp "$B/config.json" "$NODE/run/containers/storage/overlay-containers/$ID/userdata/"
doctor --format json --container "$ID"
finds "a seccomp profile that refuses ioctl" seccomp fail "refuses ioctl, mlock"
printf 4712 >"$NODE/run/containers/storage/overlay-containers/$ID/userdata/pidfile"
doctor --format json --container "$ID"
finds "a container that has ended: its devices are those of its config.json" rdma_devices ok "mlx5_6, mlx5_7, mlx5_10, mlx5_11"
finds "a container that has ended: no limits to read" memlock "not checkable"
write proc/4712/cgroup 0::/other
doctor --format json --container "$ID"
is "a process that is another by now is not taken for it" null "$(jq .target.pid "$T/out")"
write proc/4712/cgroup "0::/crio-${ID}0.scope"
doctor --format json --container "$ID"
is "nor is one of a container whose id only begins like it" null "$(jq .target.pid "$T/out")"
write proc/4712/cgroup "0::/crio-$ID.scope"
doctor --format json --container "$ID"
is "one whose cgroup names it is" 4712 "$(jq .target.pid "$T/out")"

# ---- no RDMA device at all ----
cause() { jq -r '.summary.cause as $id | first(.findings[] | select(.id == $id)) | "\(.id) -> \(.remedy)"' "$T/out"; }
defaults
node '{}'
write proc/self/ns ''
pid_ns=$FIRST_PID process self
doctor --format json
finds "a node without RDMA devices and without our hook: both are told" hook_installed warn
has "…and the device is the cause" "rdma_devices -> If the node has RDMA hardware, load its driver" "$(cause)"
soft=8388608 hard=8388608
node '{}'
in_container
rm -r "$NODE/dev/infiniband"
doctor --format json
has "a container without device and annotation: the first step is the request" " -> Request a device: in resources.limits of the pod" "$(cause)"
lacks "…and no module is loaded in a container" modprobe "$(jq -r '.findings[] | select(.id == "rdma_devices" or .id == "memlock").remedy' "$T/out")"
h100
in_container
doctor --format json
has "control: with a device it is the annotation" "memlock -> Run oci-rdma-doctor --container ID on the node" "$(cause)"

# ---- which NCCL, and how many settings it reads ----
versions() { jq -r '.findings[] | select(.id == "versions").evidence' "$T/out"; }
defaults
h100
in_container "$ALLOCATED" NCCL_VERSION=2.17.1-1 NCCL_DEBUG=INFO NCCL_HOME=/opt/nccl
write etc/nccl.conf $'NCCL_DEBUG=WARN\nNCCL_IB_HCA ==mlx5_6\nNCCL_IB_TC=106\nPATH=/bin\n#NCCL_NET=IB'
doctor --format json
finds "only variables that NCCL reads are counted, and each once" nccl_conf ok "2 settings; files read"
lacks "the version of an image's package is not NCCL's" "NCCL " "$(versions)"
write usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5 ''
doctor --format json
has "the library that the loader finds" "NCCL 2.27.5 (/usr/lib/x86_64-linux-gnu/libnccl.so.2.27.5)" "$(versions)"
lacks "…and not the image's variable" 2.17.1 "$(versions)"
SITE=usr/lib/python3/dist-packages
write $SITE/nvidia_nccl_cu12-2.21.5.dist-info/METADATA ''
write proc/self/maps "7f0000000000-7f0000001000 r--p 00000000 00:2f 12 /usr/lib/libc.so.6
7f0000002000-7f0000003000 r-xp 00000000 00:2f 11 /$SITE/nvidia/nccl/lib/libnccl.so.2"
doctor --format json
has "the library that the process has loaded: a wheel's" "NCCL 2.21.5 (/$SITE/nvidia/nccl/lib/libnccl.so.2, which the process has loaded)" "$(versions)"
rm -r "$NODE/$SITE/nvidia_nccl_cu12-2.21.5.dist-info"
doctor --format json
has "…whose version nothing says" "NCCL of unknown version (/$SITE" "$(versions)"
write proc/self/maps "7f0000002000-7f0000003000 r-xp 00000000 00:2f 11 /opt/nccl/lib/libnccl.so.2.30.7"
doctor --format json
has "…or by the file's name" "NCCL 2.30.7 (/opt/nccl/lib/libnccl.so.2.30.7, which" "$(versions)"
finish
