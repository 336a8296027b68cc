# shellcheck shell=bash disable=SC2034 # what it sets is used where it is sourced
# podman in the test VM, and containers that look at themselves. Sourced in the guest; regmr and probe lie in the working
# directory, node.sh has made the node.

# What a login shell or a systemd unit gives a container engine by default, and a container then inherits: 8 MiB.
MEMLOCK=8388608

IMAGE=localhost/probe
# For a container that runs `rank`
SSHD=(--volume "$PWD/sshd/lib:/lib:ro" --volume "$PWD/sshd/lib64:/lib64:ro" --volume "$PWD/sshd/usr:/usr:ro")
SYSLOG=/run/syslog

# make_rootfs DIR: a container's root file system with a shell and the probe
make_rootfs() {
	local applet
	mkdir -p "$1"/{bin,dev,etc,proc,run,sys,tmp,var}
	chmod 1777 "$1/tmp"
	cp /bin/busybox regmr probe rank "$1/bin/"
	for applet in sh sed stat sleep env grep cat mv; do ln -s busybox "$1/bin/$applet"; done
	printf '%s\n' 'root:x:0:0::/:/bin/sh' 'user:x:1000:1000::/:/bin/sh' >"$1/etc/passwd"
	printf '%s\n' 'root:x:0:' 'user:x:1000:' >"$1/etc/group"
}

# make_engine: configures podman for a machine without systemd and network, imports $IMAGE, and listens on /dev/log
make_engine() {
	mkdir -p /etc/containers /run/empty
	rm -f /etc/cni/net.d/* # podman warns about networks whose plugins are missing
	cat >/etc/containers/containers.conf <<-END
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "none"
		[containers]
		log_driver = "k8s-file"
		netns = "none"
	END
	cat >/etc/containers/storage.conf <<-END
		[storage]
		driver = "overlay"
		graphroot = "/run/containers/graph"
		runroot = "/run/containers/run"
	END
	echo '{"default": [{"type": "insecureAcceptAnything"}]}' >/etc/containers/policy.json
	make_rootfs /run/image
	tar -C /run/image -cf /run/image.tar .
	podman import --quiet /run/image.tar "$IMAGE" >/dev/null
	busybox syslogd -O "$SYSLOG"
}

# engine COMMAND…: podman with the runtime $RT and the hooks in $HOOKS, started under the 8 MiB limit
engine() {
	prlimit "--memlock=$MEMLOCK:$MEMLOCK" podman --runtime "$RT" --hooks-dir "$HOOKS" "$@"
}

# container [OPTION…] IMAGE | --rootfs DIR: runs the probe in a new container. Sets
#   OUT  what it and podman printed     STATUS  podman's exit status
#   ID   the container's id             LOG     the lines about it in the syslog
container() {
	local cidfile
	cidfile=$(mktemp -u /run/cid.XXXXXX)
	OUT=$(engine run --rm --cidfile "$cidfile" "$@" probe 2>&1)
	STATUS=$?
	ID=$(<"$cidfile")
	LOG=$(syslog_of "$ID")
}

# syslog_of ID: a line may have the id's usual short form. The socket keeps the order: with a mark all is there that was said before.
syslog_of() {
	local mark
	read -r mark </proc/sys/kernel/random/uuid
	busybox logger -t job "$mark"
	within grep -q "$mark" "$SYSLOG"
	grep "${1:0:12}" "$SYSLOG"
}

# on_both FUNCTION: runs FUNCTION with RT=crun and with RT=runc at a time, or with the runtimes in RUNTIMES. Their lines come out
# in that order. FUNCTION ends with `finish`.
on_both() {
	local -A pid
	row ''
	for RT in ${RUNTIMES:-crun runc}; do
		: >"/run/$RT.out" # before tail(1) reads it
		([ -z "$by_case" ] || by_case; "$1") >>"/run/$RT.out" 2>&1 &
		pid[$RT]=$!
	done
	for RT in ${RUNTIMES:-crun runc}; do
		tail --pid="${pid[$RT]}" -s 0.2 -n +1 -f "/run/$RT.out"
		wait "${pid[$RT]}" || failed=1
	done
}
