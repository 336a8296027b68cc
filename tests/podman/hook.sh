#!/bin/bash
# The hook under podman, with crun and with runc, by the hooks.d files that a cluster installs.
# Where else an image's links lead: unit core/nccl_conf. What needs a real HCA, or the right to go beyond the hard limit, is in the VM's test.
cd "$(dirname "$0")/../.." || exit 1
. tests/podman/setup.bash

memlock_8Mi='"memlock": "8Mi"'
HOST=$T/host # what an image may point at, and must not reach

# host: a fresh directory that stands for the node's files
host() {
	rm -rf "$HOST"
	mkdir -p "$HOST/etc"
	echo "NCCL_DEBUG=WARN" >"$HOST/nccl.conf"
	echo "NCCL_DEBUG=WARN" >"$HOST/etc/nccl.conf"
	host_before=$(all_of "$HOST")
}

# move_etc TARGET: /etc of $ROOT is a link to TARGET. The same path is there in the container, or podman would not start it.
move_etc() {
	mkdir -p "$ROOT${HOST%/*}"
	cp -a "$HOST" "$ROOT$HOST"
	rm "$ROOT$HOST/etc/nccl.conf"
	mv "$ROOT"/etc/* "$ROOT$HOST/etc/"
	rmdir "$ROOT/etc"
	ln -s "$1" "$ROOT/etc"
}

host_untouched() { is "$1: the host's files are untouched" "$host_before" "$(all_of "$HOST")"; }

# What the containers get that must not get anything
controls() {
	hooks
	root
	run "${rdma[@]}"
	untouched "$runtime, no hook"

	hooks annotation
	root
	run "${asked[@]}"
	nothing_for "$runtime, the files as they are, no device"

	hooks annotation "$on_node"
	root
	run "${device[@]}"
	untouched "$runtime, a device, no annotation"
	root
	run "${device[@]}" --annotation oci-rdma-hook.io/inject=True
	as_it_was "$runtime, inject=True"
	logs "$runtime, inject=True" 'found "True"'
	root
	run --annotation oci-rdma-hook.io/injekt=true
	nothing_for "$runtime, an unknown annotation" "oci-rdma-hook.io/injekt"
	root
	run "${asked[@]}"
	nothing_for "$runtime, an annotation, no device"
	root
	run "${asked[@]}" --device /dev/null:/dev/infiniband/uverbs6
	nothing_for "$runtime, an annotation, a device by name only"
	root
	run "${asked[@]}" --privileged
	nothing_for "$runtime, an annotation, privileged: every device is none"
	root
	run "${device[@]}" --annotation oci-rdma-hook.io/inject=false
	untouched "$runtime, inject=false"
}

# in_way NAME [OPTION…]: a container that was allocated devices, started in this way, gets all
in_way() {
	local name=$1
	shift
	root
	run "${rdma[@]}" "$@"
	granted "$runtime, $name"
}

grants() {
	# podman drops its own limits with the first --ulimit; its default of 2^20 files may be more than this machine allows
	local explicit=(--ulimit "memlock=$SOFT:$HARD" --ulimit nofile=512:512 --ulimit nproc=512:512)
	local userns=(--uidmap 0:100000:65536)
	in_way "plain"
	in_way "an explicit limit" "${explicit[@]}"
	in_way "read-only root" --read-only
	in_way "uid 1000" --user 1000
	in_way "uid 1000, no-new-privileges" --user 1000 --security-opt no-new-privileges
	in_way "user namespace" "${userns[@]}"
	in_way "user namespace, an explicit limit" "${userns[@]}" "${explicit[@]}"
	in_way "user namespace, read-only root, uid 1000" "${userns[@]}" --read-only --user 1000
	in_way "no capabilities" --cap-drop all
	in_way "host pid namespace" --pid host
	# runc cannot do without. The hook then knows the container's process by its parent alone.
	[ "$runtime" = runc ] || in_way "no cgroups" --cgroup-parent= --cgroups disabled

	root
	chown -R 100000:100000 "$ROOT"
	run "${rdma[@]}" "${userns[@]}"
	granted "$runtime, user namespace, an image shifted into it"
	root
	run "${rdma[@]}" --device /dev/infiniband/uverbs2
	granted "$runtime, two devices" "NCCL_IB_HCA==mlx5_2,mlx5_6"
	root
	run "${asked[@]}" --privileged --env PCIDEVICE_OPENSHIFT_IO_VF=0000:3b:02.6
	granted "$runtime, privileged and a device in the environment"
	root
	ROOT+=:O run "${rdma[@]}"
	granted "$runtime, an overlay"
	is "$runtime, an overlay: nothing written below it" "" "$(find "$ROOT/etc/" -name '*nccl*')"
}

# Roots that are as their images' authors made them
images() {
	root
	printf 'NCCL_DEBUG=INFO' >"$ROOT/etc/nccl.conf"
	run "${rdma[@]}"
	granted "$runtime, nccl.conf of the image" $'NCCL_DEBUG=INFO\n'"$NCCL"

	root
	rm -r "${ROOT:?}/etc"
	run "${rdma[@]}"
	granted "$runtime, no /etc"

	host
	root
	ln -s "$HOST/nccl.conf" "$ROOT/etc/nccl.conf"
	run "${rdma[@]}"
	granted "$runtime, nccl.conf -> a file of the host"
	host_untouched "$runtime, nccl.conf -> a file of the host"

	root
	move_etc "$HOST/etc"
	run "${rdma[@]}"
	granted "$runtime, /etc -> a directory of the host"
	host_untouched "$runtime, /etc -> a directory of the host"

	root
	run "${rdma[@]}" --volume "$HOST/nccl.conf:/etc/nccl.conf"
	starts "$runtime, a volume on nccl.conf"
	is "$runtime, a volume on nccl.conf: memlock" "$AFTER" "$memlock"
	is "$runtime, a volume on nccl.conf: seen inside" "NCCL_DEBUG=WARN" "$conf"
	host_untouched "$runtime, a volume on nccl.conf"
	logs "$runtime, a volume on nccl.conf" "warnings=nccl_conf_mounted"
}

# A container that lives on: what podman made of hooks.d, and a second start
restart() {
	local config file want start
	root
	pod run --detach --name again --cgroup-parent "/${T##*/}" "${rdma[@]}" --rootfs "$ROOT" \
		sh -c 'report >/new; mv /new /report; exec sleep 14400' >/dev/null || { fail "$runtime, a container that lives on: it starts"; return; }
	config=$(pod inspect --format '{{.OCIConfigPath}}' again)
	for file in "$T"/hooks.d/*.json; do
		want=$(jq -cS '{(.stages[0]): [.hook]}' "$file")
		is "$runtime, config.json of podman has the hook of ${file##*/}" "$want" \
			"$(jq -cS --argjson want "$want" '.hooks | with_entries(select(.key | in($want)))' "$config")"
	done
	rc=0 errors=
	for start in first second; do
		[ "$start" = first ] || pod start again >/dev/null
		within mv "$ROOT/report" "$T/out"
		pod stop --time 0 again >/dev/null
		get_report
		granted "$runtime, $start start"
	done
	pod rm again >/dev/null
}

# What we cannot serve, by the administrator's choice
errors() {
	config "{$memlock_8Mi}"
	chmod 666 "$NODE/etc/oci-rdma-hook/config.json"
	root
	run "${rdma[@]}"
	starts "$runtime, an untrusted config.json"
	is "$runtime, an untrusted config.json: memlock as it was" "$BEFORE" "$memlock"
	logs "$runtime, an untrusted config.json" "config.json"

	config "{$memlock_8Mi, \"on_error\": \"warn\"}"
	root
	mkdir "$ROOT/etc/nccl.conf"
	run "${rdma[@]}"
	starts "$runtime, warn"
	logs "$runtime, warn" "createRuntime: /etc/nccl.conf"

	config "{$memlock_8Mi, \"on_error\": \"fail\"}"
	run "${rdma[@]}"
	check "$runtime, fail: it does not start" test "$rc" -ne 0
	is "$runtime, fail: nothing ran" "" "$memlock"
	case $runtime in
	runc) has "$runtime, fail: podman says why" "oci-rdma-hook: createRuntime: /etc/nccl.conf of the container" "$errors" ;;
	crun) has "$runtime, fail: podman says what" "hook" "$errors" ;;
	esac
	logs "$runtime, fail" "createRuntime: /etc/nccl.conf"
	lacks "$runtime, fail: it is no grant" "grant:" "$log"

	config "{$memlock_8Mi, \"on_no_device\": \"fail\"}"
	run "${asked[@]}"
	check "$runtime, on_no_device fail: it does not start" test "$rc" -ne 0
	logs "$runtime, on_no_device fail" "denied:"

	config "{$memlock_8Mi}"
	printf '{"version": "1.0.0", "hook": {"path": "/bin/true"}, "when": {"always": true}}' >"$T/hooks.d/bad.json"
	run
	check "$runtime, podman refuses a file in hooks.d that is not as it should be" test "$rc" -ne 0
	rm "$T/hooks.d/bad.json"
}

# "opt_in": "device": every container of the node runs the hook
every_container() {
	local i
	hooks device "$on_node"
	config "{$memlock_8Mi, \"opt_in\": \"device\"}"
	root
	run "${device[@]}"
	granted "$runtime, opt_in device"
	root
	run "${device[@]}" --annotation oci-rdma-hook.io/inject=false
	untouched "$runtime, opt_in device, inject=false"
	chmod 666 "$NODE/etc/oci-rdma-hook/config.json"
	root
	run
	untouched "$runtime, opt_in device, a plain container beside an untrusted config.json"

	hooks device # as they are: this machine itself has no verbs device, and no config
	root
	: >"$T/all"
	for i in {1..10}; do
		run
		printf '%s %s %s %s\n' "$rc" "$memlock" "$meta" "$errors" >>"$T/all"
	done
	is "$runtime, opt_in device, 10 plain containers: nothing in any" "$i 0 $BEFORE" "$(uniq -c "$T/all" | xargs)"
	silent "$runtime, opt_in device, 10 plain containers"
}

for runtime in crun runc; do
	config "{$memlock_8Mi}"
	controls
	grants
	images
	restart
	errors
	every_container
done
nothing_left
finish
