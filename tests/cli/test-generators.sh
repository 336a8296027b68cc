#!/bin/bash
# The generators of tests/nodes and tests/bundles: what they make must look like the real thing, or the other suites prove nothing.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case

bundle '{}'
check "a bundle without changes is CRI-O's file, byte for byte" cmp tests/bundles/crio.json "$B/config.json"

node h100
links() { (cd "$NODE/sys" && readlink "$@"); }
function=devices/pci0000:3a/0000:3a:00.0/0000:3b:02.6
is "links are spelt as by the kernel" "$(
	cat <<-END
		../../$function/infiniband_verbs/uverbs6
		../../$function/infiniband_verbs/uverbs6
		../../$function/infiniband/mlx5_6
		../../../$function
		../0000:3b:00.0
		../0000:3b:02.6
		../../../0000:3b:02.6
		../../../0000:3b:02.6
	END
)" "$(links dev/char/231:198 class/infiniband_verbs/uverbs6 class/infiniband/mlx5_6 bus/pci/devices/0000:3b:02.6 \
	"$function/physfn" devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/virtfn1 "$function/infiniband_verbs/uverbs6/device" \
	"$function/infiniband/mlx5_6/device")"
is "no link leads nowhere" "" "$(find "$NODE" -xtype l)"
port=$NODE/sys/class/infiniband/mlx5_6/ports/1
is "port files read as the kernel prints them" "4: ACTIVE|5: LinkUp|Ethernet|400 Gb/sec (4X NDR)" \
	"$(cat "$port"/{state,phys_state,link_layer,rate} | paste -sd '|')"
is "GID 3 is the RoCE v2 one of the IPv4 address" "0000:0000:0000:0000:0000:ffff:0a00:6707|RoCE v2|net1" \
	"$(cat "$port"/gids/3 "$port"/gid_attrs/{types,ndevs}/3 | paste -sd '|')"
check "an empty GID slot has no attributes" test -e "$port/gids/4" -a ! -e "$port/gid_attrs/types/4"
check "a VF in a pod shows no netdev to the host" test ! -e "$NODE/sys/$function/net"

finish
