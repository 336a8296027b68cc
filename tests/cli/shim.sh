#!/bin/bash
# The shim in front of a runtime that writes down how it was called: what is handed on, which command lines are understood, what is
# edited and what is remembered.
# It runs in a mount namespace of its own, in which /usr/bin/crun, the default runtime, is a harmless one and /run is empty.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "the shim"
. tests/cli/setup.bash
. tests/cli/tools/shim.bash
if [ "$(id -u)" -ne 0 ]; then
	fail "this suite needs root: the shim acts as root"
	finish
fi
empty_run
default_runtime "$RT/crun"
node one
rdma='"devices":[["/dev/infiniband/uverbs6",231,198]]'
refused="{$rdma,\"annotations\":{\"oci-rdma-hook.io/inject\":\"false\"}}"
not_asked="{$rdma,\"annotations\":{\"oci-rdma-hook.io/inject\":null}}"
other_name="{$rdma,\"annotations\":{\"oci-rdma-hook.io/containers\":\"loader\"}}"
sandbox="{$rdma,\"annotations\":{\"io.kubernetes.cri-o.ContainerType\":\"sandbox\"}}"
policy
prepare rdma "{$rdma}" none '{}' not_asked "$not_asked" refused "$refused" other_name "$other_name" sandbox "$sandbox"

# What exec makes of the process.json, by its meaning; then as bytes
fresh
create
start --root=/r exec --process "$P" "$ID"
cp "$P" "$T/process.edited"
is "exec: env, CAP_IPC_LOCK in all five sets, and no limit where there was none" '["NCCL_IB_HCA==mlx5_6",null,5]' \
	"$(jq -c '[.env[-1], .rlimits, ([.capabilities[] | index("CAP_IPC_LOCK") | select(. != null)] | length)]' "$P")"

# ---- what the runtime gets is what the shim got ----

touch "$T/full"
# same_as_direct DESCRIPTION ARG…: everything that a runtime can see of its start, without the shim and with it, run by START
START=()
same_as_direct() {
	local what=$1 direct with
	shift
	fresh
	rm -f "$SEEN"/*
	"${START[@]}" "$RT/crun" "$@" >"$T/out" 2>"$T/err"
	direct="$? $(seen)"
	fresh
	rm -f "$SEEN"/*
	"${START[@]}" "$SHIM" "$@" >"$T/out" 2>"$T/err"
	with="$? $(seen)"
	same "$what: the same start as without the shim, and silent" "$direct" "$with"
}
seen() {
	local file
	for file in "$SEEN"/{argv,environ,cwd,umask,fds,status,limits} "$T/out" "$T/err"; do
		echo "${file##*/}:"
		tr '\0' '\n' <"$file" | grep -av '^OCI_RDMA_RUNTIME_ROUNDS=' # the one thing that is added
	done
}

START=(env -i "OCI_RDMA_SYSROOT=$NODE" Z=1 A=2 PATH=/nowhere "SPACES= a  b " "LINES=a
b" EMPTY= "EQUALS==x=" _OCI_SYNCPIPE=3 _OCI_STARTPIPE=4 CRI_O_EXTERNAL=1 "OCI_RDMA_OTHER=x" $'BYTES=\xff\xfe')
K=/tmp/exec-process-1
while read -r line; do
	read -ra words <<<"$line"
	same_as_direct "$line" "${words[@]//BUNDLE/$B}"
done <<-EOT
	--version
	features
	--root=/run/crun create --bundle BUNDLE --pid-file BUNDLE/pidfile $ID
	--systemd-cgroup --root=/run/crun create --bundle BUNDLE --pid-file BUNDLE/pidfile --no-pivot --console-socket /s $ID
	--root=/run/crun exec --pid-file /tmp/pidfile1 --process $K --detach $ID
	--root /run/crun exec --process $K $ID
	--root=/run/crun exec --pid-file /tmp/p --process $K --detach --tty --console-socket /s $ID
	--root /run/crun state $ID
	--root /run/crun start $ID
	--root /run/crun kill $ID 15
	--root /run/crun kill $ID KILL
	--root /run/crun delete --force $ID
	--root /run/crun update --resources - $ID
	--root /run/crun pause $ID
	--root /run/crun list
	--root /run/crun --unknown spec
	nothing --that=exists
	-
	--
EOT
same_as_direct "no arguments at all"
same_as_direct "an empty argument" ""
same_as_direct "empty arguments" "" "" create "" ""
same_as_direct "arguments that are no words" --root=/r create $'a\nb' $'\xff\x80' '*' "\$HOME" ' ' "--bundle=$B" $'\xe2\x82\xac'
mapfile -t many < <(seq 20000)
same_as_direct "20,000 arguments" --root=/r create --bundle "$B" "${many[@]}"
same_as_direct "20,000 arguments of exec" --root=/r exec "$ID" "${many[@]}"

commands=("create --bundle $B $ID" "exec --process $P $ID" "delete $ID" "state $ID" --version)
# for_all DESCRIPTION: the same for each command
for_all() {
	local command words
	for command in "${commands[@]}"; do
		read -ra words <<<"$command"
		same_as_direct "$1, ${words[0]}" "${words[@]}"
	done
}
exec 7<"$T/process.edited" 9>>"$T/nine"
for_all "extra descriptors"
exec 7<&- 9>&-
# shellcheck disable=SC2317
closed() { # closed FD… -- COMMAND…
	local closing=
	while [ "$1" != -- ]; do
		closing+=" $1>&-"
		shift
	done
	shift
	eval 'env "$@"'"$closing"
}
for fds in 0 1 2 "0 1" "1 2" "0 1 2"; do
	read -ra words <<<"$fds"
	START=(closed "${words[@]}" --)
	for_all "closed: $fds"
done
# shellcheck disable=SC2317
in_mask() { (umask 0777 && env "$@"); }
START=(in_mask)
for_all "umask 0777"
mkdir "$T/here" "$T/gone"
# shellcheck disable=SC2317
in_directory() { (cd "$T/here" && env "$@"); }
START=(in_directory)
for_all "another directory"
# shellcheck disable=SC2317
in_no_directory() { (mkdir "$T/gone" && cd "$T/gone" && rmdir "$T/gone" && env "$@"); }
rmdir "$T/gone"
START=(in_no_directory)
for_all "a directory that is gone"
START=(prlimit --nofile=50:60 --memlock=65536:65536 --core=0:0 --)
for_all "limits"
START=(env --ignore-signal=PIPE --ignore-signal=HUP --ignore-signal=ALRM --ignore-signal=CHLD)
for_all "ignored signals"
START=(env --block-signal=ALRM --block-signal=USR1 --block-signal=TERM)
for_all "blocked signals"
START=()

rm "$T/full"
# A program gets the environment as it came, in its order, with the count behind it
for name in crun runc; do
	mkdir "$RT/env-$name"
	cp /usr/bin/env "$RT/env-$name/$name"
	config "{\"runtimes\": [\"$RT/env-$name/$name\"]}"
	want=$(env -i "OCI_RDMA_SYSROOT=$NODE" A=1 B= Z=2 /usr/bin/env)
	for rounds in "" 1 2; do
		is "$name: the environment as it came, and round $((rounds + 1))" "$want"$'\n'"OCI_RDMA_RUNTIME_ROUNDS=$((rounds + 1))" \
			"$(env -i "OCI_RDMA_SYSROOT=$NODE" A=1 B= Z=2 ${rounds:+OCI_RDMA_RUNTIME_ROUNDS=$rounds} "$SHIM")"
	done
done
policy
touch "$T/reads"
head -c 1000000 /dev/urandom >"$T/data"
for command in "update --resources - $ID" "create --bundle $B $ID" "exec --process $P $ID" "delete $ID"; do
	read -ra words <<<"$command"
	fresh
	rm -f "$SEEN/stdin"
	timeout "$PATIENCE" "$SHIM" "${words[@]}" <"$T/data" >"$T/out" 2>"$T/err"
	check "stdin of ${words[0]} is the runtime's" cmp "$T/data" "$SEEN/stdin"
done
rm "$T/reads"
touch "$T/full"
fresh
"$SHIM" create --bundle "$B" "$ID" &
pid=$!
wait "$pid"
is "it is the same process" "$pid" "$(<"$SEEN/pid")"
rm "$T/full"
for try in 'exit 0:0' 'exit 3:3' 'exit 255:255' "kill -TERM \$\$:143" "kill -KILL \$\$:137"; do
	echo "${try%:*}" >"$T/exit"
	fresh
	create 2>/dev/null # bash says "Killed"
	is "the runtime's end is the shim's: ${try%:*}" "${try##*:}" "$rc"
done
rm "$T/exit"
cp "$BASH" "$RT/bash"
config "{\"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/bash\"]}"
start -c 'tr "\0" "|" <"/proc/$$/cmdline"' name argument
is "its name is the path that is run" "$RT/bash|-c|tr \"\\0\" \"|\" <\"/proc/\$\$/cmdline\"|name|argument|" "$(<"$T/out")"
policy

# ---- command lines ----

# in_front_of NAME: the runtime from now on. What is called neither crun nor runc may hand the command line on to either.
runtimes="crun runc nvidia-container-runtime"
for name in $runtimes; do runtime "$RT/$name"; done
in_front_of() {
	IN_FRONT_OF=$1
	policy
}

# All ways to say the same, and to whom: all, or a runtime, or not to one, which refuses it or takes it for something else.
# BUNDLE, ID, and FILE are put in.
understands() {
	case $1 in
	all | "$IN_FRONT_OF") true ;;
	not-*) [ "$1" != "not-$IN_FRONT_OF" ] ;;
	*) false ;;
	esac
}
created() {
	local name=$IN_FRONT_OF,\ $2 words
	fresh
	read -ra words <<<"${2//ID/$ID}"
	passes "$name" "${words[@]//BUNDLE/$B}"
	understands "$1" || return
	edited "$name"
	recorded "$name"
	is "$name: the record's root" "$(grep -oP -- '-root?[= ]\K\S+' <<<"$2")" "$(jq -r .root "$(record)")"
}
while read -r whom line; do
	for name in $runtimes; do
		in_front_of "$name"
		created "$whom" "$line"
	done
done <<-EOT
	all create --bundle BUNDLE ID
	all create --bundle=BUNDLE ID
	all create -b BUNDLE ID
	not-runc create -bBUNDLE ID
	not-crun create -b=BUNDLE ID
	not-runc create --bund BUNDLE ID
	all create --b=BUNDLE ID
	not-crun create -bundle BUNDLE ID
	not-crun create -bundle=BUNDLE ID
	all run --bundle BUNDLE ID
	all run -d --keep -b BUNDLE ID
	not-runc run -db BUNDLE ID
	not-runc run -dbBUNDLE ID
	runc run -d=false -b BUNDLE ID
	all restore --bundle BUNDLE ID
	all restore --image-path /i --work-path=/w --tcp-established --shell-job --file-locks --manage-cgroups-mode soft --bundle BUNDLE --lsm-profile x --lsm-mount-context y -d ID
	not-crun restore --empty-ns network --bundle BUNDLE --lazy-pages --auto-dedup ID
	not-runc restore --network-lock skip --e --sh --f --c /s --m soft --bundle BUNDLE ID
	all --root=/r create --bundle BUNDLE ID
	all --root /r create --bundle BUNDLE ID
	not-crun -root=/r create --bundle BUNDLE ID
	not-crun -root /r create --bundle BUNDLE ID
	not-runc --roo /r create --bundle BUNDLE ID
	not-crun create --root /r --bundle BUNDLE ID
	not-crun create --bundle BUNDLE ID -root=/r
	not-crun create --log /l --root /r --log-format json --bundle BUNDLE ID
	all --root create create --bundle BUNDLE ID
	all --root exec run --bundle BUNDLE ID
	all --log /l --log-format json --root /r create --bundle BUNDLE ID
	all --log=/l --log-format=json --root=/r create --bundle BUNDLE ID
	not-runc --log-level debug --log-f json create --bundle BUNDLE ID
	not-runc --debug --systemd-cgroup --cgroup-manager systemd --rootless auto --root /r create --bundle BUNDLE ID
	not-crun --debug --systemd-cgroup --rootless auto --criu /criu --root /r create --bundle BUNDLE ID
	all --rootless=auto --root /r create --bundle BUNDLE ID
	not-runc --cgroup-manager=systemd --cgroup-manager run create --bundle BUNDLE ID
	all --log delete create --bundle BUNDLE ID
	all --unknown create --bundle BUNDLE ID
	all --unknown=delete create --bundle BUNDLE ID
	all -V create --bundle BUNDLE ID
	all create --bundle BUNDLE --unknown ID
	all create --unknown=exec --bundle BUNDLE ID
	all create --bundle BUNDLE --pid-file /p --no-pivot --no-new-keyring --no-subreaper ID
	all create --bundle BUNDLE --console-socket /s --preserve-fds 2 ID
	not-crun create --bundle BUNDLE --pidfd-socket /p ID
	all create --bundle=BUNDLE --console-socket=/s --pid-file=/p --preserve-fds=2 ID
	all create --pid-file run --console-socket delete --bundle BUNDLE ID
	not-runc create --pi run --cons delete --bundle BUNDLE ID
	not-crun create ID --bundle BUNDLE
	all create --bundle BUNDLE -- ID
	all -- create --bundle BUNDLE ID
	all create --bundle /nowhere --bundle BUNDLE ID
EOT
in_front_of crun
fresh
passes "an id that begins with '-'" create --bundle "$B" -- -x
edited "an id that begins with '-'"
recorded "an id that begins with '-'" -x
fresh
passes "an id that is an option behind --" create --bundle "$B" -- --bundle
edited "an id that is an option behind --"
recorded "an id that is an option behind --" --bundle
# in_dir DIR ARG…: passes, there
in_dir() {
	local dir=$1 what="in the bundle's neighbourhood: ${*:2}" want
	shift
	fresh
	echo $((++round)) >"$T/round"
	(cd "$dir" && timeout "$PATIENCE" "$SHIM" "$@" </dev/null >"$T/out" 2>"$T/err")
	rc=$?
	look
	printf -v want ' <%s>' "$@"
	is "$what: the runtime is started, silently" "0 \"\"$want" "$rc \"$said\"$arguments"
	edited "$what"
	is "$what: the record knows the place" "$B/config.json" "$(jq -r .config "$(record)")"
}
fresh
mkdir -p "$T/here/below"
ln -s "$B" "$T/here/link"
in_dir "$T" create --bundle "${B##*/}" "$ID"
in_dir "$T" create --bundle "./${B##*/}/" "$ID"
in_dir "$T/here/below" create "--bundle=../../${B##*/}" "$ID"
in_dir "$T/here" create --bundle link "$ID"
in_front_of runc
in_dir "$B" create --bundle= "$ID"
in_front_of crun
fresh
(cd "$B" && timeout "$PATIENCE" "$SHIM" create "$ID" </dev/null >"$T/out" 2>"$T/err")
edited "without --bundle the directory is the bundle"
recorded "without --bundle the directory is the bundle"
is "without --bundle: the record knows the place" "$B/config.json" "$(jq -r .config "$(record)")"

# crun takes that path from the caller's directory on, and goes to the bundle then (src/run_create.c)
for option in "--config other.json" --config=other.json "-f other.json" -fother.json; do
	fresh
	cp "$B/config.json" "$T/here/other.json"
	read -ra words <<<"$option"
	(cd "$T/here" && timeout "$PATIENCE" "$SHIM" create --bundle "$B" "${words[@]}" "$ID" </dev/null >"$T/out" 2>"$T/err")
	edited "crun's $option: the other file" "$T/here/other.json"
	not_edited "crun's $option"
	start exec --process "$P" "$ID" # without a pid file, and this runtime says nothing of its containers
	exec_edited "crun's $option"
done
fresh
mkdir -p "$T/here/sub"
cp "$B/config.json" "$T/here/sub/c.json"
(cd "$T/here" && timeout "$PATIENCE" "$SHIM" create --bundle "$B" --config sub/c.json "$ID" </dev/null >"$T/out" 2>"$T/err")
edited "crun's --config with a directory" "$T/here/sub/c.json"
fresh
mv "$B/config.json" "$T/here/c.json"
passes "crun's --config with an absolute path" create --bundle "$B" --config "$T/here/c.json" "$ID"
edited "crun's --config with an absolute path" "$T/here/c.json"
# A relative root.path is the bundle's all the same, and what the image sets there wins
fresh
jq '.root.path = "image"' "$B/config.json" >"$T/here/c.json"
mkdir -p "$B/image/etc"
echo NCCL_IB_HCA=mine >"$B/image/etc/nccl.conf"
passes "crun's --config, root.path in the bundle" create --bundle "$B" --config "$T/here/c.json" "$ID"
is "crun's --config, root.path in the bundle: the image's setting stays" "" "$(jq -r '.process.env[] | select(startswith("NCCL_"))' "$T/here/c.json")"
rm -r "$B/image"
fresh
passes "crun's --config, no root.path there" create --bundle "$B" --config "$T/here/c.json" "$ID"
is "crun's --config, no root.path there: ours is set" NCCL_IB_HCA==mlx5_6 "$(jq -r '.process.env[] | select(startswith("NCCL_"))' "$T/here/c.json")"

# What is wrong with that file is said of its own path
on_error fail
fresh
for config in "$T/here/c.json" c.json sub/c.json; do
	(cd "$T/here" && head -c -2 "$B/config.json" >"$config" && timeout "$PATIENCE" "$SHIM" create --bundle "$B" --config "$config" "$ID" </dev/null >"$T/out" 2>"$T/err")
	has "crun's --config, one that cannot be read: its own path is named" ": ${config/#c./.\/c.}: line " "$(<"$T/err")"
done
policy

# No bundle, no id, or none that anybody could use: the runtime says so
for line in create "create --bundle $B" "create --bundle" "create --bundle /nowhere $ID" "create --bundle $B/config.json $ID" run exec "exec --process" \
	"exec --process $P" "exec --process /nowhere/x $ID" "exec --process / $ID" "exec --process $B $ID" delete "delete --force" "create --bundle $B a/b" \
	"create --bundle $B ../../x" "exec --process $P ../$ID" "delete ../$ID" "delete /$ID"; do
	for on_error in warn fail; do
		on_error $on_error
		fresh none
		read -ra words <<<"$line"
		passes "$line, on_error $on_error" "${words[@]}"
		exec_not_edited "$line"
	done
done
policy
fresh
passes "an empty bundle and id" create --bundle "" ""
for id in a/b ../x / . .. "$(printf '%0300d' 0)"; do
	fresh
	mkdir "$STATE"
	chmod 700 "$STATE"
	echo stays >"$T/x.json"
	passes "id ${id:0:20}" create --bundle "$B" "$id"
	is "id ${id:0:20}: no file elsewhere" "stays" "$(cat "$T/x.json")"
	passes "id ${id:0:20}: delete" delete --force "$id"
	is "id ${id:0:20}: no file elsewhere" "stays" "$(cat "$T/x.json")"
done

# ---- exec ----

# All ways to say exec, and to whom; no: it says something else
executed() {
	local name=$IN_FRONT_OF,\ $2 words
	fresh
	create
	read -ra words <<<"${2//ID/$ID}"
	passes "$name" "${words[@]//FILE/$P}"
	if understands "$1"; then exec_edited "$name"; else exec_not_edited "$name"; fi
	edited "$name"
	no_temporary "$name"
}
while read -r whom line; do
	for name in $runtimes; do
		in_front_of "$name"
		executed "$whom" "$line"
	done
done <<-EOT
	all --root=/r exec --pid-file /tmp/pidfile1 --process FILE --detach ID
	all --root /r exec --process FILE ID
	all --root=/r exec --pid-file /tmp/p --process FILE --detach --tty --console-socket /s ID
	all --root=/r exec --process=FILE ID
	all --root=/r exec -p FILE ID
	not-runc --root=/r exec -pFILE ID
	not-runc --root=/r exec -dpFILE ID
	not-runc --root=/r exec -dp FILE ID
	not-runc --root=/r exec -tp -pFILE ID
	not-runc --root=/r exec -te -pFILE ID
	not-runc --root=/r exec -de A=B --process FILE ID
	not-runc --root=/r exec -deA=B -u0:0 --en C=D --cw / --pi /p --process-l x --cons /s --process FILE ID
	not-runc --ro /r exec --cg z --ap y --ca CAP_KILL --use 1 --t --det --n --process FILE ID
	not-crun --root=/r exec -process FILE ID
	not-crun exec --root /r --log /l --process FILE ID
	not-crun --root=/r exec -process=FILE ID
	not-crun --root=/r exec -p=FILE ID
	not-crun --root=/r exec -env A=B -user 1 -cap CAP_KILL -cwd / -tty -detach --process FILE ID
	all --root=/r exec -d -t --process FILE ID
	all --root=/r exec --cwd / --env A=B -e C=D --user 0:0 -u 1 --process-label x --apparmor y --cap CAP_KILL -c CAP_KILL --preserve-fds 1 --cgroup z --process FILE ID
	not-crun --root=/r exec --additional-gids 5 -g 6 --pidfd-socket /s --process FILE ID
	all --root=/r exec --no-new-privs --ignore-paused --tty --unknown --process FILE ID
	all --root=/r exec --process FILE -- ID
	all --root=/r exec --process FILE ID sh -c x
	all --root=/r exec --process /nowhere --process FILE ID
	no --root=/r exec ID sh --process FILE
	no --root=/r exec ID --process FILE
	no --root=/r exec ID -p FILE
	no --root=/r exec -- ID sh --process FILE
	no --root=/r exec ID -- --process FILE
	no --root=/r exec --env --process=FILE ID
	no --root=/r exec --cwd -pFILE ID sh
	no --root=/r exec -t --process-label FILE ID
	no --root=/r exec --process FILE other
	no --root=/other exec --process FILE ID
	no exec --process FILE ID
	no --root=/r state --process FILE ID
	no --root=/r update --process FILE ID
	no --root=/r delete --process FILE ID
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
create
(cd "$T" && timeout "$PATIENCE" "$SHIM" --root=/r exec --process=exec/../exec/process.json "$ID" >"$T/out" 2>"$T/err")
exec_edited "a relative path of process.json"
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
cp "$T/limits.json" "$T/memlock.json" "$T/exec"
start --root=/r exec --process "$T/exec/limits.json" "$ID"
is "limits without a memlock: it is added" '["RLIMIT_NOFILE","RLIMIT_MEMLOCK"] 8388608' "$(jq -c '[.rlimits[].type], .rlimits[1].soft' "$T/exec/limits.json" | paste -sd ' ')"
start --root=/r exec --process "$T/exec/memlock.json" "$ID"
is "a memlock that is lower and higher: it is raised where it is lower" '[{"hard":16777216,"soft":8388608,"type":"RLIMIT_MEMLOCK"}]' "$(jq -cS .rlimits "$T/exec/memlock.json")"
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
		is "a limit that cannot be set, on_error warn: the rest is granted" '0 null "NCCL_IB_HCA==mlx5_6" true' \
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
policy

# process.json that is no process.json
for on_error in warn fail; do
	on_error $on_error
	for kind in missing symlink directory FIFO garbage empty array cut huge 'no UTF-8' 'env twice'; do
		fresh
		create
		case $kind in
		missing) rm "$P" ;;
		symlink) mv "$P" "$T/exec/real" && ln -s real "$P" ;;
		directory) rm "$P" && mkdir "$P" ;;
		FIFO) rm "$P" && mkfifo "$P" ;;
		garbage) head -c 1000 /dev/urandom >"$P" ;;
		empty) : >"$P" ;;
		array) echo '[]' >"$P" ;;
		cut) truncate -s 500 "$P" ;;
		huge) truncate -s 17M "$P" ;;
		'no UTF-8') printf '{"args":["\xff"]}' >"$P" ;;
		'env twice') echo '{"env":[],"env":[]}' >"$P" ;;
		esac
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

# ---- create ----

fresh
create
look
is "create: silent" "0 " "$rc $said"
edited "create"
no_temporary "create"
is "the record's mode" "600 0:0" "$(stat -c '%a %u:%g' "$(record)")"
is "the state_dir's mode" "700 0:0" "$(stat -c '%a %u:%g' "$STATE")"
before=$(stamp "$B/config.json")
inode=$(stat -c '%i %z' "$(record)")
start --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
is "create while it runs: nothing is another file" "$before $inode" "$(stamp "$B/config.json") $(stat -c '%i %z' "$(record)")"
cp "$CASES/rdma/config.json" "$T/here.json"
mkdir "$T/twin"
cp "$CASES/rdma/config.json" "$T/twin"
passes "create of another bundle while it runs, which the runtime refuses" --root=/r create --bundle "$T/twin" --pid-file "$T/twin/pidfile" "$ID"
passes "the one that runs: exec" --root=/r exec --process "$P" "$ID"
exec_edited "the one that runs is served on"
end_container
create
is "create again: config.json is the same file" "$before" "$(stamp "$B/config.json")"
check "create again: the record is a new file" test "$(stat -c '%i %z' "$(record)")" != "$inode"
no_temporary "create again"
for mask in 0000 0077 0777; do
	fresh
	chmod 644 "$B/config.json"
	umask "$mask"
	create
	umask 022
	is "umask $mask: config.json, record and state_dir" "644 600 700" "$(stat -c %a "$B/config.json" "$(record)" "$STATE" | paste -sd ' ')"
done
# Nothing to do
for why in none not_asked refused other_name sandbox denied; do
	name=$why
	if [ $why = denied ]; then
		name=rdma
		policy '"namespaces": ["team-b"]'
	fi
	for on_error in warn fail; do
		[ "$name" = rdma ] || on_error $on_error
		fresh "$name"
		before=$(find "$B" -printf '%p %i %m %U:%G %s %T@ %C@\n' | sort)
		passes "$why, on_error $on_error" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
		is "$why, on_error $on_error: nothing was touched" "$before" "$(find "$B" -printf '%p %i %m %U:%G %s %T@ %C@\n' | sort)"
		check "$why, on_error $on_error: not even a state_dir" test ! -e "$STATE"
		passes "$why, on_error $on_error: exec" --root=/r exec --process "$P" "$ID"
		exec_not_edited "$why, on_error $on_error: exec"
	done
done
policy '"on_no_device": "fail"'
fresh none
create
fails "on_no_device fail" 1
not_edited "on_no_device fail"
not_recorded "on_no_device fail"
policy '"on_no_device": "tcp"'
fresh none
create
is "on_no_device tcp: env, and nothing else" 'NCCL_IB_DISABLE=1 NCCL_IBEXT_DISABLE=1 NCCL_SOCKET_IFNAME==eth0 ' \
	"$(diff <(jq -S . "$CASES/none/config.json") <(jq -S . "$B/config.json") | grep -oP '^> +"\KNCCL[^"]*' | tr '\n' ' ')"
is "on_no_device tcp: limits and capabilities are as they were" "$(jq -c '.process | [.rlimits, .capabilities]' "$CASES/none/config.json")" \
	"$(jq -c '.process | [.rlimits, .capabilities]' "$B/config.json")"
recorded "on_no_device tcp"
start --root=/r exec --process "$P" "$ID"
is "on_no_device tcp: exec, too" "[3,null]" "$(jq -c '[(.env | map(select(startswith("NCCL"))) | length), .rlimits]' "$P")"
policy

# The file's own properties stay
# set_attribute FILE NAME HEX: a failure is counted; attributes FILE
set_attribute() {
	check "${1##*/}, control: it gets $2" "$PYTHON" -IS -c 'import os, sys; os.setxattr(sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3]))' "$@"
}
has_user_attributes() { "$PYTHON" -IS -c 'import os, sys; os.setxattr(sys.argv[1], "user.try", b"")' "$1" 2>/dev/null; }
attributes() { "$PYTHON" -IS -c 'import os, sys; print(sorted((n, os.getxattr(sys.argv[1], n).hex()) for n in os.listxattr(sys.argv[1])))' "$@"; }
acl=0200000001000600ffffffff02000400e803000004000400ffffffff10000400ffffffff20000000ffffffff # user:1000:r
for file in config.json process.json; do
	fresh
	path=$B/config.json
	if [ $file = process.json ]; then
		create
		path=$P
	fi
	chmod 0640 "$path"
	chown 1234:4321 "$path"
	ln "$path" "$T/exec/another-name"
	if has_user_attributes "$T"; then # tmpfs since Linux 6.6
		set_attribute "$path" user.label 6c6162656c00
		set_attribute "$path" user.empty ""
	else
		pass "$file: users' extended attributes # skip this file system has none"
	fi
	set_attribute "$path" trusted.oci 01
	set_attribute "$path" system.posix_acl_access "$acl"
	want="$(stat -c '%a %u:%g' "$path") $(attributes "$path")"
	# A hash of the old content would be a lie about the new.
	set_attribute "$path" security.ima 0401
	set_attribute "$path" security.evm 0201
	if [ $file = process.json ]; then
		start --root=/r exec --process "$P" "$ID"
		exec_edited "$file with attributes"
		exec_not_edited "$file: another name of it" "$T/exec/another-name"
	else
		create
		edited "$file with attributes"
		not_edited "$file: another name of it" "$T/exec/another-name"
	fi
	is "$file: mode, owner and attributes stay" "$want" "$(stat -c '%a %u:%g' "$path") $(attributes "$path")"
	no_temporary "$file with attributes"
	for mode in 0400 0000 0777 4755; do
		fresh
		create
		path=$B/config.json
		if [ $file = process.json ]; then path=$P; else fresh; fi
		chmod $mode "$path"
		if [ $file = process.json ]; then start --root=/r exec --process "$P" "$ID"; else create; fi
		is "$file: mode $mode stays" "0 $((10#$mode))" "$rc $((10#$(stat -c %a "$path")))"
	done
done
# CRI-O's process.json lies in /tmp. Names that could be foreseen, as those of earlier versions were, are somebody else's there.
for kind in file 'dangling symlink' FIFO directory; do
	fresh
	chmod 1777 "$T/exec"
	create
	for name in process.json process.json.new; do
		temporary=$T/exec/.$name.oci-rdma-hook
		case $kind in
		file) echo old >"$temporary" ;;
		'dangling symlink') ln -s "$T/not-there" "$temporary" ;;
		FIFO) mkfifo "$temporary" ;;
		directory) mkdir -p "$temporary/full" ;;
		esac
	done
	before=$(find "$T/exec" -name '.*' -printf '%p %i %U %m\n' | sort)
	passes "exec in a directory that others can write to, a $kind" --root=/r exec --process "$P" "$ID"
	exec_edited "exec in a directory that others can write to, a $kind"
	is "exec in a directory that others can write to, a $kind: what was there stays, and nothing else" "$before, no" \
		"$(find "$T/exec" -name '.*' -printf '%p %i %U %m\n' | sort), $([ -e "$T/not-there" ] && echo yes || echo no)"
done
# names_of RUN…: the names of temporary files, and of calls on them, in their order
names_of() { grep -oP '(linkat|fchmod|fchown|write|O_TMPFILE|O_EXCL|renameat|[.]oci-rdma-hook[.][^"]*)(?=[ (|",])' "$@"; }
fresh
create
for run in 1 2; do
	cp tests/cli/tools/process-exec.json "$P"
	strace -o "$T/trace.$run" -e trace='openat2,write,/fch(own|mod)$,linkat,/^rename' "$SHIM" --root=/r exec --process "$P" "$ID" >/dev/null 2>&1
done
is "exec: the file has no name before it has its text, owner and mode" "O_TMPFILE write fchown fchmod linkat renameat " \
	"$(names_of "$T/trace.1" | grep -v '^[.]' | sed '/^rename/q' | tr '\n' ' ')"
is "exec: each time another name, that nobody can foresee" "2 16" \
	"$(names_of "$T/trace.1" "$T/trace.2" -h | grep '^[.]' | sort -u | awk 'END { print NR, length($0) - length(".oci-rdma-hook.") }')"

# config.json that is no config.json: the runtime will say so
for on_error in warn fail; do
	on_error $on_error
	for kind in missing symlink directory FIFO garbage empty cut huge; do
		fresh
		case $kind in
		missing) rm "$B/config.json" ;;
		symlink) mv "$B/config.json" "$B/real" && ln -s real "$B/config.json" ;;
		directory) rm "$B/config.json" && mkdir "$B/config.json" ;;
		FIFO) rm "$B/config.json" && mkfifo "$B/config.json" ;;
		garbage) head -c 1000 /dev/urandom >"$B/config.json" ;;
		empty) : >"$B/config.json" ;;
		cut) truncate -s 3000 "$B/config.json" ;;
		huge) printf '%*s' $((17 << 20)) '' >>"$B/config.json" ;;
		esac
		before=$(stamp "$B/config.json")
		case $kind-$on_error in
		symlink-fail | huge-fail) # the runtime would take it, and its text asks (tests/cli/shim-odd.sh)
			start --root=/r create --bundle "$B" "$ID"
			fails "config.json: $kind, on_error $on_error" 1 "$B/config.json"
			;;
		*) passes "config.json: $kind, on_error $on_error" --root=/r create --bundle "$B" "$ID" ;;
		esac
		is "config.json: $kind: it is as it was" "$before" "$(stamp "$B/config.json")"
		[ $kind != symlink ] || not_edited "config.json: the link's target" "$B/real"
		not_recorded "config.json: $kind"
	done
done
policy

# ---- the record ----

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
	rm "$B/config.json"
	stale "config.json gone"
	fresh
	create
	mv "$B/config.json" "$B/real" && ln -s real "$B/config.json"
	stale "config.json a link"
	fresh
	create
	stale "another --root" --root /other
	stale "no --root" --debug
	fresh
	start create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	begin_container
	stale "recorded without --root" --root=/r
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
mkdir "$T/root" "$T/another-root"
ln -s root "$T/root-link"
for root in "$T/root/" "$T/./root" "$T/root-link"; do
	fresh
	start --root="$T/root" create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	begin_container
	start --root "$root" exec --process "$P" "$ID"
	exec_edited "another spelling of the same --root"
done
fresh
start --root="$T/root" create --bundle "$B" --pid-file "$PIDFILE" "$ID"
begin_container
stale "another --root that exists" "--root=$T/another-root"

# A record belongs to its id and its --root, or the runtime's own one
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
beside "delete --force without --root" delete --force "$ID"
beside "delete" --root=/r/other delete "$ID"
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
in_front_of runc
fresh
start create --bundle "$B" --pid-file "$PIDFILE" "$ID"
in_front_of crun
passes "the other runtime's container of that id, without --root: delete" delete --force "$ID"
recorded "the other runtime's container of that id, without --root"
# What --root leads to, the runtime may make only now
fresh
start --root="$T/later//sub/" create --bundle "$B" --pid-file "$PIDFILE" "$ID"
begin_container
mkdir -p "$T/later/sub"
passes "a --root that was not there yet: exec" --root="$T/./later/sub" exec --process "$P" "$ID"
exec_edited "a --root that was not there yet: exec"

# The records of an earlier version, of containers that ran when this one came, are called "<id>.json"
earlier() {
	fresh
	create
	mv "$(record)" "$STATE/$ID.json"
}
earlier
passes "an earlier version's record: exec" --root=/r exec --process "$P" "$ID"
exec_edited "an earlier version's record: exec"
passes "an earlier version's record: delete of a container that runs" --root=/r delete "$ID"
check "an earlier version's record: it stays" test -e "$STATE/$ID.json"
stale "an earlier version's record, another --root" --root=/other
passes "an earlier version's record: delete under another --root" --root=/other delete --force "$ID"
check "an earlier version's record: it stays" test -e "$STATE/$ID.json"
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
	for on_error in warn fail; do
		on_error $on_error
		cp tests/cli/tools/process-exec.json "$P"
		what="record: $1, on_error $on_error"
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
		passes "record: $1, delete $force" --root=/r delete $force "$ID"
	done
}
for ((size = 0; size < $(stat -c %s "$T/good-record"); size += 37)); do
	head -c "$size" "$T/good-record" >"$record"
	bad_record "cut off at $size"
done
while IFS='|' read -r what text; do
	printf '%b' "$text" >"$record"
	bad_record "$what"
done <<-'EOT'
	garbage|\x00\x01\xff\xfe
	no JSON|hello
	an array|[]
	empty object|{}
	two values|{}{}
	no config|{"root":"/r"}
EOT
while IFS='|' read -r what filter; do
	jq -c "$filter" "$T/good-record" >"$record"
	bad_record "$what"
done <<-'EOT'
	unknown member|.other = 1
	inode is a text|.inode = "1"
	memlock is negative|.memlock = -1
	env is an array|.env = []
	a value is no text|.env.X = 1
	config is null|.config = null
	more than 256 KiB|.pid_file = ([range(300000) | "x"] | join(""))
EOT
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
# state_dir KIND: makes it
state_dir() {
	mkdir -m 700 "$STATE"
	case $1 in
	'mode 0777') chmod 0777 "$STATE" ;;
	'mode 0770') chmod 0770 "$STATE" ;;
	'mode 1777') chmod 1777 "$STATE" ;;
	'mode 0720') chmod 0720 "$STATE" ;;
	'of somebody else') chown 1234 "$STATE" ;;
	'a link') mv "$STATE" "$T/real-state" && ln -s real-state "$STATE" ;;
	'a file') rmdir "$STATE" && : >"$STATE" ;;
	'a FIFO') rmdir "$STATE" && mkfifo "$STATE" ;;
	esac
}
for kind in 'mode 0777' 'mode 0770' 'mode 1777' 'mode 0720' 'of somebody else' 'a link' 'a file' 'a FIFO'; do
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

# ---- which runtime ----

for name in a/crun a/runc b/crun; do runtime "$RT/$name"; done
# runs DESCRIPTION NAME LIST WANT: called by this name, with this list
runs() {
	config "{\"state_dir\": \"$STATE\", \"runtimes\": [$3]}"
	AS=$2 passes "$1" --version
	is "$1" "$4" "$started"
}
runs "the first of the list" "$SHIM" "\"$RT/a/runc\",\"$RT/a/crun\"" "$RT/a/runc"
runs "-crun: the first crun" "$SHIM-crun" "\"$RT/a/runc\",\"$RT/b/crun\",\"$RT/a/crun\"" "$RT/b/crun"
runs "-runc: the first runc" "$SHIM-runc" "\"$RT/a/crun\",\"$RT/a/runc\"" "$RT/a/runc"
runs "the next, where the first is missing" "$SHIM" "\"/nowhere/crun\",\"$RT/a/runc\"" "$RT/a/runc"
runs "-crun: the next, where the first is missing" "$SHIM-crun" "\"/nowhere/crun\",\"$RT/a/runc\",\"$RT/b/crun\"" "$RT/b/crun"
: >"$RT/plain"
runs "the next, where the first cannot be run" "$SHIM" "\"$RT/plain\",\"$RT/a/runc\"" "$RT/a/runc"
ln -s nowhere "$RT/dangling"
runs "the next, where the first is a link to nothing" "$SHIM" "\"$RT/dangling\",\"$RT/a/runc\"" "$RT/a/runc"
runs "the next, where the first is a directory" "$SHIM" "\"$RT/a\",\"$RT/a/runc\"" "$RT/a/runc"
runs "the next, where the first is the shim" "$SHIM" "\"$SHIM\",\"$RT/a/runc\"" "$RT/a/runc"
mkdir "$T/other"
ln -s "$HOOK" "$T/other/oci-rdma-runtime-runc"
runs "by a link elsewhere" "$T/other/oci-rdma-runtime-runc" "\"$RT/a/crun\",\"$RT/a/runc\"" "$RT/a/runc"

# none DESCRIPTION NAME LIST: there is nothing to run, for no container
none() {
	local line words
	config "{\"state_dir\": \"$STATE\", \"runtimes\": [$3]}"
	for line in --version "create --bundle $B $ID" "exec --process $P $ID" "delete $ID"; do
		fresh
		read -ra words <<<"$line"
		AS=$2 start "${words[@]}"
		fails "$1: ${words[0]}" 127 runtime
		not_edited "$1: ${words[0]}"
	done
}
none "a missing runtime" "$SHIM" '"/nowhere/crun"'
none "two missing runtimes" "$SHIM" '"/nowhere/crun","/nowhere/runc"'
none "a name that is not in the list" "$SHIM-youki" "\"$RT/a/crun\""
cp "$HOOK" "$RT/hard-source" && ln "$RT/hard-source" "$RT/hard"
none "only the shim itself" "$SHIM" "\"$SHIM\""
none "only the shim itself, under two names" "$SHIM" "\"$SHIM-crun\",\"$SHIM\",\"$HOOK\""
ln -s "$SHIM" "$RT/second-link"
none "only a link to a link to the shim" "$SHIM" "\"$RT/second-link\""
printf '#!/nowhere/sh\n' >"$RT/broken" && chmod 755 "$RT/broken"
config "{\"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/broken\"]}"
start --version
fails "a runtime that cannot be started" 127 "$RT/broken"
# Ways back to the shim that it cannot see
mkdir "$RT/copy"
cp "$HOOK" "$RT/copy/oci-rdma-runtime"
config "{\"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/copy/oci-rdma-runtime\"]}"
start --version
fails "a copy of the shim in its list" 127
printf '#!/bin/sh\nexec %s "$@"\n' "$SHIM" >"$RT/wrapper" && chmod 755 "$RT/wrapper"
config "{\"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/wrapper\"]}"
timeout -s KILL "$PATIENCE" "$SHIM" --version </dev/null >"$T/out" 2>"$T/err"
is "a runtime that starts the shim again does not do so for ever" 127 $?
one_line "a runtime that starts the shim again"
# compiled PATH PROGRAM: a program that becomes another one
compiled() {
	printf '#include <unistd.h>\nint main(int argc, char **argv)\n{\n\targv[0] = "%s";\n\treturn argc && execv(argv[0], argv);\n}\n' "$2" | "${CC:-gcc}" -x c -o "$1" -
}
for name in crun runc; do
	mkdir "$RT/wrapper-$name"
	printf '#!/bin/sh\nexec %s "$@"\n' "$SHIM" >"$RT/wrapper-$name/$name" && chmod 755 "$RT/wrapper-$name/$name"
	config "{\"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/wrapper-$name/$name\"]}"
	timeout -s KILL "$PATIENCE" "$SHIM" --version </dev/null >"$T/out" 2>"$T/err"
	is "a $name that starts the shim again does not do so for ever" 127 $?
	one_line "a $name that starts the shim again" "$RT/wrapper-$name/$name"
	compiled "$RT/wrapper-$name/$name" "$SHIM"
	timeout -s KILL "$PATIENCE" "$SHIM" --version </dev/null >"$T/out" 2>"$T/err"
	is "a compiled $name that starts the shim again does not do so for ever" 127 $?
	one_line "a compiled $name that starts the shim again" "$RT/wrapper-$name/$name"
done
# The MachineConfig's shim is a script with us as interpreter, whatever its path is said to be
printf '#!%s\n' "$HOOK" >"$T/here/oci-rdma-runtime-crun"
chmod 755 "$T/here/oci-rdma-runtime-crun"
policy
for path in ./oci-rdma-runtime-crun ../here/oci-rdma-runtime-crun "$T/here/oci-rdma-runtime-crun"; do
	echo $((++round)) >"$T/round"
	(cd "$T/here" && timeout "$PATIENCE" "$path" state x </dev/null >"$T/out" 2>"$T/err")
	rc=$?
	look
	is "the shim as a script, called ${path/"$T"/}" "0  <state> <x>" "$rc $said$arguments"
done
# Stacked: the front one's runtime is another shim, with a config of its own
mkdir "$T/second"
printf '{"memlock": "8Mi", "capabilities": ["CAP_IPC_LOCK"], "state_dir": "%s/second/state", "runtimes": ["%s"]}' "$T" "$RT/crun" >"$T/second/config.json"
printf '#!/bin/sh\nOCI_RDMA_CONFIG=%s exec %s "$@"\n' "$T/second/config.json" "$SHIM" >"$RT/stacked" && chmod 755 "$RT/stacked"
config "{\"memlock\": \"8Mi\", \"capabilities\": [\"CAP_IPC_LOCK\"], \"state_dir\": \"$STATE\", \"runtimes\": [\"$RT/stacked\"]}"
fresh
passes "two shims in a row" --root=/r create --bundle "$B" --pid-file "$PIDFILE" "$ID"
edited "two shims in a row do the work once"
begin_container
passes "two shims in a row: exec" --root=/r exec --process "$P" "$ID"
exec_edited "two shims in a row: exec, once"
policy

# ---- the environment's options ----

printf '{"memlock": "8Mi", "capabilities": ["CAP_IPC_LOCK"], "state_dir": "%s", "runtimes": ["%s"]}' "$T/elsewhere" "$RT/a/runc" >"$T/elsewhere.json"
fresh
OCI_RDMA_CONFIG=$T/elsewhere.json create
look
is "OCI_RDMA_CONFIG names another config" "$RT/a/runc" "$started"
check "and another state_dir" test -e "$(STATE=$T/elsewhere record)"
fresh
OCI_RDMA_CONFIG='' create
look
is "an empty OCI_RDMA_CONFIG is none" "$RT/crun" "$started"
edited "an empty OCI_RDMA_CONFIG is none"
fresh
dry_run --format json
OCI_RDMA_SYSROOT=/nowhere OCI_RDMA_CONFIG=/nowhere "$HOOK" --sysroot "$NODE" --dry-run --format json "$B" >"$T/out2" 2>&1
check "the hook ignores both" cmp "$T/out" "$T/out2"

# by_default DESCRIPTION ARG…: passes, with the default runtime
by_default() {
	passes "$@"
	is "$1: it is the default one" /usr/bin/crun "$started"
}
config
fresh
by_default "no config" --root=/r create --bundle "$B" "$ID"
is "no config: config.json is edited" "NCCL_IB_HCA==mlx5_6" "$(jq -r '.process.env[-1]' "$B/config.json")"
is "no config: the default state_dir" "/run/oci-rdma-hook 700 0 $(STATE=/run/oci-rdma-hook record) 600 0" \
	"$(find /run/oci-rdma-hook -printf '%p %m %U\n' | sort | paste -sd ' ')"
rm -r /run/oci-rdma-hook
policy

# ---- many at once ----

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
for ((pair = 0; pair < 100; pair++)); do
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

fresh
for i in {1..24}; do
	mkdir "$T/exec/$i"
	cp "$CASES/rdma/config.json" "$T/exec/$i"
	cp tests/cli/tools/process-exec.json "$T/exec/$i.json"
done
for i in {1..24}; do
	{
		"$SHIM" --root=/r create --bundle "$T/exec/$i" --pid-file "$T/exec/$i.pid" "c$i"
		sleep 14400 >/dev/null 2>&1 &
		echo $! >"$T/exec/$i.pid"
		"$SHIM" --root=/r exec --process "$T/exec/$i.json" "c$i"
		[ $((i % 2)) = 0 ] || "$SHIM" --root=/r delete --force "c$i"
		kill -KILL $!
	} >"$T/exec/$i.out" 2>&1 &
	children+=($!)
done
wait "${children[@]}"
is "24 containers at once: silent" "" "$(cat "$T"/exec/*.out)"
for i in {1..24}; do
	edited "24 containers at once, $i" "$T/exec/$i/config.json"
	exec_edited "24 containers at once, $i" "$T/exec/$i.json"
done
is "24 containers at once: half of them are remembered" 12 "$(find "$STATE" -mindepth 1 | wc -l)"
finish
