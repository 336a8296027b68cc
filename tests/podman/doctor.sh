#!/bin/bash
# oci-rdma-doctor looks at real containers of podman, with crun and with runc, from outside and from inside.
cd "$(dirname "$0")/../.." || exit 1
. tests/podman/setup.bash

# of JQ-FILTER WANT DESCRIPTION: a field of what the doctor said
of() { is "$3" "$2" "$(jq -r "$1" "$T/doctor" 2>&1 || cat "$T/err")"; }
finding() { echo "[.findings[] | select(.id == \"$1\")][0] | \"\\(.status): \\(.evidence)\""; }
evidence() { jq -r "$(finding "$1")" "$T/doctor"; }

look() {
	timeout "$PATIENCE" "$DOCTOR" --format json "$@" >"$T/doctor" 2>"$T/err"
	rc=$?
}

containers() {
	local id pid
	root
	echo 'NCCL_IB_DISABLE=1' >"$ROOT/etc/nccl.conf"
	id=$(pod run -d --cgroup-parent "/${T##*/}" --security-opt seccomp=unconfined "${device[@]}" \
		--env NCCL_SOCKET_IFNAME=bond0 --env HOME=/root --rootfs "$ROOT" /bin/sleep 14400)
	pid=$(pod inspect --format '{{.State.Pid}}' "$id")
	look --container "$id"
	of '"\(.target.container) \(.target.pid)"' "$id $pid" "$runtime: the container is found by its id"
	is "$runtime: something fails" 1 "$rc"
	has "$runtime: its limits" "fail: soft 1 MiB, hard 8 MiB (/proc/$pid/limits)" "$(evidence memlock)"
	has "$runtime: nccl.conf in its root file system" "NCCL_IB_DISABLE=1 (/etc/nccl.conf)" "$(evidence nccl_ib_disable)"
	has "$runtime: its environment and its network" "NCCL_SOCKET_IFNAME=bond0 (/proc/$pid/environ) matches no interface" \
		"$(evidence nccl_socket_ifname)"
	has "$runtime: its device file is looked at" "its number 231:198 belongs to no verbs device" "$(evidence uverbs)"
	has "$runtime: its config.json is found" "no profile (" "$(evidence seccomp)"
	look --container "${id:0:12}"
	of .target.container "$id" "$runtime: and by the beginning of its id"
	look --pid "$pid"
	has "$runtime: and by its process id" "/proc/$pid/limits" "$(evidence memlock)"

	cp "$DOCTOR" "$ROOT/bin/doctor"
	ldd "$DOCTOR" | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "$ROOT${library%/*}"
		cp -L "$library" "$ROOT$library"
	done
	pod exec "$id" /bin/doctor --format json >"$T/doctor" 2>"$T/err"
	of .where container "$runtime: inside it knows that it is in a container"
	has "$runtime: inside it reads the same limits" "soft 1 MiB, hard 8 MiB" "$(evidence memlock)"
	pod rm -f -t 0 "$id" >/dev/null 2>&1
	look --container "$id"
	is "$runtime: once it is gone, it is no target" 2 "$rc"
}

for runtime in "$(command -v crun)" "$(command -v runc)"; do containers; done
nothing_left
finish
