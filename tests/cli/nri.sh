#!/bin/bash
# oci-rdma-nri, with a peer that plays the runtime's side over a real socket (tests/cli/tools/nri.py, nri_peer.py). What real runtimes do
# with its answers is the virtual machine's to say.
# builds: tests/oci-rdma-nri-patient
cd "$(dirname "$0")/../.." || exit 1
# Its log goes to stderr where nobody listens on /dev/log.
if [ -e /dev/log ] && [ "${OWN_NAMESPACE-}" != yes ]; then
	if ! unshare --mount true 2>/dev/null; then
		echo "ok - oci-rdma-nri # skip: /dev/log is there, and mount namespaces are not allowed here"
		exit 0
	fi
	OWN_NAMESPACE=yes exec unshare --mount bash -c 'mount --bind /dev/null /dev/log && exec tests/cli/nri.sh'
fi
. tests/cli/setup.bash
built NRI "${BUILD:-build}/oci-rdma-nri"
PATIENT=$NRI # a build with sanitizers is
if [ -z "${SLOW-}" ]; then built PATIENT "${BUILD:-build}/tests/oci-rdma-nri-patient"; fi

# said WANT-STATUS DESCRIPTION PART ARGUMENT…: what it says to a command line
said() {
	local want=$1 what=$2 part=$3
	shift 3
	timeout "$PATIENCE" "$NRI" "$@" >"$T/out" 2>&1
	is "$what: status" "$want" "$?"
	has "$what: it says so" "$part" "$(cat "$T/out")"
}
said 0 "--version" "oci-rdma-nri " --version
said 0 "--help" "--metrics FILE" --help
said 2 "an unknown option" "nonsense" --nonsense
said 2 "an operand" "extra" extra
said 2 "a socket's path of 200 bytes" "this path is too long for a socket" --socket "/$(printf '%0199d' 0)"
said 2 "--check with --metrics" "cannot be used together" --check --metrics /tmp/x
for name in "" A a/b a.b 12345678901234567; do said 2 "an instance called '$name'" "is 1 to 16 of a-z" --instance "$name"; done
mkdir "$T/empty"
said 1 "--check on a node without NRI" "off, no such socket" --check --sysroot "$T/empty"
has "it says that no plugin runs" "not running" "$(cat "$T/out")"
mkdir -p "$T/empty/var/run/nri"
: >"$T/empty/var/run/nri/nri.sock"
said 1 "--check where a file has the socket's name" "off, no such socket" --check --sysroot "$T/empty"
rm "$T/empty/var/run/nri/nri.sock"
(cd "$T/empty/var/run/nri" && "$PYTHON" -c 'import socket; socket.socket(socket.AF_UNIX).bind("nri.sock")')
said 1 "--check where nobody listens at the socket" "off, nothing listens at the socket" --check --sysroot "$T/empty"

# lost ARG…: where stdout is a device without space
lost() {
	timeout "$PATIENCE" "$NRI" "$@" >/dev/full 2>"$T/err"
	is "a full stdout, $1: the exit status" 1 "$?"
	one_line "a full stdout, $1" "oci-rdma-nri: cannot write all of the output to stdout"
}
lost --version
lost --check --sysroot "$T/empty"

# printed DESCRIPTION WANT STATUS: what --check makes of a status file
printed() {
	mkdir -p "$T/empty/run/oci-rdma-hook"
	printf '%s\n' "$3" >"$T/empty/run/oci-rdma-hook/nri.json"
	timeout "$PATIENCE" "$NRI" --check --sysroot "$T/empty" >"$T/out" 2>&1
	is "$1" "$2" "$(sed -n '/^plugin/,$p' "$T/out" | head -n 2 | tr '\n' '|')"
}
printed "--check, a name that speaks to the terminal" "plugin      connected to a?[2J?plugin b??c since d?e|answers     0, 0.0 ms on average, 0.0 ms at most|" \
	'{"connected_since": "d\u001be", "runtime": "a\u001b[2J\nplugin", "version": "b\u0085c"}'
printed "--check, what is wrong speaks to it no more" "plugin      not connected: a?[2J?b|answers     0, 0.0 ms on average, 0.0 ms at most|" \
	'{"connected_since": null, "trouble": "a\u001b[2J\nb"}'
# The same plugin without a usable policy: no pod becomes ready, and no unit starts. A launched plugin and a pod run on, and say it for each container.
echo '{"connected_since": "d", "runtime": "c", "version": "2"}' >"$T/empty/run/oci-rdma-hook/nri.json"
said 0 "--check, connected" "connected to c 2" --check --sysroot "$T/empty"
mkdir -p "$T/empty/etc/oci-rdma-hook" && echo foo >"$T/empty/etc/oci-rdma-hook/config.json"
said 1 "--check, connected, with a policy that is none" "policy      cannot be used, so no container gets anything: /etc/oci-rdma-hook/config.json: line 1" --check --sysroot "$T/empty"
said 0 "--check-alive with it" "policy      cannot be used" --check-alive --sysroot "$T/empty"
NOTIFY_SOCKET=$T/nobody said 1 "a unit with it" "not started, because the policy cannot be used: /etc/oci-rdma-hook/config.json: line 1" --sysroot "$T/empty"
rm -r "$T/empty/run" "$T/empty/etc"

# ---- on the node itself, where a status file is believed as long as somebody holds its lock ----

# plugin FILE AGE CONNECTED: leaves what a plugin has in /run AGE s after it hung (0: it works, for as long as the test takes), holds the lock, says so by the file FILE.begun, and sleeps
# shellcheck disable=SC2317 # called by shells in namespaces
plugin() {
	"$PYTHON" -c '
import fcntl, json, os, sys, time
path, age, since = "/run/oci-rdma-hook/" + sys.argv[1], int(sys.argv[2]) or -1000, sys.argv[3]
lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT, 0o600)
fcntl.lockf(lock, fcntl.LOCK_EX)
with open(path, "w") as file:
    json.dump({"pid": 1, "alive_ms": time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 10**6 - age * 1000, "connected_since": since or None}, file)
open(sys.argv[4], "w").close()
time.sleep(1000)' "$1" "$2" "$3" "$T/$1.begun" >/dev/null &
	until [ -e "$T/$1.begun" ]; do kill -0 $! || return; sleep 0.1; done
	rm "$T/$1.begun"
}
# answers: the exit statuses of the probes
# shellcheck disable=SC2317
answers() { for option in --check --check-alive; do "$NRI" "$option" >"$T/out$option" 2>&1; echo "$?"; done; }
# on_the_node COMMAND…: with processes and a /run of its own; a plugin of another suite, or of this machine, is not to be found
on_the_node() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount --pid --fork --mount-proc bash -c 'mkdir -p /var/run/nri 2>/dev/null; mount -t tmpfs none /run && mkdir -m 0700 /run/oci-rdma-hook /run/nri &&
		"$@" | tr "\n" " "' - "$@"
}
# In a container of hostPID a probe sees the plugin of the container beside it. It judges its own.
# container NAME COMMAND…: with a root of its own, the node's processes and directory, and no capability
# shellcheck disable=SC2317
container() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount bash -c '
		root=$1 && shift && mkdir -p "$root" && mount -t tmpfs none "$root" && cd "$root" && mkdir -p run/oci-rdma-hook proc &&
		for dir in bin dev lib lib64 usr "$T" "${NRI%/*}" "${PYTHON%/bin/*}"; do mkdir -p "./$dir" && mount --rbind "/$dir" "./$dir" || exit; done &&
		mount --rbind /proc proc && mount --bind /run/oci-rdma-hook run/oci-rdma-hook &&
		exec chroot . setpriv --bounding-set=-all --inh-caps=-all -- "$@"' - "$T/roots/$1" "${@:2}"
}
SINCE=2026-11-21T20:22:43Z
# shellcheck disable=SC2317
alone() {
	plugin nri.json "$@"
	answers
	kill $! && wait $!
	answers
	rm /run/oci-rdma-hook/nri.json*
	answers
} 2>/dev/null
# another_pods: a container sees the file of another pod's plugin, and not the process. Then it has one of its own
# shellcheck disable=SC2016,SC2317
another_pods() {
	plugin nri.json 0 "$SINCE"
	unshare --pid --fork --mount-proc bash -c 'answers; plugin nri.1.json "$1" "$SINCE"; answers' - "$1"
}
# neighbours AGE: a container whose plugin serves, and one whose plugin has written nothing for AGE s: what the second one's probes answer, also
# when its plugin has ended, and the node's --check
# shellcheck disable=SC2016,SC2317
neighbours() {
	container serves bash -c 'plugin nri.json 0 "$SINCE"; wait' >/dev/null &
	until [ -e /run/oci-rdma-hook/nri.json ]; do kill -0 $! || return; sleep 0.1; done
	container probed bash -c 'plugin nri.1.json "$1" "$SINCE"; answers; cp "$T/out--check-alive" "$T/hangs"; kill $!; wait $! 2>/dev/null; answers' - "$1"
	"$NRI" --check >"$T/out" 2>&1
	echo "$?"
}
# itself: the program itself, on a node without NRI; then it is killed
# shellcheck disable=SC2317
itself() {
	"$NRI" >/dev/null 2>&1 &
	until [ -e /run/oci-rdma-hook/nri.json ]; do kill -0 $! || return; sleep 0.1; done
	answers
	kill -KILL $! && wait $!
	answers
} 2>/dev/null
if unshare --mount --pid --fork --mount-proc true 2>/dev/null; then
	mkdir -p "$T/roots"
	export T NRI PYTHON SINCE
	export -f plugin answers container alone another_pods neighbours itself
	is "--check and --check-alive while the plugin lives, when it has ended unexpectedly, and when its file has gone" "0 0 1 1 1 1 " "$(on_the_node alone 0 "$SINCE")"
	is "…of one that is not connected" "1 0 1 1 1 1 " "$(on_the_node alone 0 "")"
	is "…of one that has written nothing for a minute" "1 1 1 1 1 1 " "$(on_the_node alone 60 "$SINCE")"
	is "…of the program itself, without NRI, then killed" "1 0 1 1 " "$(on_the_node itself)"
	has "it says that the plugin has ended" "has ended unexpectedly" "$(cat "$T/out--check")"
	is "a container judges no other pod's plugin, but its own" "1 1 0 0 " "$(on_the_node another_pods 0)"
	is "…which hangs" "1 1 1 1 " "$(on_the_node another_pods 60)"
	has "it says so" "hangs: process " "$(cat "$T/out--check-alive")"
	is "hostPID: a plugin that works, then has ended, beside one that serves; the node's --check finds that one" "0 0 1 1 0 " "$(on_the_node neighbours 0)"
	has "…it says that its own has ended" "has ended unexpectedly" "$(cat "$T/out--check-alive")"
	is "hostPID: one that hangs beside one that serves" "1 1 1 1 0 " "$(on_the_node neighbours 60)"
	has "…it says that its own hangs" "hangs: process " "$(cat "$T/hangs")"
else
	echo "ok - --check on the node itself # skip: mount namespaces are not allowed here"
fi

"$PYTHON" -IS tests/cli/tools/nri.py "$NRI" "$T" "$PATIENT" || failed=1
finish
