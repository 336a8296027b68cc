#!/bin/bash
# Work grows with the container's devices, not with the node's: every system call, counted by its name, on a node with 16 VFs
# and on one with 1,024. Directories count by what was read of them, too, since one call may read many names.
# One exception: privileged_scan, which is to find all VFs of the node.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case

# The init's parent is to be the runtime or the runtime's: strace stands for a runtime, this shell for conmon.
cat >"$T/traced" <<END
#!/bin/bash
exec strace -f -qq -o "$T/calls" -- "$HOOK" "\$@"
END
chmod +x "$T/traced"
HOOK=$T/traced

# asked_once: takes out of $T/calls the look-ups that the kernel had given up, which are asked for again: whatever is renamed or mounted on the
# machine meanwhile can do that (openat2(2), EAGAIN)
asked_once() { sed -i '/ openat2(.* = -1 EAGAIN /d' "$T/calls"; }

# counted: "NAME CALLS" a line, "read of directories BYTES", and how it ended
counted() {
	sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/\1/p' "$T/calls" | sort | uniq -c | awk '{ print $2, $1 }'
	sed -nE 's/.* getdents64\(.* = ([0-9]+)$/\1/p' "$T/calls" | awk '{ n += $1 } END { print "read of directories", n + 0 }'
	echo "status $rc"
}

declare -A counts
# run WAY NODE: counts[WAY,NODE] of $case under $policy
run() {
	container "$case"
	if [ "$1" = dry-run ]; then dry_run --format json; else hook "$1"; fi
	asked_once
	counts[$1,$2]=$(counted)
	decision=$(jq -r .decision "$T/out" 2>&1)
}

# calls WAY NODE: how many
calls() { awk 'NF == 2 && $1 != "status" { n += $2 } END { print n }' <<<"${counts[$1,$2]}"; }

# idle: what a container without RDMA costs: nothing is written, no process begins, no directory of the node is read
idle() {
	is "$row: nothing is written" "" "$(grep -E ' (p?writev?(64)?|send(to|msg|mmsg)|rename.*|link.*|mk(dir|nod)(at)?)\(|O_(WRONLY|RDWR|CREAT|TMPFILE)' "$T/calls")"
	is "$row: no process begins" "" "$(grep -E ' (v?fork|clone3?)\(' "$T/calls")"
	is "$row: no directory is read" "" "$(grep -E ' getdents(64)?\(|"sys/(class|devices|bus|dev/char)' "$T/calls")"
	has "$row: control: it was looked at" '"config.json"' "$(<"$T/calls")"
}

two='"devices":[["/dev/infiniband/uverbs8",231,200],["/dev/infiniband/uverbs9",231,201]]'
claims='"env":["PCIDEVICE_A_R=0000:11:00.3,0000:11:00.2"]'
declare -A containers=(
	[none]='{}'
	[unasked]='{"annotations":{"oci-rdma-hook.io/inject":null}}'
	[one]='{"devices":[["/dev/infiniband/uverbs8",231,200]]}'
	[two]="{$two,$claims}"
	[gpu]="{\"devices\":[[\"/dev/nvidia0\",195,0],[\"/dev/infiniband/uverbs8\",231,200]]}"
	[privileged]="{\"privileged\":true,$two,$claims}"
)
declare -A policies=(
	[annotation]='{"memlock": "8Mi"}'
	[device]='{"memlock": "8Mi", "opt_in": "device"}'
	[everything]='{"memlock": "8Mi", "nccl": {"socket_ifname": "rdma", "gid_index": "legacy"}, "frameworks": {"ucx": true, "deepep": true, "gloo": true}}'
)
declare -A wanted=([none]=none [unasked]=none [one]=grant [two]=grant [gpu]=grant [privileged]=grant)

declare -A nodes=([16]='{"pfs": 8, "vfs_per_pf": 2}' [1024]=big)
for vfs in "${!nodes[@]}"; do
	node "${nodes[$vfs]}"
	mv "$NODE" "$T/node-$vfs"
done
NODE=

for policy in annotation device everything; do
	for name in none unasked one two gpu privileged; do
		row "$policy, $name: as many system calls with 1,024 VFs as with 16"
		case=${containers[$name]}
		for vfs in 16 1024; do
			NODE=$T/node-$vfs
			config "${policies[$policy]}"
			run createRuntime $vfs
			if [ $name = unasked ]; then idle; fi
			run dry-run $vfs
		done
		for way in createRuntime dry-run; do
			same "$row: $way" "${counts[$way,16]}" "${counts[$way,1024]}"
		done
		is "$row: the decision" "${wanted[$name]}" "$decision"
		if [ $name = one ]; then one=$(calls createRuntime 16); fi
	done
	# the devices of the last container are two
	check "$policy, control: two devices cost more than one" test "$(calls createRuntime 16)" -gt "$one"
done

# multus' hints: each is read once, not once for each device
NODE=$T/node
node h100
case=h100-trainer.json
config '{"memlock": "8Mi", "nccl": {"socket_ifname": "rdma"}}'
run dry-run h100
is "four interfaces by their device-info files" "=net1,net2,net3,net4" "$(jq -r .env.NCCL_SOCKET_IFNAME "$T/out")"
is "the directory of these files is read once" 1 "$(grep -c 'openat2(.*devinfo/cni"' "$T/calls")"
is "and each file" 1 "$(grep -o 'openat2([0-9]*, "[^/"]*_net[1-4]"' "$T/calls" | sort | uniq -c | awk '{ print $1 }' | sort -u)"

case='{"privileged":true}'
for vfs in 16 1024; do
	NODE=$T/node-$vfs
	config '{"memlock": "8Mi", "privileged_scan": true}'
	run createRuntime $vfs
done
check "privileged_scan is the exception: $(calls createRuntime 16) system calls with 16 VFs, $(calls createRuntime 1024) with 1,024" \
	test "$(calls createRuntime 1024)" -gt "$((10 * $(calls createRuntime 16)))"

# --check-config: what is checked is what told the file's kind
mkdir "$T/files"
echo '{}' >"$T/files/config.json"
cp config/hooks.d/annotation/90-oci-rdma-hook.json "$T/files/"
executable=$NODE/usr/local/bin/oci-rdma-hook
mkdir -p "${executable%/*}"
cp /bin/true "$executable"
for name in config.json 90-oci-rdma-hook.json; do
	strace -f -qq -o "$T/calls" -- "$ADMIN" --sysroot "$NODE" --check-config "$T/files/$name" >"$T/out" 2>&1
	asked_once
	is "--check-config looks for $name once, and reads it once" "1 1 $T/files/$name: ok" \
		"$(grep -c "open.*\"$name\"" "$T/calls") $(grep -cE ' read\([0-9]+, "\{' "$T/calls") $(cat "$T/out")"
done
finish
