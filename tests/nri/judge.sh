#!/bin/bash
# oci-rdma-nri before a judge of other people's making: NRI's own Go packages as the runtime's side (tests/nri/judge), with a recorded node.
# NRI_PLUGIN=FILE is the plugin, otherwise the one with patience, since none of this is about its time; JUDGE=DIRECTORY what tools/build-go
# has made.
# packages: cli
# builds: tests/nri/judge tests/oci-rdma-nri-patient
# shellcheck disable=SC2016,SC2317 # jq's dollars; functions that within calls
cd "$(dirname "$0")/../.." || exit 1
HOOK=${NRI_PLUGIN:-${BUILD:-build}/tests/oci-rdma-nri-patient}
. tests/cli/setup.bash
NRI_PLUGIN=$HOOK
built JUDGE "${JUDGE:-${BUILD:-build}/tests/nri}"
SOCKET=$T/nri.sock
NCCL=NCCL_IB_HCA==mlx5_6,mlx5_7
UNLIMITED='RLIMIT_MEMLOCK 18446744073709551615:18446744073709551615'
PLUGIN=

# begin: the plugin, before there is a runtime
begin() {
	launch PLUGIN "$T/plugin.log" "$NRI_PLUGIN" --sysroot "$NODE" --socket "$SOCKET"
}

# end: how the plugin ended
end() {
	kill -TERM "$PLUGIN"
	wait "$PLUGIN"
	STATUS=$?
	may_end "$PLUGIN"
	PLUGIN=
}

trap '[ -z "$PLUGIN" ] || kill -KILL "$PLUGIN"; if [ -e "$T/storm.pids" ]; then xargs kill -KILL <"$T/storm.pids" 2>/dev/null; fi; rm -rf "$T"' EXIT

# runtime [OPTION…]: one life of a runtime; what it says of the plugin is in $T/report
runtime() {
	rm -f "$SOCKET"
	"$JUDGE/judge" "$@" "$SOCKET" >"$T/report" 2>"$T/err"
	is "$RUN: the runtime ends well" "" "$(cat "$T/err")"
}

# listens: the runtime does; its socket is there before that (00010000: __SO_ACCEPTCON)
listens() { grep -q " 00010000 .* $SOCKET\$" /proc/net/unix; }

# says DESCRIPTION JQ-FILTER WANT
says() { is "$RUN: $1" "$3" "$(jq -cr "$2" "$T/report" 2>&1)"; }

# answers KIND WANT: all containers of the kind
answers() { says "$1 containers" ".answers[\"$1\"]" "$2"; }

granted="{\"env\":[\"$NCCL\"],\"rlimits\":[\"$UNLIMITED\"]}"
# served: what each kind of container is to be given, for node h100's devices and the policy namespaces: team-*
served() {
	local name
	for name in granted granted-by-container granted-wordy; do answers "$name" "$granted"; done
	answers unlimited "{\"env\":[\"$NCCL\"]}"
	for name in plain bare gpu wordy unasked refused without-device sidecar other-namespace forged-namespace forged-env; do
		answers "$name" '{}'
	done
	says "containers of a kind are all served alike" '.unlike' '[]'
}

# Sixteen pages that come and go, of a heap and of a stack; ten thousand leaks of a pointer would be more.
PAGE=$(($(getconf PAGE_SIZE) / 1024))
SLACK=$((16 * PAGE))
# kept: nothing between the thousandth creation and the last
kept() {
	says "no descriptor leaked" '[.begin.fds == .end.fds, .end.fds < 20]' '[true,true]'
	says "no memory leaked" ".end.rss_kib - .begin.rss_kib <= $SLACK" true
	says "no child left" '[.begin.children, .end.children]' '[0,0]'
	says "below 512 pages resident, 2 MiB where they have 4 KiB" ".end.rss_kib < $((512 * PAGE))" true
	echo "# $RUN: $(jq -c '[.begin, .end]' "$T/report")"
}

content() { says "NRI has nothing to complain of" '.complaints' '[]'; }

node h100
config '{"namespaces": ["team-*"]}'

# ---- lives of one plugin, and runtimes that come and go ----

begin
RUN="5,000 containers run, 10,000 are created"
runtime -sync 5000 -creates 10000 -pid "$PLUGIN"
says "it registers" .plugin 90-oci-rdma
served
kept
content
first=$(jq .end.fds "$T/report")

for life in 2 3; do
	RUN="the runtime starts, time $life"
	runtime -sync 5000 -creates 2000 -pid "$PLUGIN"
	says "the plugin is there again, and serves" '[.plugin, .answers.granted.env[0]]' "[\"90-oci-rdma\",\"$NCCL\"]"
	says "it holds as many descriptors as in the first life" .end.fds "$first"
	kept
	content
done

RUN="a runtime of NRI 0.12"
runtime -streamed -sync 5000 -creates 3000 -pid "$PLUGIN"
says "it registers" .plugin 90-oci-rdma
says "Synchronize in parts of up to 4 MiB" '.parts > 5' true
says "a method that no one knows is UNIMPLEMENTED" '.unknown[-1]' 'Unheard 12'
says "events that it has not subscribed do no harm" '.unknown | map(split(" ")[1]) - ["0", "12"]' '[]'
served
kept
content

# ---- a validator behind the plugin ----

SAMPLE=config/openshift/nri-mutation-policy.yaml
RUN="$SAMPLE"
runtime -sync 0 -creates 2000 -policy $SAMPLE
served
content

RUN="a validator that allows variables alone"
sed 's/\[Env, Other\]/[Env]/' $SAMPLE >"$T/policy.yaml"
runtime -sync 0 -creates 2000 -policy "$T/policy.yaml"
says "whoever is given a limit is refused, and reads why" '[.answers[].error | select(.)] | unique' \
	'["validator \"10-allow-mutations\" rejected container adjustment, reason: namespace team-a may not have Other"]'
says "nobody else is" '.answers | map_values(select(.error)) | keys' '["granted","granted-by-container","granted-wordy"]'
says "containers of a kind are all refused alike" .unlike '[]'
content

# ---- policy, read anew for each ----

RUN="answers longer than a frame"
config "$(python3 -c 'import json; print(json.dumps({"namespaces": ["team-*"], "nccl": {"extra":
	{f"NCCL_X{i}": "y" * 1000 for i in range(20)}}}))')"
runtime -sync 1 -creates 2000 -pid "$PLUGIN"
says "of 20 KB are read by the runtime" '[(.answers.granted.env | length), .answers.plain]' '[21,{}]'
content

RUN="on_no_device: fail"
config '{"namespaces": ["team-*"], "on_no_device": "fail"}'
runtime -sync 0 -creates 2000
has "$RUN: the denial stands in the runtime's error" "no RDMA device allocated" "$(jq -r '.answers["without-device"].error' "$T/report")"
says "nobody else's" '.answers | del(.["without-device"], .["forged-env"]) | map(select(.error))' '[]'
content

config '{"namespaces": ["team-*"]}'
end
is "the plugin ends by SIGTERM with status 0" 0 "$STATUS"

# ---- the plugin goes ----

RUN="the plugin is killed between two containers"
(
	begin
	within test -e "$T/gone"
	kill -KILL "$PLUGIN"
	wait "$PLUGIN"
) 2>/dev/null & # bash says who was killed
killer=$!
runtime -sync 10 -creates 2000 -gone "$T/gone"
wait "$killer"
says "no container fails" '[.answers[] | select(.error)] + [.unlike[] | select(contains("error"))]' '[]'
has "$RUN: those after it start without" ', granted: {}' "$(jq -r '.unlike[]' "$T/report")"

# storm CREATIONS TIMES TIMEOUT: two plugins, of which one is killed, ended or stopped in the middle of creations
storm() {
	RUN="a storm: $1 are created, $2 times one of two plugins is killed, ended or stopped"
	mkdir -p "$NODE/run"
	: >"$T/storm.log"
	export NODE SOCKET NRI_PLUGIN T STORM_TIMEOUT=$3
	tests/nri/storm begin
	runtime -storm tests/nri/storm -creates "$1" -times "$2" -timeout "$3s"
	says "no container fails" '.failed // []' '[]'
	says "none goes without" '.without // []' '[]'
	says "none is given twice" '.unlike' '[]'
	echo "# $RUN: $(jq -c '{granted: .created, longest_ms}' "$T/report"); lines: $(grep -c ': grant: ' "$T/storm.log") grant, $(grep -c ': missed: ' "$T/storm.log") missed"
	mapfile -t left < <(while read -r pid; do if [ "/proc/$pid/exe" -ef "$NRI_PLUGIN" ]; then echo "$pid"; fi; done <"$T/storm.pids")
	is "$RUN: no plugin is left" "" "${left[*]}"
	rm -rf "$NODE/run"
}
# A timeout that also a busy machine keeps. By hand: STORM='10000 200 2', NRI's own timeout
# shellcheck disable=SC2086 # three words
storm ${STORM:-300 12 10}

RUN="launched by the runtime"
mkdir "$T/plugins" "$NODE/run" # a node has it: the status lies below
printf '#!/bin/sh\nexec "%s" --sysroot "%s" --socket "%s"\n' "$NRI_PLUGIN" "$NODE" "$T/elsewhere" >"$T/plugins/90-oci-rdma"
chmod +x "$T/plugins/90-oci-rdma"
(
	within test -e "$T/done"
	"$NRI_PLUGIN" --sysroot "$NODE" --socket "$SOCKET" --check >"$T/checked" 2>&1
	echo "status $?" >>"$T/checked"
	rm "$T/done"
) &
checker=$!
runtime -launch "$T/plugins" -creates 2000 -done "$T/done"
wait "$checker"
served
has "$RUN: --check says connected, though NRI 0.6 synchronizes no launched plugin" 'connected to containerd 1.7.24' "$(<"$T/checked")"
has "$RUN: and ends with 0" 'status 0' "$(<"$T/checked")"

# The file of a launched plugin is all by which it can be told to end: the runtime goes on, and has no other way to let go of it.
STATUS_FILE=$NODE/run/oci-rdma-hook/nri.json
mkdir "$T/bin"
cp "$NRI_PLUGIN" "$T/bin/90-oci-rdma"
printf '#!/bin/sh\nexec "%s" --sysroot "%s" --socket "%s"\n' "$T/bin/90-oci-rdma" "$NODE" "$SOCKET" >"$T/plugins/90-oci-rdma"
serving() { jq -r .pid "$STATUS_FILE" 2>/dev/null; }
is_gone() { [ ! -e "/proc/$1/exe" ]; } # a zombie has none: the runtime waits for it when it is asked next
# ended_or_looked PID: it has ended, or written its status ten times more, each time after a look at its file
status_seen='' looks=0
ended_or_looked() {
	local now
	now=$(jq .alive_ms "$STATUS_FILE")
	[ "$now" = "$status_seen" ] || looks=$((looks + 1))
	status_seen=$now
	is_gone "$1" || [ "$looks" -gt 10 ]
}
# changed_while_held replace|remove: what the launched plugin does when its file is replaced or removed; $T/changed has what was wrong
changed_while_held() {
	local launched
	: >"$T/changed"
	within test -e "$T/done" || echo "no runtime" >>"$T/changed"
	launched=$(serving)
	[ "$(readlink "/proc/$launched/exe")" = "$T/bin/90-oci-rdma" ] || echo "the launched plugin does not serve" >>"$T/changed"
	if [ "$1" = replace ]; then
		cp "$NRI_PLUGIN" "$T/new" && mv -T "$T/new" "$T/bin/90-oci-rdma"
		sleep 4 # four looks, all of which must leave it alone
		! is_gone "$launched" || echo "it has ended" >>"$T/changed"
	else
		rm "$T/bin/90-oci-rdma"
		within ended_or_looked "$launched"
		is_gone "$launched" || echo "it has not ended" >>"$T/changed"
	fi
	rm "$T/done"
}
for change in replace remove; do
	RUN="launched, its file: $change"
	cp "$NRI_PLUGIN" "$T/bin/90-oci-rdma"
	changed_while_held "$change" &
	checker=$!
	runtime -launch "$T/plugins" -creates 20 -done "$T/done"
	wait "$checker"
	is "$RUN: as it should" "" "$(<"$T/changed")"
	rm -rf "$NODE/run/oci-rdma-hook"
done

# ---- the judge, judged ----

RUN="control"
(
	within listens
	exec "$JUDGE/stub" "$SOCKET" LEAK >/dev/null 2>&1
) &
PLUGIN=$!
runtime -sync 5000 -creates 2000 -pid "$PLUGIN"
says "a plugin that keeps a descriptor of each container is seen" '.end.fds - .begin.fds' 1000
says "and one that keeps memory" ".end.rss_kib - .begin.rss_kib > $SLACK" true
says "and one that adjusts a container that is not ours" '.unlike | length > 0' true
wait "$PLUGIN" # the stub ends with its runtime
PLUGIN=
finish
