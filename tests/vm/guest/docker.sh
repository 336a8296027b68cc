# shellcheck shell=bash disable=SC2034 # what it sets is used where it is sourced
# Docker in the test VM, with the containerd that runs, or one of its own. Sourced in the guest, where tests/vm/build-engines made the disk; containerd.sh is sourced
# (archive_image), engine.sh makes the image's files.

DOCKER_LOG=/run/dockerd.log

# start_docker [FILE]: with this daemon.json, under the limit that a login shell gives, without a network of its own
start_docker() {
	mkdir -p /etc/docker
	cp "${1-/dev/null}" /etc/docker/daemon.json
	[ -s /etc/docker/daemon.json ] || echo '{}' >/etc/docker/daemon.json
	launch -a DOCKERD "$DOCKER_LOG" prlimit "--memlock=$MEMLOCK:$MEMLOCK" dockerd --bridge none --iptables=false --ip6tables=false --ip-forward=false \
		--exec-opt native.cgroupdriver=cgroupfs --data-root /run/docker.root
	within docker version >/dev/null
}

stop_docker() {
	kill "$DOCKERD"
	wait "$DOCKERD" 2>/dev/null
}

# load_image FILE: of archive_image
load_image() { docker load --quiet --input "$1" >/dev/null; }
