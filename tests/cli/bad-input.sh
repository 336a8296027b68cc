#!/bin/bash
# Bad input: one clear line, nothing changed anywhere, exit status 0 for a container that is not proven RDMA, else as on_error says.
# builds: tests/oci-rdma-hook-patient
cd "$(dirname "$0")/../.." || exit 1
# Much is read here, and none of this is about time. Builds with a sanitizer, or for another machine, have no such hook.
patient=${BUILD:-build}/tests/oci-rdma-hook-patient shipped=${HOOK:-build/oci-rdma-hook}
[ ! -e "$patient" ] || HOOK=$patient
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
node one
rdma='{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
config '{"memlock": "8Mi"}'
# A process that neither its parent nor its cgroup ties to the container
(prlimit --memlock=$SOFT:$HARD sleep 14400 </dev/null >/dev/null 2>&1 & echo $! >"$T/stranger"; wait) &
keeper=$!
until [ -s "$T/stranger" ]; do sleep 0.02; done
stranger=$(<"$T/stranger")
until [ "$(<"/proc/$stranger/comm")" = sleep ]; do sleep 0.02; done # it has its limit then
trap '{ kill -9 "$keeper" "$stranger"; wait "$keeper"; } 2>/dev/null; end_process; rm -rf "$T"' EXIT
shell_limit=$(limit_of $$)

# unharmed DESCRIPTION STATUS [PART…]: after hook: its status (or "not 0"), one line with these parts, and everything as it was
unharmed() {
	local what=$1 want=$2
	shift 2
	if [ "$want" = "not 0" ]; then
		check "$what: exit status $rc" test "$rc" -ne 0 -a "$rc" -ne 124 -a "$rc" -lt 128
	else
		is "$what: exit status" "$want" "$rc"
	fi
	one_line "$what" "$@"
	is "$what: nothing on stdout" "" "$(cat "$T/out")"
	same "$what: files as they were" "$files" "$(all_files)"
	is "$what: limits as they were" "$BEFORE $BEFORE $shell_limit" "$(limit) $(limit_of "$stranger") $(limit_of $$)"
	if [ "$(limit)$(limit_of "$stranger")" != "$BEFORE$BEFORE" ] || [ -e "$ROOT/etc/nccl.conf" ]; then
		rm -f "$ROOT/etc/nccl.conf" # one failure is not to make the next one
		prlimit --pid "$stranger" --memlock="$BEFORE"
		fresh_process
		remember
	fi
}
all_files() { all_of "$B" "$NODE/etc" /etc/nccl.conf 2>/dev/null; }
remember() { files=$(all_files); }

# refused FILE DESCRIPTION PART…: an unusable config.json, for the hook and for the dry run
refused() {
	local what=$1 want=0
	shift
	# It asks, by its state, and is to fail: but where its text names no device, it has none.
	if [ ! -f "$B/config.json" ] || grep -qa '"/dev/infiniband/uverbs' "$B/config.json"; then want='not 0'; fi
	remember
	hook
	unharmed "$what" "$want" config.json "$@"
	dry_run
	is "$what: status of the dry run" 1 "$rc"
	is "$what: the dry run shows nothing" "" "$(cat "$T/out")"
	one_line "$what: the dry run" "$B/config.json" "$@"
}

# nested N: a member with N arrays in each other
nested() {
	printf '"x":'
	head -c "$1" /dev/zero | tr '\0' '['
	head -c "$1" /dev/zero | tr '\0' ']'
}

container "$rdma"
hook
is "the control: good input is served" "0 $AFTER" "$rc $(limit)"

# As many annotations as Kubernetes lets a pod have, which CRI-O hands on twice; Go writes "<" as \u003c
container "$rdma"
head -c 262000 /dev/zero | tr '\0' '<' >"$T/note"
sed 's/</\\u003c/g' "$T/note" >"$T/note.go"
jq -c --rawfile note "$T/note" --rawfile go "$T/note.go" '.annotations += {"example.com/note": $note,
	"io.kubernetes.cri-o.Annotations": ({"example.com/note": $go} | tojson)}' "$T/state" | sed 's/</\\u003c/g' >"$T/large"
mv "$T/large" "$T/state"
check "a large state: $(stat -c %s "$T/state") bytes" test "$(stat -c %s "$T/state")" -gt 3400000
hook
is "a pod with 256 KiB of annotations is served" "0 $AFTER" "$rc $(limit)"
container "$rdma"
for file in "$T/state" "$B/config.json"; do
	jq -c '.annotations += (reduce range(88000) as $i ({}; .["\($i)"] = ""))' "$file" >"$T/large"
	cp "$T/large" "$file"
done
hook
is "…also in 88,000 short ones" "0 $AFTER" "$rc $(limit)"

container "$rdma"
remember

# The state
cp "$T/state" "$T/good"
for ((size = 0; size < $(stat -c %s "$T/good"); size += 2048)); do
	head -c "$size" "$T/good" >"$T/state"
	hook
	unharmed "state cut off at $size" 0 state
done
for try in 'no JSON:hello' 'an array:[]' 'a string:"x"' 'two values:{}{}' 'null:null' 'a NUL:\0' 'no UTF-8:{"id":"\xff"}' 'nothing but space:   '; do
	printf '%b' "${try#*:}" >"$T/state"
	hook
	unharmed "state: ${try%%:*}" 0 state
done
jq -c --rawfile x <(printf '%4194304s' '') '. + {x: $x}' "$T/good" >"$T/state"
hook
# What was not read may name the file that stderr is (run.oci.hooks.stderr). The journal has the line: log.sh.
is "a state of more than 4 MiB: exit status, and nothing on stderr or stdout" "0 " "$rc $(cat "$T/out" "$T/err")"
same "a state of more than 4 MiB: files as they were" "$files" "$(all_files)"
{
	printf '{%s,' "$(nested 64)"
	tail -c +2 "$T/good"
} >"$T/state"
hook
unharmed "a state that is 65 levels deep" 0 state
for key in id pid bundle; do
	{
		printf '{"%s":%s,' "$key" "$(jq -c ".$key" "$T/good")"
		tail -c +2 "$T/good"
	} >"$T/state"
	hook
	unharmed "a state with $key twice" 0 state "$key"
done

# state_is DESCRIPTION JQ-FILTER STATUS [PART…]
state_is() {
	local what=$1 filter=$2 want=$3
	shift 3
	state "$filter" >"$T/state"
	hook
	unharmed "$what" "$want" "$@"
}
for bundle in '""' '"/"' '"//"' '"/."' '"/./"' '"/.."' '"relative"' '"."' '".."' 'null' '7' '["/tmp"]'; do
	state_is "bundle $bundle" ".bundle = $bundle" 0 bundle
done
state_is "no bundle" 'del(.bundle)' 0 bundle
state_is "a bundle that does not exist" ".bundle = \"$T/nowhere\"" 0 "$T/nowhere"
state . >"$T/state"
state_is "a bundle that is a file" ".bundle = \"$B/config.json\"" 0 config.json
state_is "a bundle with a newline" '.bundle += "\nx"' 0

for on_error in warn fail; do
	if [ $on_error = warn ]; then want=0; else want='not 0'; fi
	config "{\"memlock\": \"8Mi\", \"on_error\": \"$on_error\"}"
	remember
	for bad in 0 1 -1 '"12"' null 1.5 true '[1]'; do
		state_is "on_error $on_error, pid $bad" ".pid = $bad" "$want" pid
	done
	state_is "on_error $on_error, no pid" 'del(.pid)' "$want" pid
	for bad in -9223372036854775808 9223372036854775808 18446744073709551616 4294967297 1e3 "$((pid + 4294967296))"; do
		state . | sed "s/\"pid\":[0-9]*/\"pid\":$bad/" >"$T/state"
		hook
		unharmed "on_error $on_error, pid $bad" "$want" pid
	done
	state_is "on_error $on_error, the pid of the runtime itself" ".pid = $$" "$want" "$$"
	state_is "on_error $on_error, a process of somebody else" ".pid = $stranger" "$want" "$stranger"
	state_is "on_error $on_error, a process of somebody else, and an id that any cgroup holds" \
		".pid = $stranger | .id = \"0\"" "$want" "$stranger"
	state '.pid = 1' >"$T/state"
	hook poststart
	unharmed "poststart never fails, on_error $on_error" 0 pid
done

# crun says "running" in poststart, and runs it beside a process that may be ending. Then the hook does not even look: neither at config.json nor at
# the policy, and what the process has it keeps. A runc after 1.5 says "running", too, and has set the spec's limits since.
mkdir "$T/runtimes"
for runtime in crun krun crun-wasm runc crui; do cp "$(command -v strace)" "$T/runtimes/$runtime"; done
for case in 'created crun' 'running crun' 'running krun' 'running crun-wasm' 'created runc' 'running runc' 'running crui'; do
	read -r status runtime <<<"$case"
	container '{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
	state ".status = \"$status\"" >"$T/state"
	"$T/runtimes/$runtime" -f -o "$T/trace" -e trace=openat2,openat,open "$HOOK" --sysroot "$NODE" poststart <"$T/state" >"$T/out" 2>"$T/err"
	case $case in 'running crun'* | 'running krun') want="no $BEFORE" ;; *) want="yes $AFTER" ;; esac
	is "poststart of $runtime, $status: files that are read, and the limit" "$want" \
		"$(grep -q 'config.json' "$T/trace" && echo yes || echo no) $(limit)"
done

# The root; the container's process is served all the same, or not at all: but no file is written
ln -s / "$T/root-link"
for on_error in warn fail; do
	if [ $on_error = warn ]; then want=0; else want='not 0'; fi
	config "{\"memlock\": \"8Mi\", \"on_error\": \"$on_error\"}"
	for root in / "$T/root-link" "$T/nowhere"; do # how else it may be spelt: unit core/nccl_conf, core/container
		container "{\"devices\":[[\"/dev/infiniband/uverbs6\",231,198]],\"merge\":{\"root\":{\"path\":\"$root\"}}}"
		remember
		hook
		what="on_error $on_error, root.path \"$root\""
		if [ $on_error = warn ]; then is "$what: exit status" 0 "$rc"; else check "$what: exit status $rc" test "$rc" -ne 0 -a "$rc" -lt 124; fi
		one_line "$what" root
		same "$what: files as they were" "$files" "$(all_files)"
	done
done
# config.json that cannot be read, or is broken: whom that may keep from starting. In all cases: unit core/report/table
# broken ON_ERROR STATE-FILTER STATUS DESCRIPTION
broken() {
	config "{\"memlock\": \"8Mi\", \"on_error\": \"$1\"}"
	state "$2" >"$T/state"
	for kind in missing broken; do
		cp "$T/good" "$B/config.json"
		if [ $kind = missing ]; then rm "$B/config.json"; else echo x >>"$B/config.json"; fi
		remember
		hook
		unharmed "$kind config.json, on_error $1, $4" "$3" config.json
		hook poststart
		is "$kind config.json, on_error $1, $4: poststart" 0 "$rc"
	done
	cp "$T/good" "$B/config.json"
}
container "$rdma"
cp "$B/config.json" "$T/good"
ask='.annotations["oci-rdma-hook.io/inject"]'
broken fail . 'not 0' "it asks"
broken warn . 0 "it asks"
broken fail "$ask = null" 0 "it does not ask"
broken fail "$ask = \"false\"" 0 "it refuses"
broken fail "$ask = true" 0 "it asks by no text"
broken fail ".annotations = null" 0 "it has no annotation"
config '{"memlock": "8Mi", "on_error": "fail"}'
container "$rdma"
cp "$B/config.json" "$T/good"
for ((size = 0; size < $(stat -c %s "$T/good"); size += 2048)); do
	head -c "$size" "$T/good" >"$B/config.json"
	refused "config.json cut off at $size"
done
head -c -2 "$T/good" >"$B/config.json"
refused "config.json without its last byte"
for try in 'empty:' 'an array:[]' 'two values:{}{}' 'null:null' 'a NUL:{}\0' 'a NUL before:\0{}' 'a comment:{} // x' 'a comma:{"a":1,}' 'no UTF-8:{"hostname":"\xff"}' \
	'half a surrogate:{"hostname":"\\ud800"' 'a control character:{"hostname":"\x01"}'; do
	printf '%b' "${try#*:}" >"$B/config.json"
	refused "config.json: ${try%%:*}"
done
rm "$B/config.json"
refused "no config.json"
mkdir "$B/config.json"
refused "config.json is a directory"
rmdir "$B/config.json"
mkfifo "$B/config.json"
remember
dry_run
is "config.json is a FIFO: the dry run does not hang" 1 "$rc"
rm "$B/config.json"
{
	cat "$T/good"
	printf '%*s' $((16 * 1024 * 1024)) ''
} >"$B/config.json"
refused "a config.json of more than 16 MiB"

# with MEMBER: a config.json with this before the others
with() {
	printf '{%s,' "$1"
	tail -c +2 "$T/good"
}
with "$(nested 63)" >"$B/config.json"
dry_run --format json
gets "64 levels are accepted" mlx5_6
with "$(nested 64)" >"$B/config.json"
refused "65 levels"
with "$(nested 1000000)" >"$B/config.json"
refused "a million levels"
with "$(printf '"x":[%s1]' "$(printf '{"a":1},%.0s' {1..20000})")" >"$B/config.json"
dry_run --format json
gets "20,000 unknown objects are no trouble" mlx5_6

for key in process linux annotations root; do
	with "\"$key\": $(jq -c ".$key" "$T/good")" >"$B/config.json"
	refused "$key twice" "$key"
done
with '"hostname":"a"' >"$B/config.json"
dry_run --format json
gets "a key twice that nobody here uses" mlx5_6

# wrong JQ-FILTER PART…: a wrong type
wrong() {
	local filter=$1
	shift
	jq --tab "$filter" "$T/good" >"$B/config.json"
	refused "$filter" "$@"
}
# Each member of another type: unit core/spec
wrong '.process.env = {}' env
wrong '.linux.devices[0].major = "231"' major
wrong '.annotations["oci-rdma-hook.io/inject"] = true' oci-rdma-hook.io/inject

# Many entries that look like ours: the pod's author may write them, and a container without RDMA is never delayed: were each looked at for each, the
# hook's own deadline would end it, and be said. That the cost is in proportion: unit explain/claims
for entry in 'PCIDEVICE_B\(.)_INFO={}' 'PCIDEVICE_B\(.)=0000:ff:00.0' 'SRIOVNETWORK_VF_DEVICE_\(.)=0000:ff:00.0'; do
	jq --tab ".process.env = [range(60000) | \"$entry\"] | .linux.devices = []" "$T/good" >"$B/config.json"
	state . >"$T/state"
	hook
	is "60,000 times $entry without a device: silent" "0 " "$rc $(cat "$T/err")"
done
cp "$T/good" "$B/config.json"
"$shipped" --sysroot "$NODE" createRuntime </dev/zero >"$T/out" 2>"$T/err" # it reads until its deadline: else the runtime's write would fail
is "an endless state: exit status, and nothing on stderr or stdout" "0 " "$? $(cat "$T/out" "$T/err")"

# In its values
jq --tab '.annotations["io.kubernetes.pod.name"] = "a\nb\u001b[2J" | .annotations["io.kubernetes.container.name"] = "\u0085x"' "$T/good" >"$B/config.json"
dry_run --format text
lacks "control characters do not reach the terminal" $'\e' "$(cat "$T/out")"
dry_run --format json
check "and are escaped in JSON" jq -e '.container.pod | startswith("a\nb")' "$T/out"
finish
