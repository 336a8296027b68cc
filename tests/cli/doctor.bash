# shellcheck shell=bash disable=SC2034
# Recorded nodes and containers for oci-rdma-doctor, and what it finds there. After setup.bash.

built DOCTOR "${DOCTOR:-$(dirname "$HOOK")/oci-rdma-doctor}"
ID=$(printf '940942ebb876%052d' 7)
FIRST_USER=4026531837 FIRST_PID=4026531836 FIRST_CGROUP=4026531835

# write PATH TEXT: a file of the recorded node
write() {
	[[ $1 != */* || -d $NODE/${1%/*} ]] || mkdir -p "$NODE/${1%/*}" # hundreds of times, so no process if none is needed
	printf '%s\n' "$2" >"$NODE/$1"
}

# executable PATH
executable() {
	write "$1" '#!/bin/sh'
	chmod 755 "$NODE/$1"
}

# process PID|self [NAME=VALUE…]: its /proc. Set before: $soft, $hard, $capabilities, $user_ns, $pid_ns, $interfaces, $seccomp
process() {
	local dir=proc/$1 name
	shift
	write "$dir/limits" "Limit                     Soft Limit           Hard Limit           Units
Max processes             63432                63432                processes
Max locked memory         $soft            $hard            bytes"
	write "$dir/status" "Name:	python3
CapInh:	0000000000000000
CapPrm:	$capabilities
CapEff:	$capabilities
CapBnd:	${bounding:-$capabilities}
Seccomp:	$seccomp"
	printf '%s\0' PATH=/usr/bin HOME=/root "$@" >"$NODE/$dir/environ"
	write "$dir/cgroup" "0::/kubepods.slice/crio-$ID.scope"
	mkdir -p "$NODE/$dir/ns" "$NODE/$dir/net" "$NODE/$dir/attr"
	ln -sfn "user:[$user_ns]" "$NODE/$dir/ns/user"
	ln -sfn "pid:[$pid_ns]" "$NODE/$dir/ns/pid"
	ln -sfn "cgroup:[$FIRST_CGROUP]" "$NODE/$dir/ns/cgroup"
	{
		echo 'Inter-|   Receive                |  Transmit'
		echo ' face |bytes    packets errs drop|bytes    packets errs drop'
		for name in $interfaces; do echo "$name: 0 0 0 0 0 0 0 0"; done
	} >"$NODE/$dir/net/dev"
}

defaults() {
	soft=unlimited hard=unlimited capabilities=00000000000005fb bounding='' seccomp=0
	user_ns=$FIRST_USER pid_ns=$FIRST_PID interfaces='lo eth0 net1 net2 net3 net4'
}

# device_files DIR UVERBS=MAJOR:MINOR…: below DIR/dev/infiniband
device_files() {
	local dir=$1 file
	shift
	write "$dir/dev/infiniband/rdma_cm" 10:122
	for file; do write "$dir/dev/infiniband/${file%%=*}" "${file#*=}"; done
}
FOUR=(uverbs6=231:198 uverbs7=231:199 uverbs10=231:202 uverbs11=231:203)
MTUS='"mtus":{"net1":9000,"net2":9000,"net3":9000,"net4":9000}'

# h100 [MEMBERS]: the node of h100.json, with members of its description set
h100() {
	if [ $# -gt 0 ]; then
		node "$(jq -c ". + {$1}" tests/nodes/h100.json)"
		return
	fi
	if [ ! -e "$T/h100" ]; then
		h100 "$MTUS"
		mv "$NODE" "$T/h100"
	fi
	rm -rf "$NODE"
	cp -a "$T/h100" "$NODE"
}

# in_container [NAME=VALUE…]: what a container with four VFs sees of $NODE, and its own process
in_container() {
	write run/.containerenv ''
	pid_ns=4026532999
	process self "$@"
	device_files . "${FOUR[@]}"
	write proc/cmdline "BOOT_IMAGE=/vmlinuz ${arguments-iommu=pt intel_iommu=on quiet}"
	write proc/sys/kernel/osrelease 5.14.0-570.el9
	write proc/driver/nvidia/version 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06'
	write sys/module/nvidia/version 580.65.06
	write sys/module/ib_core/parameters/netns_mode Y
	mkdir -p "$NODE/sys/class/iommu"
}
ALLOCATED=PCIDEVICE_OPENSHIFT_IO_A=0000:3b:02.6,0000:5d:00.3,0000:9a:01.2,0000:ba:00.5

# on_node: what CRI-O, the hook and the drivers leave on a node; $ID runs there as process 4711
on_node() {
	local pid name
	executable usr/local/bin/oci-rdma-hook
	executable usr/bin/crun
	executable usr/bin/conmon
	write proc/812/comm crio
	mkdir -p "$NODE/usr/share/containers/oci/hooks.d"
	cp config/hooks.d/annotation/*.json "$NODE/usr/share/containers/oci/hooks.d/"
	write etc/crio/crio.conf.d/00-default '[crio.runtime]
default_runtime = "crun" # as MCO writes it
hooks_dir = [
    "/etc/containers/oci/hooks.d",
    "/run/containers/oci/hooks.d",
    "/usr/share/containers/oci/hooks.d",
]
default_ulimits = ["nofile=1048576"]
[crio.runtime.runtimes.crun]
runtime_root = "/run/crun"
container_min_memory = "512KiB"
default_annotations = {"run.oci.systemd.subgroup" = ""}
allowed_annotations = [
    "io.containers.trace-syscall", # and more
]'
	write dev/kmsg "6,1,0,-;Linux version 5.14.0-570.el9
6,2,1,-;DMAR: IOMMU enabled"
	in_container "$ALLOCATED"
	rm "$NODE/run/.containerenv"
	pid_ns=$FIRST_PID
	rm -r "$NODE/dev/infiniband"
	capabilities=000001ffffffffff process self
	pid_ns=4026532999
	process 4711 "$ALLOCATED" NVIDIA_VISIBLE_DEVICES=all
	device_files proc/4711/root "${FOUR[@]}"
	write proc/4711/root/etc/nccl.conf 'NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11' # as the hook writes it
	bundle h100-trainer.json
	local userdata=run/containers/storage/overlay-containers/$ID/userdata
	mkdir -p "$NODE/$userdata"
	cp "$B/config.json" "$NODE/$userdata/"
	printf 4711 >"$NODE/$userdata/pidfile"
	for name in $(cd "$NODE/sys/class/infiniband_verbs" && echo uverbs*); do
		device_files . "$name=$(<"$NODE/sys/class/infiniband_verbs/$name/dev")"
	done
}

# on_this_node: whether the doctor takes this machine for a node, which a container is not, and a suite may have mounts of its own
on_this_node() { may_mount && [ "$("$DOCTOR" --format json | jq -r .where)" = node ]; }

# in_private_etc COMMAND [ARG…]: with mounts of its own, and an /etc that goes with them
in_private_etc() {
	mkdir -p "$T/layer"
	# shellcheck disable=SC2016 # the inner shell's words
	unshare --mount sh -c 'mount -t tmpfs none "$1" && mkdir "$1/upper" "$1/work" &&
		mount -t overlay none -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" /etc && shift && exec "$@"' - "$T/layer" "$@"
}

# doctor [OPTION…]: what it says of $NODE, in $T/out, $T/err and $rc
doctor() {
	timeout "$PATIENCE" "$DOCTOR" --sysroot "$NODE" "$@" >"$T/out" 2>"$T/err"
	rc=$?
}

# described JQ-FILTER [NAME=VALUE…]: what it says, as JSON, in a container of h100.json's node, whose description the filter has changed
described() {
	node "$(jq -c ". + {$MTUS} | $1" tests/nodes/h100.json)"
	in_container "$ALLOCATED" "${@:2}"
	doctor --format json
}
# vf MEMBERS: a filter: the container's first VF has these members
vf() { printf '(.functions[].vfs[]? | select(.ibdev == "mlx5_6")) += {%s}' "$1"; }

# in_pod COMMAND… and on_a_node COMMAND…: what it says, as JSON, in a healthy container or on a healthy node that the command has changed
in_pod() {
	h100
	in_container "$ALLOCATED"
	"$@"
	doctor --format json
}
on_a_node() {
	defaults
	if [ ! -e "$T/healthy" ]; then
		h100
		on_node
		mv "$NODE" "$T/healthy"
	fi
	rm -rf "$NODE"
	cp -a "$T/healthy" "$NODE"
	"$@"
	doctor --format json
}

# container [NAME=VALUE…]: what it says, as JSON, in one that is healthy but for these values and for what was set before
container() {
	h100
	in_container "$ALLOCATED" "$@"
	doctor --format json
	defaults
}

# finds DESCRIPTION ID[/SUBJECT] STATUS [PART]: this finding, once, with PART in its evidence or remedy. Sets $found.
finds() {
	local id=${2%%/*} subject='' n status
	[[ $2 = */* ]] && subject=${2#*/}
	{ read -r n && read -r status && read -r found; } < <(jq -r --arg id "$id" --arg subject "$subject" \
		'[.findings[] | select(.id == $id and .subject == $subject)] | length, .[0].status,
		"\(.[0].evidence) -> \(.[0].remedy)"' "$T/out" 2>&1)
	if [ "$n $status" = "1 $3" ] && [[ $found = *"${4-}"* ]]; then pass "$1"; else fail "$1" "want: 1 $3, with: ${4-}
got:  $n $status: $found"; fi
}

# try NAME FINDING STATUS PART COMMAND…: a row: the command makes the report, as JSON, in which this is found
try() {
	row "$1"
	"${@:5}"
	finds "$2" "${@:2:3}"
	case $2 in crio_* | containerd_* | docker_* | hook_* | policy | policy//*) agrees ;; esac
}
# agrees: --check-config judges the node's installation as the doctor does: ids, texts, exit status
agrees() {
	local want refused said rc
	want=$(jq -r '[.findings[] | select(.id | test("^(crio|containerd|docker|hook)_|^policy$"))] | sort_by(.id) | .[] |
		[.id, (.subject | select(. != ""))] as $name | "\($name | join(" ")): \(.status): \([.evidence, (.remedy | select(. != ""))] | join(" -> "))"' "$T/out")
	[[ $'\n'$want = *': fail: '* ]] && refused=1 || refused=0
	said=$("$ADMIN" --sysroot "$NODE" --check-config 2>&1)
	rc=$?
	is "--check-config says the same" "$refused"$'\n'"$(sort <<<"$want")" "$rc"$'\n'"$(sort <<<"${said//oci-rdma-admin: /}")"
}
# also FINDING STATUS [PART]: in the same row
also() { finds "$1" "$@"; }

# causes DESCRIPTION ID: the summary names it, and the exit status is that of a failure
causes() { is "$1" "1 $2" "$rc $(jq -r .summary.cause "$T/out" 2>&1)"; }

# healthy DESCRIPTION: nothing fails or warns
healthy() {
	is "$1" "0 " "$rc $(jq -r '.findings[] | select(.status == "fail" or .status == "warn") |
		"\(.id) \(.subject): \(.evidence)"' "$T/out" 2>&1 || cat "$T/err")"
}
