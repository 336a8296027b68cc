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
	all --root=$ROOT exec --pid-file /tmp/pidfile1 --process FILE --detach ID
	all --root=$ROOT exec --pid-file /tmp/p --process FILE --detach --tty --console-socket /s ID
	all --root=$ROOT exec --process=FILE ID
	all --root=$ROOT exec -p FILE ID
	not-runc --root=$ROOT exec -pFILE ID
	not-runc --root=$ROOT exec -dpFILE ID
	not-runc --root=$ROOT exec -te -pFILE ID
	not-runc --root=$ROOT exec -de A=B --process FILE ID
	not-runc --root=$ROOT exec -deA=B -u0:0 --en C=D --cw / --pi /p --process-l x --cons /s --process FILE ID
	not-runc --ro /run/r exec --cg z --ap y --ca CAP_KILL --use 1 --t --det --n --process FILE ID
	not-crun --root=$ROOT exec -process FILE ID
	not-crun exec --root /run/r --log /l --process FILE ID
	not-crun --root=$ROOT exec -p=FILE ID
	not-crun --root=$ROOT exec -env A=B -user 1 -cap CAP_KILL -cwd / -tty -detach --process FILE ID
	all --root=$ROOT exec --cwd / --env A=B -e C=D --user 0:0 -u 1 --process-label x --apparmor y --cap CAP_KILL -c CAP_KILL --preserve-fds 1 --cgroup z --process FILE ID
	not-crun --root=$ROOT exec --additional-gids 5 -g 6 --pidfd-socket /s --process FILE ID
	all --root=$ROOT exec --no-new-privs --ignore-paused --tty --unknown --process FILE ID
	all --root=$ROOT exec --process FILE -- ID
	all --root=$ROOT exec --process FILE ID sh -c x
	all --root=$ROOT exec --process /nowhere --process FILE ID
	no --root=$ROOT exec ID sh --process FILE
	no --root=$ROOT exec ID -p FILE
	no --root=$ROOT exec ID -- --process FILE
	no --root=$ROOT exec --env --process=FILE ID
	no --root=$ROOT exec --cwd -pFILE ID sh
	no --root=$ROOT exec -t --process-label FILE ID
	no --root=$ROOT exec --process FILE other
	no --root=/run/other exec --process FILE ID
	no exec --process FILE ID
	no --root=$ROOT state --process FILE ID
	no --root exec --process FILE ID
	no exec ID --root /run/r --process FILE
EOT
in_front_of runc
policy '"on_error": "fail"'
fresh
create
passes "runc: an empty --process is none" --root=$ROOT exec --process= "$ID" sh
in_front_of crun
fresh
create
(cd "$T/exec" && timeout "$PATIENCE" "$SHIM" --root=$ROOT exec --process process.json "$ID" >"$T/out" 2>"$T/err")
exec_edited "a relative process.json"
fresh
cp "$P" "$T/exec/$(printf '%0250d' 0)"
create
passes "a process.json with a very long name" --root=$ROOT exec --process "$T/exec/$(printf '%0250d' 0)" "$ID"
exec_edited "a process.json with a very long name" "$T/exec/$(printf '%0250d' 0)"
no_temporary "a process.json with a very long name"

# Again, and another policy since
fresh
create
start --root=$ROOT exec --process "$P" "$ID"
before=$(stamp "$P")
passes "exec again" --root=$ROOT exec --process "$P" "$ID"
is "exec again: the file is the same" "$before" "$(stamp "$P")"
config '{"namespaces": [], "memlock": "1Mi"}'
listed "$RT/crun"
mv "$NODE/sys" "$NODE/no-sys"
cp tests/cli/tools/process-exec.json "$P"
passes "exec under another policy, on a node without devices" --root=$ROOT exec --process "$P" "$ID"
exec_edited "exec gets what the container got"
mv "$NODE/no-sys" "$NODE/sys"
policy

# An id means a container only together with --root, and one that was used again is another container
fresh
create
cp "$CASES/none/config.json" "$B/config.json"
create
before=$(stamp "$P")
passes "an id that was used again: exec" --root=$ROOT exec --process "$P" "$ID"
is "an id that was used again: nothing of the earlier one" "$before" "$(stamp "$P")"
for name in crun runc; do
	in_front_of "$name"
	what="$name, two containers of one id"
	fresh
	create
	mkdir -p "$T/twin"
	cp "$CASES/none/config.json" "$T/twin"
	if [ "$name" = crun ]; then kept "$ID" "$T/twin/config.json" $ROOT/other; else kept "$ID" "$T/twin" $ROOT/other; fi
	passes "$what: the other" --root=$ROOT/other exec --process "$P" "$ID"
	exec_not_edited "$what: the other"
	passes "$what: this one" --root=$ROOT exec --process "$P" "$ID"
	exec_edited "$what: this one"
	rm -r "${ROOT:?}/$ID"
	cp tests/cli/tools/process-exec.json "$P"
	passes "$name, a container that was deleted" --root=$ROOT exec --process "$P" "$ID"
	exec_not_edited "$name, a container that was deleted"
done
# Without --root
while read -r name home env; do
	in_front_of "$name"
	what="$name without --root${env:+, $env}"
	fresh
	start create --bundle "$B" "$ID"
	if [ "$name" = crun ]; then kept "$ID" "$B/config.json" "$home"; else kept "$ID" "$B" "$home"; fi
	echo $((++round)) >"$T/round"
	# shellcheck disable=SC2086
	env $env "$SHIM" exec --process "$P" "$ID" >"$T/out" 2>"$T/err"
	exec_edited "$what"
	rm -r "$home"
done <<-EOT
	crun /run/crun
	runc /run/runc
	nvidia-container-runtime /run/runc
	crun /run/crun XDG_RUNTIME_DIR=
	crun /run/mine/crun XDG_RUNTIME_DIR=/run/mine
	runc /run/runc XDG_RUNTIME_DIR=/run/mine
EOT
# What the runtime keeps, damaged: it will say so itself
for name in crun runc; do
	in_front_of "$name"
	if [ "$name" = crun ]; then file=$ROOT/$ID/config.json; else file=$ROOT/$ID/state.json; fi
	for on_error in warn fail; do
		on_error $on_error
		for kind in missing symlink directory FIFO garbage empty array cut; do
			fresh
			create
			spoil "$kind" "$file"
			if [ "$name $kind $on_error" = "crun symlink fail" ]; then continue; fi # its text asks
			passes "$name keeps $kind, on_error $on_error" --root=$ROOT exec --process "$P" "$ID"
			exec_not_edited "$name keeps $kind, on_error $on_error"
		done
	done
done
in_front_of runc
for labels in '[]' '["bundle=relative"]' '["a=b"]' "[\"bundle=$B\", \"a=b\"]" '[7]' '{}' "[\"bundle=/nowhere\"]"; do
	fresh
	create
	jq -n --argjson labels "$labels" '{config: {labels: $labels}}' >$ROOT/$ID/state.json
	passes "runc's labels ${labels//"$B"/BUNDLE}" --root=$ROOT exec --process "$P" "$ID"
	exec_not_edited "runc's labels ${labels//"$B"/BUNDLE}"
done
in_front_of crun

# A container that is not ours
fresh none
create
before=$(stamp "$P")
passes "exec of another container" --root=$ROOT exec --process "$P" "$ID"
is "exec of another container: the file is the same" "$before" "$(stamp "$P")"

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
	$HARD-$HARD --root=$ROOT exec ID sh
	$HARD-$HARD --root=$ROOT exec -t --user 1000 ID sh --process x
	$HARD-$HARD --root=$ROOT exec --process $P ID
	$SOFT-$HARD --root=$ROOT exec --process $T/exec/limits.json ID
	$SOFT-$HARD --root=$ROOT exec --process $T/exec/memlock.json ID
	$SOFT-$HARD --root=$ROOT exec other sh
	$SOFT-$HARD --root=$ROOT exec --process $P other
	$SOFT-$HARD exec ID sh
	$SOFT-$HARD --root=$ROOT state ID
	$SOFT-$HARD --root=$ROOT start ID
	$SOFT-$HARD --root=$ROOT create --bundle $B ID
EOT
prlimit --memlock=$HARD:$HARD "$SHIM" --root=$ROOT exec "$ID" sh
is "a higher limit stays" "$HARD-$HARD" "$(limit)"
rm "$T/full"

# A limit that nobody here may set
no_right=(setpriv --inh-caps=-sys_resource --bounding-set=-sys_resource)
for on_error in warn fail; do
	config "{\"on_error\": \"$on_error\"}"
	listed "$RT/crun"
	fresh
	AS=setpriv start "${no_right[@]:1}" "$SHIM" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	if [ $on_error = warn ]; then
		is "a limit that cannot be set, on_error warn: what the engine itself has, and the rest" '0 [{"type":"RLIMIT_MEMLOCK","hard":8388608,"soft":8388608}] "NCCL_IB_HCA==mlx5_6" true' \
			"$rc$(cat "$T/out" "$T/err") $(jq -c '.process | .rlimits, .env[-1], (.capabilities.ambient == ["CAP_IPC_LOCK"])' "$B/config.json" | paste -sd ' ')"
		kept
		AS=setpriv start "${no_right[@]:1}" "$SHIM" --root=$ROOT exec --process "$P" "$ID"
		exec_edited "a limit that cannot be set, on_error warn: exec gets the same"
	else
		fails "a limit that cannot be set, on_error fail" 1 MEMLOCK
		not_edited "a limit that cannot be set, on_error fail"
	fi
done
config '{"on_error": "fail", "memlock": "1Gi"}'
listed "$RT/crun"
fresh
jq -c '.process.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 1073741824, hard: 1073741824}]' "$CASES/rdma/config.json" >"$B/config.json"
AS=setpriv start "${no_right[@]:1}" "$SHIM" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
is "a limit that cannot be set, but is listed already: the rest is granted" '0 "NCCL_IB_HCA==mlx5_6"' "$rc$(cat "$T/out" "$T/err") $(jq -c '.process.env[-1]' "$B/config.json")"

# A capability that nobody here may give: the runtime would not start the container.
no_lock=(setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock)
locks='.capabilities | if . then (.ambient | index("CAP_IPC_LOCK") != null) else null end'
for on_error in warn fail; do
	on_error $on_error
	fresh
	AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	if [ $on_error = warn ]; then
		is "a capability that cannot be given, on_error warn: the rest is granted" '0 8388608 "NCCL_IB_HCA==mlx5_6" false' \
			"$rc$(cat "$T/out" "$T/err") $(jq -c ".process | .rlimits[0].hard, .env[-1], ($locks)" "$B/config.json" | paste -sd ' ')"
		fresh
		create
		AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=$ROOT exec --process "$P" "$ID"
		is "a capability that cannot be given, on_error warn: exec gets the rest, too" '0 "NCCL_IB_HCA==mlx5_6" false' \
			"$rc$(cat "$T/out" "$T/err") $(jq -c ".env[-1], ($locks)" "$P" | paste -sd ' ')"
	else
		fails "a capability that cannot be given, on_error fail" 1 "cannot give CAP_IPC_LOCK, which its bounding set lacks"
		not_edited "a capability that cannot be given, on_error fail"
		fresh
		create
		AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=$ROOT exec --process "$P" "$ID"
		fails "a capability that cannot be given, on_error fail: exec" 1 "cannot give CAP_IPC_LOCK, which its bounding set lacks"
		exec_not_edited "a capability that cannot be given, on_error fail: exec"
	fi
	fresh
	create
	jq -c 'del(.capabilities)' "$P" >"$T/without" && cp "$T/without" "$P"
	AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=$ROOT exec --process "$P" "$ID"
	is "a process.json without capabilities takes the container's, on_error $on_error" '0 "NCCL_IB_HCA==mlx5_6" null' \
		"$rc$(cat "$T/out" "$T/err") $(jq -c ".env[-1], ($locks)" "$P" | paste -sd ' ')"
	fresh
	jq -c '.linux.namespaces += [{type: "user"}]' "$CASES/rdma/config.json" >"$B/config.json"
	AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	is "in a user namespace of its own a container has it, on_error $on_error" '0 true' "$rc$(cat "$T/out" "$T/err") $(jq -c ".process | $locks" "$B/config.json")"
	fresh
	jq -c '.process.capabilities = ([("bounding", "effective", "inheritable", "permitted", "ambient") | {key: ., value: ["CAP_IPC_LOCK"]}] | from_entries)' \
		"$CASES/rdma/config.json" >"$B/config.json"
	AS=setpriv start "${no_lock[@]:1}" "$SHIM" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	is "a capability that the container has anyway is not ours to give, on_error $on_error" '0 "NCCL_IB_HCA==mlx5_6"' \
		"$rc$(cat "$T/out" "$T/err") $(jq -c ".process.env[-1]" "$B/config.json")"
done
policy

# No more than the container itself was given, by whomever
while IFS='|' read -r what created process want; do
	fresh
	jq -c "$created" "$CASES/rdma/edited.json" >"$B/config.json"
	kept
	jq -c "$process" tests/cli/tools/process-exec.json >"$P"
	passes "$what" --root=$ROOT exec --process "$P" "$ID"
	is "$what: what it gets" "$want" "$(jq -c '[.rlimits[]? | [.soft, .hard]], ([.capabilities[][] | select(IN("CAP_IPC_LOCK", "CAP_SYS_BOOT"))] | unique), [.env[] | select(test("^(NCCL|NEW)"))]' "$P" | paste -sd ' ')"
done <<-'EOT'
	a soft limit below the hard one|.process.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 2097152, hard: 4194304}]|.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 65536, hard: 4194304}]|[[2097152,4194304]] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6"]
	the last of two limits|.process.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 4194304, hard: 4194304}, {type: "RLIMIT_MEMLOCK", soft: 2097152, hard: 2097152}]|.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 65536, hard: 65536}]|[[2097152,2097152]] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6"]
	a limit that is higher in the process|.process.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 65536, hard: 65536}]|.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 131072, hard: 131072}]|[[131072,131072]] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6"]
	no limit|del(.process.rlimits)|.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 65536, hard: 65536}]|[[65536,65536]] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6"]
	a capability in four of the five sets|del(.process.capabilities.ambient)|.|[] [] ["NCCL_IB_HCA==mlx5_6"]
	no capabilities|del(.process.capabilities)|.|[] [] ["NCCL_IB_HCA==mlx5_6"]
	a variable of another program|.process.env += ["NEW=a=b", "NOVALUE", "NCCL_IB_GID_INDEX=3"]|.|[] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6","NCCL_IB_GID_INDEX=3"]
	quotes, brackets and '=' in a value|.process.env += ["NCCL_SOCKET_IFNAME==a\"]}"]|.|[] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6","NCCL_SOCKET_IFNAME==a\"]}"]
	a capability that the policy does not grant|.process.capabilities[] += ["CAP_SYS_BOOT"]|.|[] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6"]
	a variable that the process sets itself|.|.env += ["NCCL_IB_HCA=mine"]|[] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA=mine"]
	variables in another order|.process.env = .process.env[1:] + .process.env[:1]|.|[] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6"]
	a forged annotation|del(.process.rlimits) * {annotations: {"oci-rdma-hook.io/memlock": "unlimited"}}|.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 65536, hard: 65536}]|[[65536,65536]] ["CAP_IPC_LOCK"] ["NCCL_IB_HCA==mlx5_6"]
EOT
# Where its device asks, nothing in config.json is ours
policy '"opt_in": "device"'
fresh
jq -c '.annotations |= with_entries(select(.key + .value | contains("oci-rdma-hook") | not))' "$CASES/rdma/config.json" >"$B/config.json"
create
is "opt_in device, control: config.json does not name us" 0 "$(grep -c oci-rdma-hook "$B/config.json")"
passes "opt_in device: exec" --root=$ROOT exec --process "$P" "$ID"
exec_edited "opt_in device: exec"
# What the shim writes itself it can read again
config "{\"memlock\": \"8Mi\", \"nccl\": {\"extra\": {$(for i in {1..240}; do printf '"V%s":"%01000d",' "$i" 0; done)\"V0\":\"x\"}}}"
listed "$RT/crun"
fresh
create
passes "a grant with 240 KB of environment: exec" --root=$ROOT exec --process "$P" "$ID"
is "a grant with 240 KB of environment: exec has it" 241 "$(jq '[.env[] | select(startswith("V"))] | length' "$P")"
policy

# A caller whose files may not be as large as the config.json: no signal, the runtime is started, the old file stays
fresh
prlimit --fsize=1000 "$SHIM" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID" </dev/null >"$T/out" 2>"$T/err"
is "RLIMIT_FSIZE below config.json's size: the runtime is started" 0 "$?"
not_edited "RLIMIT_FSIZE below config.json's size"
no_temporary "RLIMIT_FSIZE below config.json's size"

# Two creates at once of one container: whichever the runtime takes, it sees a whole config.json, and exec is served
mkdir "$RT/reader"
cat >"$RT/reader/crun" <<-EOF
	#!/bin/bash
	[ "\$2" != create ] || [ "\$(<"$B/config.json")" = "\$(<"$CASES/rdma/edited.json")" ] || echo broken >>"$T/broken"
EOF
chmod 755 "$RT/reader/crun"
listed "$RT/reader/crun"
: >"$T/broken"
unserved=0 left=0
for ((pair = 0; pair < 40; pair++)); do
	fresh
	"$SHIM" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID" 2>>"$T/broken" &
	first=$!
	"$SHIM" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID" 2>>"$T/broken"
	wait "$first"
	kept
	"$SHIM" --root=$ROOT exec --process "$P" "$ID"
	cmp -s "$P" "$T/process.edited" || unserved=$((unserved + 1))
	[ -z "$(find "$B" -name '.*')" ] || left=$((left + 1))
done
is "two creates at once, $pair times: broken, unserved, with a temporary file left" "0 0 0" "$(wc -l <"$T/broken") $unserved $left"
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
			passes "$what" --root=$ROOT exec --process "$P" "$ID"
		else
			start --root=$ROOT exec --process "$P" "$ID"
			fails "$what" 1 "$P"
		fi
		is "$what: it is as it was" "$before" "$(stamp "$P")"
		[ "$kind" != symlink ] || exec_not_edited "$what: the link's target" "$T/exec/real"
		no_temporary "$what"
	done
done
policy

# What was granted by vfio alone, and did not ask, names none of our words.
in_front_of crun
node '{"functions":[{"pci":"0000:3b:00.0","ibdev":"mlx5_2","vfs":[{"pci":"0000:3b:02.5","driver":"vfio-pci"}]}]}'
policy '"opt_in": "device", "devices": ["verbs", "vfio"]'
for device in /dev/vfio/devices/vfio0 /dev/odd; do
	prepare vfio "{\"devices\":[[\"$device\",242,0]],\"annotations\":{\"oci-rdma-hook.io/inject\":null}}"
	fresh vfio
	create
	jq '.rlimits = [{"type":"RLIMIT_NOFILE","soft":1,"hard":1}]' tests/cli/tools/process-exec.json >"$P"
	passes "vfio alone, $device: exec" --root=$ROOT exec --process "$P" "$ID"
	is "vfio alone, $device: exec has the container's limit" 8388608 "$(jq '.rlimits[] | select(.type == "RLIMIT_MEMLOCK").soft' "$P")"
done
finish
