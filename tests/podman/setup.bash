# shellcheck shell=bash disable=SC2034
# What the podman suites share: a sandbox, an image, hooks.d, and containers that report what they got.
#
# Sourcing this runs the whole suite in mount and pid namespaces of its own: /dev, /run, podman's storage and the system log
# are private, and when the suite ends, in whatever way, every process and mount goes with it. What of a container lies outside
# are cgroups, all below one directory, removed at the end.
#
# Nothing here needs RDMA hardware or a right to raise limits: containers start with memlock 1 MiB of 8 MiB, and the node
# (tests/nodes/one.json) is a recorded one, whose uverbs6 is mlx5_6.
# HOOK is the executable under test. A suite sources this from the repository's root.

. tests/lib.sh
SOFT=1048576 HARD=8388608
BEFORE=$SOFT:$HARD # memlock of a container that got nothing
AFTER=$HARD:$HARD  # of one that was granted, with "memlock": "8Mi"

# ---- the sandbox ----

# $T's name is that of the cgroups too. A cgroup whose last process has just ended may be busy for a moment.
remove_cgroups() { within no_cgroup || fail "no cgroup is left" "$left"; }
no_cgroup() {
	left=$(find /sys/fs/cgroup -depth -type d -path "*/${T##*/}*")
	[ -z "$left" ] || ! xargs rmdir <<<"$left"
}

# --kill-child: with unshare ends the first process of the pid namespace, and with that one all others
leave_sandbox() {
	if [ -n "$sandbox" ]; then
		kill -KILL "$sandbox"
		wait "$sandbox"
	fi 2>/dev/null
	remove_cgroups
	rm -rf "$T"
}

start_sandbox() {
	local hook
	if ! may_mount; then
		pass "podman # skip it needs root, and mounts of its own"
		finish
	fi
	built hook "${HOOK:-build/oci-rdma-hook}"
	workdir
	env -i PATH="$PATH" LC_ALL=C HOME="$T" HOOK="$hook" SANDBOX="$T" BUILD="${BUILD-}" N="${N-}" WIDTH="${WIDTH-}" PATIENCE="$PATIENCE" prlimit --memlock=$SOFT:$HARD \
		unshare --mount --pid --fork --kill-child --mount-proc "$BASH" "tests/podman/${0##*/}" </dev/null &
	sandbox=$!
	trap leave_sandbox EXIT
	wait "$sandbox"
	status=$?
	sandbox=
	exit "$status"
}

# make_dev: a small /dev with the node's verbs devices in it, which need no driver to be passed on
make_dev() {
	local name
	mkdir "$T/dev"
	mount -t tmpfs -o mode=755 dev "$T/dev"
	mkdir "$T"/dev/{infiniband,pts,shm}
	for name in null zero full random urandom tty; do cp -a "/dev/$name" "$T/dev/"; done
	mknod -m 666 "$T/dev/infiniband/uverbs2" c 231 194
	mknod -m 666 "$T/dev/infiniband/uverbs6" c 231 198
	ln -s /proc/self/fd "$T/dev/fd"
	ln -s pts/ptmx "$T/dev/ptmx"
	mount --rbind /dev/pts "$T/dev/pts"
	mount -t tmpfs -o mode=1777 shm "$T/dev/shm"
	mount --move "$T/dev" /dev
}

# crun takes cgroup v1 or v2, not a mixture.
drop_hybrid_cgroups() {
	if [ "$(stat -fc %T /sys/fs/cgroup)" != cgroup2fs ] && mountpoint -q /sys/fs/cgroup/unified; then
		umount /sys/fs/cgroup/unified
	fi
}

# private DIR NAME: what is written to DIR ends in $T/NAME
private() {
	mkdir "$T/$2" "$T/$2.work"
	mount -t overlay -o "lowerdir=$1,upperdir=$T/$2,workdir=$T/$2.work" overlay "$1"
}

# The machine's own files cannot be written, except for /etc, where each write can be seen, and /usr/local/bin, where the
# program is installed: from stdin, at the path that the files in config/ name; the other programs beside it, from 4, 5 and 6.
guard_files() {
	private /etc etc
	private /usr/local/bin bin
	mount -o remount,bind,ro /
	cat >/usr/local/bin/oci-rdma-hook
	cat <&4 >/usr/local/bin/oci-rdma-doctor
	cat <&5 >/usr/local/bin/oci-rdma-nri
	cat <&6 >/usr/local/bin/oci-rdma-admin
	chmod 755 /usr/local/bin/oci-rdma-*
}

configure_podman() {
	mkdir "$T/hooks.d" "$T/networks"
	cat >"$T/containers.conf" <<-EOF
		[containers]
		netns = "none"
		[network]
		network_backend = "cni"
		network_config_dir = "$T/networks"
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "none"
		hooks_dir = ["$T/hooks.d"]
	EOF
	cat >"$T/storage.conf" <<-EOF
		[storage]
		driver = "vfs"
		graphroot = "$T/graph"
		runroot = "/run/containers/storage"
	EOF
	export CONTAINERS_CONF=$T/containers.conf CONTAINERS_STORAGE_CONF=$T/storage.conf TMPDIR=$T
}

# make_image: a root file system whose /bin/report says what a process in it got
make_image() {
	local name
	mkdir -p "$T"/image/{bin,dev,etc,proc,run,sys,tmp,var/tmp}
	touch "$T"/image/etc/{group,hostname,hosts,passwd,resolv.conf} "$T/image/run/.containerenv"
	cp "$(command -v busybox)" "$T/image/bin/busybox"
	for name in sh awk cat env grep id ls mv sed sleep sort stat true; do ln -s busybox "$T/image/bin/$name"; done
	cat >"$T/image/bin/report" <<-'EOF'
		#!/bin/sh
		awk '/^Max locked memory/ { print "memlock " $4 ":" $5 }' /proc/self/limits
		awk '/^CapEff/ { print "capabilities " $2 }' /proc/self/status
		env | grep '^NCCL_' | sort | sed 's/^/env /'
		if [ -f /etc/nccl.conf ]; then
			stat -c 'meta %a %u:%g %F' /etc/nccl.conf
			stat -c 'owner %u:%g' /
			sed 's/^/conf /' /etc/nccl.conf
		fi
	EOF
	chmod 755 "$T/image/bin/report"
}

# leave_others_mounts: what others have mounted below the repository, as one that makes a machine's disk beside us, would be ours until they remove
# its directories, and then vanish
leave_others_mounts() {
	local mounts point
	mapfile -t mounts < <(cut -d' ' -f5 /proc/self/mountinfo | grep -F "$PWD/" | sort -r)
	for point in ${mounts[@]+"${mounts[@]}"}; do
		point=$(printf %b "$point")
		[[ $T == "$point"* ]] || umount --lazy "$point" || :
	done 2>/dev/null
}

enter_sandbox() {
	set -e
	T=$SANDBOX
	umask 022
	leave_others_mounts
	# They and the repository may lie below /tmp, which is covered now.
	exec 3<"$HOOK" 4<"${HOOK%/*}/oci-rdma-doctor" 5<"${HOOK%/*}/oci-rdma-nri" 6<"${HOOK%/*}/oci-rdma-admin"
	mount -t tmpfs -o mode=1777 tmp /tmp
	mkdir -p "$T"
	mount -t tmpfs -o mode=755 sandbox "$T"
	mkdir "$T/repository"
	mount --no-canonicalize --bind . "$T/repository"
	mount -o remount,bind,ro "$T/repository"
	cd "$T/repository"
	mount -t tmpfs -o mode=755 run /run
	mount -t tmpfs -o mode=1777 vartmp /var/tmp
	guard_files <&3
	exec 3<&- 4<&- 5<&- 6<&-
	HOOK=/usr/local/bin/oci-rdma-hook DOCTOR=/usr/local/bin/oci-rdma-doctor NRI_PLUGIN=/usr/local/bin/oci-rdma-nri
	ADMIN=/usr/local/bin/oci-rdma-admin
	make_dev
	drop_hybrid_cgroups
	configure_podman
	make_image
	NODE=$T/node
	tests/nodes/mknode tests/nodes/one.json "$NODE"
	mkdir -p "$NODE/run" # where the shim remembers which runtime it ran
	launch syslogd "$T/syslogd.log" busybox syslogd -n -O "$T/log"
	within test -S /dev/log
	set +e
}

if [ -z "${SANDBOX-}" ] || [ $$ -ne 1 ]; then start_sandbox; fi
by_case
enter_sandbox

# ---- the node ----

# config TEXT: the node's config.json
config() {
	mkdir -p "$NODE/etc/oci-rdma-hook"
	rm -f "$NODE/etc/oci-rdma-hook/config.json"
	printf '%s\n' "$1" >"$NODE/etc/oci-rdma-hook/config.json"
}

# hooks [SET [JQ-FILTER]]: podman's hooks.d holds the files of config/hooks.d/SET, as they are or changed by the filter; none
# without SET
hooks() {
	local file
	rm -f "$T"/hooks.d/*
	[ $# -gt 0 ] || return 0
	for file in "config/hooks.d/$1"/*.json; do
		if [ $# -gt 1 ]; then
			jq --arg node "$NODE" "$2" "$file" >"$T/hooks.d/${file##*/}"
		else
			cp "$file" "$T/hooks.d/"
		fi
	done
}

# The recorded node stands in for this machine; nothing else of the files changes.
# shellcheck disable=SC2016
on_node='.hook.args[1:1] = ["--sysroot", $node]'

# get_log: $log is what the program has sent to the system log since the last call. The socket keeps the order.
get_log() {
	local mark
	mark=mark-$((++marks))
	busybox logger -t suite "$mark"
	within grep -q "suite: $mark\$" "$T/log"
	log=$(grep -F ' oci-rdma-' "$T/log" | grep -vE "$expected_noise")
	: >"$T/log"
}
marks=0
# The limits of a process with another uid (--user, in poststart) are read by CAP_SYS_RESOURCE, which a node's runtime has, but
# perhaps not this machine.
expected_noise='^$'
if ! ((0x$(sed -n 's/^CapEff:\t//p' /proc/self/status) >> 24 & 1)); then
	expected_noise='poststart: cannot raise RLIMIT_MEMLOCK of pid [0-9]+ .*: Operation not permitted'
fi

# ---- containers ----

runtime=
declare -a podman_options=()

# pod ARG…: podman with $runtime
pod() { timeout "$PATIENCE" podman --runtime "$runtime" "${podman_options[@]}" "$@"; }

# root: a fresh root file system, $ROOT
ROOT=$T/root
root() {
	rm -rf "$ROOT"
	cp -a "$T/image" "$ROOT"
}

# run [OPTION…]: a container of $ROOT reports. Sets $rc, $errors (podman's stderr) and what get_report sets.
run() {
	pod run --rm --cgroup-parent "/${T##*/}" "$@" --rootfs "$ROOT" /bin/report >"$T/out" 2>"$T/err"
	rc=$?
	errors=$(cat "$T/err")
	get_report
}

# get_report: from a report in $T/out the process's $memlock (SOFT:HARD), $capabilities (effective, in hex) and $nccl_env, and of
# the container's /etc/nccl.conf $meta (mode, owner and type; empty if there is none) and $conf (its text)
get_report() {
	memlock=$(reported memlock) capabilities=$(reported capabilities) nccl_env=$(reported env)
	meta=$(reported meta) conf=$(reported conf)
}
reported() { sed -n "s/^$1 //p" "$T/out"; }

# settings: the lines of $conf that NCCL reads
settings() { grep -v '^#' <<<"$conf"; }

device=(--device /dev/infiniband/uverbs6)
asked=(--annotation oci-rdma-hook.io/inject=true)
rdma=("${device[@]}" "${asked[@]}")
NCCL='NCCL_IB_HCA==mlx5_6'

# ---- what is expected ----

# starts DESCRIPTION: the container has run, and podman had nothing to say
starts() { is "$1: starts silently" "0 " "$rc $errors"; }

# silent DESCRIPTION: nothing has been logged
silent() {
	get_log
	is "$1: nothing logged" "" "$log"
}

# logs DESCRIPTION PART: it has been logged, once
logs() {
	get_log
	is "$1: logged once" 1 "$(grep -cF -e "$2" <<<"$log")"
}

# as_it_was DESCRIPTION: it starts, and got nothing
as_it_was() {
	starts "$1"
	is "$1: memlock as it was" "$BEFORE" "$memlock"
	is "$1: no nccl.conf" "" "$meta"
}

# untouched DESCRIPTION: it got nothing, and nobody hears of it
untouched() {
	as_it_was "$1"
	silent "$1"
}

# nothing_for DESCRIPTION [REASON]: it asked and got nothing, and one line of the log says why
nothing_for() {
	as_it_was "$1"
	get_log
	is "$1: one line, for information" 1 "$(grep -c 'daemon.info oci-rdma-hook.*: none: ' <<<"$log")"
	is "$1: and no other" 1 "$(wc -l <<<"$log")"
	has "$1: it says why" "${2-reason=no RDMA device allocated}" "$log"
}

# granted DESCRIPTION [SETTINGS]: it got all, and one line of the log says so
granted() {
	starts "$1"
	is "$1: memlock" "$AFTER" "$memlock"
	is "$1: nccl.conf" "${2-$NCCL}" "$(settings)"
	is "$1: its mode, and the owner of the root directory" "644 $(reported owner) regular file" "$meta"
	is "$1: no temporary file stays" "" "$(find "$ROOT/" -name '.nccl*')"
	get_log
	has "$1: the log says grant" ": grant: container=" "$log"
	is "$1: in one line" "" "$(tail -n +2 <<<"$log")"
}

our_processes() { grep -hxE 'podman|conmon|crun|runc|oci-rdma.*|sleep' /proc/[0-9]*/comm 2>/dev/null; }
no_process() { [ -z "$(our_processes)" ]; } # conmon cleans up behind a container by itself

# nothing_left: the suite itself leaves the machine as it was
nothing_left() {
	is "no container is left" "" "$(podman ps --all --quiet)"
	within no_process
	is "no process is left" "" "$(our_processes)"
	is "nothing was written to the machine's /etc" "" "$(find "$T/etc" -mindepth 1 ! -type d)"
}

# all_of DIR…: everything about the files there
all_of() {
	find "$@" -printf '%p %y %m %U:%G %s %i %n %T@ %C@ %l\n' | sort
	find "$@" -type f -exec sha256sum {} + | sort
}
