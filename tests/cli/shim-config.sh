#!/bin/bash
# A config.json that cannot be used changes nothing of which runtime is run; a list of runtimes that cannot be used runs none, where the shim's name
# does not say which. It runs in a mount namespace of its own, in which /usr/bin/crun, the default runtime, is another one, and /run is empty.
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
policy
prepare rdma '{"devices":[["/dev/infiniband/uverbs6",231,198]]}' none '{}'
fresh
create
start --root=$ROOT exec --process "$P" "$ID"
cp "$P" "$T/process.edited"
dir=$NODE/etc/oci-rdma-hook

# damage KIND FILE: it was good
damage() {
	case $1 in
	'unknown key') policy '"opt_inn": "device"' ;;
	unclosed) printf '{"memlock": "8Mi"' >"$2" ;;
	empty) : >"$2" ;;
	'a relative path') printf '%s\ncrun\n' "$RT/crun" >"$2" ;;
	'a control character') printf '%s\n/a\tb\n' "$RT/crun" >"$2" ;;
	'a NUL byte') printf '%s\n\0/x\n' "$RT/crun" >"$2" ;;
	'writable by the group') chmod 0664 "$2" ;;
	'of somebody else') chown 1234 "$2" ;;
	'a link') mv "$2" "$2.real" && ln -s "${2##*/}.real" "$2" ;;
	FIFO) rm "$2" && mkfifo "$2" ;;
	'a directory') rm "$2" && mkdir "$2" ;;
	'more than 64 KiB') printf '%*s\n' 70000 '' >>"$2" ;;
	'in a directory of somebody else') chown 1234 "$dir" ;;
	esac
}

# ---- the policy ----

# configured DESCRIPTION ARG…: passes, with the runtime of the list
configured() {
	passes "$@"
	is "$1: it is the one of the list" "$RT/crun" "$started"
}
for kind in 'unknown key' unclosed empty 'writable by the group' FIFO; do
	row "config.json: $kind"
	policy
	fresh
	create
	damage "$kind" "$dir/config.json"
	configured "$kind: exec" --root=$ROOT exec --process "$P" "$ID"
	exec_edited "$kind: exec, with what the container was given"
	for command in --version "kill $ID TERM" "delete --force $ID"; do
		read -ra words <<<"$command"
		configured "$kind: ${words[0]}" "${words[@]}"
	done
	fresh none
	configured "$kind: a container without RDMA" --root=$ROOT create --bundle "$B" "$ID"
	not_edited "$kind: a container without RDMA"
	fresh
	configured "$kind: a container with RDMA" --root=$ROOT create --bundle "$B" "$ID"
	not_edited "$kind: a container with RDMA"
	strace -o "$T/trace" -e trace=sendto -s 2000 "$SHIM" --root=$ROOT create --bundle "$B" "$ID" >"$T/out" 2>&1
	has "$kind: a container with RDMA: the log says why" "$dir/config.json" "$(sed "s|/etc/oci|$NODE/etc/oci|" "$T/trace")"
done

# ---- the list ----

for kind in 'a relative path' 'a control character' 'a NUL byte' empty 'writable by the group' 'of somebody else' 'a link' FIFO 'a directory' \
	'more than 64 KiB' 'in a directory of somebody else'; do
	row "runtimes: $kind"
	policy
	damage "$kind" "$dir/runtimes"
	for command in --version "create --bundle $B $ID" "exec --process $P $ID" "kill $ID TERM"; do
		fresh
		read -ra words <<<"$command"
		start "${words[@]}"
		fails "$kind: ${words[0]}: rather none than another one" 127 /etc/oci-rdma-hook/runtimes
		not_edited "$kind: ${words[0]}"
		AS=$SHIM-crun passes "$kind: ${words[0]}: as -crun" "${words[@]}"
		is "$kind: ${words[0]}: as -crun: it is an installed crun" /usr/bin/crun "$started"
	done
done
policy
OCI_RDMA_SYSROOT=/nowhere start --version
fails "no sysroot" 127 /nowhere
OCI_RDMA_SYSROOT=/nowhere AS=$SHIM-crun passes "no sysroot, as -crun" --version

# No descriptor is left, so that the list cannot be read
mkdir "$RT/static"
cp "$HOOK" "$RT/static/crun"
listed "$RT/static/crun"
start --version
is "control: this runtime" "0 oci-rdma-hook" "$rc $(cut -d ' ' -f 1 "$T/out")"
for limit in 0 1 2 3; do
	prlimit --nofile=$limit:$limit "$SHIM" --version >"$T/out" 2>"$T/err"
	is "$limit descriptors: rather none than another one" "127 " "$? $(<"$T/out")"
done
mount --bind "$RT/static/crun" /usr/bin/crun
for limit in 0 1 2 3 4 5; do
	prlimit --nofile=$limit:$limit "$SHIM-crun" --version >"$T/out" 2>"$T/err"
	is "$limit descriptors, as -crun: an installed crun" "0 oci-rdma-hook " "$? $(cut -d ' ' -f 1 "$T/out") $(<"$T/err")"
done
finish
