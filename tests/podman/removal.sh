#!/bin/bash
# Taking the runtime shim off while containers of podman and containerd run through it: each can be executed into, stopped, started and
# removed as before, until the machine's next boot takes what is left.
# packages: systemd
# builds: tests/engines/.unpacked
# shellcheck disable=SC2154,SC2317 # what setup.bash sets; functions that check calls
. tests/podman/setup.bash

config '{}'
root
bin=/usr/local/bin tmpfiles=/etc/tmpfiles.d/oci-rdma-hook.conf
PATH=$PWD/${BUILD:-build}/tests/engines/usr/bin:$PATH
install_shims() { for shim in "" -crun -runc; do ln -sfT oci-rdma-hook "$bin/oci-rdma-runtime$shim"; done; }
uninstall() { make -s uninstall GRACE=0 BINDIR="$bin" SYSCONFDIR=/etc HOOKSDIR="$T/none" DATADIR="$T/share" 2>&1; }

# ---- podman ----

detached() { pod run -d --cgroup-parent "/${T##*/}" "$@" --rootfs "$ROOT" /bin/sleep 14400; }
# podman_goes_on RUNTIME: for $running and $stopped
podman_goes_on() {
	runtime=$bin/oci-rdma-runtime-$1
	check "podman, $1: exec" pod exec "$running" /bin/true
	check "podman, $1: stop" pod stop -t 0 "$running"
	check "podman, $1: start again" pod start "$running"
	check "podman, $1: start of one that was stopped before" pod start "$stopped"
	check "podman, $1: exec in it" pod exec "$stopped" /bin/true
	check "podman, $1: rm" pod rm -f -t 0 "$running"
	check "podman, $1: stop of the other" pod stop -t 0 "$stopped"
}

# ---- containerd ----

ctr() { timeout "$PATIENCE" "$PWD/${BUILD:-build}/tests/engines/usr/bin/ctr" --address /run/containerd/containerd.sock "$@"; }
answers() { ctr version >/dev/null 2>&1; }
start_containerd() {
	launch containerd "$T/containerd.log" containerd --config "$T/containerd.toml" --root "$T/containerd" --state /run/containerd \
		--address /run/containerd/containerd.sock
	within answers
}
restart_containerd() {
	kill "$containerd"
	wait "$containerd"
	start_containerd
}
# task RUNTIME: Debian's crun knows no newer version of the spec than this
task() {
	ctr oci spec | jq --arg root "$ROOT" --arg cgroup "/${T##*/}/$1" '.ociVersion = "1.0.2" | .process.args = ["/bin/sleep", "14400"] |
		.root.path = $root | .linux.cgroupsPath = $cgroup' >"$T/$1.json"
	ctr run --detach --config "$T/$1.json" --runc-binary "$bin/oci-rdma-runtime-$1" "$1"
}
ended() { ctr task ls | grep -q "^$1 .*STOPPED"; }
kill_task() {
	ctr task kill -s KILL "$1"
	within ended "$1"
}
containerd_goes_on() {
	check "containerd, $1: exec" ctr task exec --exec-id "$2" "$1" /bin/true
	[ "$2" = restarted ] || return 0
	check "containerd, $1: kill" kill_task "$1"
	check "containerd, $1: remove the task" ctr task rm "$1"
	check "containerd, $1: start again" ctr task start --detach "$1"
	check "containerd, $1: exec in it" ctr task exec --exec-id again "$1" /bin/true
	check "containerd, $1: kill again" kill_task "$1"
	check "containerd, $1: remove task and container" ctr container rm "$1"
}

# ---- a removal ----

install_shims
echo 'disabled_plugins = ["io.containerd.grpc.v1.cri"]' >"$T/containerd.toml"
containerd=
start_containerd
declare -A of_podman
for name in crun runc; do
	runtime=$bin/oci-rdma-runtime-$name
	of_podman[$name]="$(detached) $(detached --name "stopped-$name")"
	pod stop -t 0 "stopped-$name" >/dev/null 2>&1
	check "containerd, $name: a container runs" task "$name"
done
is "all run through the shim" "$bin/oci-rdma-runtime-crun $bin/oci-rdma-runtime-runc" "$(cat /run/containerd/io.containerd.runtime.v2.task/*/*/runtime |
	sed 's|/usr/local/bin|\n&|2' | xargs)"
out=$(uninstall)
is "uninstall goes on" 0 $?
has "…saying what it has left" "left until the next boot, for containers that were created through the shim: $bin/oci-rdma-runtime" "$out"
is "…the shims' names, which are links to the runtimes now" "oci-rdma-runtime /usr/bin/crun
oci-rdma-runtime-crun /usr/bin/crun
oci-rdma-runtime-runc /usr/sbin/runc" "$(find $bin -name 'oci-rdma*' -printf '%f %l\n' | sed 's|/usr/bin/runc|/usr/sbin/runc|' | sort)"
for name in crun runc; do
	read -r running stopped <<<"${of_podman[$name]}"
	podman_goes_on $name
	containerd_goes_on $name running
done
restart_containerd
for name in crun runc; do containerd_goes_on $name restarted; done
kill "$containerd"
wait "$containerd"

# ---- the next boot ----

check "what systemd does at other times takes nothing away" systemd-tmpfiles --create --remove $tmpfiles
check "…" test -L $bin/oci-rdma-runtime-crun -a -L $bin/oci-rdma-runtime-runc -a -e $tmpfiles
mkdir -p /etc/crio/crio.conf.d
touch /etc/crio/crio.conf.d/{60-oci-rdma-hook,60-oci-rdma-hook-runc,70-mine}.conf
check "what systemd does at boot" systemd-tmpfiles --create --remove --boot $tmpfiles
is "…takes the links, CRI-O's handlers and its own file" /etc/crio/crio.conf.d/70-mine.conf "$(find $bin /etc/crio /etc/tmpfiles.d -name '*oci-rdma*' -o -name 70-mine.conf)"
rm -r /etc/crio
for name in crun runc; do
	runtime=$name
	check "podman, $name: rm of a container whose runtime's path is gone" pod rm -f -t 0 "stopped-$name"
done
nothing_left
finish
