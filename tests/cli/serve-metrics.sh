#!/bin/bash
# What `oci-rdma-nri --serve-metrics` answers to a collector and to a hostile client, and what it may do itself
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built NRI "${BUILD:-build}/oci-rdma-nri"

# Ports of its own
if ! may_mount; then
	pass "our listener # skip it needs root that may make a network namespace"
	finish
fi
if [ -z "${IN_A_NETWORK-}" ]; then
	exec env IN_A_NETWORK=1 unshare --net -- sh -c 'ip link set lo up && exec "$@"' - bash tests/cli/serve-metrics.sh
fi
# Only what still runs: the numbers of the others may be somebody else's by now.
# shellcheck disable=SC2046,SC2154 # numbers; T is workdir's
trap 'kill -KILL $(jobs -pr) 2>/dev/null; wait 2>/dev/null; rm -rf "$T"' EXIT
FILE=$T/metrics/oci-rdma-nri.prom
mkdir "$T/metrics"
listener='' process_1=''
# listener PORT [COMMAND…]: one more in the background, which COMMAND starts; its process is $listener, its messages are in $T/PORT
listener() {
	launch listener "$T/$1" "${@:2}" "$NRI" --serve-metrics "$1" --metrics "$FILE"
}
# ask PORT [HOST]: the whole answer
ask() {
	"$PYTHON" -IS -c 'import socket, sys
with socket.create_connection((sys.argv[2], int(sys.argv[1]))) as client:
    client.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
    while part := client.recv(65536):
        sys.stdout.buffer.write(part)' "$1" "${2:-127.0.0.1}" 2>/dev/null
}
answers() { [ -n "$(ask "$@")" ]; }

# ---- what it answers, and what it has ----

listener 9465
check "it listens" within answers 9465
"$PYTHON" -B tests/cli/tools/scrape.py 9465 "$FILE" "$listener" || failed=1
is "it has no capability, and a filter" "0000000000000000 1 2" \
	"$(sed -nE 's/^(CapEff|NoNewPrivs|Seccomp):\s*//p' "/proc/$listener/status" | xargs)"
is "it has started no process" "" "$(cat "/proc/$listener/task/$listener/children")"

# ---- the port ----

second=$("$NRI" --serve-metrics 9465 --metrics "$T/none" 2>&1)
is "a port that is taken is a failure" 1 "$?"
has "…which is said" "oci-rdma-nri: --serve-metrics: it cannot listen on the port: Address " "$second"
# It closes each connection first, so that the kernel keeps the port (TIME_WAIT).
kill "$listener"
wait "$listener"
is "it ends by SIGTERM" 0 $?
listener 9465
check "another one has the port at once" within answers 9465
kill -INT "$listener"
wait "$listener"
is "it ends by SIGINT" 0 $?
if [ -e /proc/sys/net/ipv6/bindv6only ]; then
	echo 1 >/proc/sys/net/ipv6/bindv6only
	listener 9467
	check "net.ipv6.bindv6only: it serves IPv6" within answers 9467 ::1
	check "…and IPv4" answers 9467
	echo 0 >/proc/sys/net/ipv6/bindv6only
fi
# As process 1, to which the kernel gives no signal that has its default action
launch process_1 "$T/9466" unshare --pid --fork --kill-child "$NRI" --serve-metrics 9466 --metrics "$FILE"
within answers 9466
kill -TERM "$(cat "/proc/$process_1/task/$process_1/children")"
wait "$process_1"
is "it ends by SIGTERM, as process 1 of a container, too" 0 $?

# ---- the kernel refuses ----

# without CALLS ERROR [WHEN]: the first of each of these system calls fails. strace is not the parent of the program (-D).
port=9470
without() {
	listener $((++port)) strace -D -qq -o "$T/trace" -e trace="$1,nanosleep" -e inject="$1:error=$2:syscall=getpid:when=${3-1}"
}
without socket EAFNOSUPPORT
check "a kernel without IPv6: it serves IPv4" within answers $port
without bind EADDRNOTAVAIL
check "…where only the address is missing, too" within answers $port
for call in socket setsockopt setsockopt:2 setsockopt:3 bind listen dup2; do
	IFS=: read -r call when <<<"$call"
	without "$call" EACCES "${when:-1}"
	wait "$listener"
	is "$call fails: it ends" 1 $?
	has "…and says so" "it cannot listen on the port: Permission denied" "$(<"$T/$port")"
done
for error in EMFILE ENFILE ENOMEM ECONNABORTED; do
	without accept4 $error 1..3
	check "$error: it serves the next connection" within answers $port
	is "…and has waited each time" 3 "$(grep -c nanosleep "$T/trace")"
done
# listens: nobody asks for that
listens() { grep -qi ":$(printf '%x' "$port") .* 0A " /proc/net/tcp /proc/net/tcp6; }
without poll,ppoll EINTR
within listens
check "a wait that is interrupted goes on: the first client is served" answers $port
without poll,ppoll EINVAL
wait "$listener"
is "a wait that cannot be: it ends" 1 $?
has "…and says so" "oci-rdma-nri: --serve-metrics: poll: Invalid" "$(<"$T/$port")"
finish
