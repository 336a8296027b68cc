#!/bin/bash
# Which containers were allocated RDMA devices: only device numbers prove it. What each form of the env and of the rules says: unit core/spec,
# core/container; which ports NCCL is told of: unit core/plan
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
node h100

plan '{"env":["PCIDEVICE_OPENSHIFT_IO_X=0000:3b:02.6","PCIDEVICE_OPENSHIFT_IO_X_INFO={\"0000:3b:02.6\":{\"rdma\":{\"rdma_dev\":\"mlx5_6\",\"uverbs\":\"/dev/infiniband/uverbs6\"}}}"]}'
decides "a forged env without a device gives nothing" none
that "no device is shown" '.devices | length' 0
that "nothing is set" '.env | length' 0
warns "it warns" not_allocated

plan '{"devices":[["/dev/infiniband/uverbs6",231,199]]}'
gets "the number counts: uverbs6 with the number of uverbs7" mlx5_7
plan '{"devices":[["/dev/my/hca",231,198]]}'
gets "another path, the right number" mlx5_6
plan '{"devices":[["/dev/infiniband/uverbs6",1,3]]}'
decides "the path, the number of /dev/null" none
warns "it warns" unproven_device
plan '{"devices":[["/dev/infiniband/uverbs31",231,223]]}'
decides "a number that this node does not have" none
warns "it warns" unproven_device
plan '{"devices":[["/dev/infiniband/umad6",231,6],["/dev/infiniband/rdma_cm",10,122],["/dev/null",1,3]]}'
decides "umad, rdma_cm and null prove nothing" none
warns "and need no warning" ""
plan '{"devices":[{"path":"/dev/infiniband/uverbs6","type":"b","major":231,"minor":198}]}'
decides "a block device with these numbers" none
plan '{"devices":[["/dev/infiniband/uverbs6",231,198],["/dev/again",231,198]]}'
gets "one device by two paths counts once" mlx5_6
plan "{$(allocate a/r=mlx5_6),\"devices\":[[\"/dev/infiniband/uverbs7\",1,5]]}"
gets "a lie beside the truth" mlx5_6
warns "it warns" unproven_device
plan "{$(allocate a/r=mlx5_6),\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"}}"
decides "a sandbox is no workload" none

# A volume with the host's files: linux.devices has nothing. With a rootless engine it is all there is, and whoever runs it asks for it;
# on a node it would be a pod's author, to whom nothing was allocated.
cat >"$T/beside" <<EOT
#!/bin/sh
mount -t tmpfs none /dev && mkdir /dev/infiniband && mknod /dev/infiniband/uverbs6 c 231 198 || exit
exec \${ROOTLESS:+unshare --user --map-root-user} "$HOOK" "\$@"
EOT
cat >"$T/with-device" <<EOT
#!/bin/sh
exec unshare --mount "$T/beside" "\$@"
EOT
chmod 755 "$T/beside" "$T/with-device"
volume='{"merge":{"mounts":[{"destination":"/dev/infiniband/uverbs6","type":"bind","source":"/dev/infiniband/uverbs6","options":["bind"]}]}}'
if [ "$(readlink /proc/self/ns/user)" != 'user:[4026531837]' ]; then # PROC_USER_INIT_INO, include/linux/proc_ns.h
	echo "# a volume with the host's verbs device: not tried, since nobody can make a device file in a user namespace (as under QEMU)"
elif ! unshare --mount "$T/beside" --version >"$T/out" 2>&1; then
	echo "ok - a volume with the host's verbs device # skip: no device file can be made here"
else
	HOOK=$T/with-device plan "$volume"
	decides "a volume with the host's verbs device gives nothing on a node" none
	that "and shows none" '.devices | length' 0
	if ROOTLESS=yes "$T/with-device" --version >"$T/out" 2>&1; then
		ROOTLESS=yes HOOK=$T/with-device plan "$volume"
		decides "…nor in a rootless Kubernetes" none
		ROOTLESS=yes HOOK=$T/with-device plan "{\"engine\":\"podman\",${volume#\{}"
		gets "but it does in podman without rights on the node" mlx5_6
	else
		echo "ok - a volume in an engine without rights on the node # skip: there are no user namespaces here"
	fi
fi

# Privileged: every device of the host is in linux.devices. What it then gets: device-sources/allow-all*.json, privileged-scan.sh
all='"devices":['
for n in {0..13}; do all+="[\"/dev/infiniband/uverbs$n\",231,$((192 + n))],"; done
all=${all%,}']'
privileged="\"privileged\":true,$all"
plan "{$privileged,\"env\":[\"PCIDEVICE_A_R=0000:ff:00.0\"]}"
decides "privileged with a device that does not exist" none
plan "{$privileged,\"env\":[\"PCIDEVICE_A_R=0000:3b:02.5,0000:1b:00.0\"]}"
decides "privileged with a VF of vfio-pci and a GPU" none
config '{"privileged_scan": true}'
plan "{$(allocate a/r=mlx5_6)}"
gets "privileged_scan is for privileged containers" mlx5_6
plan '{}'
decides "and not for those without a device" none
config

# Other kinds of devices
node odd
plan '{"devices":[["/dev/infiniband/uverbs0",231,192],["/dev/infiniband/uverbs3",231,195],["/dev/infiniband/uverbs4",231,196],
	["/dev/infiniband/uverbs6",231,198],["/dev/infiniband/uverbs7",231,199],["/dev/infiniband/uverbs40",509,8]]}'
like "two ports, InfiniBand, a port that is down, a subfunction, rxe" odd
plan '{"devices":[["/dev/infiniband/uverbs7",231,199],["/dev/infiniband/uverbs6",231,198]],"env":["PCIDEVICE_A_R=mlx5_core.sf.4"]}'
gets "a subfunction named by the env" mlx5_6,mlx5_7
that "the subfunction's kind and PF" '.devices[0] | [.kind, .pf, .source] | join(" ")' "sf 0000:40:00.0 sriov"
plan '{"devices":[["/dev/infiniband/uverbs9",231,201]]}'
gets "a device in a pod's network namespace is known by its uverbs" mlx5_9
that "its address and kind are known" '.devices[0] | [.pci, .pf, .kind] | join(" ")' "0000:40:00.3 0000:40:00.0 vf"
that "its ports are not, and are not guessed" '[.devices[0].ports[]? | .state, .gid, .rate_gbps] | map(values) | length' 0
finish
