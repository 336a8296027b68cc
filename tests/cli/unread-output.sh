#!/bin/bash
# Where a reason is said, and that nobody needs to listen: with a full pipe, a closed one, or a FIFO without a reader the hook and the shim end
# as soon, and with the same status. It runs in a mount namespace of its own, with an empty /run.
# shellcheck disable=SC2119,SC2094,SC2317 # what is optional is left out; one pipe is opened twice; functions that to_all and check call
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "what is told"
. tests/cli/setup.bash
. tests/cli/process.bash
. tests/cli/tools/shim.bash
by_case
trap 'end_process; rm -rf "$T"' EXIT
empty_run
node one
LIMIT=$PATIENCE # for what must not wait at all
rdma='{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
policy
prepare rdma "$rdma" none '{}'

# full FIFO: nothing more goes in, and whoever writes waits
full() {
	"$PYTHON" -IS -c '
import os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)
try:
    while True:
        os.write(fd, b"x")
except BlockingIOError:
    pass' "$1"
}
# Each stderr: how to run a command with it
in_vain() {
	local kind=$1
	shift
	case $kind in
	'a full pipe') timeout -s KILL "$LIMIT" "$@" 2>&9 ;;
	'a full pipe that its writer opened to write only') timeout -s KILL "$LIMIT" "$@" 2>&8 ;;
	'a full socket') timeout -s KILL "$LIMIT" "$PYTHON" -IS -c '
import os, socket, sys
ours, theirs = socket.socketpair()
ours.setblocking(False)
try:
    while True:
        ours.send(b"x" * 65536)
except BlockingIOError:
    pass
ours.setblocking(True)
os.dup2(ours.fileno(), 2)
theirs.set_inheritable(True)
os.execv(sys.argv[1], sys.argv[1:])' "$@" ;;
	'a closed pipe') timeout -s KILL "$LIMIT" "$PYTHON" -IS -c '
import os, signal, sys
r, w = os.pipe()
os.dup2(w, 2)
os.close(r)
os.close(w)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$@" ;;
	'a file that may not grow') timeout -s KILL "$LIMIT" prlimit --fsize=1:1 "$@" 2>>"$T/grown" ;;
	'a full device') timeout -s KILL "$LIMIT" "$@" 2>/dev/full ;;
	'closed') timeout -s KILL "$LIMIT" "$@" 2>&- ;;
	esac
}
mkfifo "$T/full.fifo" "$T/written.fifo"
exec 9<>"$T/full.fifo" 7<>"$T/written.fifo" 8>"$T/written.fifo"
full "$T/full.fifo"
full "$T/written.fifo"
echo x >"$T/grown"
kinds=('a full pipe' 'a full pipe that its writer opened to write only' 'a full socket' 'a closed pipe' 'a file that may not grow' 'a full device' closed)

# to_all DESCRIPTION WANT COMMAND…: the same status, whatever stderr is; BEFORE is done before each
BEFORE=true
to_all() {
	local what=$1 want=$2 kind rc
	shift 2
	for kind in "${kinds[@]}"; do
		$BEFORE
		in_vain "$kind" "$@" <"${STDIN:-/dev/null}" >"$T/out"
		rc=$?
		is "$what, stderr is $kind: status" "$want" "$rc"
	done
}

# ---- the hook ----

STDIN=$T/state.json
hook_says() { to_all "$1" "$2" "$HOOK" --sysroot "$NODE" "${@:3}"; }
config '{"memlock": "8Mi", "on_no_device": "fail"}'
container '{}'
state . >"$STDIN"
hook_says "on_no_device fail, createRuntime" 1 createRuntime
STDIN=$B/config.json
hook_says "on_no_device fail, precreate" 1 precreate
STDIN=$T/state.json
container "$rdma"
state '.pid = 1' >"$STDIN"
for on_error in warn fail; do
	config "{\"memlock\": \"8Mi\", \"on_error\": \"$on_error\"}"
	hook_says "a container that cannot be served, on_error $on_error" "$([ $on_error = warn ] && echo 0 || echo 1)" createRuntime
	hook_says "a container that cannot be served, poststart, on_error $on_error" 0 poststart
done
hook_says "no such stage" 2 bogus
# crun gives the hooks the file for their stderr that an annotation names: the pod's author would have a line of a script of the node's.
container "{\"devices\":[[\"/dev/infiniband/uverbs6\",231,198]],\"annotations\":{\"oci-rdma-hook.io/inject\":\"\$(id)\"}}"
# hook_stderr NAME STATE-FILTER STATUS LINES [VALUE]: so many lines are on stderr, but with that annotation, of this VALUE, none
hook_stderr() {
	local annotation
	for annotation in other stderr; do
		state "$2 | .annotations += {\"run.oci.hooks.$annotation\": ${5-"\"/etc/profile.d/x.sh\""}}" >"$STDIN"
		"$HOOK" --sysroot "$NODE" createRuntime <"$STDIN" >"$T/out" 2>"$T/err"
		rc=$?
		is "$1, run.oci.hooks.$annotation: the status, and a line on stderr" "$3 $([ $annotation = other ] && echo "$4" || echo 0)" \
			"$rc $(cat "$T/out" "$T/err" | grep -c .)"
	done
}
config '{"memlock": "8Mi", "on_error": "fail"}'
for case in '1 .' '0 .bundle = "/nowhere"' '1 .pid = 1'; do hook_stderr "${case#* }" "${case#* }" "${case%% *}" 1; done
# Nor by a state that cannot be read: what is wrong with it is quoted, with the author's own key.
# shellcheck disable=SC2016 # jq's, and what a shell would run
many='.annotations += ([range(131066)] | map({key: "f\(.)", value: ""}) | from_entries)
	+ ([range(7)] | map({key: "~$(id)\(.)", value: ""}) | from_entries)'
hook_stderr "a state with more members than are read" "$many" 0 1
hook_stderr "a state with more bytes than are read" '.annotations.long = ("x" * 4200000)' 0 0
hook_stderr "a state with no bundle" 'del(.bundle)' 0 1
hook_stderr "a state with an id that cannot be used" '.id = "a/b"' 0 1
config '{"memlock": "8Mi", "on_no_device": "fail"}'
container '{}'
hook_stderr "denied" . 1 1 1
container "$rdma"
# Late, when there is no reader: strace sends the alarm's signal in place of a disk that stalls.
state . >"$STDIN"
for on_error in warn fail; do
	config "{\"memlock\": \"8Mi\", \"on_error\": \"$on_error\"}"
	kinds=("${kinds[@]/a file that may not grow/a full device}") # strace's own file grows
	to_all "not done in time, on_error $on_error" "$([ $on_error = warn ] && echo 0 || echo 1)" \
		"$(command -v strace)" -o "$T/trace" -e trace=prlimit64 -e inject=prlimit64:signal=ALRM:when=1 "$HOOK" --sysroot "$NODE" createRuntime
done
STDIN=

# Late while it says so: it is refused all the same.
config '{"memlock": "8Mi", "on_no_device": "fail"}'
container '{}'
state . >"$T/state.json"
"$(command -v strace)" -o "$T/trace" -e trace=sendto -e inject=sendto:signal=ALRM:when=1 "$HOOK" --sysroot "$NODE" createRuntime <"$T/state.json" >"$T/out" 2>&1
is "on_no_device fail, not done in time: status" 1 $?
policy '"on_no_device": "fail"'
fresh none
"$(command -v strace)" -o "$T/trace" -e trace=sendto -e inject=sendto:signal=ALRM:when=1 "$SHIM" --root=/r create --bundle "$B" "$ID" >"$T/out" 2>&1 </dev/null
is "on_no_device fail, not done in time, the shim: status" 1 $?

# ---- the shim ----

policy '"on_no_device": "fail"'
fresh_none() { fresh none; }
BEFORE=fresh_none to_all "shim: on_no_device fail" 1 "$SHIM" --root=/r create --bundle "$B" "$ID"
on_error fail
unusable() {
	fresh
	jq --tab '.process = null' "$CASES/rdma/config.json" >"$B/config.json"
}
BEFORE=unusable to_all "shim: a container that cannot be served" 1 "$SHIM" --root=/r create --bundle "$B" "$ID"
listed /nowhere/crun
to_all "shim: no runtime" 127 "$SHIM" --version
printf '#!/nowhere/sh\n' >"$RT/broken" && chmod 755 "$RT/broken"
listed "$RT/broken"
to_all "shim: a runtime that cannot be started" 127 "$SHIM" --version

# ---- what is said, and where ----

policy '"on_no_device": "fail"'
# logs DESCRIPTION LOG ARG…: create is refused; $line is what LOG has got
logs() {
	local what=$1 log=$2
	shift 2
	fresh none
	rm -f "$log"
	start "$@" create --bundle "$B" "$ID"
	fails "$what" 1 "no RDMA device"
	line=$(cat "$log" 2>&1)
	reason=$(sed 's/^oci-rdma-hook: //' "$T/err")
}
rfc3339='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z'
# is_now TIME: between the start of $T/err and now
is_now() { [ "$(date -d "$1" +%s)" -ge "$(($(stat -c %Y "$T/err") - 2))" ] && [ "$(date -d "$1" +%s)" -le "$(date +%s)" ]; }
for name in crun runc nvidia-container-runtime; do
	runtime "$RT/$name"
	IN_FRONT_OF=$name
	policy '"on_no_device": "fail"'
	logs "$name, --log, json" "$T/log" --root /r --log "$T/log" --log-format json
	is "$name, --log, json: one object, as runtimes say it" "[\"level\",\"msg\",\"time\"] error oci-rdma-hook: $reason" \
		"$(jq -r '"\(keys) \(.level) \(.msg)"' <<<"$line")"
	check "$name, --log, json: its time is now" is_now "$(jq -r 'select(.time | test("^'"$rfc3339"'$")) | .time' <<<"$line")"
	logs "$name, --log=, text" "$T/log" --log="$T/log" --log-format=text
	check "$name, --log, text: one line ($line)" grep -qxE "time=\"$rfc3339\" level=error msg=\"oci-rdma-hook: .*\"" <<<"$line"
	logs "$name, --log without a format" "$T/log" --log "$T/log"
	has "$name, --log without a format: text" 'level=error msg="' "$line"
done
IN_FRONT_OF=crun
policy '"on_no_device": "fail"'
logs "crun's file:" "$T/log" --log "file:$T/log"
has "crun's file:" 'level=error msg="' "$line"
logs "crun's journald:" "$T/log" --log "journald:$T/log"
check "crun's journald: makes no file" test ! -e "$T/log" -a -z "$(find . -maxdepth 1 -name 'journald:*')"
# They are words, and no files' names: a file would be in the directory that the engine runs in.
for word in syslog: syslog:x journald:x; do
	logs "crun's $word" "$T/log" --log "$word"
	is "crun's $word: makes no file" "" "$(find . -maxdepth 1 -name "${word%%:*}:*" -exec rm {} + -print)"
done
echo '{"msg":"earlier"}' >"$T/appended"
fresh none
start --log "$T/appended" --log-format json create --bundle "$B" "$ID"
is "what is in the log stays" '["earlier","oci-rdma-hook"]' "$(jq -sc 'map(.msg | split(":")[0])' "$T/appended")"
on_error fail
mkdir "$T/a \"b\" \\ c"
sed '0,/"env": *\[/s//"env": [], &/' "$CASES/rdma/config.json" >"$T/a \"b\" \\ c/config.json"
rm -f "$T/log"
start --log "$T/log" --log-format json create --bundle "$T/a \"b\" \\ c" "$ID"
is "a failure is in the log; quotes and backslashes are JSON's" "oci-rdma-hook: $(sed 's/^oci-rdma-hook: //' "$T/err")" "$(jq -r .msg "$T/log")"
has "control: it has quotes and a backslash" 'a "b" \ c' "$(<"$T/err")"
on_error fail
fresh
rm -f "$T/log"
strace -o "$T/trace" -e trace=flistxattr -e inject=flistxattr:signal=ALRM:when=1 "$SHIM" --log "$T/log" --log-format json \
	create --bundle "$B" "$ID" >"$T/out" 2>"$T/err"
is "not finished in time is in the log" "1 oci-rdma-hook: not finished after 5 s: check whether the node's /sys or one of its disks hangs (dmesg)" "$? $(jq -r .msg "$T/log")"

# What is served, or not ours, leaves no line.
policy
for case in rdma none; do
	fresh $case
	rm -f "$T/log"
	passes "$case: no line in the log" --log "$T/log" create --bundle "$B" "$ID"
	check "$case: no log" test ! -e "$T/log"
done

# Logs that cannot be written
policy '"on_no_device": "fail"'
mkdir "$T/log-directory"
mkfifo "$T/no-reader"
for log in "$T/log-directory" "$T/no-reader" "$T/full.fifo" "$T/nowhere/log" /dev/full ""; do
	fresh none
	timeout -s KILL "$LIMIT" "$SHIM" --log "$log" --log-format json create --bundle "$B" "$ID" >"$T/out" 2>"$T/err"
	rc=$?
	is "--log ${log#"$T"/}: refused, and said on stderr" "1 1" "$rc $(grep -c 'no RDMA device' "$T/err")"
done
finish
