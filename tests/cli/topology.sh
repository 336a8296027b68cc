#!/bin/bash
# oci-rdma-doctor --topology: how far GPUs and HCAs are from each other, on trees whose answer is known, and what is said of each device.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
by_case
defaults

# above ADDRESS…: the bridges above a function, the root port first
above() { printf '"below":["%s"]' "$(paste -sd ' ' <<<"$*" | sed 's/ /","/g')"; }

# One GPU, and an HCA at each distance: behind the same switch, behind a second one below it, below the same host bridge, below
# another one of the same NUMA node, of another NUMA node, and where the firmware does not say which.
levels="{\"iommu\":\"DMA-FQ\",\"functions\":[
	{\"pci\":\"0000:1b:00.0\",\"gpu\":0,\"numa\":0,$(above 0000:18:00.0 0000:19:00.0 0000:1a:00.0)},
	{\"pci\":\"0000:1b:00.1\",\"gpu\":1,\"numa\":0,$(above 0000:18:00.0 0000:19:00.0 0000:1a:00.0)},
	{\"pci\":\"0000:1c:00.0\",\"ibdev\":\"mlx5_0\",\"numa\":0,$(above 0000:18:00.0 0000:19:00.0 0000:1a:01.0),\"vfs\":[
		{\"pci\":\"0000:1c:00.2\",\"ibdev\":\"mlx5_10\"}],\"sfs\":[{\"sf\":4,\"ibdev\":\"mlx4_9\",\"uverbs\":41}]},
	{\"pci\":\"0000:22:00.0\",\"ibdev\":\"mlx5_1\",\"numa\":0,\"iommu\":null,
		$(above 0000:18:00.0 0000:19:00.0 0000:1a:02.0 0000:20:00.0 0000:21:00.0)},
	{\"pci\":\"0000:30:00.0\",\"ibdev\":\"mlx5_2\",\"numa\":0,$(above 0000:18:01.0),
		\"ports\":[{\"state\":\"DOWN\"},{\"link_layer\":\"InfiniBand\",\"rate\":\"200 Gb/sec (4X HDR)\"}]},
	{\"pci\":\"0000:40:00.0\",\"ibdev\":\"mlx5_3\",\"numa\":0,$(above 0000:3f:00.0)},
	{\"pci\":\"0000:9a:00.0\",\"ibdev\":\"mlx5_4\",\"numa\":1,$(above 0000:99:00.0)},
	{\"pci\":\"0000:ba:00.0\",\"ibdev\":\"mlx5_5\",$(above 0000:b9:00.0)},
	{\"pci\":\"0000:ca:00.0\",\"ibdev\":\"mlx5_6\",\"numa\":0,\"exclusive\":true,$(above 0000:c9:00.0)}],
	\"virtual\":[{\"ibdev\":\"rxe0\",\"uverbs\":40,\"netdev\":\"eth1\",\"rate\":\"2.5 Gb/sec (1X SDR)\"}]}"
node "$levels"
process self

# ---- JSON ----
doctor --topology --format json
is "JSON: it is well formed, and the exit status is 0" "0 1 true" "$rc $(jq -r '"\(.schema) \(.complete)"' "$T/out")"
hca() { jq -r --arg name "$1" ".hcas[] | select(.name == \$name) | $2" "$T/out"; }
while read -r name level what; do
	is "$level: $what" "$level" "$(hca "$name" '.distance.GPU0 // "-"')"
done <<-EOT
	mlx5_0 PIX an HCA at the GPU's own switch
	mlx5_10 PIX its virtual function
	mlx4_9 PIX its subfunction
	mlx5_1 PXB an HCA at a switch below that one
	mlx5_2 PHB an HCA at another port of the host bridge
	mlx5_3 NODE an HCA at another host bridge of the NUMA node
	mlx5_4 SYS an HCA of another NUMA node
	mlx5_5 SYS an HCA whose NUMA node is not known
	rxe0 - a device without a PCI function
EOT
is "a GPU's own place" "X PIX" "$(jq -r '.gpus[0].distance | "\(.GPU0) \(.GPU1)"' "$T/out")"
is "GPUs are counted in the order of their addresses" "GPU0 0000:1b:00.0 GPU1 0000:1b:00.1" "$(jq -r '.gpus[] | "\(.name) \(.pci)"' "$T/out" | xargs)"
is "HCAs are in the order of their numbers" "mlx4_9 mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_10 rxe0" "$(jq -r '.hcas[].name' "$T/out" | xargs)"
is "a physical function" "PF null 0 DMA-FQ" "$(hca mlx5_0 '"\(.kind) \(.pf) \(.numa_node) \(.iommu)"')"
is "a virtual function, and of which" "VF mlx5_0 0000:1c:00.2" "$(hca mlx5_10 '"\(.kind) \(.pf) \(.pci)"')"
is "a subfunction, and of which" "SF mlx5_0 0000:1c:00.0" "$(hca mlx4_9 '"\(.kind) \(.pf) \(.pci)"')"
is "no IOMMU group, no NUMA node: null" "null null null" "$(hca mlx5_1 '"\(.iommu_group) \(.iommu)"') $(hca mlx5_5 .numa_node)"
is "the IOMMU group's number" "$(basename "$(readlink "$NODE/sys/bus/pci/devices/0000:40:00.0/iommu_group")")" "$(hca mlx5_3 .iommu_group)"
is "two ports" '[{"port":1,"state":"DOWN","phys_state":"Polling","link_layer":"Ethernet","rate_gbps":400},{"port":2,"state":"ACTIVE","phys_state":"LinkUp","link_layer":"InfiniBand","rate_gbps":200}]' \
	"$(hca mlx5_2 '.ports | tojson')"
is "the firmware" 28.39.1002 "$(hca mlx5_0 .firmware)"
is "a device in another network namespace shows no port" "[] null" "$(hca mlx5_6 '"\(.ports) \(.firmware)"')"

# ---- text ----
doctor --topology
is "text: the exit status" 0 "$rc"
is "text: GPUs are the columns" "GPU0 GPU1 NUMA" "$(sed -n 1p "$T/out" | xargs)"
line_of() { awk -v name="$1" '$1 == name { print; exit }' "$T/out" | xargs; }
is "text: a row has the distance to each" "mlx5_1 PXB PXB 0" "$(line_of mlx5_1)"
is "text: …of a GPU, too" "GPU1 PIX X 0" "$(line_of GPU1)"
is "text: …and a dash where there is none" "rxe0 - - -" "$(line_of rxe0)"
details() { awk -v name="$1" '$1 == name && ++n > 1' "$T/out" | xargs; }
is "text: a virtual function" "mlx5_10 0000:1c:00.2 VF of mlx5_0 4 DMA-FQ 1 ACTIVE 400 Gb/s Ethernet 28.39.1002" "$(details mlx5_10)"
is "text: a row for each port" "mlx5_2 0000:30:00.0 PF 5 DMA-FQ 1 DOWN, Polling 400 Gb/s Ethernet 28.39.1002 mlx5_2 0000:30:00.0 PF 5 DMA-FQ 2 ACTIVE 200 Gb/s InfiniBand 28.39.1002" \
	"$(details mlx5_2)"
has "text: what it cannot see is said" NVLink "$(<"$T/out")"

# ---- whose ----
h100
in_container "$ALLOCATED"
doctor --topology --format json
is "in a container: its own devices alone" "mlx5_6 mlx5_7 mlx5_10 mlx5_11" "$(jq -r '.hcas[].name' "$T/out" | xargs)"
is "…with their physical functions by name" "mlx5_2 mlx5_3 mlx5_4 mlx5_8" "$(jq -r '.hcas[].pf' "$T/out" | xargs)"
h100
on_node
doctor --topology --format json --container "$ID"
is "of a container, from the node" "mlx5_6 mlx5_7 mlx5_10 mlx5_11" "$(jq -r '.hcas[].name' "$T/out" | xargs)"
doctor --topology --format json
is "of the node: all" 14 "$(jq '.hcas | length' "$T/out")"
defaults
node '{"pfs":0,"vfs_per_pf":0}'
process self
doctor --topology
is "a node without GPU and HCA" "0 this process has no GPU and no RDMA device" "$rc $(<"$T/out")"
doctor --topology --format json
is "…as JSON" '[] []' "$(jq -c '.gpus, .hcas' "$T/out" | xargs)"
node '{"pfs":2,"vfs_per_pf":110}'
process self
doctor --topology
is "a node with many virtual functions" "0 $(find "$NODE/sys/class/infiniband_verbs/" -name 'uverbs*' | wc -l)" "$rc $(grep -cE '28\.39\.1002$' "$T/out")"

# What a recorded tree says is shown, not obeyed.
h100
in_container "$ALLOCATED"
port=$(readlink -f "$NODE/sys/class/infiniband/mlx5_6")/ports/1
printf '4: A\033[2Jx\377\n' >"$port/state"
doctor --topology
has "an escape in an attribute does not reach the terminal" "A?[2Jx?" "$(<"$T/out")"
doctor --topology --format json
check "…nor breaks the JSON" jq -e . "$T/out"

# ---- the command line ----
for arguments in "--topology --verbs" "--topology --symptom x" "--topology --format prometheus"; do
	# shellcheck disable=SC2086 # words
	doctor $arguments
	is "wrong usage: $arguments" "2 0 1" "$rc $(wc -c <"$T/out") $(wc -l <"$T/err")"
done
finish
