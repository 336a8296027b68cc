#!/bin/bash
# What becomes of the process spec, by --format spec, precreate and the shim: it says what the plan says, and no other byte is changed.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
node one
SHIM=$T/oci-rdma-runtime
ln -s "$HOOK" "$SHIM"
rdma='"devices":[["/dev/infiniband/uverbs6",231,198]]'
export OCI_RDMA_SYSROOT=$NODE
SOFT=1048576 HARD=8388608 # our own memlock: the runtime would start with it
prlimit --pid $$ --memlock=$SOFT:$HARD

# precreate: what it makes of $B/config.json, in $T.out, $T.err and $rc
precreate() {
	timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>"$T/err"
	rc=$?
}
# untouched DESCRIPTION STATUS: after precreate: its status, and the text is the same
untouched() {
	is "$1: exit status" "$2" "$rc"
	check "$1: every byte is handed on" cmp "$B/config.json" "$T/out"
}

# ---- each way to edit gives the same text ----

# Of the edit itself, unit core/apply/spec_edit has each place, and fuzz edit and process have what holds of any text.
gives='{"memlock":"8Mi","capabilities":["CAP_IPC_LOCK","CAP_SYS_NICE"],"seccomp":"amend",
	"nccl":{"socket_ifname":"^docker0,lo","extra":{"QUOTES":"a \"b\" \\c\\ <d> & /e","LETTERS":"größe 😀"}}}'
# What config.json then says, and process.json. What is added to a list has no order.
# shellcheck disable=SC2016 # jq's variables
gets_all='.env += (["NCCL_IB_HCA==mlx5_6", "NCCL_SOCKET_IFNAME=^docker0,lo", "QUOTES=a \"b\" \\c\\ <d> & /e", "LETTERS=größe 😀"])
	| .rlimits += (if (.rlimits // []) == [] and $alone then [] else [{type: "RLIMIT_MEMLOCK", hard: 8388608, soft: 8388608}] end)
	| .capabilities |= reduce ("bounding", "effective", "permitted", "inheritable", "ambient") as $set (.;
		.[$set] |= ((. // []) as $old | $old + (["CAP_IPC_LOCK", "CAP_SYS_NICE"] - $old)))'
in_no_order='(.env, .capabilities[]?) |= sort | if .rlimits == [] then del(.rlimits) else . end'
calls='["get_mempolicy","ioctl","madvise","mbind","mlock","mlock2","mlockall","mmap","munlock","munlockall","munmap",
	"sched_setaffinity","set_mempolicy"]'
# What an editor that writes a text anew would change
odd='"x":[1E400,-0,1.0,18446744073709551617,"\u003c\ud83d\ude00\/",{"env":[],"rlimits":null}],'
# spelt HOW FILE: as CRI-O has it (by tabs), as podman has it (compact), and as a person may have left it
spelt() {
	case $1 in
	"by tabs") jq --tab . "$2" ;;
	compact) jq -c . "$2" | tr -d '\n' ;;
	"indented, keys sorted") jq -S --indent 2 . "$2" ;;
	CRLF) jq --tab . "$2" | sed 's/$/\r/' ;;
	esac | sed "1s|{|{${odd//\\/\\\\}|"
}
spellings=("by tabs" compact "indented, keys sorted" CRLF)
# only_added BEFORE AFTER: nothing was taken away, moved or spelt in another way
only_added() {
	"$PYTHON" -ISc 'import sys; a, b = (open(path, "rb").read() for path in sys.argv[1:]); rest = iter(b); sys.exit(not all(c in rest for c in a))' "$@"
}
# again CASE FILE COMMAND…: it is silent, and leaves the file alone
again() {
	local before said
	before=$(stat -c '%i %y' "$2")
	said=$("${@:3}" 2>&1)
	is "$1: silently" "0 " "$? $said"
	is "$1: the file is left alone" "$before" "$(stat -c '%i %y' "$2")"
}
create() { "$SHIM" --root "$T/kept" create --bundle "$B" a; }
execute() { "$SHIM" --root "$T/kept" exec --process "$T/process.json" a; }

config "$gives"
echo /bin/true >"$NODE/etc/oci-rdma-hook/runtimes"
bundle "{$rdma}"
cp "$B/config.json" "$T/recorded.json"
jq '.linux.seccomp = {defaultAction: "SCMP_ACT_ERRNO",
	syscalls: [{names: ["read"], action: "SCMP_ACT_ALLOW"}]}' "$T/recorded.json" >"$T/granted.json"
jq 'del(.annotations["oci-rdma-hook.io/inject"])' "$T/granted.json" >"$T/plain.json"
for name in granted plain; do
	for spelling in "${spellings[@]}"; do
		row "$name, $spelling: all ways give the same text, which a second run leaves"
		spelt "$spelling" "$T/$name.json" | tee "$T/before" >"$B/config.json"
		dry_run --format spec
		is "$row: --format spec is silent" "0 " "$rc $(<"$T/err")"
		cp "$T/out" "$T/edited"
		if [ "$name" = granted ]; then
			check "$row: what was there is there" only_added "$T/before" "$T/edited"
			same "$row: the process has what the plan says, and nothing else is changed" \
				"$(jq -S --argjson alone false --argjson calls "$calls" ".process |= ($gets_all | $in_no_order)
					| .linux.seccomp.syscalls += [{names: \$calls, action: \"SCMP_ACT_ALLOW\"}]" "$T/before")" \
				"$(jq -S ".process |= ($in_no_order) | .linux.seccomp.syscalls[-1].names |= sort" "$T/edited")"
		else
			check "$row: every byte is kept" cmp "$T/before" "$T/edited"
		fi
		precreate
		is "$row: precreate is silent" "0 " "$rc $(<"$T/err")"
		check "$row: precreate writes the same bytes" cmp "$T/edited" "$T/out"
		if [ "$name" = plain ]; then
			again "$row: the shim" "$B/config.json" create
		else
			said=$(create 2>&1)
			is "$row: the shim is silent" "0 " "$? $said"
		fi
		check "$row: the shim writes the same bytes" cmp "$T/edited" "$B/config.json"
		again "$row: the shim's second run" "$B/config.json" create
		precreate
		untouched "$row: precreate of its own output" 0
		dry_run --format spec
		check "$row: spec of spec is the same bytes" cmp "$T/edited" "$T/out"
		dry_run --format json
		that "$row: a plan for the edited spec adds nothing" '[.rlimits, .capabilities, .env] | map(length) | add' 0
	done
done
bundle "{$rdma}"
create
mkdir -p "$T/kept/a"
cp "$B/config.json" "$T/kept/a"
jq 'del(.rlimits)' tests/cli/tools/process-exec.json >"$T/without.json"
jq '.rlimits = [{type: "RLIMIT_NOFILE", soft: 1, hard: 2}]' tests/cli/tools/process-exec.json >"$T/limited.json"
for name in without limited; do
	for spelling in "${spellings[@]}"; do
		row "process.json $name, $spelling: exec gives the same, and a second exec leaves it"
		spelt "$spelling" "$T/$name.json" | tee "$T/before" >"$T/process.json"
		said=$(execute 2>&1)
		is "$row: silently" "0 " "$? $said"
		check "$row: what was there is there" only_added "$T/before" "$T/process.json"
		same "$row: the process has what the container got" "$(jq -S --argjson alone true "$gets_all | $in_no_order" "$T/before")" \
			"$(jq -S "$in_no_order" "$T/process.json")"
		again "$row: a second exec" "$T/process.json" execute
	done
done

# At the bounds: 65,536 items and 16 MiB
config '{"memlock": "8Mi"}'
for case in '60,000 variables|.process.env = [range(60000) | "V\(.)=x"]' '15 MiB|.x = ("x" * 15728640)' \
	'40,000 unknown containers|.x = [range(20000) | {a: [null]}]'; do
	bundle "{$rdma}"
	jq -c "${case#*|}" "$B/config.json" >"$T/large" && mv "$T/large" "$B/config.json"
	precreate
	is "${case%%|*}: granted" "0 8388608" "$rc $(jq '.process.rlimits[-1].hard' "$T/out")"
	check "${case%%|*}: what was there is there" only_added "$B/config.json" "$T/out"
done
jq -c '.process.env = [range(140000) | "V\(.)=x"]' "$T/granted.json" >"$B/config.json"
precreate
untouched "more than the bound" 0
dry_run
is "more than the bound: the dry run shows nothing" "1 " "$rc $(<"$T/out")"
one_line "more than the bound" env

# What cannot be edited
for on_error in warn fail; do
	config "{\"memlock\": \"8Mi\", \"on_error\": \"$on_error\"}"
	echo /bin/echo >"$NODE/etc/oci-rdma-hook/runtimes"
	for process in absent null; do
		bundle "{$rdma}"
		jq --tab "$([ $process = null ] && echo '.process = null' || echo 'del(.process)')" "$B/config.json" >"$T/changed"
		mv "$T/changed" "$B/config.json"
		before=$(sha256sum "$B/config.json")
		what="process $process, on_error $on_error"
		dry_run --format spec
		is "$what: status of the dry run" 1 "$rc"
		is "$what: the dry run shows nothing" "" "$(cat "$T/out")"
		one_line "$what: the dry run" process
		dry_run --format json
		gets "$what: the plan is a grant all the same" mlx5_6
		precreate
		if [ $on_error = warn ]; then untouched "$what: precreate" 0; else is "$what: precreate" 1 "$rc"; fi
		one_line "$what: precreate" process
		"$SHIM" create --bundle "$B" a >"$T/out" 2>"$T/err"
		rc=$?
		if [ $on_error = warn ]; then
			is "$what: the shim starts the runtime" "0 create --bundle $B a" "$rc $(cat "$T/out" "$T/err")"
		else
			is "$what: the shim does not start the runtime" "1 " "$rc $(cat "$T/out")"
			one_line "$what: the shim" process
		fi
		is "$what: config.json is as it was" "$before" "$(sha256sum "$B/config.json")"
	done
done

# Other ways to get nothing
config '{"memlock": "8Mi", "on_error": "fail"}'
for case in '{}' "{$rdma,\"annotations\":{\"oci-rdma-hook.io/inject\":\"false\"}}" "{$rdma,\"annotations\":{\"oci-rdma-hook.io/containers\":\"loader\"}}" \
	"{$rdma,\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"}}"; do
	bundle "$case"
	precreate
	untouched "nothing to give" 0
	is "nothing to give: silent" "" "$(cat "$T/err")"
	dry_run --format spec
	check "nothing to give: --format spec is the same bytes" cmp "$B/config.json" "$T/out"
done
config '{"memlock": "8Mi", "namespaces": ["team-b"]}'
bundle "{$rdma}"
precreate
untouched "denied" 0
config '{"memlock": "8Mi", "on_no_device": "fail"}'
bundle '{}'
precreate
is "on_no_device fail: precreate fails" "1 " "$rc $(cat "$T/out")"
one_line "on_no_device fail: precreate"
dry_run --format spec
check "on_no_device fail: --format spec is the same bytes" cmp "$B/config.json" "$T/out"

# precreate on what is no config.json: podman would say so itself
config '{"memlock": "8Mi", "on_error": "fail"}'
for text in '' '{' '[]' '{}{}' 'null' '{"process":{"env":[7]}}' '{"a":1}'; do
	printf '%s' "$text" >"$B/config.json"
	precreate
	untouched "precreate of '$text'" 0
done
bundle "{$rdma}"
timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >/dev/full 2>"$T/err"
check "precreate that cannot write fails" test $? -ne 0
{
	cat "$B/config.json"
	sleep 0.1 # or longer: that it reads on is what counts
	printf ' \n'
} | timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" precreate | jq -e '.process.rlimits[0].type == "RLIMIT_MEMLOCK"' >"$T/out" 2>&1
is "precreate waits for a slow writer" true "$(cat "$T/out")"
cp "$B/config.json" "$T/before"
printf '%*s' $((17 * 1024 * 1024)) '' >>"$B/config.json"
precreate
is "precreate of more than 16 MiB that asks and has a device, on_error fail: it is refused, and nothing is handed on" "1 0" "$rc $(wc -c <"$T/out")"
has "precreate of more than 16 MiB: it says so" "larger than 16 MiB" "$(cat "$T/err")"
config '{"memlock": "8Mi"}'
precreate
untouched "precreate of more than 16 MiB, on_error warn" 0
config '{"memlock": "8Mi", "on_error": "fail"}'
bundle '{}'
cp "$B/config.json" "$T/before"
printf '%*s' $((17 * 1024 * 1024)) '' >>"$B/config.json"
precreate
untouched "precreate of more than 16 MiB without a device, on_error fail" 0

# The limit of who starts the runtime changes nothing. One that nobody here may set: podman/precreate, cli/shim-exec
config '{"memlock": "8Mi"}'
bundle "{$rdma}"
dry_run --format spec
prlimit --memlock=$HARD:$HARD "$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out2" 2>"$T/err"
check "precreate under a higher limit writes the same bytes" cmp "$T/out" "$T/out2"
jq --tab '.process.rlimits = [{type: "RLIMIT_MEMLOCK", soft: 65536, hard: 65536}]' "$B/config.json" >"$T/changed"
prlimit --memlock=$HARD:$HARD "$HOOK" --sysroot "$NODE" precreate <"$T/changed" >"$T/out" 2>"$T/err"
is "and raises a lower limit that is listed" "$HARD" "$(jq '.process.rlimits[0].soft' "$T/out")"
# What a process would have without us is never lowered, by a pod's annotation least of all
bundle "{$rdma,\"annotations\":{\"oci-rdma-hook.io/memlock\":\"2Mi\"}}"
cp "$B/config.json" "$T/two"
listed='.process.rlimits[0] | [.type, .soft, .hard] | join(" ")'
"$HOOK" --sysroot "$NODE" precreate <"$T/two" >"$T/out"
is "precreate, 2 MiB from a soft limit of 1 MiB: the hard one stays" "RLIMIT_MEMLOCK 2097152 $HARD" "$(jq -r "$listed" "$T/out")"
prlimit --memlock=$HARD:$HARD "$HOOK" --sysroot "$NODE" precreate <"$T/two" >"$T/out"
is "precreate, 2 MiB from 8 MiB: both stay" "RLIMIT_MEMLOCK $HARD $HARD" "$(jq -r "$listed" "$T/out")"
config '{"memlock": "8Mi"}'
echo /bin/true >"$NODE/etc/oci-rdma-hook/runtimes"
jq '.process | .rlimits = [{type: "RLIMIT_NOFILE", soft: 1024, hard: 1024}]' "$T/two" >"$T/process.json"
prlimit --memlock=$HARD:$HARD "$SHIM" create --bundle "$B" two
is "the shim, 2 MiB from 8 MiB: both stay" "RLIMIT_MEMLOCK $HARD $HARD" "$(jq -r "$listed" "$B/config.json")"
mkdir -p "$T/kept/two"
cp "$B/config.json" "$T/kept/two"
"$SHIM" --root "$T/kept" exec --process "$T/process.json" two
is "exec, from a soft limit of 1 MiB: what the container has" "RLIMIT_MEMLOCK $HARD $HARD" \
	"$(jq -r '.rlimits[1] | [.type, .soft, .hard] | join(" ")' "$T/process.json")"

# What nobody here may give
config '{"memlock": "8Mi", "capabilities": ["CAP_IPC_LOCK"], "on_error": "fail"}'
bundle "{$rdma}"
setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock "$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>"$T/err"
is "a capability that cannot be given, on_error fail: precreate" "1 " "$? $(<"$T/out")"

# The same words with another meaning for somebody else's eyes
config
# changed JQ-FILTER: the recorded bundle, edited after the filter
changed() {
	jq --tab "$1" "$T/recorded.json" >"$B/config.json"
	dry_run --format spec
}
changed '.process.env += ["NCCL_IB_HCA=mlx5_0"]'
is "what the container's env sets is not overridden" 'NCCL_IB_HCA=mlx5_0' "$(jq -r '.process.env[] | select(startswith("NCCL"))' "$T/out")"
changed '.hooks = {createRuntime: [{path: "/bin/true", env: ["A=b"]}]} | .process.args += ["rlimits", "env"] | .annotations.env = "[]"'
is "the env of a hook is not the container's" '["A=b"]' "$(jq -c '.hooks.createRuntime[0].env' "$T/out")"
is "one RLIMIT_MEMLOCK" 1 "$(grep -c RLIMIT_MEMLOCK "$T/out")"
jq -c . "$T/recorded.json" | sed 's/"process":/"\\u0070rocess":/; s/"env":/"e\\u006ev":/; s/"HOSTNAME/"\\u0048OSTNAME/' >"$B/config.json"
dry_run --format spec
is "keys that are spelled by escapes are the same keys" "NCCL_IB_HCA==mlx5_6 1" "$(jq -r '.process.env[-1]' "$T/out") $(grep -o '"env"' "$T/out" | wc -l | sed s/0/1/)"

# Both entry points at once: the hook writes the same value
dry_run --format nccl
is "an edited spec leaves nothing for nccl.conf but what is set anyway" "NCCL_IB_HCA==mlx5_6" "$(grep -v '^#' "$T/out")"
dry_run --format spec
cp "$T/out" "$B/config.json"
dry_run --format nccl
is "behind the shim, the hook has the same line, for sessions without the environment" "NCCL_IB_HCA==mlx5_6" "$(grep -v "^#" "$T/out")"
dry_run --format json
that "and no warning" ".warnings | length" 0
finish
