#!/bin/bash
# A config.json that cannot be used: the shim goes on to run the runtime that was configured, with the records where they were.
# It runs in a mount namespace of its own, in which /usr/bin/crun, the default runtime, is another one, and /run is empty.
# shellcheck disable=SC2119 # what is optional is left out
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "the shim's config"
. tests/cli/setup.bash
. tests/cli/tools/shim.bash
by_case
if [ "$(id -u)" -ne 0 ]; then
	fail "this suite needs root: the shim acts as root"
	finish
fi
empty_run
runtime "$T/default/crun"
default_runtime "$T/default/crun"
node one
mkdir "$NODE/run"
policy
prepare rdma '{"devices":[["/dev/infiniband/uverbs6",231,198]]}' none '{}'
fresh
create
start --root=/r exec --process "$P" "$ID"
cp "$P" "$T/process.edited"
dir=$NODE/etc/oci-rdma-hook
file=$dir/config.json

# damage KIND: config.json, which was good
damage() {
	case $1 in
	'unknown key') policy '"opt_inn": "device"' ;;
	'a comma behind the last member') policy '"on_error": "fail",' ;;
	'unclosed') printf '{"state_dir": "%s", "runtimes": ["%s"]' "$STATE" "$RT/crun" >"$file" ;;
	'breaks off in the runtimes') printf '{"state_dir": "%s", "runtimes": ["%s", ' "$STATE" /usr/bin/crun >"$file" ;;
	empty) : >"$file" ;;
	'writable by the group') config '{"runtimes": ["/usr/bin/crun"]}' && chmod 0664 "$file" ;;
	FIFO) rm "$file" && mkfifo "$file" ;;
	'in a directory of somebody else') chown 1234 "$dir" ;;
	esac
}
# What the file itself still says, whatever else is wrong with it; and what is only remembered. In all cases: unit core/policy/choice
said=('unknown key')
front=('a comma behind the last member' 'unclosed')
remembered=('breaks off in the runtimes' empty 'writable by the group' FIFO 'in a directory of somebody else')

# configured DESCRIPTION ARG…: passes, with the configured runtime
configured() {
	passes "$@"
	is "$1: it is the configured one" "$RT/crun" "$started"
}
for kind in "${said[@]}" "${front[@]}" "${remembered[@]}"; do
	row "$kind"
	policy
	fresh
	create
	damage "$kind"
	configured "$kind: exec" --root=/r exec --process "$P" "$ID"
	exec_edited "$kind: exec, with what the container was granted"
	for command in --version "kill $ID TERM"; do
		read -ra words <<<"$command"
		configured "$kind: ${words[0]}" "${words[@]}"
	done
	configured "$kind: delete" --root=/r delete --force "$ID"
	not_recorded "$kind: delete"
	fresh none
	configured "$kind: a container without RDMA" --root=/r create --bundle "$B" "$ID"
	not_edited "$kind: a container without RDMA"
	fresh
	configured "$kind: a container with RDMA" --root=/r create --bundle "$B" "$ID"
	not_edited "$kind: a container with RDMA"
	strace -o "$T/trace" -e trace=sendto -s 2000 "$SHIM" --root=/r create --bundle "$B" "$ID" >"$T/out" 2>&1
	has "$kind: a container with RDMA: the log says why" "$file" "$(sed "s|/etc/oci|$NODE/etc/oci|" "$T/trace")"
done

# Where nothing is remembered, as when the node has just started
for kind in "${said[@]}" "${front[@]}"; do
	policy
	damage "$kind"
	fresh
	rm -rf "$NODE"/run/*
	configured "$kind, nothing remembered" --version
done
for kind in "${remembered[@]}"; do
	policy
	damage "$kind"
	row "$kind, nothing remembered"
	for command in "create --bundle $B $ID" "kill $ID TERM"; do
		fresh none
		rm -rf "$NODE"/run/*
		read -ra words <<<"$command"
		start "${words[@]}"
		fails "$kind, nothing remembered: ${words[0]}: rather none than another one" 127 "it is not known which runtime to run" /etc/oci-rdma-hook/config.json
	done
done
# Called by a runtime's name, it is that one
for kind in "${remembered[@]}"; do
	policy
	damage "$kind"
	what="$kind, nothing remembered: as -crun"
	row "$what"
	for command in --version "--root=/r create --bundle $B $ID"; do
		fresh
		rm -rf "$NODE"/run/*
		read -ra words <<<"$command"
		AS=$SHIM-crun passes "$what: ${words[0]}" "${words[@]}"
		is "$what: ${words[0]}: the default crun" /usr/bin/crun "$started"
		not_edited "$what: ${words[0]}"
		is "$what: ${words[0]}: that is no choice to be remembered" "" \
			"$(find "$NODE/run" -mindepth 1 -not -path "$NODE/run/oci-rdma-hook" -not -path "$NODE/run/oci-rdma-hook/refusals*")"
	done
	start --version
	fails "$what: as no runtime, after that" 127 "it is not known which runtime to run"
	policy
	configured "$what: a good config again" --version
	damage "$kind"
	AS=$SHIM-crun configured "$what: what is remembered" --version
done
policy
rm -rf "$NODE"/run/*
OCI_RDMA_SYSROOT=/nowhere start --version
fails "no sysroot, nothing remembered" 127 /nowhere

# What was said last holds: a config with an error elsewhere is one that says it
mkdir "$RT/new"
runtime "$RT/new/crun"
policy
configured "the first" --version
config "{\"state_dir\": \"$T/new-state\", \"runtimes\": [\"$RT/new/crun\"], \"opt_inn\": 1}"
passes "another runtime, beside an error" --version
is "another runtime, beside an error" "$RT/new/crun" "$started"
echo '{' >"$file"
fresh
passes "then no JSON" --version
is "then no JSON: the last runtime that was said" "$RT/new/crun" "$started"
config
passes "no config at all is a choice, too" --version
is "no config at all is a choice, too: the default" /usr/bin/crun "$started"
mkdir -p "$dir"
echo '{' >"$file"
passes "then no JSON" --version
is "then no JSON: the default was the last" /usr/bin/crun "$started"

# No descriptor is left: neither config.json nor anything else can be opened
mkdir "$RT/static"
cp "$HOOK" "$RT/static/crun"
config "{\"runtimes\": [\"$RT/static/crun\"]}"
start --version
is "control: this runtime" "0 oci-rdma-hook" "$rc $(cut -d ' ' -f 1 "$T/out")"
for limit in 0 1 2 3 4 5; do
	prlimit --nofile=$limit:$limit "$SHIM" --version >"$T/out" 2>"$T/err"
	is "$limit descriptors: the configured runtime" "0 oci-rdma-hook " "$? $(cut -d ' ' -f 1 "$T/out") $(<"$T/err")"
done

# What is remembered, and when it is not believed, in all cases: unit hook/shim/shim
policy
start --version
printf '{"state_dir": "%s", "runtimes": ["%s"]}' "$STATE" "$RT/new/crun" >"$T/other.json"
OCI_RDMA_CONFIG=$T/other.json start --version
echo '{' >"$file"
configured "each config has its own" --version
echo '{' >"$T/other.json"
OCI_RDMA_CONFIG=$T/other.json passes "each config has its own" --version
is "each config has its own: the other's" "$RT/new/crun" "$started"
finish
