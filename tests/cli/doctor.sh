#!/bin/bash
# shellcheck disable=SC2317 # commands that try calls
# oci-rdma-doctor on recorded nodes and containers: each failure that users lived through is found by name, and nothing is found
# where all is well.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
FULL=00000000000045fb # with CAP_IPC_LOCK
where() { jq -r '.where + " " + .where_evidence' "$T/out"; }

# ---- all is well ----
row "a healthy container: nothing fails or warns, and each finding says what was seen"
container
healthy "nothing is wrong"
is "where it is" "container /run/.containerenv is there" "$(where)"
also rdma_devices ok "4 of the 14 that sysfs shows: mlx5_6, mlx5_7, mlx5_10, mlx5_11"
also uverbs//dev/infiniband/uverbs6 ok "231:198 is mlx5_6"
also port/mlx5_6 ok "ACTIVE, 400 Gb/s Ethernet, so RoCE"
also gid/mlx5_10 ok "GID 3 is ::ffff:10.0.105.7, RoCE v2"
also mtu/mlx5_7 ok "net2 has 9000"
also memlock ok "unlimited, hard unlimited (/proc/self/limits)"
also gpudirect ok "DMA-BUF: driver 580.65.06"
also node_files "not checkable" "--container ID"

row "a healthy node"
on_a_node true
healthy "nothing is wrong"
has "where it is" "node " "$(where)"
also kernel_log ok "no IOMMU fault in 2 records"
also hook_installed ok
row "a healthy container, seen from the node, by its id or its process"
doctor --format json --container 940942ebb876
healthy "by its id"
is "which" "$ID 4711" "$(jq -r '.target | "\(.container) \(.pid)"' "$T/out")"
also memlock ok "/proc/4711/limits"
also seccomp ok "/userdata/config.json"
doctor --format json --pid 4711
healthy "by its process"
soft=8388608 hard=8388608 process 4711
for self in 4026531841 ''; do
	row "a process with a low limit is judged by its container's plan, its mount namespace ${self:+not }shown"
	[ -n "$self" ] || ln -sfn 'mnt:[4026532998]' "$NODE/proc/4711/ns/mnt"
	ln -sfn 'mnt:[4026531841]' "$NODE/proc/self/ns/mnt"
	doctor --format json --pid 4711
	also memlock fail "does not have it: see the finding plan_memlock"
done

# ---- memlock; the numbers are those of the failures that users lived through ----
soft=8388608 hard=8388608 try "1: memlock 8 MiB is the cause" memlock fail "soft 8 MiB, hard 8 MiB (/proc/self/limits)" container
has "the remedy is the annotation" 'oci-rdma-hook.io/inject: "true"' "$found"
has "what it leads to" ENOMEM "$found"
causes "the cause" memlock
soft=8388608 try "the soft limit alone counts" memlock fail "ulimit -l unlimited before the program starts" container
low_exec() { soft=unlimited hard=unlimited process 1; }
soft=8388608 hard=8388608 try "an exec beside a served process 1, which lacks the capability as well" memlock fail "an exec gets the engine's limit" in_pod low_exec
also ipc_lock warn "so that the limit counts, which is too low"
soft=8388608 hard=8388608 capabilities=$FULL try "3: IPC_LOCK lifts the limit without changing it" memlock ok "CAP_IPC_LOCK overrides the limit" container
also ipc_lock ok "in the first user namespace"
healthy "nothing else is wrong"
soft=8388608 hard=8388608 capabilities=$FULL user_ns=4026533001 try "IPC_LOCK in a user namespace does not count" ipc_lock warn "in a user namespace" container
also memlock fail
soft=8388608 hard=8388608 capabilities=0000000000000000 bounding=$FULL try "IPC_LOCK that another user than root lost" ipc_lock warn "not effective" container
row "IPC_LOCK in a user namespace does not matter if the limit is raised"
capabilities=$FULL user_ns=4026533001 container
healthy "nothing is wrong"
soft=536870912 hard=536870912 try "512 MiB: some, but little" memlock warn "512 MiB" container

# ---- what is pinned ----
# pins PID VMPIN VMLCK [CGROUP]: a process that pins so many kB
pins() {
	process "$1"
	printf 'VmLck:\t%8d kB\nVmPin:\t%8d kB\n' "$3" "$2" >>"$NODE/proc/$1/status"
	[ $# -lt 4 ] || write "proc/$1/cgroup" "$4"
}
on_a_node true
pins 4711 262144 0
pins 4712 1024 512
pins 4713 99999 0 "0::/kubepods.slice/crio-$ID.scope/child"
pins 4714 99999 0 "0::/kubepods.slice/crio-${ID}0.scope"
pins 4715 99999 0 "0::/"
write "sys/fs/cgroup/kubepods.slice/crio-$ID.scope/memory.max" 68719476736
doctor --format json --container 940942ebb876
row "what its processes pin, those of its cgroup and below, and what bounds it"
also pinned ok "363679 KiB by 3 processes (VmPin and VmLck of /proc/PID/status); its memory limit is 65536 MiB"
is "for programs" 372407296 "$(jq -r '.findings[] | select(.id == "pinned").values.bytes' "$T/out")"
for max in max:"no memory limit bounds it" odd:"not seen here"; do
	write "sys/fs/cgroup/kubepods.slice/crio-$ID.scope/memory.max" "${max%%:*}"
	doctor --format json --container 940942ebb876
	row "memory.max is ${max%%:*}"
	also pinned ok "${max#*:}"
done
for pid in 4711 4712; do
	write "proc/$pid/cgroup" "4:memory:/kubepods.slice/crio-$ID.scope
0::/kubepods.slice/crio-$ID.scope"
done
write proc/4712/cgroup "4:memory:/kubepods.slice/crio-$ID.scope/a
0::/kubepods.slice/crio-$ID.scope"
doctor --format json --container 940942ebb876
row "cgroup v1: those with the same list"
also pinned ok "256 MiB by 1 process ("
for pid in 4711 4712; do write "proc/$pid/cgroup" "0::/../../kubepods.slice/crio-$ID.scope"; done
doctor --format json --container 940942ebb876
row "seen from a pod of the node: a container outside of our cgroup namespace"
also pinned ok "263680 KiB by 2 processes ("

row "in the container: its own processes, and none outside of its cgroup namespace"
container
write proc/self/cgroup "0::/"
pins 1 1024 0 "0::/"
pins 77 1024 0 "0::/../other"
doctor --format json
also pinned ok "1 MiB by 1 process ("
row "what sysfs says with a blank leaves the JSON whole"
container
write sys/class/infiniband/mlx5_6/ports/1/link_layer "Infini Band"
doctor --format json
is "its values" '{"state":"ACTIVE","rate_gbps":"400","link_layer":"Infini"}' "$(jq -c '.findings[] | select(.id == "port" and .subject == "mlx5_6").values' "$T/out")"
# ---- IOMMU ----
arguments='intel_iommu=on'
try "2, 6: a translated VF is the cause of LOC_PROT_ERR, not memlock" iommu_group/mlx5_6 fail "IBV_WC_LOC_PROT_ERR (status 4, vendor error 81)" \
	described "$(vf '"iommu":"DMA-FQ"')"
has "what mends it" "iommu=pt" "$found"
causes "the cause" iommu_group
also iommu_group/mlx5_7 ok identity
also memlock ok
also iommu_arguments ok "intel_iommu=on"
try "a translated GPU" "iommu_group/GPU 0000:1b:00.0" fail LOC_PROT_ERR described '(.functions[] | select(.vendor == "0x10de")).iommu = "DMA"'
try "without a GPU translation is no fault" iommu_group/mlx5_6 ok "fine for host memory" \
	described '.iommu = "DMA" | del(.functions[] | select(.vendor == "0x10de"))'
healthy "nothing is wrong"
try "no IOMMU" iommu_group/mlx5_6 ok "" described '.iommu = null'
unset arguments

kmsg() { write dev/kmsg "6,1,0,-;Linux version"$'\n'"3,900,77,-;$1"; }
try "a DMAR fault of ours in the kernel's log" kernel_log fail "1 IOMMU fault since boot" \
	on_a_node kmsg 'DMAR: [DMA Write NO_PASID] Request device [3b:02.6] fault addr 0x20b000 [fault reason 0x05] PTE Write access is not set'
try "an AMD-Vi fault" kernel_log fail "0000:5d:00.3" \
	on_a_node kmsg 'mlx5_core 0000:5d:00.3: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0012 address=0x20b000 flags=0x0020]'
try "a fault of another device only warns" kernel_log warn "none of them of an HCA or GPU" \
	on_a_node kmsg 'DMAR: [DMA Read NO_PASID] Request device [00:14.0] fault addr 0x20b000 [fault reason 0x06]'
try "no log, no guess" kernel_log "not checkable" "" on_a_node rm "$NODE/dev/kmsg"

# ACS: a GPU and an HCA below one switch
bridges='.bridges = {"0000:3b":["0000:38:00.0","0000:39:00.0","0000:3a:01.0"],"0000:1b":["0000:38:00.0","0000:39:00.0","0000:3a:02.0"]}'
try "ACS redirect on the bridge between them" acs/0000:3a:01.0 warn "control 001d" described "$bridges"' | .acs = {"0000:3a:01.0":29,"0000:3a:02.0":0}'
is "on that one only" 1 "$(jq '[.findings[] | select(.id == "acs")] | length' "$T/out")"
try "ACS on a bridge above the switch does not count" acs ok "2 bridges" described "$bridges"' | .acs = {"0000:38:00.0":29,"0000:3a:02.0":0}'
truncate -s 64 "$NODE"/sys/devices/pci0000:38/0000:38:00.0/0000:39:00.0/0000:3a:0[12].0/config
try "64 bytes of a bridge, as another user than root sees" acs "not checkable" "2 of 2 bridges" doctor --format json

# ---- NCCL ----
try "7: NCCL_IB_HCA without =" nccl_ib_hca/mlx5_1 warn 'selects mlx5_10' container NCCL_IB_HCA=mlx5_1,mlx5_6
has "the remedy is what to write" "NCCL_IB_HCA==mlx5_1,mlx5_6" "$found"
row "a beginning that is no device's name is meant as one"
container NCCL_IB_HCA=mlx5
healthy "nothing is wrong"
try "13: an HCA that is not this container's, and one of another node" nccl_ib_hca/mlx5_12 warn "on the node, but does not belong to this container" \
	container NCCL_IB_HCA=mlx5_12,mlx5_99,mlx5_6
also nccl_ib_hca/mlx5_99 warn "not the name of a device here"
try "names of another node only: no device" nccl_ib_hca fail "No device found" container NCCL_IB_HCA==mlx5_99
causes "the cause" nccl_ib_hca

try "8: GID index 3 where it fits" nccl_ib_gid_index/mlx5_6 ok "choose it without this variable" container NCCL_IB_GID_INDEX=3
healthy "nothing is wrong"
try "a RoCE v1 entry" nccl_ib_gid_index/mlx5_6 fail "RoCE v1" container NCCL_IB_GID_INDEX=2
try "a link-local entry" nccl_ib_gid_index/mlx5_6 fail "" container NCCL_IB_GID_INDEX=0
try "an index behind the table" nccl_ib_gid_index/mlx5_6 fail "not in the table" container NCCL_IB_GID_INDEX=99
shifted='[["fe80::1",1,"net1"],["fe80::1",2,"net1"],["2001:db8::1",1,"net1"],["2001:db8::1",2,"net1"],["::ffff:10.0.103.7",1,"net1"],["::ffff:10.0.103.7",2,"net1"]]'
try "8: a second address has moved it, on this device only" nccl_ib_gid_index/mlx5_6 warn "GID 5 is suitable, ::ffff:10.0.103.7" \
	described "(.functions[].vfs[]? | select(.ibdev == \"mlx5_6\")) |= (del(.ip) | .gids = $shifted)" NCCL_IB_GID_INDEX=3
also nccl_ib_gid_index/mlx5_7 ok

interfaces='lo eth0 net1 net2 net10' try "10: net1 also means net10" nccl_socket_ifname warn "also selects net10" container NCCL_SOCKET_IFNAME=net1
has "the remedy is what to write" "NCCL_SOCKET_IFNAME==net1" "$found"
try "10: the bootstrap on an RDMA rail" nccl_socket_ifname warn "the interface of mlx5_6" container NCCL_SOCKET_IFNAME=net1,net2,net3,net4
try "the pod's own interface" nccl_socket_ifname ok "selects eth0" container NCCL_SOCKET_IFNAME==eth0
try "an interface that is not there" nccl_socket_ifname fail "no socket interface found" container NCCL_SOCKET_IFNAME=bond0
causes "the cause" nccl_socket_ifname

try "15: NCCL_IB_DISABLE=0 is the default" nccl_ib_disable ok "" container NCCL_IB_DISABLE=0
row "1: NCCL_IB_DISABLE=1 is TCP"
container NCCL_IB_DISABLE=1
causes "the cause" nccl_ib_disable

# files, in NCCL's order
conf_files() {
	in_container "$ALLOCATED" "$1"
	write etc/nccl.conf $'NCCL_IB_HCA==mlx5_7\nNCCL_IB_DISABLE=1'
	write root/.nccl.conf 'NCCL_IB_DISABLE=0'
}
try "the environment wins, then the user's own file" nccl_ib_hca ok "=mlx5_6 (/proc/self/environ)" in_pod conf_files NCCL_IB_HCA==mlx5_6
also nccl_ib_disable ok "(/root/.nccl.conf)"
try "NCCL_CONF_FILE takes the place of the user's file" nccl_ib_disable fail "(/etc/nccl.conf)" in_pod conf_files NCCL_CONF_FILE=/opt/nccl.conf
row "a link does not lead out of the container"
in_pod ln -sfn /../../../../../../../../etc/passwd "$NODE/etc/nccl.conf"
lacks "the node's passwd" root:x "$(cat "$T/out")"

# ---- devices ----
try "a device file whose number is another device by now is the cause" uverbs//dev/infiniband/uverbs6 fail "is uverbs7, mlx5_7" \
	in_pod device_files . uverbs6=231:199 uverbs7=231:199
causes "the cause" uverbs
also allocation/0000:3b:02.6 fail
try "a device file whose number is no device any more" uverbs//dev/infiniband/uverbs6 fail "231:250 belongs to no verbs device" \
	in_pod device_files . uverbs6=231:250
try "no device files in the container: the node's are not taken for its own" rdma_devices fail "has 14 devices ->" in_pod rm -r "$NODE/dev/infiniband"
causes "the cause" rdma_devices
is "no device is spoken of" "" "$(jq -r '.findings[] | select(.subject | test("^mlx5")) | "\(.id) \(.subject)"' "$T/out")"
try "11: a privileged pod takes what others were given" nccl_ib_hca/mlx5_12 fail "not allocated" in_pod device_files . uverbs12=231:204
try "no rdma_cm in a pod: its device plugin hands it out" rdma_cm warn "restart the device plugin" in_pod rm "$NODE/dev/infiniband/rdma_cm"

described "$(vf '"exclusive":true')"
write sys/module/ib_core/parameters/netns_mode N
try "exclusive mode: a device in another network namespace is the cause" rdma_netns/mlx5_6 fail "EPERM" doctor --format json
causes "the cause" rdma_netns
also rdma_netns_mode ok exclusive

try "a port that is down is the cause" port/mlx5_6 fail "DOWN, Polling" described "$(vf '"state":"DOWN"')"
causes "the cause" port
try "an interface without an address" gid/mlx5_6 fail "no RoCE v2 GID" described "$(vf '"gids":[["fe80::1",1,"net1"],["fe80::1",2,"net1"]],"slots":8')"
try "IPv6 only" gid/mlx5_6 warn "2001:db8::7" described "$(vf '"gids":[["fe80::1",1,"net1"],["2001:db8::7",2,"net1"]],"slots":8')"
try "14: InfiniBand is InfiniBand, and needs no IPv4 GID" port/mlx5_6 ok "Gb/s InfiniBand" described "$(vf '"link_layer":"InfiniBand"')"
healthy "nothing is wrong"
try "MTUs: 1500, one byte less than 4096 and RoCE's headers, and as much as that" mtu/mlx5_6 warn "net1 has MTU 1500" \
	described '.mtus = {"net1":1500,"net2":4191,"net3":4192,"net4":9000}'
also mtu/mlx5_7 warn "net2 has MTU 4191"
also mtu/mlx5_10 ok "net3 has 4192"

# ---- GPUDirect ----
closed() { write proc/driver/nvidia/version 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07'; }
try "closed modules without peermem" gpudirect warn "copies through host memory" in_pod closed
mkdir -p "$NODE/sys/module/nvidia_peermem"
try "closed modules with peermem" gpudirect ok "nvidia_peermem" doctor --format json
rm -r "$NODE/sys/module/nvidia"
try "no driver" gpudirect "not checkable" "" doctor --format json

# ---- how far GPU and HCAs are apart: behind the same switch, behind a second one below it, below the same host bridge, below another
# one of the same NUMA node, of another NUMA node, and where the firmware does not say which; a device without a PCI function ----
below() { printf '"below":["%s"]' "$(paste -sd ' ' <<<"$*" | sed 's/ /","/g')"; }
defaults
node "{\"functions\":[
	{\"pci\":\"0000:1b:00.0\",\"gpu\":0,\"numa\":0,$(below 0000:18:00.0 0000:19:00.0 0000:1a:00.0)},
	{\"pci\":\"0000:1c:00.0\",\"ibdev\":\"mlx5_0\",\"numa\":0,$(below 0000:18:00.0 0000:19:00.0 0000:1a:01.0),\"vfs\":[
		{\"pci\":\"0000:1c:00.2\",\"ibdev\":\"mlx5_10\"}],\"sfs\":[{\"sf\":4,\"ibdev\":\"mlx4_9\",\"uverbs\":41}]},
	{\"pci\":\"0000:22:00.0\",\"ibdev\":\"mlx5_1\",\"numa\":0,$(below 0000:18:00.0 0000:19:00.0 0000:1a:02.0 0000:20:00.0 0000:21:00.0)},
	{\"pci\":\"0000:30:00.0\",\"ibdev\":\"mlx5_2\",\"numa\":0,$(below 0000:18:01.0)},
	{\"pci\":\"0000:40:00.0\",\"ibdev\":\"mlx5_3\",\"numa\":0,$(below 0000:3f:00.0)},
	{\"pci\":\"0000:9a:00.0\",\"ibdev\":\"mlx5_4\",\"numa\":1,$(below 0000:99:00.0)},
	{\"pci\":\"0000:ba:00.0\",\"ibdev\":\"mlx5_5\",$(below 0000:b9:00.0)}],
	\"virtual\":[{\"ibdev\":\"rxe0\",\"uverbs\":40,\"netdev\":\"eth1\"}]}"
process self
try "the distance of each HCA from a GPU" distance/0000:1b:00.0 ok \
	"NUMA node 0, mlx4_9 PIX, mlx5_0 PIX, mlx5_1 PXB, mlx5_2 PHB, mlx5_3 NODE, mlx5_4 SYS, mlx5_5 SYS, mlx5_10 PIX (/sys" doctor --format json
row "--topology: that alone, with all names; without a GPU it says so"
doctor --topology
is "status, and what is said" "0 distance" "$rc $(sed -n 's/^ok *\([a-z_]*\) .*/\1/p' "$T/out")"
has "the names" "mlx5_5 SYS, mlx5_10 PIX" "$(tr -s ' \n' ' ' <"$T/out")"
node '{}'
process self
doctor --topology
has "no GPU" "distance: there is no GPU" "$(<"$T/out")"
node '{"functions":[{"pci":"0000:1b:00.0","gpu":0},{"pci":"0000:1c:00.0","ibdev":"mlx5_0"}]}'
process self
doctor --topology
has "a virtual machine without NUMA: what its distances are worth" "not that of the host" "$(tr -s ' \n' ' ' <"$T/out")"

# ---- the node's files ----
HOOKS=usr/share/containers/oci/hooks.d
OURS=hook_file//$HOOKS/90-oci-rdma-hook.json
FILE=$NODE/$HOOKS/90-oci-rdma-hook.json
try "a precreate hook where CRI-O reads" "hook_file//$HOOKS/90-oci-rdma-hook-precreate.json" fail "CRI-O will not start again" \
	on_a_node cp config/podman/precreate.d/90-oci-rdma-hook-precreate.json "$NODE/$HOOKS/"
try "a hook whose executable is missing is the cause" "$OURS" fail "does not exist, so that no engine runs the hook" on_a_node rm "$NODE/usr/local/bin/oci-rdma-hook"
causes "the cause" hook_file
also hook_installed warn
try "a hook that cannot be executed" "$OURS" fail "chmod 0755" on_a_node chmod 644 "$NODE/usr/local/bin/oci-rdma-hook"
try "a file of ours: it says what --check-config says" "$OURS" fail "write one file for each stage" on_a_node sed -i '/"stages"/s/createRuntime/poststart/' "$FILE"
try "a file of ours that others may write" "$OURS" fail "chmod go-w" on_a_node chmod 666 "$FILE"
try "a timeout that is too short to say why: the hook is there all the same" "$OURS" fail "the 5 s that the hook allows itself" \
	on_a_node sed -i 's/"timeout": *[0-9]*/"timeout": 5/' "$FILE"
also hook_installed ok
# somebodys NAME PART JSON: another's file, with which CRI-O does not start
somebodys() { try "$1" "hook_file//$HOOKS/10-x.json" fail "$2" on_a_node write "$HOOKS/10-x.json" "$3"; }
crun='"hook":{"path":"/usr/bin/crun"},"when":{"always":true}'
somebodys "a stage that does not exist" 'stage "createruntime" does not exist' "{\"version\":\"1.0.0\",$crun,\"stages\":[\"createruntime\"]}"
somebodys "a hook file that is no JSON" "" '{"version":"1.0.0",'
somebodys "a hook file without version" version "{$crun,\"stages\":[\"poststop\"]}"
try "half of our hook" hook_installed warn poststart on_a_node rm "$NODE/$HOOKS/91-oci-rdma-hook-poststart.json"
try "no hook" hook_installed warn "keep the engine's limit" on_a_node rm -r "$NODE/$HOOKS"
try "a directory that CRI-O does not read: where it looks" "$OURS" fail "move the file to /etc/containers/oci/hooks.d, or add" \
	on_a_node sed -i '/"\/usr\/share/d' "$NODE/etc/crio/crio.conf.d/00-default"
also hook_installed warn "keep the engine's limit"
by_default() { sed -i '/^hooks_dir/,/^]/d' "$NODE/etc/crio/crio.conf.d/00-default"; }
try "CRI-O's own default is /usr/share" "$OURS" ok createRuntime on_a_node by_default

# Of one name: hooks_dir's last wins, here /usr/share; with podman /etc's
OVER=etc/containers/oci/hooks.d
poststop="{\"version\":\"1.0.0\",$crun,\"stages\":[\"poststop\"]}"
try "two files of one name: the one that is read last is in force" "$OURS" ok createRuntime \
	on_a_node write "$OVER/90-oci-rdma-hook.json" "$poststop"
also hook_installed ok
is "hooks and handlers of others are not spoken of" "/$HOOKS/90-oci-rdma-hook.json /$HOOKS/91-oci-rdma-hook-poststart.json" \
	"$(jq -r '[.findings[] | select(.id == "crio_handler" or .id == "hook_file").subject] | join(" ")' "$T/out")"
reversed() {
	write etc/crio/crio.conf.d/90-x $'[crio.runtime]\nhooks_dir = ["/'"$HOOKS\", \"/$OVER\"]"
	write "$OVER/90-oci-rdma-hook.json" "$1"
}
try "…read the other way round, the hook is not installed" "$OURS" ok "not in force: /$OVER/90-" on_a_node reversed "$poststop"
also hook_installed warn "in force"
try "…unless the other's program is missing" "$OURS" ok createRuntime on_a_node reversed "${poststop/usr\/bin\/crun/nowhere}"
also hook_installed ok
try "…or the other has a mistake" "$OURS" ok createRuntime on_a_node reversed '{'
mistake() { reversed "$poststop" && write "$HOOKS/90-oci-rdma-hook.json" '{'; }
try "a mistake is one, in force or not" "$OURS" fail "will not start again" on_a_node mistake
podman_alone() { rm -r "$NODE/etc/crio" && write "$OVER/90-oci-rdma-hook.json" "$poststop"; }
try "podman alone: /etc wins" "$OURS" ok "not in force: /$OVER/90-" on_a_node podman_alone

rdma() { cp config/machineconfig/60-oci-rdma-hook.conf "$NODE/etc/crio/crio.conf.d/"; }
try "a handler whose runtime is missing is the cause" crio_handler/rdma fail "leaves the handler out" on_a_node rdma
causes "the cause" crio_handler
with_shim() { rdma && executable usr/local/bin/oci-rdma-runtime-crun; }
try "the MachineConfig's handler, with conmon in PATH" crio_handler/rdma ok "" on_a_node with_shim
healthy "nothing is wrong"
# upstream: CRI-O's packages bring crun, runc and conmon along, and the drop-in knows nothing of it
upstream() {
	rm -r "$NODE/etc/crio" "$NODE/usr/bin/conmon"
	write etc/crio/crio.conf.d/10-crio.conf "$(<tests/cli/crio/upstream.conf)"
	for name in crun runc conmon; do executable "usr/libexec/crio/$name"; done
	with_shim
}
try "a handler whose monitor CRI-O will not find is the cause, before it happens" crio_handler/rdma fail "no conmon in CRI-O's PATH" on_a_node upstream
has "what mends it" "--crio-handler" "$found"
causes "the cause" crio_handler
made() {
	upstream && rm "$NODE/etc/crio/crio.conf.d/60-oci-rdma-hook.conf" &&
		"$ADMIN" --sysroot "$NODE" --crio-handler /usr/local/bin/oci-rdma-runtime-crun >"$T/made" &&
		write etc/crio/crio.conf.d/60-oci-rdma-hook.conf "$(<"$T/made")"
}
row "the handler as --crio-handler makes it"
on_a_node made
healthy "nothing is wrong"
moved() { made && rm "$NODE/usr/libexec/crio/conmon"; }
try "a monitor that went away" crio_handler/rdma fail "/usr/libexec/crio/conmon is not an executable file" on_a_node moved
other_runtime() { made && write etc/oci-rdma-hook/runtimes /usr/bin/crun; }
try "a shim that runs another crun than CRI-O" crio_handler/rdma fail \
	"the shim runs /usr/bin/crun, but CRI-O's own handler crun runs /usr/libexec/crio/crun" on_a_node other_runtime
without_hook() { with_shim && rm -r "${NODE:?}/$HOOKS"; }
try "the shim is an entry point" hook_installed ok "with the shim's handler are served" on_a_node without_hook
docker_without_shim() {
	rm -r "${NODE:?}/$HOOKS"
	write etc/docker/daemon.json "$(<config/docker/daemon.json)"
}
try "a runtime of Docker's whose shim is not there is none" hook_installed warn "keep the engine's limit" on_a_node docker_without_shim
also docker_runtime/rdma fail "nothing starts with it"
is "nothing is ok of what is not installed" "" "$(jq -r '.findings[] | select(.id == "nri" or .id == "entry_points") | .id' "$T/out")"

# crio_conf NAME FINDING STATUS PART TEXT: another file of CRI-O's, the last one
crio_conf() { try "${@:1:4}" on_a_node write etc/crio/crio.conf.d/90-x "$5"; }
two_tables() {
	with_shim
	write etc/crio/crio.conf.d/90-x "[crio.runtime.runtimes.rdma]
runtime_path = \"/opt/oci-rdma-runtime-crun\""
}
try "a table replaces the whole entry, by the order of names" crio_handler/rdma fail "/opt/oci-rdma-runtime-crun" on_a_node two_tables
# ulimits NAME STATUS PART LIST
ulimits() { crio_conf "$1" crio_ulimits "$2" "$3" "[crio.runtime]"$'\n'"default_ulimits = [$4]"; }
ulimits "memlock of default_ulimits" warn "memlock=8388608:8388608 (/etc/crio/crio.conf.d/90-x)" '"nofile=1024:1024", "memlock=8388608:8388608"'
ulimits "unlimited by default_ulimits" ok "in an exec as well" '"memlock=-1:-1"'
ulimits "default_ulimits without memlock" ok "default_ulimits has no memlock, so that" '"nofile=1024:1024"'

# policy NAME FINDING STATUS PART CONFIG
policy() { try "${@:1:4}" on_a_node write etc/oci-rdma-hook/config.json "$5"; }
policy "a policy with a mistake is the cause" policy fail "config.json: line 1" '{"memlock": "much"}'
causes "the cause" policy
policy "a policy for every container, and hook files for annotated ones" "$OURS" fail "as the files of hooks.d/device do" '{"opt_in": "device"}'
also policy ok "by device"
everyone() { write etc/oci-rdma-hook/config.json '{"opt_in": "device"}' && cp config/hooks.d/device/*.json "$NODE/$HOOKS/"; }
try "…and the files for every container" "$OURS" ok "" on_a_node everyone
policy "a policy that serves nobody" policy fail "namespaces: the list is empty" '{"namespaces": []}'
try "SELinux" selinux ok enforcing on_a_node write sys/fs/selinux/enforce 1
write usr/local/bin/oci-rdma-nri ''
write usr/local/bin/oci-rdma-nri.selinux system_u:object_r:bin_t:s0
try "a label that systemd may start" selinux//usr/local/bin/oci-rdma-nri ok bin_t doctor --format json
row "the labels that systemd may not start"
for type in user_home_t admin_home_t user_tmp_t tmp_t var_t default_t unlabeled_t container_file_t; do
	write usr/local/bin/oci-rdma-nri.selinux "system_u:object_r:$type:s0"
	doctor --format json
	finds "$type" selinux//usr/local/bin/oci-rdma-nri warn "restorecon -v /usr/local/bin/oci-rdma-nri"
done
# ---- device files that are listed, and may not be looked at: SELinux refuses getattr of infiniband_device_t ----

# refusing [FILE…]: the doctor's findings where stat of these device files is refused
refusing() {
	h100
	in_container "$ALLOCATED"
	strace -f -qq -o /dev/null "${@/#/--trace-path=$NODE/dev/infiniband/}" -e inject=fstat,newfstatat,statx:error=EACCES \
		timeout "$PATIENCE" "$DOCTOR" --sysroot "$NODE" --format json >"$T/out" 2>"$T/err"
	rc=$?
}
try "all device files are refused: no device that was not requested" rdma_devices fail "4 files in /dev/infiniband" refusing uverbs6 uverbs7 uverbs10 uverbs11
has "what to do" "setsebool -P container_use_devices 1" "$found"
has "what to do in a user namespace" "mode 0 in a pod with hostUsers: false comes from CRI-O with crun: use CDI or runc" "$found"
also uverbs//dev/infiniband/uverbs6 fail "stat(/dev/infiniband/uverbs6): Permission denied"
try "one device file is refused" rdma_devices ok "3 of the" refusing uverbs7
also uverbs//dev/infiniband/uverbs7 fail "container_use_devices"

# ---- a container, looked at from the node ----
h100
soft=8388608 hard=8388608
on_node
try "8 MiB of a container that is granted more, seen from the node: it was not served" memlock fail "/proc/4711/limits" doctor --format json --container "$ID"
causes "the cause" plan_memlock
defaults
try "…and not of the node's own shell" memlock ok "" doctor --format json
mkdir -p "$NODE/run/crun/940942ffff"
write run/crun/940942ffff/status '{"pid":1,"bundle":"/nowhere"}'
# unfound NAME PART OPTION…
unfound() {
	row "$1"
	doctor "${@:3}"
	is "status" 2 "$rc"
	one_line "one line" "$2"
}
unfound "a beginning of two containers: no guess" "is the beginning of" --container 940942
unfound "no such container" 12345 --container 12345
unfound "no such process" 999999 --pid 999999
USERDATA=run/containers/storage/overlay-containers/$ID/userdata
bundle '{"from":"h100-trainer.json","merge":{"linux":{"seccomp":{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"names":["mmap","munmap","madvise"],"action":"SCMP_ACT_ALLOW"}]}}}}'
cp "$B/config.json" "$NODE/$USERDATA/"
try "a seccomp profile that refuses ioctl" seccomp fail "refuses ioctl, mlock" doctor --format json --container "$ID"
printf 4712 >"$NODE/$USERDATA/pidfile"
try "a container that has ended: its devices are those of its config.json, and there are no limits to read" \
	rdma_devices ok "mlx5_6, mlx5_7, mlx5_10, mlx5_11" doctor --format json --container "$ID"
also memlock "not checkable"
row "a process is a container's if its cgroup names it, and not another, nor one that begins like it"
for case in "null 0::/other" "null 0::/crio-${ID}0.scope" "4712 0::/crio-$ID.scope"; do
	write proc/4712/cgroup "${case#* }"
	doctor --format json --container "$ID"
	is "${case#* }" "${case% *}" "$(jq .target.pid "$T/out")"
done

# ---- no RDMA device at all ----
cause() { jq -r '.summary.cause as $id | first(.findings[] | select(.id == $id)) | "\(.id) -> \(.remedy)"' "$T/out"; }
node '{}'
write proc/self/ns ''
pid_ns=$FIRST_PID process self
try "a node without RDMA devices and without our hook: the device is the cause" hook_installed warn "" doctor --format json
has "the cause" "rdma_devices -> If the node has RDMA hardware, load its driver" "$(cause)"
row "a container without device and annotation: the first step is the request, and no module is loaded"
soft=8388608 hard=8388608
node '{}'
in_container
rm -r "$NODE/dev/infiniband"
doctor --format json
has "the cause" " -> Request a device: in resources.limits of the pod" "$(cause)"
lacks "no module" modprobe "$(jq -r '.findings[] | select(.id == "rdma_devices" or .id == "memlock").remedy' "$T/out")"
h100
in_container
doctor --format json
has "control: with a device it is the annotation" "memlock -> Run oci-rdma-doctor --container ID on the node" "$(cause)"

finish
