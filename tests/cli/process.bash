# shellcheck shell=bash disable=SC2034
# A process that stands for the container's init, and the stages of the hook that act on it. After setup.bash.

if [ "$(id -u)" -ne 0 ]; then
	pass "${0##*/} # skip it needs root: the hook acts as root"
	finish
fi
ROOT=$B/rootfs
SOFT=1048576 HARD=8388608 # of the process, before the hook
BEFORE=$SOFT:$HARD
AFTER=$HARD:$HARD # with "memlock": "8Mi"
pid=

# container CASE: a bundle with a root file system, and a fresh $pid for its init
container() {
	rm -rf "$B"
	mkdir -p "$ROOT/etc"
	if [ "$1" != "${cached-}" ]; then
		bundle "$1"
		jq --tab --arg root "$ROOT" 'if .root.path // "" | startswith("/var/lib") then .root.path = $root else . end' "$B/config.json" >"$T/cached"
		cached=$1
	fi
	cp "$T/cached" "$B/config.json"
	fresh_process
	state . >"$T/state"
}

# fresh_process: run by the command in WRAPPER
WRAPPER=()
fresh_process() {
	end_process
	prlimit --memlock=$SOFT:$HARD "${WRAPPER[@]}" sleep 14400 </dev/null >/dev/null 2>&1 &
	pid=$!
	while [ "$(<"/proc/$pid/comm")" != sleep ] && kill -0 "$pid"; do :; done 2>/dev/null
}

end_process() {
	if [ -n "$pid" ]; then
		kill -9 "$pid" && wait "$pid"
	fi 2>/dev/null
	pid=
}
trap 'end_process; rm -rf "$T"' EXIT

# state JQ-FILTER: the state that crun sends, of $pid and $B, changed by the filter
state() {
	jq -c --argjson pid "$pid" --arg bundle "$B" '{ociVersion: "1.0", id: .annotations["io.kubernetes.cri-o.ContainerID"], pid: $pid,
		root: .root.path, bundle: $bundle, status: "created", annotations} | '"$1" "$B/config.json"
}

# hook [ARG…]: runs it, for createRuntime or as its arguments say, as a runtime does: the bundle is the working directory, the state is on stdin, and its parent, this shell,
# is also the parent of the container's init. Sets $T.err and $rc; 124 if it had to be killed.
hook() {
	local child watchdog here=$PWD
	cd "$B" || return
	sleep "$PATIENCE" >/dev/null 2>&1 &
	watchdog=$!
	"$HOOK" --sysroot "$NODE" "${@:-createRuntime}" <"$T/state" >"$T/out" 2>"$T/err" &
	child=$!
	wait -n "$child" "$watchdog"
	rc=$?
	if kill -9 "$child" 2>/dev/null; then rc=124; fi
	kill -9 "$watchdog" && wait "$watchdog" # TERM, before it is a sleep, would run our EXIT trap
	cd "$here" || return
} 2>/dev/null

# limit_of PID: its SOFT:HARD memlock
limit_of() {
	local max locked memory soft hard
	while read -r max locked memory soft hard _; do
		[ "$max $locked $memory" = "Max locked memory" ] && printf '%s:%s\n' "$soft" "$hard"
	done <"/proc/$1/limits"
}
limit() { limit_of "$pid"; }

# all_of PATH…: everything about the files there. The time stamps alone would not do: their grain is a tick of the kernel
all_of() {
	find "$@" -printf '%p %y %m %U:%G %s %i %n %T@ %C@ %l\n' -type f -exec sha256sum {} +
}
