#!/bin/bash
# The shim and exec: which process.json is edited, and which is left as it is.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tools/shim-node.bash

# All ways to say exec, and to whom; no: it says something else
executed() {
	local name="$2: $IN_FRONT_OF" words
	fresh
	create
	read -ra words <<<"${2//ID/$ID}"
	passes "$name" "${words[@]//FILE/$P}"
	if understands "$1"; then exec_edited "$name"; else exec_not_edited "$name"; fi
	edited "$name"
	no_temporary "$name"
}
while read -r whom line; do
	row "$line"
	for name in $runtimes; do
		in_front_of "$name"
		executed "$whom" "$line"
	done
done <<-EOT
	all --root=/r exec --pid-file /tmp/pidfile1 --process FILE --detach ID
	all --root=/r exec --pid-file /tmp/p --process FILE --detach --tty --console-socket /s ID
	all --root=/r exec --process=FILE ID
	all --root=/r exec -p FILE ID
	not-runc --root=/r exec -pFILE ID
	not-runc --root=/r exec -dpFILE ID
	not-runc --root=/r exec -te -pFILE ID
	not-runc --root=/r exec -de A=B --process FILE ID
	not-runc --root=/r exec -deA=B -u0:0 --en C=D --cw / --pi /p --process-l x --cons /s --process FILE ID
	not-runc --ro /r exec --cg z --ap y --ca CAP_KILL --use 1 --t --det --n --process FILE ID
	not-crun --root=/r exec -process FILE ID
	not-crun exec --root /r --log /l --process FILE ID
	not-crun --root=/r exec -p=FILE ID
	not-crun --root=/r exec -env A=B -user 1 -cap CAP_KILL -cwd / -tty -detach --process FILE ID
	all --root=/r exec --cwd / --env A=B -e C=D --user 0:0 -u 1 --process-label x --apparmor y --cap CAP_KILL -c CAP_KILL --preserve-fds 1 --cgroup z --process FILE ID
	not-crun --root=/r exec --additional-gids 5 -g 6 --pidfd-socket /s --process FILE ID
	all --root=/r exec --no-new-privs --ignore-paused --tty --unknown --process FILE ID
	all --root=/r exec --process FILE -- ID
	all --root=/r exec --process FILE ID sh -c x
	all --root=/r exec --process /nowhere --process FILE ID
	no --root=/r exec ID sh --process FILE
	no --root=/r exec ID -p FILE
	no --root=/r exec ID -- --process FILE
	no --root=/r exec --env --process=FILE ID
	no --root=/r exec --cwd -pFILE ID sh
	no --root=/r exec -t --process-label FILE ID
	no --root=/r exec --process FILE other
	no --root=/other exec --process FILE ID
	no exec --process FILE ID
	no --root=/r state --process FILE ID
	no --root exec --process FILE ID
	no exec ID --root /r --process FILE
EOT
in_front_of runc
policy '"on_error": "fail"'
fresh
create
passes "runc: an empty --process is none" --root=/r exec --process= "$ID" sh
in_front_of crun
fresh
create
(cd "$T/exec" && timeout "$PATIENCE" "$SHIM" --root=/r exec --process process.json "$ID" >"$T/out" 2>"$T/err")
exec_edited "a relative process.json"
fresh
cp "$P" "$T/exec/$(printf '%0250d' 0)"
create
passes "a process.json with a very long name" --root=/r exec --process "$T/exec/$(printf '%0250d' 0)" "$ID"
exec_edited "a process.json with a very long name" "$T/exec/$(printf '%0250d' 0)"
no_temporary "a process.json with a very long name"

# Again, and another policy since
fresh
create
start --root=/r exec --process "$P" "$ID"
before=$(stamp "$P")
passes "exec again" --root=/r exec --process "$P" "$ID"
is "exec again: the file is the same" "$before" "$(stamp "$P")"
config "{\"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/crun\"], \"namespaces\": [], \"memlock\": \"1Mi\"}"
mv "$NODE/sys" "$NODE/no-sys"
cp tests/cli/tools/process-exec.json "$P"
passes "exec under another policy, on a node without devices" --root=/r exec --process "$P" "$ID"
exec_edited "exec gets what the container got"
mv "$NODE/no-sys" "$NODE/sys"
policy

# A container that is not ours
fresh none
create
before=$(stamp "$P")
passes "exec of another container" --root=/r exec --process "$P" "$ID"
is "exec of another container: the file is the same" "$before" "$(stamp "$P")"
rm -rf "$STATE"
passes "exec without a state_dir" --root=/r exec --process "$P" "$ID"
is "exec without a state_dir: the file is the same" "$before" "$(stamp "$P")"
check "and it makes none" test ! -e "$STATE"

# Without --process the runtime makes the process from the spec; then, and for a process.json without limits, crun takes its caller's
limit() { grep 'Max locked' "$SEEN/limits" | tr -s ' ' | cut -d ' ' -f 4,5 | tr ' ' -; }
touch "$T/full"
fresh
create
jq -c '.rlimits = [{type: "RLIMIT_NOFILE", soft: 1, hard: 2}]' tests/cli/tools/process-exec.json >"$T/limits.json"
jq -c '.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 65536, hard: 16777216}]' tests/cli/tools/process-exec.json >"$T/memlock.json"
while read -r want line; do
	cp tests/cli/tools/process-exec.json "$P"
	cp "$T/limits.json" "$T/memlock.json" "$T/exec"
	read -ra words <<<"${line//ID/$ID}"
	start "${words[@]}"
	is "$line: the runtime's own memlock, silently" "$want 0" "$(limit) $rc$(cat "$T/out" "$T/err")"
done <<-EOT
	$HARD-$HARD --root=/r exec ID sh
	$HARD-$HARD --root=/r exec -t --user 1000 ID sh --process x
	$HARD-$HARD --root=/r exec --process $P ID
	$SOFT-$HARD --root=/r exec --process $T/exec/limits.json ID
	$SOFT-$HARD --root=/r exec --process $T/exec/memlock.json ID
	$SOFT-$HARD --root=/r exec other sh
	$SOFT-$HARD --root=/r exec --process $P other
	$SOFT-$HARD exec ID sh
	$SOFT-$HARD --root=/r state ID
	$SOFT-$HARD --root=/r start ID
	$SOFT-$HARD --root=/r create --bundle $B ID
EOT
prlimit --memlock=$HARD:$HARD "$SHIM" --root=/r exec "$ID" sh
is "a higher limit stays" "$HARD-$HARD" "$(limit)"
rm "$T/full"

# A limit that nobody here may set
no_right=(setpriv --inh-caps=-sys_resource --bounding-set=-sys_resource)
for on_error in warn fail; do
	config "{\"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/crun\"], \"on_error\": \"$on_error\"}"
	fresh
	AS=setpriv start "${no_right[@]:1}" "$SHIM" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	if [ $on_error = warn ]; then
		is "a limit that cannot be set, on_error warn: what the engine itself has, and the rest" '0 [{"type":"RLIMIT_MEMLOCK","hard":8388608,"soft":8388608}] "NCCL_IB_HCA==mlx5_6" true' \
			"$rc$(cat "$T/out" "$T/err") $(jq -c '.process | .rlimits, .env[-1], (.capabilities.ambient == ["CAP_IPC_LOCK"])' "$B/config.json" | paste -sd ' ')"
		begin_container
		AS=setpriv start "${no_right[@]:1}" "$SHIM" --root=/r exec --process "$P" "$ID"
		exec_edited "a limit that cannot be set, on_error warn: exec gets the same"
	else
		fails "a limit that cannot be set, on_error fail" 1 MEMLOCK
		not_edited "a limit that cannot be set, on_error fail"
		not_recorded "a limit that cannot be set, on_error fail"
	fi
done
config "{\"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/crun\"], \"on_error\": \"fail\", \"memlock\": \"1Gi\"}"
fresh
jq -c '.process.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 1073741824, hard: 1073741824}]' "$CASES/rdma/config.json" >"$B/config.json"
AS=setpriv start "${no_right[@]:1}" "$SHIM" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
is "a limit that cannot be set, but is listed already: the rest is granted" '0 "NCCL_IB_HCA==mlx5_6"' "$rc$(cat "$T/out" "$T/err") $(jq -c '.process.env[-1]' "$B/config.json")"

# A capability that nobody here may give: the runtime would not start the container.
no_lock=(setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock)
locks='.capabilities | if . then (.ambient | index("CAP_IPC_LOCK") != null) else null end'
for on_error in warn fail; do
	config "{\"memlock\": \"8Mi\", \"capabilities\": [\"CAP_IPC_LOCK\"], \"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/crun\"], \"on_error\": \"$on_error\"}"
	fresh
	AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	if [ $on_error = warn ]; then
		is "a capability that cannot be given, on_error warn: the rest is granted" '0 8388608 "NCCL_IB_HCA==mlx5_6" false' \
			"$rc$(cat "$T/out" "$T/err") $(jq -c ".process | .rlimits[0].hard, .env[-1], ($locks)" "$B/config.json" | paste -sd ' ')"
		fresh
		create
		AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=/r exec --process "$P" "$ID"
		is "a capability that cannot be given, on_error warn: exec gets the rest, too" '0 "NCCL_IB_HCA==mlx5_6" false' \
			"$rc$(cat "$T/out" "$T/err") $(jq -c ".env[-1], ($locks)" "$P" | paste -sd ' ')"
	else
		fails "a capability that cannot be given, on_error fail" 1 "cannot give CAP_IPC_LOCK, which its bounding set lacks"
		not_edited "a capability that cannot be given, on_error fail"
	fi
	fresh
	create
	jq -c 'del(.capabilities)' "$P" >"$T/without" && cp "$T/without" "$P"
	AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=/r exec --process "$P" "$ID"
	is "a process.json without capabilities takes the container's, on_error $on_error" '0 "NCCL_IB_HCA==mlx5_6" null' \
		"$rc$(cat "$T/out" "$T/err") $(jq -c ".env[-1], ($locks)" "$P" | paste -sd ' ')"
	fresh
	jq -c '.linux.namespaces += [{type: "user"}]' "$CASES/rdma/config.json" >"$B/config.json"
	AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	is "in a user namespace of its own a container has it, on_error $on_error" '0 true' "$rc$(cat "$T/out" "$T/err") $(jq -c ".process | $locks" "$B/config.json")"
	fresh
	jq -c '.process.capabilities = ([("bounding", "effective", "inheritable", "permitted", "ambient") | {key: ., value: ["CAP_IPC_LOCK"]}] | from_entries)' \
		"$CASES/rdma/config.json" >"$B/config.json"
	AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	is "a capability that the container has anyway is not ours to give, on_error $on_error" '0 "NCCL_IB_HCA==mlx5_6"' \
		"$rc$(cat "$T/out" "$T/err") $(jq -c ".process.env[-1]" "$B/config.json")"
done
policy

# process.json that is no process.json
for on_error in warn fail; do
	on_error $on_error
	for kind in missing symlink directory FIFO garbage empty array cut huge 'no UTF-8' 'env twice'; do
		fresh
		create
		spoil "$kind" "$P"
		before=$(stamp "$P")
		what="process.json: $kind, on_error $on_error"
		if [ $on_error = warn ]; then
			passes "$what" --root=/r exec --process "$P" "$ID"
		else
			start --root=/r exec --process "$P" "$ID"
			fails "$what" 1 "$P"
		fi
		is "$what: it is as it was" "$before" "$(stamp "$P")"
		[ "$kind" != symlink ] || exec_not_edited "$what: the link's target" "$T/exec/real"
		no_temporary "$what"
	done
done
policy
finish
