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
printed "--check, connected and yet something is wrong" "plugin      connected to c 2 since d|            a?[2Jb|" \
	'{"connected_since": "d", "runtime": "c", "version": "2", "trouble": "a\u001b[2Jb"}'
rm -r "$T/empty/run"

# On the node itself a status file is believed as long as its process lives. Here the node has one process, which is --check itself later:
# a plugin of another suite, or of this machine, is not to be found.
# checked LATER [OPTION [AGE]]: what --check says of a file that names this process, started LATER clock ticks than it was; written AGE s ago
checked() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount --pid --fork --mount-proc sh -c 'mount -t tmpfs none /run && mkdir -m 0700 /run/oci-rdma-hook &&
		start=$(sed "s/.*) //" /proc/1/stat | cut -d " " -f 20) &&
		now=$(cut -d . -f 1 /proc/uptime) # as CLOCK_MONOTONIC, if the machine was never suspended
		printf "{\"pid\":1,\"started\":%s,\"alive_ms\":%s,%s}" "$((start + $1))" "$(((now - $4) * 1000))" "$5" >/run/oci-rdma-hook/nri.json
		exec "$2" "$3"' - "$1" "$NRI" "${2:---check}" "${3:-0}" "${4:-$CONNECTED}" >"$T/out" 2>&1
}
# shellcheck disable=SC2089 # no command line is made of them
CONNECTED='"connected_since":"2026-11-21T20:22:43Z"' UNCONNECTED='"connected_since":null' 
if unshare --mount --pid --fork --mount-proc true 2>/dev/null; then
	checked 0
	is "--check, the process lives: status" 0 "$?"
	checked 1
	is "--check, another process has its id: status" 1 "$?"
	has "it says that the plugin has ended" "has ended unexpectedly" "$(cat "$T/out")"
	for option in --check --check-alive; do
		checked 0 "$option" 60
		is "$option, nothing written for a minute: status" 1 "$?"
		has "$option, nothing written for a minute: it says that the plugin hangs" "hangs: process 1 " "$(cat "$T/out")"
	done
	checked 0 --check 0 "$UNCONNECTED"
	is "--check, not connected: status" 1 "$?"
	checked 0 --check-alive 0 "$UNCONNECTED"
	is "--check-alive, not connected: status" 0 "$?"
else
	echo "ok - --check on the node itself # skip: mount namespaces are not allowed here"
fi

# In a container of hostPID a probe sees the plugin of the container beside it, which has the same socket. It judges its own.
# container NAME COMMAND…: with a root and a /run of its own, the node's processes and socket, and no capability
# shellcheck disable=SC2317 # called by neighbours
container() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount bash -c '
		root=$1 && shift && mkdir -p "$root" && mount -t tmpfs none "$root" && cd "$root" && mkdir -p run/oci-rdma-hook var/run/nri proc &&
		for dir in bin dev lib lib64 usr "$T" "${NRI%/*}"; do mkdir -p "./$dir" && mount --rbind "/$dir" "./$dir" || exit; done &&
		mount --rbind /proc proc && mount --bind "$T/nodes-nri" var/run/nri &&
		exec chroot . setpriv --bounding-set=-all --inh-caps=-all -- "$@"' - "$T/roots/$1" "${@:2}"
}
# What a plugin leaves in /run, and then sleeps under its name
# shellcheck disable=SC2016,SC2089 # the inner shell's
PLUGIN='start=$(sed "s/.*) //" "/proc/$$/stat" | cut -d " " -f 20) now=$(cut -d . -f 1 /proc/uptime)
	printf "{\"pid\":%s,\"started\":%s,\"alive_ms\":%s,\"socket\":\"/var/run/nri/nri.sock\",%s}" "$$" "$start" "$(((now - $1) * 1000))" "$2" \
		>/run/oci-rdma-hook/nri.json
	: >"$3"; exec "$T/oci-rdma-nri" 1000'
# neighbours AGE: one container whose plugin serves; one whose plugin has written nothing for AGE s; prints what the second one's probes answer, and
# the node's --check, without a plugin of its own and with one
# shellcheck disable=SC2317 # called by the shell in the namespace
neighbours() {
	container serves sh -c "$PLUGIN" - 0 "$CONNECTED" "$T/first" >/dev/null &
	local served=$!
	# shellcheck disable=SC2016 # the inner shell's
	container probed sh -c '
		sh -c "$PLUGIN" - "$1" "$CONNECTED" "$T/second" >/dev/null & plugin=$!
		until [ -e "$T/first" ] && [ -e "$T/second" ] && [ "$(cat "/proc/$plugin/comm")" = oci-rdma-nri ]; do kill -0 "$plugin" || exit; sleep 0.1; done
		for option in --check --check-alive; do "$NRI" "$option" >"$T/out$option" 2>&1; echo "$?"; done
		kill "$plugin"; wait "$plugin" 2>/dev/null
		for option in --check --check-alive; do "$NRI" "$option" >"$T/ended$option" 2>&1; echo "$?"; done' - "$1"
	"$NRI" --check >"$T/out" 2>&1
	echo "$?"
	# One of the node itself, which is not connected, is not what serves the node either.
	sh -c "$PLUGIN" - 0 "$UNCONNECTED" "$T/third" >/dev/null &
	until [ -e "$T/third" ] && [ "$(cat "/proc/$!/comm")" = oci-rdma-nri ]; do kill -0 $! || return; sleep 0.1; done
	"$NRI" --check >"$T/out" 2>&1
	echo "$?"
	kill "$served" $!
	rm -f "$T/first" "$T/second" "$T/third"
}
if unshare --mount --pid --fork --mount-proc true 2>/dev/null; then
	mkdir -p "$T/roots" && mkdir -m 0700 "$T/nodes-nri" && cp "$(command -v sleep)" "$T/oci-rdma-nri"
	# shellcheck disable=SC2090 # no command line is made of them
	export T NRI PLUGIN CONNECTED UNCONNECTED
	export -f container neighbours
	# shellcheck disable=SC2016 # the inner shell's
	beside() {
		unshare --mount --pid --fork --mount-proc bash -c 'mkdir -p /var/run/nri 2>/dev/null; mount -t tmpfs none /run && mkdir -p -m 0700 /run/oci-rdma-hook /run/nri &&
			mount --bind "$T/nodes-nri" "$(realpath /var/run)/nri" && neighbours "$1" | tr "\n" " "' - "$1"
	}
	is "hostPID: --check and --check-alive of a plugin that works, then of one that has ended beside one that serves; the node's --check finds that one" \
		"0 0 1 1 0 0 " "$(beside 0)"
	has "…and says that its own has ended" "has ended unexpectedly" "$(cat "$T/ended--check-alive")"
	is "hostPID: --check and --check-alive of a plugin that hangs beside one that serves" "1 1 1 1 0 0 " "$(beside 60)"
	has "…and says that its own hangs" "hangs: process " "$(cat "$T/out--check-alive")"
else
	echo "ok - hostPID # skip: mount namespaces are not allowed here"
fi

"$PYTHON" -IS tests/cli/tools/nri.py "$NRI" "$T" "$PATIENT" || failed=1
finish
