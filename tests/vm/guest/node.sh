# shellcheck shell=bash disable=SC2034 # what it sets is used where it is sourced
# Makes the VM a node with RDMA virtual functions. Sourced in the guest; fakehca.ko lies in the working directory.
#
# make_node sets PF and, each in the order of the virtual functions, the arrays VF, IBDEV and UVERBS:
#   PF 01:00.0 mlx5_0     VF[0] mlx5_1     VF[1] mlx5_10     VF[2] mlx5_2     VF[3] mlx5_3
# mlx5_10 is among them because a match of the prefix mlx5_1 finds it too. Their netdevs are pf0, vf0, vf1, vf2, vf3.

IBDEV=(mlx5_1 mlx5_10 mlx5_2 mlx5_3)

# find_pf: sets PF to the PCI function that can have virtual ones, once its driver has it
find_pf() {
	within look_for_pf || {
		echo "no PCI function with SR-IOV came up" >&2
		return 1
	}
}
# shellcheck disable=SC2317 # within calls it
look_for_pf() {
	local file
	for file in /sys/bus/pci/devices/*/sriov_totalvfs; do
		if [ -e "${file%/*}/driver" ] && [ "$(<"$file")" -gt 0 ]; then
			PF=$(basename "${file%/*}")
			return
		fi
	done
	return 1
}

# make_vfs COUNT: virtual functions without a driver: they only stand for an HCA's
make_vfs() {
	local i
	echo 0 >"/sys/bus/pci/devices/$PF/sriov_drivers_autoprobe"
	echo "$1" >"/sys/bus/pci/devices/$PF/sriov_numvfs"
	for ((i = 0; i < $1; i++)); do
		VF[i]=$(basename "$(readlink "/sys/bus/pci/devices/$PF/virtfn$i")")
	done
}

# make_netdev NAME ADDRESS
make_netdev() {
	ip link add "$1" type dummy
	ip addr add "$2" dev "$1"
	ip link set "$1" up
}

# unmake_node: what a job before has left of its devices, addresses and rules
unmake_node() {
	local name
	within rdma system set netns shared # namespaces may still be ending
	for name in $(rdma link | sed 's|^link ||; s|/.*||'); do rdma link delete "$name"; done
	for name in $(ip -o link | sed -nE 's/^[0-9]+: ((pf|vf|left|right|rxe)[^:@]*).*/\1/p'); do ip link delete "$name" 2>/dev/null; done
	ip rule flush
	ip rule add pref 0 lookup local 2>/dev/null
	ip rule add pref 32766 lookup main
	rmmod fakehca
	echo 0 >"/sys/bus/pci/devices/$PF/sriov_numvfs"
}

make_node() {
	local i place
	PF='' VF=() UVERBS=()
	modprobe -a nvme rdma_rxe ib_umad rdma_ucm dummy overlay
	find_pf
	[ ! -e /sys/module/fakehca ] || unmake_node
	make_vfs "${#IBDEV[@]}"
	make_netdev pf0 10.78.0.1/24
	place=pf0=$PF
	for i in "${!VF[@]}"; do
		make_netdev "vf$i" "10.77.$i.1/24"
		place+=",vf$i=${VF[i]}"
	done
	insmod ./fakehca.ko "place=$place"
	rdma link add mlx5_0 type rxe netdev pf0
	for i in "${!VF[@]}"; do
		rdma link add "${IBDEV[i]}" type rxe netdev "vf$i"
		UVERBS[i]=/dev/infiniband/$(ls "/sys/bus/pci/devices/${VF[i]}/infiniband_verbs")
	done
}
