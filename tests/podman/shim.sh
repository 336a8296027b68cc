#!/bin/bash
# podman with the runtime shim in front of crun and of runc: its life cycle goes on as it does without, and a container that was
# granted has all in its main process and in what exec starts.
cd "$(dirname "$0")/../.." || exit 1
. tests/podman/setup.bash
. tests/podman/shim.bash

PLAIN=$CONTAINERS_CONF # podman without the shim
WITH=$T/shim.conf      # and with it, by the file that config/podman has for it
cat "$PLAIN" config/podman/oci-rdma-hook.conf >"$T/verbatim.conf"
sed "s|$SHIM-|$FRONT/|" "$T/verbatim.conf" >"$WITH"

# new ARG…: a container below the suite's cgroup
new() { pod run --cgroup-parent "/${T##*/}" "$@"; }

# on_pty COMMAND [ARG…]: the command on a terminal of its own, whose output comes on stdout. Its input never ends.
mkfifo "$T/endless"
exec 9<>"$T/endless"
on_pty() {
	timeout "$PATIENCE" script -qefc "$(printf '%q ' "$@")" /dev/null <&9 >"$T/pty"
	local rc=$?
	tr -d '\r' <"$T/pty"
	return "$rc"
}

# ---- the life of containers ----

# What differs from one container to the next anyway
without_ids() {
	sed -E 's/[0-9a-f]{64}/ID/g; s/\b[0-9a-f]{12}\b/ID/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[^"]*/TIME/g
		s/("(Pid|ConmonPid)": )[1-9][0-9]*/\1PID/'
}

# step COMMAND [ARG…]: all that it says
step() {
	local rc
	printf '> %s\n' "$*"
	"$@" >"$T/step.out" 2>"$T/step.err"
	rc=$?
	sed 's/^/out: /' "$T/step.out"
	sed 's/^/err: /' "$T/step.err"
	printf 'exit %s\n' "$rc"
}

lives_shortly() {
	root
	step new --rm --rootfs "$ROOT" sh -c 'echo to stdout; echo to stderr >&2; exit 7'
	step new --rm --rootfs "$ROOT" no-such-command
	step new --rm --rootfs "$ROOT" /etc
	step new --rm --user 1000 --cap-drop all --read-only --rootfs "$ROOT" report
	step new --rm --uidmap 0:100000:65536 --rootfs "$ROOT" cat /proc/self/uid_map
	step pod run --rm --cgroups disabled --rootfs "$ROOT" true
	step new --rm --interactive --rootfs "$ROOT" cat <<<"from stdin"
	step new --rm --preserve-fds 1 --rootfs "$ROOT" sh -c 'cat <&3' 3<<<"from descriptor 3"
	step on_pty podman --runtime "$runtime" run --rm --tty --interactive --cgroup-parent "/${T##*/}" --rootfs "$ROOT" \
		sh -c 'tty; exit 8'
	step pod --runtime-flag "log=$T/runtime.log" run --rm --cgroup-parent "/${T##*/}" --rootfs "$ROOT" true
}

# podman keeps the environment in no order.
# shellcheck disable=SC2317
inspect() { pod inspect "$1" | jq -S '.[].Config.Env |= sort'; }

execs() {
	step pod exec life sh -c 'echo to stdout; echo to stderr >&2; exit 3'
	step pod exec life no-such-command
	step pod exec life /etc
	step pod exec life report
	step pod exec --user 1000 life report
	step pod exec --privileged life report
	step pod exec --env A=B --workdir /tmp life sh -c 'env | grep A=; pwd'
	step pod exec --interactive life cat <<<"from stdin"
	step pod exec --preserve-fds 1 life sh -c 'cat <&3' 3<<<"from descriptor 3"
	step on_pty podman --runtime "$runtime" exec --tty --interactive life sh -c 'tty; exit 4'
	step pod exec --detach life sh -c 'echo detached >/tmp/new; mv /tmp/new /tmp/detached'
	step within cat "$ROOT/tmp/detached"
}

# settled NAME: what the container below starts has said its line, and set its trap
settled() { within pod exec "$1" sh -c 'grep -x sleep /proc/[0-9]*/comm' >/dev/null; }

lives_long() {
	root
	touch "$ROOT/healthy"
	step new --detach --name life --health-cmd 'test -e /healthy' --health-interval disable --rootfs "$ROOT" \
		sh -c 'trap "exit 5" USR1; echo started; sleep 14400 & wait'
	settled life
	step inspect life
	execs
	step pod pause life
	step pod inspect --format '{{.State.Status}}' life
	step pod exec life true
	step pod unpause life
	step pod healthcheck run life
	rm "$ROOT/healthy"
	step pod healthcheck run life
	step pod update --cpus 0.5 life
	step pod exec life sh -c 'ls /proc | grep -x 1'
	step pod rename life long
	step pod restart --time 0 long
	settled long
	step pod stop --time 0 long
	step pod inspect --format '{{.State.Status}} {{.State.ExitCode}}' long
	step pod exec long true
	step pod start long
	step pod rm long
	settled long
	step pod kill --signal USR1 long
	step pod wait long
	step inspect long
	step pod logs long
	step pod rm long
	step pod ps --all --quiet

	step pod create --name later --cgroup-parent "/${T##*/}" --rootfs "$ROOT" sh -c 'echo later; exit 6'
	step pod init later
	step pod inspect --format '{{.State.Status}}' later
	step pod start --attach later
	step pod rm later
	step new --detach --name cut --rootfs "$ROOT" sleep 14400
	step pod kill cut
	step pod wait cut
	step pod start cut
	step pod rm --force --time 0 cut
	step pod ps --all --quiet
}

# The same story twice
notices_nothing() {
	local conf no_cgroups=0
	for conf in "$PLAIN" "$WITH"; do
		CONTAINERS_CONF=$conf
		{
			lives_shortly
			lives_long
		} | without_ids >"$T/${conf##*/}.story"
	done
	is "$runtime, plain containers: podman notices nothing of the shim" "" "$(diff "$T/${PLAIN##*/}.story" "$T/${WITH##*/}.story")"
	[ "$runtime" = crun ] || no_cgroups=125 # podman knows that runc needs them
	is "$runtime, plain containers: every step was taken, and ended so" \
		"7 127 126 0 0 $no_cgroups 0 0 8 0 0 0 3 127 126 0 0 0 0 0 0 4 0 0 0 0 255 0 0 1 0 0 0 0 0 0 255 0 2 0 0 0 0 0 0 0 0 0 6 0 0 0 0 0 0 0" \
		"$(sed -n 's/^exit //p' "$T/${WITH##*/}.story" | xargs)"
	keeps_nothing "$runtime, plain containers"
	silent "$runtime, plain containers"
}

# ---- a container that was allocated devices ----

controls() {
	CONTAINERS_CONF=$PLAIN
	starts_trainer "${rdma[@]}"
	got_nothing "$runtime, without the shim"
	exec_reports "$runtime, without the shim, exec" trainer
	got_nothing "$runtime, without the shim, exec"
	removes_trainer
	silent "$runtime, without the shim"

	CONTAINERS_CONF=$WITH
	is "$runtime, with the shim: podman goes by it" "$runtime $FRONT/$runtime" \
		"$(pod info --format '{{.Host.OCIRuntime.Name}} {{.Host.OCIRuntime.Path}}')"
	local name
	for name in "${device[*]}" "${rdma[*]} --annotation oci-rdma-hook.io/inject=false" "${asked[*]}"; do
		silent "$runtime, controls before $name"
		root
		# shellcheck disable=SC2086
		new --detach --name trainer $name --rootfs "$ROOT" sleep 14400 >/dev/null
		exec_reports "$runtime, exec, $name" trainer
		got_nothing "$runtime, exec, $name"
		is "$runtime, $name: nothing in its config.json" 0 "$(config_json | grep -c -e NCCL -e MEMLOCK -e IPC_LOCK)"
		removes_trainer
	done
	logs "$runtime, an annotation and no device" "reason=no RDMA device allocated"
}

# in_way NAME [OPTION…]: a container that was allocated devices, started in this way, gets all
in_way() {
	local name=$runtime,\ $1
	shift
	starts_trainer "${rdma[@]}" "$@"
	starts "$name"
	got_all "$name"
	case $name in
	*"the hook as well"*) is "$name: nccl.conf, for sessions without the environment" "644 $(reported owner) regular file" "$meta" ;;
	*) is "$name: no nccl.conf" "" "$meta" ;;
	esac
	exec_reports "$name, exec" trainer
	got_all "$name, exec"
	exec_reports "$name, exec as uid 1000" --user 1000 trainer
	got_all "$name, exec as uid 1000"
	is "$name: the spec has one limit, one variable" "1 1" \
		"$(config_json | jq -r '[(.process.rlimits | map(select(.type == "RLIMIT_MEMLOCK")) | length),
			(.process.env | map(select(startswith("NCCL_IB_HCA="))) | length)] | join(" ")')"
	removes_trainer
	one_grant "$name"
	keeps_nothing "$name, removed"
}

ways() {
	local explicit=(--ulimit "memlock=$SOFT:$HARD" --ulimit nofile=512:512 --ulimit nproc=512:512)
	in_way "plain"
	in_way "an explicit limit" "${explicit[@]}"
	in_way "uid 1000" --user 1000
	in_way "uid 1000, no capabilities, no new privileges" --user 1000 --cap-drop all --security-opt no-new-privileges
	in_way "read-only root" --read-only --volume "$ROOT/tmp:/tmp"
	in_way "user namespace" --uidmap 0:100000:65536
	in_way "host pid namespace" --pid host
	[ "$runtime" = runc ] || in_way "no cgroups" --cgroup-parent= --cgroups disabled
}

# One container, and all that can happen to it
trainer() {
	local name=$runtime,\ trainer
	starts_trainer "${rdma[@]}" --user 1000 --health-cmd 'report >/tmp/out; mv /tmp/out /tmp/report' --health-interval disable
	is "$name: uid 1000 has nothing but CAP_IPC_LOCK" 0000000000004000 "$capabilities"

	exec_reports "$name, exec --privileged" --privileged trainer
	got_all "$name, exec --privileged"
	exec_reports "$name, exec --env" --env NCCL_IB_HCA=mine trainer
	is "$name, exec --env: the user's value" NCCL_IB_HCA=mine "$nccl_env"
	is "$name, exec --env: memlock" "$AFTER" "$memlock"
	on_pty podman --runtime "$runtime" exec --tty --interactive trainer report >"$T/out"
	get_report
	got_all "$name, exec -it"
	pod exec --detach trainer sh -c 'report >/tmp/out; mv /tmp/out /tmp/report' >/dev/null
	reports
	got_all "$name, exec --detach"
	is "$name, healthcheck" "" "$(pod healthcheck run trainer 2>&1)"
	reports
	got_all "$name, healthcheck"

	pod pause trainer >/dev/null
	pod unpause trainer >/dev/null
	pod update --cpus 0.5 trainer >/dev/null
	exec_reports "$name, exec after pause and update" trainer
	got_all "$name, exec after pause and update"
	policy '"memlock": "2Mi"'
	exec_reports "$name, exec after another policy" trainer
	got_all "$name, exec after another policy"
	config '{"namespaces": []}'
	exec_reports "$name, exec after a policy for nobody" trainer
	got_all "$name, exec after a policy for nobody"
	policy

	one_grant "$name"
	pod restart --time 0 trainer >/dev/null
	reports
	got_all "$name, restarted"
	one_grant "$name, restarted"
	exec_reports "$name, restarted, exec" trainer
	got_all "$name, restarted, exec"
	removes_trainer
	keeps_nothing "$name, removed"
}

values() {
	starts_trainer "${rdma[@]}" --env NCCL_IB_HCA=mine
	is "$runtime, the user's variable: is left" NCCL_IB_HCA=mine "$nccl_env"
	is "$runtime, the user's variable: memlock" "$AFTER" "$memlock"
	exec_reports "$runtime, the user's variable, exec" trainer
	is "$runtime, the user's variable, exec: is left" NCCL_IB_HCA=mine "$nccl_env"
	removes_trainer
	logs "$runtime, the user's variable" "warnings=env_already_set"

	policy '"memlock": "4Mi", "capabilities": []'
	starts_trainer "${rdma[@]}" --ulimit "memlock=$HARD:$HARD" --ulimit nofile=512:512 --ulimit nproc=512:512
	is "$runtime, the spec has more: is left" "$AFTER" "$memlock"
	no_ipc_lock "$runtime, no capabilities granted"
	removes_trainer
	get_log

	policy '"on_no_device": "tcp"'
	root
	new --detach --name trainer "${asked[@]}" --rootfs "$ROOT" sleep 14400 >/dev/null
	exec_reports "$runtime, TCP, exec" trainer
	is "$runtime, TCP, exec: memlock as it was" "$BEFORE" "$memlock"
	has "$runtime, TCP, exec: environment" NCCL_IB_DISABLE=1 "$nccl_env"
	removes_trainer
	policy
	get_log
}

# ---- together with the hook ----

together() {
	hooks annotation "$on_node"
	in_way "the hook as well"
	in_way "the hook as well, an explicit limit" --ulimit "memlock=$SOFT:$HARD" --ulimit nofile=512:512 --ulimit nproc=512:512
	hooks
}

# ---- what cannot be ----

cannot() {
	config "{"
	root
	run "${rdma[@]}"
	starts "$runtime, a damaged config"
	got_nothing "$runtime, a damaged config"
	logs "$runtime, a damaged config" "config.json"
	root
	run
	untouched "$runtime, a damaged config, a plain container"

	policy '"on_no_device": "fail"'
	root
	run "${asked[@]}"
	check "$runtime, on_no_device fail: it does not start" test "$rc" -ne 0
	logs "$runtime, on_no_device fail" "denied:"
	policy
}

# ---- a limit that the runtime may not give ----

# Rootless podman is in this place, and a node's runtime would be in it without CAP_SYS_RESOURCE.
too_much() {
	policy '"memlock": "unlimited"'
	root
	powerless
	starts "$runtime, a limit that may not be given, warn"
	is "$runtime, a limit that may not be given, warn: environment" "$NCCL" "$nccl_env"
	has_ipc_lock "$runtime, a limit that may not be given, warn"
	get_log
	has "$runtime, a limit that may not be given, warn: the log says so" "RLIMIT_MEMLOCK" "$log"
	policy '"memlock": "unlimited", "on_error": "fail"'
	powerless
	refused "$runtime, a limit that may not be given, fail" "RLIMIT_MEMLOCK"
	policy
}

# ---- the line of doc/install-hosts.md ----

# The file as it is, in its place: this machine itself has no verbs device, and no policy.
by_the_page() {
	local line
	line=$(sed -n 's|^ *\$ sudo \(install .*\) /usr/local/share/oci-rdma-hook/\(podman/oci-rdma-hook.conf .*\)|\1 config/\2|p' doc/install-hosts.md)
	is "the page has one line for podman's containers.conf" 1 "$(grep -c . <<<"$line")"
	mkdir -p /etc/containers/containers.conf.d
	cp "$PLAIN" /etc/containers/containers.conf.d/10-suite.conf
	eval "$line"
	unset CONTAINERS_CONF
	for runtime in crun runc; do
		is "by the page, $runtime: podman goes by the shim" "$runtime $SHIM-$runtime" \
			"$(pod info --format '{{.Host.OCIRuntime.Name}} {{.Host.OCIRuntime.Path}}')"
		root
		run "${asked[@]}"
		nothing_for "by the page, $runtime, no device"
		mv "$SHIM-$runtime" "$T/"
		run "${asked[@]}"
		untouched "by the page, $runtime, the shim is gone"
		mv "$T/${SHIM##*/}-$runtime" "$SHIM-$runtime"
	done
	rm /etc/containers/containers.conf.d/{10-suite,oci-rdma-hook}.conf
	export CONTAINERS_CONF=$PLAIN
}

for runtime in crun runc; do
	policy
	notices_nothing
	controls
	ways
	trainer
	values
	together
	cannot
	too_much
done
by_the_page
nothing_left
finish
