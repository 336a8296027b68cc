#!/bin/bash
# What the shim remembers of a container, from create to delete, and two creates at once. Whose a record is in all cases: unit hook/shim/record.
# shellcheck disable=SC2119,SC2317 # what is optional is left out; a function that within calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tools/shim-node.bash

# ---- the record ----

# This shell is no container's process, since it is older than a record of one: by more than the second that the kernel's clock ticks are given
is_older() { [ "$(ps -o etimes= -p $$)" -ge 3 ]; }
check "this shell is older than the containers" within is_older

# An earlier container of that id
fresh
create
cp "$CASES/none/config.json" "$B/config.json"
create
not_recorded "an id reused for a container without RDMA"
# stale DESCRIPTION [ARG…]: after a change, exec believes nothing, silently
stale() {
	local what=$1
	shift
	before=$(stamp "$P")
	passes "$what: exec" "${@:---root=/r}" exec --process "$P" "$ID"
	is "$what: process.json is the same file" "$before" "$(stamp "$P")"
}
for on_error in warn fail; do
	on_error $on_error
	fresh
	create
	cp -p "$B/config.json" "$B/new" && mv "$B/new" "$B/config.json"
	stale "config.json replaced by its own copy"
	fresh
	create
	fresh
	start --root=/r create --bundle "$B" --pid-file "$T/other-pidfile" "$ID"
	begin_container
	for pid in 999999999 0 1 -1 '' x $'\n' $$; do
		echo "$pid" >"$T/other-pidfile"
		stale "pid file with '${pid//$'\n'/newline}'"
	done
	rm "$T/other-pidfile"
	cp tests/cli/tools/process-exec.json "$P"
	passes "the pid file is gone, which says nothing against it: exec" --root=/r exec --process "$P" "$ID"
	exec_edited "the pid file is gone"
	fresh
	create
	mv "$(record)" "$(record | sed "s/$ID/other/")"
	stale "another id"
done
policy
# A record belongs to its id and its --root, or the runtime's own one. Which are the same: unit hook/shim/record, "whose"
# beside DESCRIPTION ARG…: what is done to another container of the same id leaves this one's record alone
beside() {
	local what="another container of that id: $1"
	shift
	fresh
	create
	mkdir -p "$T/twin"
	cp "$CASES/none/config.json" "$T/twin"
	before=$(stamp "$(record)")
	passes "$what" "$@"
	is "$what: the record stays" "$before" "$(stamp "$STATE/$ID"@*.json | head -1)"
	passes "$what: exec" --root=/r exec --process "$P" "$ID"
	exec_edited "$what: exec"
}
beside "delete --force" --root=/other delete --force "$ID"
beside "create" --root=/other create --bundle "$T/twin" "$ID"
fresh
create
mkdir -p "$T/granted"
cp "$CASES/rdma/config.json" "$T/granted"
passes "two containers of one id: create" --root=/other create --bundle "$T/granted" --pid-file "$PIDFILE" "$ID"
is "two containers of one id: two records" "/other /r" "$(jq -r .root "$STATE/$ID"@*.json | sort | tr '\n' ' ' | sed 's/ $//')"
for root in /r /other; do
	cp tests/cli/tools/process-exec.json "$P"
	passes "two containers of one id: exec, --root=$root" --root=$root exec --process "$P" "$ID"
	exec_edited "two containers of one id: exec, --root=$root"
done
passes "two containers of one id: delete" --root=/other delete --force "$ID"
is "two containers of one id: one is deleted" /r "$(jq -r .root "$(record)")"
# The records of an earlier version, of containers that ran when this one came, are called "<id>.json"
earlier() {
	fresh
	create
	mv "$(record)" "$STATE/$ID.json"
}
earlier
passes "an earlier version's record: exec" --root=/r exec --process "$P" "$ID"
exec_edited "an earlier version's record: exec"
passes "an earlier version's record: delete" --root=/r delete --force "$ID"
not_recorded "an earlier version's record: delete"
earlier
end_container
create
is "an earlier version's record: create takes its place" "$(record)" "$(find "$STATE" -name '*.json')"

# Without a pid file the runtime knows the process
touch "$SEEN/calls"
while IFS='|' read -r want what answer; do
	fresh
	start --root=/r create --bundle "$B" "$ID"
	begin_container
	answer=${answer//PID/$container}
	echo "${answer//BUNDLE/$B}" >"$T/answer"
	passes "no pid file: $what" --root=/r exec --process "$P" "$ID"
	if [ "$want" = yes ]; then exec_edited "no pid file: $what"; else exec_not_edited "no pid file: $what"; fi
	is "no pid file: $what: it was asked once" "--root /r state $ID" "$(head -1 "$SEEN/calls")"
done <<-EOT
	yes|its process|echo '{"ociVersion":"1.0","id":"x","pid":PID,"status":"running","bundle":"BUNDLE"}'
	yes|its process, and a bundle as crun may say it|echo '{"ociVersion":"1.0","id":"x","pid":PID,"status":"running","bundle":"/"}'
	yes|its process, and words on stderr|echo noise >&2; echo '{"ociVersion":"1.0","id":"x","pid":PID,"status":"running","bundle":"BUNDLE"}'
	no|an older process|echo '{"ociVersion":"1.0","id":"x","pid":$$,"status":"running","bundle":"BUNDLE"}'
	no|another bundle|echo '{"ociVersion":"1.0","id":"x","pid":PID,"status":"running","bundle":"/tmp"}'
	no|no process|echo '{"ociVersion":"1.0","id":"x","pid":0,"status":"stopped","bundle":"BUNDLE"}'
	no|a process that is none|echo '{"ociVersion":"1.0","id":"x","pid":-1,"status":"running","bundle":"BUNDLE"}'
	no|a pid of 33 bits|echo '{"ociVersion":"1.0","id":"x","pid":4294967297,"status":"running","bundle":"BUNDLE"}'
	no|no such container|echo 'container does not exist' >&2; exit 1
	no|an answer, and a failure|echo '{"ociVersion":"1.0","id":"x","pid":PID,"status":"running","bundle":"BUNDLE"}'; exit 1
	yes|no answer, which says nothing against it|exit 0
	yes|no JSON, which says nothing against it|echo hello
	no|killed|kill -9 \$\$
	no|an endless answer|cat /dev/zero
EOT
rm "$T/answer"
fresh
start create --bundle "$B" "$ID"
begin_container
echo "echo '{\"ociVersion\":\"1.0\",\"id\":\"x\",\"pid\":$container,\"status\":\"running\",\"bundle\":\"$B\"}'" >"$T/answer"
passes "neither pid file nor --root" exec --process "$P" "$ID"
exec_edited "neither pid file nor --root"
cp tests/cli/tools/process-exec.json "$P"
env --ignore-signal=CHLD "$SHIM" exec --process "$P" "$ID" >"$T/out" 2>"$T/err"
exec_edited "no pid file, and SIGCHLD ignored"
rm "$T/answer"

# A caller whose files may not be as large as the config.json: no signal, the runtime is started, the old file stays
fresh
prlimit --fsize=1000 "$SHIM" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID" </dev/null >"$T/out" 2>"$T/err"
is "RLIMIT_FSIZE below config.json's size: the runtime is started" 0 "$?"
not_edited "RLIMIT_FSIZE below config.json's size"
no_temporary "RLIMIT_FSIZE below config.json's size"

# Records that nobody of us wrote
fresh
create
record=$(record)
cp "$record" "$T/good-record"
# bad_record DESCRIPTION: under both on_error
bad_record() {
	local what
	row "record: $1"
	for on_error in warn fail; do
		on_error $on_error
		cp tests/cli/tools/process-exec.json "$P"
		what="record: $1: on_error $on_error"
		if [ $on_error = warn ]; then
			passes "$what" --root=/r exec --process "$P" "$ID"
		else
			start --root=/r exec --process "$P" "$ID"
			fails "$what" 1
		fi
		exec_not_edited "$what"
	done
	for force in "" --force; do
		# shellcheck disable=SC2086
		passes "record: $1: delete $force" --root=/r delete $force "$ID"
	done
}
# What is wrong with its text: unit hook/shim/record, "broken is not none"
head -c 148 "$T/good-record" >"$record"
bad_record "cut off"
jq -c '.pid_file = ([range(300000) | "x"] | join(""))' "$T/good-record" >"$record"
bad_record "more than 256 KiB"
rm -f "$record"
mkdir "$record"
bad_record "a directory"
rmdir "$record"
mkfifo "$record"
bad_record "a FIFO"
rm -f "$record"
cp "$T/good-record" "$STATE/real"
ln -s real "$record"
bad_record "a symbolic link"
policy

# What the shim writes itself it can read again
config "{\"memlock\": \"8Mi\", \"capabilities\": [\"CAP_IPC_LOCK\"], \"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/crun\"], \"nccl\": {\"extra\": {$(for i in {1..240}; do printf '"V%s":"%01000d",' "$i" 0; done)\"V0\":\"x\"}}}"
fresh
create
is "a grant with 240 KB of environment" 0 "$rc"
passes "a grant with 240 KB of environment: exec" --root=/r exec --process "$P" "$ID"
is "a grant with 240 KB of environment: exec has it" 241 "$(jq '[.env[] | select(startswith("V"))] | length' "$P")"
policy

# A state_dir that others could write to grants nothing, and is given nothing
# state_dir KIND: makes it. More of them: unit hook/shim/record
state_dir() {
	mkdir -m 700 "$STATE"
	case $1 in
	'mode 0777') chmod 0777 "$STATE" ;;
	'of somebody else') chown 1234 "$STATE" ;;
	'a link') mv "$STATE" "$T/real-state" && ln -s real-state "$STATE" ;;
	'a FIFO') rmdir "$STATE" && mkfifo "$STATE" ;;
	esac
}
for kind in 'mode 0777' 'of somebody else' 'a link' 'a FIFO'; do
	for on_error in warn fail; do
		on_error $on_error
		what="state_dir: $kind, on_error $on_error"
		fresh
		rm -rf "$T/real-state"
		state_dir "$kind"
		if [ $on_error = warn ]; then
			passes "$what" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
		else
			create
			fails "$what" 1 "$STATE"
			not_edited "$what"
		fi
		is "$what: nothing is in it" "" "$(find "$STATE/" "$T/real-state" -mindepth 1 2>/dev/null)"
		[ -d "$STATE" ] || continue
		# The right words, by the wrong hand
		fresh
		create
		mv "$STATE" "$T/forged"
		cp -p "$CASES/rdma/config.json" "$B/old"
		rm -rf "$T/real-state"
		state_dir "$kind"
		cp -p "$T/forged/"*.json "$STATE/"
		rm -rf "$T/forged"
		start --root=/r exec --process "$P" "$ID"
		exec_not_edited "$what: a record in it is not believed"
		if [ $on_error = warn ]; then
			look
			is "$what: exec starts the runtime, silently" "0 \"\" <--root=/r> <exec> <--process> <$P> <$ID>" "$rc \"$said\"$arguments"
		fi
		fresh none
		state_dir "$kind"
		passes "$what: a container without RDMA" --root=/r create --bundle "$B" "$ID"
		passes "$what: a container without RDMA, exec" --root=/r exec --process "$P" other
		passes "$what: a container without RDMA, delete" --root=/r delete other
	done
done
rm -rf "$STATE" "$T/real-state"
policy

mkdir "$T/here"
# crun writes a relative --pid-file in the bundle, runc in its caller's directory; of another runtime nobody knows: it is asked
while IFS='|' read -r name where; do
	in_front_of "$name"
	fresh
	(cd "$T/here" && timeout "$PATIENCE" "$SHIM" --root=/r create --bundle "$B" --pid-file rel.pid "$ID" </dev/null >"$T/out" 2>"$T/err")
	begin_container
	echo "$container" >"${where:-$T}/rel.pid"
	[ -n "$where" ] || echo "echo '{\"ociVersion\":\"1.0\",\"id\":\"x\",\"pid\":$container,\"status\":\"running\",\"bundle\":\"$B\"}'" >"$T/answer"
	passes "$name, a relative pid file: delete of a container that runs" --root=/r delete "$ID"
	recorded "$name, a relative pid file: delete of a container that runs"
	passes "$name, a relative pid file: exec" --root=/r exec --process "$P" "$ID"
	exec_edited "$name, a relative pid file: exec"
	echo $$ >"${where:-$T}/rel.pid"
	rm -f "$T/answer"
	cp tests/cli/tools/process-exec.json "$P"
	passes "$name, a relative pid file of another process: exec" --root=/r exec --process "$P" "$ID"
	[ -z "$where" ] || exec_not_edited "$name, a relative pid file of another process: exec"
done <<-EOT
	crun|$B
	runc|$T/here
	nvidia-container-runtime|
EOT
in_front_of crun
# A pid file that is gone says nothing
fresh
create
rm "$PIDFILE"
echo "echo '{\"ociVersion\":\"1.0\",\"id\":\"x\",\"pid\":$container,\"status\":\"running\",\"bundle\":\"$B\"}'" >"$T/answer"
passes "the pid file is gone: delete of a container that runs" --root=/r delete "$ID"
recorded "the pid file is gone: delete of a container that runs"
rm "$T/answer"

# ---- delete ----

sleep 0 &
wait $!
dead=$!
while IFS='|' read -r want pidfile line runtime; do
	in_front_of "${runtime:-crun}"
	fresh
	rm -f "$T/other-pidfile"
	start --root=/r create --bundle "$B" --pid-file "$T/other-pidfile" "$ID"
	begin_container
	echo "${pidfile/SELF/$container}" >"$T/other-pidfile"
	read -ra words <<<"${line//ID/$ID}"
	passes "$line, pid file '$pidfile'" "${words[@]}"
	is "$line, pid file '$pidfile': the record is $want" "$want" "$([ -e "$(record)" ] && echo kept || echo gone)"
done <<-EOT
	kept|SELF|--root=/r delete ID
	kept|SELF|--root=/r delete -r ID
	gone|SELF|--root=/r delete --force ID
	gone|SELF|--root=/r delete -f ID
	gone|SELF|--root=/r delete -rf ID
	gone|SELF|--root=/r delete --fo ID
	gone|SELF|--root=/r delete -force ID|runc
	gone|SELF|--root=/r delete --force=true ID|runc
	kept|SELF|--root=/r delete --force=false ID|runc
	kept|SELF|--root=/r delete -f=0 ID|runc
	gone|SELF|--root /r delete ID --force|runc
	gone|$dead|--root=/r delete ID
	gone|$$|--root=/r delete ID
	gone||--root=/r delete ID
	gone|x|--root=/r delete ID
	gone|0|--root=/r delete ID
	gone|-1|--root=/r delete ID
	kept|SELF|--root=/r delete --force other
	kept|SELF|--root=/r state ID
	kept|SELF|--root=/r kill ID KILL
	kept|SELF|--root=/r start ID
	kept|$dead|--root=/r exec ID delete ID
EOT
in_front_of crun
fresh
start --root=/r create --bundle "$B" "$ID"
start --root=/r delete "$ID"
not_recorded "delete without a pid file"
fresh none
passes "delete without a state_dir" --root=/r delete --force "$ID"
check "and it makes none" test ! -e "$STATE"

# ---- two at once ----

# Two creates at once of one container: whichever the runtime takes, it sees a whole config.json, and exec is served
mkdir "$RT/reader"
cat >"$RT/reader/crun" <<-EOT
	#!/bin/bash
	[ "\$2" != create ] || [ "\$(<"$B/config.json")" = "\$(<"$CASES/rdma/edited.json")" ] || echo broken >>"$T/broken"
EOT
chmod 755 "$RT/reader/crun"
config "{\"memlock\": \"8Mi\", \"capabilities\": [\"CAP_IPC_LOCK\"], \"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/reader/crun\"]}"
: >"$T/broken"
unserved=0 left=0
rm -f "$PIDFILE"
for ((pair = 0; pair < 40; pair++)); do
	fresh
	"$SHIM" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID" 2>>"$T/broken" &
	first=$!
	"$SHIM" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID" 2>>"$T/broken"
	wait "$first"
	"$SHIM" --root=/r exec --process "$P" "$ID"
	cmp -s "$P" "$T/process.edited" || unserved=$((unserved + 1))
	[ -z "$(find "$B" "$STATE" -name '.*')" ] || left=$((left + 1))
done
is "two creates at once, $pair times: broken, unserved, with a temporary file left" "0 0 0" "$(wc -l <"$T/broken") $unserved $left"
policy

finish
