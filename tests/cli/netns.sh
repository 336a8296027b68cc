#!/bin/bash
# No program of ours looks into a pod's network namespace, whatever the policy wants to know of it: the names of interfaces come from what
# Multus has written down. What nobody has written down is left out, with a warning that says what to do.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case

node '{"sandbox":"ed9389b8bd1220217c7593c6195f002aeafeb644f8ce91037b2b6d403086e4b3","netns":"exclusive","functions":[
	{"pci":"0000:3b:00.0","ibdev":"mlx5_0","netdev":"eno5np0","numa":0,"vfs":[
	{"pci":"0000:3b:02.5","ibdev":"mlx5_5","ip":"10.0.103.5","pod":{"ifname":"net1","network":"team-a/rdma","resource":"openshift.io/rdma"}},
	{"pci":"0000:3b:02.6","ibdev":"mlx5_6","ip":"10.0.103.6"},
	{"pci":"0000:3b:02.7","ibdev":"mlx5_7","exclusive":true}]}]}'
config '{"memlock": "8Mi", "nccl": {"socket_ifname": "rdma", "gid_index": "legacy"}, "frameworks": {"gloo": true}}'
mkfifo "$T/network"

# on PATH DEVICE…: the case with these devices, in a network namespace of that path
on() {
	local number devices=
	for number in "${@:2}"; do devices+="${devices:+,}[\"/dev/infiniband/uverbs$number\",231,$((192 + number))]"; done
	printf '{"devices":[%s],"merge":{"linux":{"namespaces":[{"type":"mount"},{"type":"network"%s}]}}}' "$devices" "${1:+,\"path\":\"$1\"}"
}

# ---- what is done ----

# The init's parent is to be the runtime or the runtime's: strace stands for a runtime, this shell for conmon.
REAL=$HOOK
cat >"$T/traced" <<END
#!/bin/bash
exec strace -f -qq -o "$T/trace" -- "$REAL" "\$@"
END
chmod +x "$T/traced"
HOOK=$T/traced
for path in "$T/network" ''; do
	for way in createRuntime poststart precreate dry-run; do
		row "$way, a network namespace $([ -z "$path" ] && echo without a path || echo whose path is a FIFO)"
		container "$(on "$path" 5 6 7)"
		case $way in
		precreate) "$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>&1 ;;
		dry-run) dry_run ;;
		*) hook "$way" ;;
		esac
		is "$row: no namespace, mount, child or socket to the kernel" "" \
			"$(grep -E ' (setns|unshare|mount|v?fork|clone3?)\(|AF_NETLINK|/ns/(net|mnt)|"[^"]*/network"' "$T/trace")"
		check "$row: control: the devices were looked at" grep -q '"231:197"' "$T/trace"
	done
done
HOOK=$REAL

# ---- what is known without it ----

plan "$(on '' 5)"
that "written down by Multus: NCCL_SOCKET_IFNAME" .env.NCCL_SOCKET_IFNAME =net1
that "written down by Multus: GLOO_SOCKET_IFNAME" .env.GLOO_SOCKET_IFNAME net1
that "the node's own GIDs are known" .env.NCCL_IB_GID_INDEX 3

plan "$(on '' 6)"
that "not written down: NCCL_SOCKET_IFNAME" .env.NCCL_SOCKET_IFNAME null
that "not written down: GLOO_SOCKET_IFNAME" .env.GLOO_SOCKET_IFNAME null
warns "not written down: a warning" no_netdev_name,rdma_netns
that "not written down: it says what to do" '[.warnings[] | select(.code == "no_netdev_name") | .message | test("Multus.*config.json")] | unique | @json' '[true]'
that "and the rest is there" .env.NCCL_IB_HCA =mlx5_6

plan "$(on '' 7)"
that "a device that only the pod's namespace shows: no NCCL_IB_GID_INDEX" .env.NCCL_IB_GID_INDEX null
warns "a device that only the pod's namespace shows: a warning" gids_unknown,no_netdev_name
that "it says what to do" '[.warnings[] | select(.code == "gids_unknown") | .message | test("\"auto\"")] | @json' '[true]'
finish
