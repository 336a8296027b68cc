#!/bin/bash
# The shim in front of a runtime that writes down how it was called: what is handed on, and to which runtime.
# shellcheck disable=SC2119 # what is optional is left out
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tools/shim-node.bash

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
same_as_direct "arguments that are no words" --root=$ROOT create $'a\nb' $'\xff\x80' '*' "\$HOME" ' ' "--bundle=$B" $'\xe2\x82\xac'
mapfile -t many < <(seq 20000)
same_as_direct "20,000 arguments" --root=$ROOT create --bundle "$B" "${many[@]}"
same_as_direct "20,000 arguments of exec" --root=$ROOT exec "$ID" "${many[@]}"

commands=("create --bundle $B $ID" "exec --process $P $ID" "delete $ID" "state $ID" --version)
# for_all DESCRIPTION: the same for each command
for_all() {
	local command words
	row "$1"
	for command in "${commands[@]}"; do
		read -ra words <<<"$command"
		same_as_direct "$1: ${words[0]}" "${words[@]}"
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
	listed "$RT/env-$name/$name"
	want=$(env -i "OCI_RDMA_SYSROOT=$NODE" A=1 B= Z=2 /usr/bin/env)
	for before in "" OCI_RDMA_RUNTIME_ROUNDS={,1,2}; do
		rounds=$((${before#*=} + 1))
		is "$name: the environment as it came, and round $rounds after '${before#*=}'${before:+, set}" "$want"$'\n'"OCI_RDMA_RUNTIME_ROUNDS=$rounds" \
			"$(env -i "OCI_RDMA_SYSROOT=$NODE" A=1 B= Z=2 ${before:+"$before"} "$SHIM")"
	done
	for rounds in 0 4 11 x; do
		env -i "OCI_RDMA_SYSROOT=$NODE" "OCI_RDMA_RUNTIME_ROUNDS=$rounds" "$SHIM" >"$T/out" 2>"$T/err"
		is "$name: a count of rounds that is none, or the last, is the end: '$rounds'" "127 leads back" "$? $(cat "$T/out")$(grep -o 'leads back' "$T/err")"
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
listed "$RT/bash"
start -c 'tr "\0" "|" <"/proc/$$/cmdline"' name argument
is "its name is the path that is run" "$RT/bash|-c|tr \"\\0\" \"|\" <\"/proc/\$\$/cmdline\"|name|argument|" "$(<"$T/out")"
policy

# ---- which runtime ----

for name in a/crun a/runc b/crun; do runtime "$RT/$name"; done
# runs DESCRIPTION NAME WANT LINE…: called by this name, with this list
runs() {
	listed "${@:4}"
	AS=$2 passes "$1" --version
	is "$1" "$3" "$started"
}
runs "-crun: the first crun" "$SHIM-crun" "$RT/b/crun" "$RT/a/runc" "$RT/b/crun" "$RT/a/crun"
runs "-crun, without a crun in the list: an installed one" "$SHIM-crun" /usr/bin/crun "$RT/a/runc"
runs "comments, and blanks around a path" "$SHIM" "$RT/a/runc" '# /nowhere' "" "  $RT/a/runc "$'\r' "$RT/a/crun"
runs "the next, where the first is missing" "$SHIM" "$RT/a/runc" /nowhere/crun "$RT/a/runc"
: >"$RT/plain"
runs "the next, where the first cannot be run" "$SHIM" "$RT/a/runc" "$RT/plain" "$RT/a/runc"
ln -s nowhere "$RT/dangling"
runs "the next, where the first is a link to nothing" "$SHIM" "$RT/a/runc" "$RT/dangling" "$RT/a/runc"
runs "the next, where the first is a directory" "$SHIM" "$RT/a/runc" "$RT/a" "$RT/a/runc"
runs "the next, where the first is the shim" "$SHIM" "$RT/a/runc" "$SHIM" "$RT/a/runc"
mkdir "$T/other"
ln -s "$HOOK" "$T/other/oci-rdma-runtime-runc"
runs "by a link elsewhere" "$T/other/oci-rdma-runtime-runc" "$RT/a/runc" "$RT/a/crun" "$RT/a/runc"

# none DESCRIPTION NAME LINE…: there is nothing to run, for no container
none() {
	local line words
	row "$1"
	listed "${@:3}"
	for line in --version "create --bundle $B $ID" "exec --process $P $ID" "delete $ID"; do
		fresh
		read -ra words <<<"$line"
		AS=$2 start "${words[@]}"
		fails "$1: ${words[0]}" 127 runtime
		not_edited "$1: ${words[0]}"
	done
}
none "a missing runtime" "$SHIM" /nowhere/crun
none "an empty list" "$SHIM" "# $RT/a/crun"
none "a name that is not in the list" "$SHIM-youki" "$RT/a/crun"
cp "$HOOK" "$RT/hard-source" && ln "$RT/hard-source" "$RT/hard"
none "only the shim itself" "$SHIM" "$SHIM"
none "only the shim itself, under two names" "$SHIM" "$SHIM-crun" "$SHIM" "$HOOK"
ln -s "$SHIM" "$RT/second-link"
none "only a link to a link to the shim" "$SHIM" "$RT/second-link"
printf '#!/nowhere/sh\n' >"$RT/broken" && chmod 755 "$RT/broken"
listed "$RT/broken"
start --version
fails "a runtime that cannot be started" 127 "$RT/broken"
# Ways back to the shim that it cannot see
mkdir "$RT/copy"
cp "$HOOK" "$RT/copy/oci-rdma-runtime"
listed "$RT/copy/oci-rdma-runtime"
start --version
fails "a copy of the shim in its list" 127
printf '#!/bin/sh\nexec %s "$@"\n' "$SHIM" >"$RT/wrapper" && chmod 755 "$RT/wrapper"
listed "$RT/wrapper"
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
	listed "$RT/wrapper-$name/$name"
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
# Stacked: the front one's runtime is another shim
mkdir "$RT/stacked"
printf '#!/bin/sh\nexec %s "$@"\n' "$SHIM-crun" >"$RT/stacked/runc" && chmod 755 "$RT/stacked/runc"
listed "$RT/stacked/runc" "$RT/crun"
fresh
passes "two shims in a row" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
edited "two shims in a row do the work once"
kept
passes "two shims in a row: exec" --root=$ROOT exec --process "$P" "$ID"
exec_edited "two shims in a row: exec, once"
policy

# ---- the environment's options ----

echo '{"namespaces": []}' >"$T/elsewhere.json"
fresh
OCI_RDMA_CONFIG=$T/elsewhere.json create
not_edited "OCI_RDMA_CONFIG names another config"
fresh
OCI_RDMA_CONFIG='' create
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
by_default "neither config nor list" --root=$ROOT create --bundle "$B" "$ID"
is "neither config nor list: config.json is edited" "NCCL_IB_HCA==mlx5_6" "$(jq -r '.process.env[-1]' "$B/config.json")"
is "nothing of a granted container is kept below /run" "" "$(find /run -path '*oci-rdma*')"
policy
finish
