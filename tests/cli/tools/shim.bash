# shellcheck shell=bash disable=SC2034
# What the suites of the runtime shim share: runtimes that write down how they were called, and what a container is made of.
# A suite sources this after setup.bash.

SHIM=$T/bin/oci-rdma-runtime
RT=$T/rt       # the runtimes
SEEN=$T/seen   # what the last one of them got
ROOT=/run/r    # the runtime's --root; the suites have a /run of their own
CASES=$T/cases
P=$T/exec/process.json
PIDFILE=$T/pidfile
SOFT=1048576 HARD=8388608 # our own memlock; the config's is the hard one, to which everybody may raise it
ID=940942ebb876fe6079df8da29c1c12cc56f396967f80b36e8efb63028986fbfd
export OCI_RDMA_SYSROOT=$NODE

mkdir -p "$T/bin" "$RT" "$SEEN" "$T/exec"
for name in "" -crun -runc -youki; do ln -s "$HOOK" "$SHIM$name"; done
prlimit --pid $$ --memlock=$SOFT:$HARD
# shellcheck disable=SC2154
trap 'rm -rf "$T"' EXIT

# runtime PATH: a runtime that notes its arguments, and everything else about itself if $T/full is there. Its exit status is in
# $T/exit.
runtime() {
	mkdir -p "${1%/*}"
	cat >"$1" <<-EOT
		#!/bin/bash
		printf '%s\n' "\$*" >>"$SEEN/calls"
		read -r round <"$T/round"
		printf '%s\0' "\$round" "\$0" "\$@" >"$SEEN/argv"
		if [ -e "$T/full" ]; then
			PATH=/usr/bin:/bin
			mapfile -t status <"/proc/\$\$/status"
			cat "/proc/\$\$/environ" >"$SEEN/environ"
			umask >"$SEEN/umask"
			find "/proc/\$\$/fd" -mindepth 1 ! -name 255 -printf '%f %l\n' >"$SEEN/fds"
			readlink "/proc/\$\$/cwd" >"$SEEN/cwd"
			printf '%s\n' "\${status[@]}" | grep -E '^(Uid|Gid|Groups|Sig[BIC]|Shd|Cap|NoNewPrivs|Seccomp|Umask)' >"$SEEN/status"
			cat "/proc/\$\$/limits" "/proc/\$\$/oom_score_adj" >"$SEEN/limits"
			echo "\$\$" >"$SEEN/pid"
		fi
		if [ -e "$T/reads" ]; then cat >"$SEEN/stdin"; fi
		if [ -e "$T/exit" ]; then . "$T/exit"; fi
		exit 0
	EOT
	chmod 755 "$1"
}
runtime "$RT/crun"
IN_FRONT_OF=crun # the runtime's name

# listed [LINE…]: the node's list of runtimes
listed() {
	mkdir -p "$NODE/etc/oci-rdma-hook"
	printf '%s\n' "$@" >"$NODE/etc/oci-rdma-hook/runtimes"
}
# policy [MEMBERS]: the node's config.json, and its list of runtimes
policy() {
	config "{\"memlock\": \"8Mi\", \"capabilities\": [\"CAP_IPC_LOCK\"]${1:+, $1}}"
	listed "$RT/$IN_FRONT_OF"
}
# on_error warn|fail: the same with this policy
on_error() { policy "\"on_error\": \"$1\""; }

# prepare NAME CASE …: bundles to start from, $CASES/NAME/config.json, and what they become under the present policy, edited.json
prepare() {
	local name pairs=()
	while [ $# -gt 0 ]; do
		pairs+=("$2" "$CASES/$1")
		shift 2
	done
	"$PYTHON" -IS tests/bundles/mkbundle "${pairs[@]}"
	for name in "$CASES"/*; do "$HOOK" --sysroot "$NODE" --dry-run --format spec "$name" >"$name/edited.json"; done
}

# fresh [NAME]: a new bundle $B and process.json $P, and no container
fresh() {
	case=${1-rdma}
	rm -rf "$B" "$ROOT" "$T/exec"
	mkdir "$B" "$T/exec"
	cp "$CASES/$case/config.json" "$B"
	cp tests/cli/tools/process-exec.json "$P"
}

# start ARG…: the shim; its $rc, $T.out, $T.err, and what the runtime saw in $SEEN
AS=$SHIM
round=0
start() {
	echo $((++round)) >"$T/round"
	: >"$SEEN/calls"
	timeout "$PATIENCE" "$AS" "$@" </dev/null >"$T/out" 2>"$T/err"
	rc=$?
}

# look: $started, the runtime of the last start, "" if there was none; $arguments, those that it got; $said, all output
look() {
	local seen=("")
	[ ! -e "$SEEN/argv" ] || mapfile -d '' -t seen <"$SEEN/argv"
	started='' arguments=
	if [ "${seen[0]}" = "$round" ]; then
		started=${seen[1]}
		[ "${#seen[@]}" -eq 2 ] || printf -v arguments ' <%s>' "${seen[@]:2}"
	fi
	said=$(cat "$T/out" "$T/err")
}

# passes DESCRIPTION ARG…: the shim starts the runtime with just these arguments, and says nothing
passes() {
	local what=$1 want=
	shift
	start "$@"
	look
	[ $# -eq 0 ] || printf -v want ' <%s>' "$@"
	is "$what: the runtime is started, silently" "0 \"\" yes$want" "$rc \"$said\" ${started:+yes}$arguments"
}

# fails DESCRIPTION STATUS PART …: after start: the runtime was not started, and one line says why
fails() {
	local what=$1 want=$2
	shift 2
	look
	is "$what: status, stdout, and no runtime" "$want, , " "$rc, $(<"$T/out"), $started"
	one_line "$what" "$@"
}

# bytes DESCRIPTION FILE WANT: FILE has the bytes of WANT
bytes() { if cmp -s "$2" "$3"; then pass "$1"; else fail "$1" "$(diff "$3" "$2")"; fi; }

# stamp FILE: changes when the file is replaced, written or touched
stamp() { stat -c '%i %s %Y %y %z %a %u:%g' "$@" 2>&1; }

edited() { bytes "$1: config.json is edited" "${2-$B/config.json}" "$CASES/$case/edited.json"; }
not_edited() { bytes "$1: config.json is as it was" "${2-$B/config.json}" "$CASES/$case/config.json"; }
exec_edited() { bytes "$1: process.json is edited" "${2-$P}" "$T/process.edited"; }
exec_not_edited() { bytes "$1: process.json is as it was" "${2-$P}" tests/cli/tools/process-exec.json; }
# no_temporary DESCRIPTION: nothing is left beside the files
no_temporary() {
	is "$1: nothing is left behind" "" "$(find "$B" "$T/exec" -name '.*' -mindepth 1 2>/dev/null)"
}

# kept [ID [CONFIG [ROOT]]]: what the runtime keeps of a container: crun a copy of its config.json, runc the path of its bundle
kept() {
	local home=${3-$ROOT}/${1-$ID}
	rm -rf "$home"
	mkdir -p "$home"
	case $IN_FRONT_OF in
	crun) cp "${2-$B/config.json}" "$home/config.json" ;;
	*) jq -n --arg bundle "${2-$B}" '{id: "x", config: {labels: ["a=b", "bundle=/elsewhere", "bundle=\($bundle)"]}}' >"$home/state.json" ;;
	esac
}

# create: a container as conmon makes it
create() {
	start --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	kept "$ID"
}
