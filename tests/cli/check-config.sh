#!/bin/bash
# --check-config: what an installer asks before it switches a hook on. Each mistake is refused in one line.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
node one
PROGRAM=/usr/local/bin/oci-rdma-hook
ENGINE=$NODE/usr/share/containers/oci/hooks.d
FILE=$ENGINE/90-oci-rdma-hook.json
mkdir -p "$ENGINE" "$NODE/usr/local/bin"
install -m 755 /bin/true "$NODE$PROGRAM"

# examine [FILE…]: sets rc; what it says is in $T.out and $T.err
examine() {
	timeout "$PATIENCE" "$ADMIN" --sysroot "$NODE" --check-config "$@" >"$T/out" 2>"$T/err"
	rc=$?
}

# hooks_file [JQ-FILTER]: $FILE is our own file, changed so
hooks_file() { jq "${1-.}" config/hooks.d/annotation/90-oci-rdma-hook.json >"$FILE"; }

# accepts DESCRIPTION JQ-FILTER
accepts() {
	hooks_file "$2"
	examine "$FILE"
	is "$1: accepted" "0 $FILE: ok" "$rc $(cat "$T/out" "$T/err")"
}

# refused DESCRIPTION PART…: what was just examined; one line with the file and these parts, and nothing called ok
refused() {
	local what=$1
	shift
	is "$what: status" 1 "$rc"
	one_line "$what" "$@"
	is "$what: nothing is ok" "" "$(cat "$T/out")"
}

# refuses_now DESCRIPTION PART…: our file, as it and its node are now
refuses_now() {
	examine "$FILE"
	refused "$@"
}

# refuses_path FILE DESCRIPTION PART…
refuses_path() {
	examine "$1"
	refused "${@:2}"
}

# objects DESCRIPTION PART…: one line with these parts is all that is wrong
objects() {
	examine
	is "$1: status" 1 "$rc"
	one_line "$@"
}
# right: the hooks.d files that are
right() { sed -n 's/^hook_file \(.*\): ok: .*/\1/p' "$T/out"; }
# nothing_wrong DESCRIPTION: on the node
nothing_wrong() {
	examine
	is "$1" "0 " "$rc $(<"$T/err")"
}

# refuses DESCRIPTION JQ-FILTER PART…
refuses() {
	local what=$1
	hooks_file "$2"
	shift 2
	examine "$FILE"
	refused "$what" "$FILE" "$@"
}

# refuses_text DESCRIPTION TEXT PART…
refuses_text() {
	local what=$1
	printf '%s' "$2" >"$FILE"
	shift 2
	examine "$FILE"
	refused "$what" "$FILE" "$@"
}

# ---- what the project ships ----

for shipped in config/hooks.d/*/*.json config/podman/precreate.d/*.json config/config.json config/profiles/*.json; do
	examine "$shipped"
	is "$shipped" "0 $shipped: ok" "$rc $(cat "$T/out" "$T/err")"
done

# ---- what engines read, and what cannot work with them ----

accepts "always" '.when = {always: true}'
accepts "by a command and an annotation" '.when = {commands: ["^/usr/bin/python[0-9.]*$"], annotations: {"a": "b"}}'
accepts "containers with bind mounts" '.when = {hasBindMounts: true}'
accepts "prestart for createRuntime" '.stages = ["prestart"]'
accepts "createRuntime for prestart" '.hook.args[1] = "prestart"'
accepts "a policy of its own" '.hook.args = ["oci-rdma-hook", "--config", "/etc/other.json", "createRuntime"]'
accepts "no environment" 'del(.hook.env)'

refuses_text "cut off" '{ "version": "1.0.0", "hook": { "pa'
refuses_text "a comment, which Go does not read" '{ "version": "1.0.0", // why
"hook": {} }' "line 1"
refuses_text "a key twice" '{"version": "1.0.0",
"version": "1.0.0"}' "line 2" version twice
refuses_text "too large" "{\"version\": \"1.0.0\"$(printf '%70000s' '')}"
# What is wrong with a path names it once, and the part of it that is meant.
examine "$NODE/t.json"
is "a file that is not there" "1 oci-rdma-admin: $NODE/t.json: No such file or directory" "$rc $(<"$T/err")"
has "no option at all: those that there are" "name what to do: --check-config," "$("$ADMIN" 2>&1)"
examine "$NODE/gone/t.json"
is "a directory that is not there" "1 oci-rdma-admin: $NODE/gone/t.json: gone: No such file or directory" "$rc $(<"$T/err")"

refuses "no version" 'del(.version)' version 1.0.0
refuses "an older version" '.version = "0.1.0"' "line 2" 1.0.0
refuses "an unknown key" '.hooks = {}' hooks unknown 'did you mean hook?'
refuses "a key spelled otherwise" '.Stages = .stages' Stages unknown
refuses "a condition that does not exist" '.when.annotation = {}' when.annotation annotations
refuses "no hook" 'del(.hook)' hook.path
refuses "a relative path" '.hook.path = "bin/oci-rdma-hook"' "line 4" hook.path absolute
refuses "another program" '.hook.path = "/usr/bin/true"' "line 4" /usr/bin/true
refuses "the shim" '.hook.path = "/usr/local/bin/oci-rdma-runtime"' "line 4" oci-rdma-runtime
refuses "the shim by its name" '.hook.args[0] = "oci-rdma-runtime"' args shim
refuses "arguments without a stage" '.hook.args = ["oci-rdma-hook"]' hook.args createRuntime
refuses "arguments with two stages" '.hook.args += ["poststart"]' hook.args poststart
refuses "arguments with two stages that go together" '.hook.args += ["prestart"]' hook.args "two stages"
refuses "an argument that is no string" '.hook.args += [1]' 'hook.args[2]'
refuses "an environment that is no list" '.hook.env = {}' hook.env
refuses "no timeout" 'del(.hook.timeout)' timeout 10
for bad in 1.5 '"10"' null 99999999999999999999; do
	refuses "timeout $bad" ".hook.timeout = $bad" hook.timeout
done
for bad in 0 -1 121; do
	refuses "timeout $bad" ".hook.timeout = $bad" "hook.timeout: $bad is not between 1 and 120 seconds"
done
accepts "the longest timeout" '.hook.timeout = 120'
refuses "a timeout below our own" '.hook.timeout = 5' "line " timeout 5 10
accepts "a timeout above our own" '.hook.timeout = 6'
refuses "no when" 'del(.when)' when annotations
refuses "a when without a condition" '.when = {}' when
refuses "never" '.when.always = false' when
refuses "containers without bind mounts, which is never" '.when.hasBindMounts = false' when
refuses "a pattern that does not compile" '.when.annotations = {"a": "("}' 'when.annotations.a' "regular expression" POSIX
refuses "an annotation's name that does not compile" '.when.annotations = {"[": "a"}' "regular expression" POSIX
refuses "a command that does not compile" '.when.commands = ["a", "*("]' 'when.commands[1]' "regular expression"
refuses "no stages" 'del(.stages)' stages
refuses "an empty list of stages" '.stages = []' stages
refuses "a stage that does not exist" '.stages = ["created"]' 'stages[0]' created createRuntime
refuses "a stage beside another" '.stages += ["poststart"]' stages createRuntime
refuses "poststart as the work of createRuntime" '.stages = ["poststart"]' stages createRuntime

# arguments that main() refuses, which would fail every container
refuses "an operand that is no stage" '.hook.args += ["bogus"]' "line 5" hook.args bogus
refuses "an option's value taken for the stage" '.hook.args = ["oci-rdma-hook", "--config", "createRuntime"]' "line 5" absolute
refuses "an option without a value" '.hook.args += ["--config"]' --config "no value"
refuses "an unknown option" '.hook.args += ["--bogus"]' --bogus
refuses "an option of another task" '.hook.args += ["--format", "json"]' --format
refuses "an abbreviation" '.hook.args += ["--conf", "/etc/other.json"]' --conf
refuses "two dashes" '.hook.args |= [.[0], "--", .[1]]' '"--"'
refuses "a policy by a relative path" '.hook.args += ["--config=other.json"]' absolute
accepts "options with =" '.hook.args += ["--config=/etc/other.json", "--sysroot=/"]'
# conditions that no container meets which asks
refuses "an annotation of ours that is none" '.when.annotations = {"^oci-rdma-hook\\.io/injekt$": "^true$"}' "when.annotations" injekt "none of our annotations"
refuses "a value with which nobody asks" '.when.annotations = {"^oci-rdma-hook\\.io/inject$": "^yes$"}' '^yes$' '"true"'
accepts "any value" '.when.annotations = {"^oci-rdma-hook\\.io/": ""}'
accepts "another of our annotations" '.when.annotations = {"^oci-rdma-hook\\.io/memlock$": "Gi$"}'
accepts "everybody's annotations, by a pattern that does not speak of us" '.when.annotations = {".*": "^yes$"}'
accepts "somebody's annotation" '.when.annotations = {"^example\\.com/rdma$": "^yes$"}'

# ---- the executable ----

hooks_file
rm "$NODE$PROGRAM"
refuses_now "no executable" "$FILE" "line 4" "$PROGRAM" install
install -m 644 /bin/true "$NODE$PROGRAM"
refuses_now "not executable" "$FILE" "$PROGRAM" "chmod 0755"
for mode in 0744 0654 0645; do
	chmod "$mode" "$NODE$PROGRAM"
	accepts "executable for some, which is enough for root, $mode" .
done
chmod 0775 "$NODE$PROGRAM"
refuses_now "an executable that others may write" "$PROGRAM" "chmod go-w"
rm "$NODE$PROGRAM"
mkdir "$NODE$PROGRAM"
refuses_now "a directory for an executable" "$PROGRAM" "not a regular file"
rmdir "$NODE$PROGRAM"
install -m 755 /bin/true "$NODE$PROGRAM"
chmod 0777 "$NODE/usr/local/bin"
refuses_now "a directory that others may write" "$PROGRAM" "chmod go-w"
chmod 0755 "$NODE/usr/local/bin"
if chown 12345 "$NODE$PROGRAM" 2>/dev/null; then
	refuses_now "another's executable" "$PROGRAM" "chown root"
	chown 0 "$NODE$PROGRAM"
fi
# shellcheck disable=SC2016 # the inner shell's
on_noexec() {
	unshare -rm sh -c 'mount -t tmpfs -o noexec none "$1" && install -m 755 /bin/true "$1/oci-rdma-hook" &&
		"$2" --sysroot "$3" --check-config "$4"' - "$NODE/usr/local/bin" "$ADMIN" "$NODE" "$FILE" >"$T/out" 2>"$T/err"
	rc=$?
}
on_noexec
refused "a file system mounted noexec" "$FILE" "$PROGRAM" noexec

# /usr/local is a link on RHCOS. How a path is followed, below the sysroot, and what may be on its way: unit lib/trusted_link
mkdir -p "$NODE/var/usrlocal"
mv "$NODE/usr/local/bin" "$NODE/var/usrlocal/bin"
rmdir "$NODE/usr/local"
ln -s ../../../../../../../../../var/usrlocal "$NODE/usr/local"
accepts "a directory by a link that would leave the sysroot" .
chmod 0777 "$NODE/var/usrlocal"
refuses_now "a link into a directory that others may write" usrlocal "chmod go-w"
chmod 0755 "$NODE/var/usrlocal"
ln -sfn ../var/usrlocal "$NODE/usr/local"
refuses "a path that is longer than any" ".hook.path = \"/$(printf 'd/%.0s' {1..2041})oci-rdma-hook\"" "line 4" "longer than a path can be (4095"
refuses "a path of thousands of characters" ".hook.path = \"/usr/local/bin/$(printf './%.0s' {1..1900})none/oci-rdma-hook\"" \
	"line 4" "none/oci-rdma-hook does not exist" install
for end in / /. /..; do refuses "a path that ends in $end" ".hook.path = \"/usr/local/bin$end\"" "hook.path"; done
# ---- the file itself ----

hooks_file
chmod 0666 "$FILE"
refuses_now "a file that others may write" "$FILE" "chmod go-w"
chmod 0644 "$FILE"
chmod 0777 "$ENGINE"
refuses_now "in a directory that others may write" "$FILE" "chmod go-w"
chmod 0755 "$ENGINE"
refuses_path "$ENGINE" "a directory" "$ENGINE"
refuses_path "$ENGINE/" "a directory, by a path that ends in a slash" "$ENGINE/"
(cd "$ENGINE" && "$ADMIN" --sysroot "$NODE" --check-config 90-oci-rdma-hook.json >"$T/out" 2>"$T/err")
is "a relative path" "90-oci-rdma-hook.json: ok" "$(cat "$T/out" "$T/err")"

# ---- precreate: podman's, never where CRI-O reads ----

for dir in /etc/containers/oci/hooks.d /run/containers/oci/hooks.d /usr/share/containers/oci/hooks.d; do
	mkdir -p "$NODE$dir"
	cp config/podman/precreate.d/90-oci-rdma-hook-precreate.json "$NODE$dir/"
	examine "$NODE$dir/90-oci-rdma-hook-precreate.json"
	refused "precreate in $dir" "$dir" CRI-O move
	(cd "$NODE$dir" && "$ADMIN" --sysroot "$NODE" --check-config 90-oci-rdma-hook-precreate.json >"$T/out" 2>"$T/err")
	is "precreate in $dir, by a relative path" 1 "$?"
	rm "$NODE$dir/90-oci-rdma-hook-precreate.json"
done
ln -s usr/share/containers/oci/hooks.d "$NODE/alias"
cp config/podman/precreate.d/90-oci-rdma-hook-precreate.json "$ENGINE/"
refuses_path "$NODE/alias/90-oci-rdma-hook-precreate.json" "precreate there by a link" CRI-O
rm "$ENGINE/90-oci-rdma-hook-precreate.json" "$NODE/alias"
refuses "precreate beside others" '.stages += ["precreate"]' stages

# ---- links ----

hooks_file
config '{}'
ln -s config.json "$NODE/etc/oci-rdma-hook/link.json"
refuses_path "$NODE/etc/oci-rdma-hook/link.json" "a policy behind a link" link.json "symbolic link"
rm "$NODE/etc/oci-rdma-hook/link.json"
mv "$FILE" "$T/90-hooks.json"
ln -s "$T/90-hooks.json" "$FILE"
examine "$FILE"
is "a hooks.d file behind a link" "0 $FILE: ok" "$rc $(cat "$T/out" "$T/err")"
rm "$FILE"

# ---- config.json, and the whole node ----

hooks_file
config '{"memlok": 1}'
refuses_path "$NODE/etc/oci-rdma-hook/config.json" "a policy with an error" config.json "line 1" memlok
examine "$FILE"
is "with a file, only that file" "0 $FILE: ok" "$rc $(cat "$T/out" "$T/err")"
examine
is "without a file, the node's policy: status" 1 "$rc"
one_line "the node's policy with an error" /etc/oci-rdma-hook/config.json memlok
is "and its hooks.d files" /usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json "$(right)"
printf '{}' >"$T/other.json"
examine --config "$T/other.json"
is "--config instead of it" "0 policy: ok: valid, opt in by annotation ($T/other.json)" "$rc $(head -n 1 "$T/out")$(<"$T/err")"
examine --config "$T/other.json" "$FILE"
is "--config beside a file" "0 $(printf '%s: ok\n' "$T/other.json" "$FILE")" "$rc $(cat "$T/out" "$T/err")"
config
examine
is "no policy is right, too" "0 2 1" "$rc $(grep -c ': ok' "$T/out") $(grep -c defaults "$T/out")"
mkdir -p "$NODE/etc/containers/oci/hooks.d"
jq '.stages = ["createContainer"]' config/hooks.d/annotation/90-oci-rdma-hook.json >"$NODE/etc/containers/oci/hooks.d/50-mine.json"
printf '{"version": "1.0.0", "hook": {"path": "/usr/local/bin/oci-rdma-h' >"$ENGINE/cut.json"
printf 'nonsense' >"$ENGINE/99-others.json"
printf 'nonsense oci-rdma-hook' >"$ENGINE/README"
printf '{"version": "1.0.0", "hook": {"path": "/usr/bin/other"}, "when": {"always": true}, "stages": ["poststop"]}' >"$ENGINE/other.json"
examine
is "every engine's directory is looked at: status" 1 "$rc"
is "what engines refuse, whosever it is, and ours that cannot work, by what the file says: one line each" \
	"/etc/containers/oci/hooks.d/50-mine.json $(printf '/usr/share/containers/oci/hooks.d/%s ' 99-others.json cut.json)" \
	"$(sed 's/^oci-rdma-admin: hook_file //; s/: fail: .*//' "$T/err" | sort | tr '\n' ' ')"
is "others' files that are right are not our business" "/usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json" "$(right)"

# Which of the two a file is: each key that only a hooks.d file has tells
for key in version hook when stages; do
	refuses_text "a file with nothing but $key" "{\"$key\": 1}" "line 1: $key"
	lacks "a file with nothing but $key: it is no policy" unknown "$(<"$T/err")"
done

# ---- what can be read, and cannot work ----

rm -rf "${NODE:?}/etc/containers" "${ENGINE:?}"/*
config '{}'
for name in 91 90 92; do jq . config/hooks.d/annotation/90-oci-rdma-hook.json >"$ENGINE/$name-oci-rdma-hook.json"; done
examine
is "all that is right, in the order of its names" "$(printf '/usr/share/containers/oci/hooks.d/%s-oci-rdma-hook.json\n' 90 91 92)" "$(right)"
rm "$ENGINE"/*
hooks_file
# policy DESCRIPTION TEXT PART…: refused, named by its path and by being the node's own
policy() {
	config "$2"
	examine "$NODE/etc/oci-rdma-hook/config.json"
	refused "$1" config.json "${@:3}"
	objects "$1, the node's" /etc/oci-rdma-hook/config.json "${@:3}"
}
# policy_is_right DESCRIPTION
policy_is_right() {
	examine "$NODE/etc/oci-rdma-hook/config.json"
	is "$1" 0 "$rc"
}
mkdir -p "$NODE/usr/bin"
install -m 755 /bin/true "$NODE/usr/bin/crun"
# runtimes DESCRIPTION LINES PART…: the node's list is refused, and named
runtimes() {
	printf '%s' "$2" >"$NODE/etc/oci-rdma-hook/runtimes"
	objects "$1" /etc/oci-rdma-hook/runtimes "${@:3}"
}
runtimes_are_right() {
	printf '%s' "$2" >"$NODE/etc/oci-rdma-hook/runtimes"
	says "$1" "policy /etc/oci-rdma-hook/runtimes: ok: names a runtime for the shim"
}
config '{}'
runtimes "no runtime" '# /usr/bin/crun' "names no runtime"
runtimes "no runtime that can be run" $'/nonexistent\n/usr/bin\n' /nonexistent "none of these programs can be run"
runtimes "a relative path" $'/usr/bin/crun\nrunc\n' "line 2" runc "not an absolute path"
runtimes "the shim as its own runtime" $'/usr/bin/crun\n/usr/local/bin/oci-rdma-runtime' oci-rdma-runtime "the shim itself"
runtimes "the executable as its own runtime" /usr/local/bin/oci-rdma-hook "the shim itself"
ln -s ../local/bin/oci-rdma-hook "$NODE/usr/bin/runc"
runtimes "…by a link" /usr/bin/runc /usr/bin/runc "the shim itself"
runtimes_are_right "one of several runtimes is enough" $'/nonexistent\n/usr/bin/crun\n'
mv "$NODE/usr/bin" "$NODE/usr/other"
runtimes_are_right "in a tree without programs no runtime is looked for" /usr/bin/crun
mv "$NODE/usr/other" "$NODE/usr/bin"
policy "no namespace" '{"namespaces": []}' "line 1" namespaces empty '"*"'
policy "a comment that does not end" '{} /* why' "*/"
policy "…behind another" '{} // one
/* two' "*/"
policy "…in the policy" '{ /* why }' "is not closed"
config '{} // "/*" is no comment here'
policy_is_right "the last line a comment: accepted"
config '{"nccl": {"extra": {"X": "/run/*"}}}/* done */'
policy_is_right "a comment that ends: accepted"
rm -r "${NODE:?}/usr/bin"

# "opt_in": "device" with files that show us some containers only
config '{"opt_in": "device"}'
for when in '{commands: [".*"]}' '{hasBindMounts: true}'; do
	hooks_file ".when = $when"
	objects "device, with a file for $when" 90-oci-rdma-hook.json '"opt_in": "device"' always
done
hooks_file
device=(config/hooks.d/device/90-oci-rdma-hook.json config/hooks.d/device/91-oci-rdma-hook-poststart.json)
config '{"opt_in": "device"}'
objects "device, with a file for annotations" 90-oci-rdma-hook.json "line " '"opt_in": "device"' always
examine "$NODE/etc/oci-rdma-hook/config.json" "$FILE"
is "…by their paths" 1 "$rc"
one_line "…by their paths" "$FILE" '"opt_in": "device"'
examine "$FILE"
is "…the file alone is right" 0 "$rc"
mkdir -p "$NODE/etc/containers/oci/hooks.d"
cp "${device[1]}" "$NODE/etc/containers/oci/hooks.d/"
examine
is "…a file for every container in another stage is not enough" 1 "$rc"
cp "${device[@]}" "$NODE/etc/containers/oci/hooks.d/"
nothing_wrong "…beside files for every container: accepted"
hooks_file '.stages += ["prestart"]'
mv "$FILE" "$ENGINE/80-annotation.json"
objects "…in one of its two stages alone" 80-annotation.json '"opt_in": "device"'
rm "$ENGINE/80-annotation.json"
hooks_file
jq .bogus=1 "${device[0]}" >"$NODE/etc/containers/oci/hooks.d/90-oci-rdma-hook.json"
cp "$FILE" "$NODE/etc/containers/oci/hooks.d/80-annotation.json"
examine
is "…beside one for every container that is wrong itself: both are named" "1 1" \
	"$(grep -c '80-annotation.json.*opt_in' "$T/err") $(grep -c '/90-oci-rdma-hook.json.*bogus' "$T/err")"
rm "$NODE/etc/containers/oci/hooks.d/80-annotation.json"
cp "${device[@]}" "$NODE/etc/containers/oci/hooks.d/"
config '{"opt_in": "annotation"}'
nothing_wrong "annotation, with files for every container: accepted"

# ---- CRI-O's configuration ----

rm -rf "$NODE/etc/containers"
hooks_file
config
# crio TEXT: a drop-in
crio() {
	mkdir -p "$NODE/etc/crio/crio.conf.d"
	printf '%s\n' "$1" >"$NODE/etc/crio/crio.conf.d/50-x.conf"
}
crio '[crio.runtime]
hooks_dir = ["/usr/share/containers/oci/hooks.d", "/opt/hooks.d"]'
mkdir -p "$NODE/opt/hooks.d"
jq '.stages = ["createContainer"]' config/hooks.d/annotation/90-oci-rdma-hook.json >"$NODE/opt/hooks.d/50-mine.json"
objects "a hooks_dir of CRI-O's configuration" /opt/hooks.d/50-mine.json createContainer
is "…and none is looked at twice" 1 "$(grep -c 90-oci-rdma-hook.json "$T/out")"
cp config/podman/precreate.d/90-oci-rdma-hook-precreate.json "$NODE/opt/hooks.d/50-mine.json"
objects "precreate there" /opt/hooks.d CRI-O "will not start again"
refuses_path "$NODE/opt/hooks.d/50-mine.json" "precreate there, by its path" /opt/hooks.d CRI-O
rm -r "$NODE/opt/hooks.d"
examine
is "a hooks_dir that is not there is none" 0 "$rc"
crio "$(</dev/null)"
mkdir -p "$NODE/etc/containers/oci"
mv "$NODE/usr/share/containers/oci/hooks.d" "$NODE/etc/containers/oci/"
objects "a file where CRI-O does not look by its own default" /etc/containers/oci/hooks.d/90-oci-rdma-hook.json "move the file to /usr/share/containers/oci/hooks.d"
mv "$NODE/etc/containers/oci/hooks.d" "$NODE/usr/share/containers/oci/"

handler='[crio.runtime.runtimes.rdma]
runtime_path = "/usr/local/bin/oci-rdma-runtime-crun"'
crio "$handler"
objects "a handler whose shim is not there" 50-x.conf /usr/local/bin/oci-rdma-runtime-crun install
ln -s oci-rdma-hook "$NODE/usr/local/bin/oci-rdma-runtime-crun"
objects "a handler without a monitor" 50-x.conf "handler rdma" conmon "does not start"
crio "$handler"
for name in conmon crun; do install -D -m 755 /bin/true "$NODE/usr/bin/$name"; done
examine
is "a handler that works" "0 1" "$rc $(grep -c '^crio_handler rdma: ok: .*50-x.conf)$' "$T/out")"
install -D -m 755 /bin/true "$NODE/usr/libexec/crio/crun"
objects "a shim that runs another crun than CRI-O" "the shim runs /usr/libexec/crio/crun" "handler crun runs /usr/bin/crun" "write that path into /etc/oci-rdma-hook/runtimes"
crio "$handler
[crio.runtime.runtimes.crun]
runtime_path = \"/usr/libexec/crio/crun\""
nothing_wrong "the same that CRI-O runs"
crio "$handler
[crio.runtime.runtimes.crun]
runtime_path = \"/usr/local/bin/oci-rdma-runtime-crun\""
nothing_wrong "CRI-O's own handler is the shim, too: there is no other runtime"
config '{"opt_inn": 1}'
examine
is "a policy that cannot be read says nothing of the runtime" "1 1" "$(wc -l <"$T/err") $(grep -c opt_inn "$T/err")"
config
ln -s oci-rdma-hook "$NODE/usr/local/bin/oci-rdma-runtime-runc"
crio "${handler/%crun\"/runc\"}"
objects "a shim in front of a runtime that is not there" "finds no runc to run"
rm -r "$NODE/etc/crio" "${NODE:?}/usr/bin" "${NODE:?}/usr/libexec"

# ---- containerd's and Docker's ----

config
BIN=/usr/local/bin
install -D -m 755 /bin/true "$NODE/usr/sbin/runc"
ln -sfn oci-rdma-hook "$NODE$BIN/oci-rdma-runtime-runc"
# etc FILE TEXT
etc() {
	mkdir -p "$(dirname "$NODE/etc/$1")"
	printf '%s\n' "$2" >"$NODE/etc/$1"
}
# says DESCRIPTION LINE: the node is right, and that is a line of it
says() {
	nothing_wrong "$1: accepted"
	is "$1: its line" "$2" "$(grep -xF "$2" "$T/out" | uniq)"
}

daemon='{"runtimes": {"other": {"path": "/bin/other"}, "kata": {"runtimeType": "io.containerd.kata.v2"}, "rdma": {"path": "/usr/local/bin/oci-rdma-runtime-runc"}}}'
etc docker/daemon.json "$daemon"
DOCKER="docker_runtime rdma: ok: /usr/local/bin/oci-rdma-runtime-runc (/etc/docker/daemon.json)"
says "a runtime of Docker" "$DOCKER"
etc docker/daemon.json "$(jq '."default-runtime" = "rdma"' <<<"$daemon")"
says "…as the default" "$DOCKER: the default, so that without the shim no container starts"
config '{"opt_inn": 1}'
examine
is "…and a policy that cannot be read, which says nothing of the runtime" "1 1 1" "$rc $(grep -c opt_inn "$T/err") $(grep -c docker "$T/out")"
config
etc docker/daemon.json '{"default-runtime": "rdma", "runtimes": {}}'
objects "a default of ours without an entry" /etc/docker/daemon.json "default-runtime rdma" "does not start"
etc docker/daemon.json '{"default-runtime": "rdma-crun"}'
objects "…before crun" "default-runtime rdma-crun" "does not start"
etc docker/daemon.json '{"default-runtime": "others"}'
nothing_wrong "another default without an entry is not our business"
etc docker/daemon.json "${daemon//runtime-runc/runtime-oops}"
objects "a path that leads nowhere" /etc/docker/daemon.json "runtime rdma" oci-rdma-runtime-oops "install it first"
ln -sfn /usr/sbin/runc "$NODE$BIN/oci-rdma-runtime-oops"
objects "a link to another program" /etc/docker/daemon.json oci-rdma-runtime-oops "another program"
rm "$NODE$BIN/oci-rdma-runtime-oops"
install -m 644 /bin/true "$NODE$BIN/oci-rdma-runtime-oops"
objects "a program that nobody may execute" oci-rdma-runtime-oops "is not an executable file"
chmod 755 "$NODE$BIN/oci-rdma-runtime-oops"
objects "a shim before a runtime that is not there" "finds no oops" /etc/oci-rdma-hook/runtimes
rm "$NODE$BIN/oci-rdma-runtime-oops"
etc docker/daemon.json "${daemon//\/usr\/local\/bin\//}"
says "a path without a directory: Docker looks in PATH" "${DOCKER/\/usr\/local\/bin\//}"
etc docker/daemon.json "${daemon%\}}"
objects "a daemon.json that was cut off" /etc/docker/daemon.json
etc docker/daemon.json '{"debug": '
nothing_wrong "…which does not speak of us: nothing is said"
etc docker/daemon.json '{"runtimes": {"other": {"path": "/bin/other"}}}'
examine
is "Docker without us: nothing is said" "0 0" "$rc $(grep -c docker "$T/out")"
rm -r "$NODE/etc/docker"

# containerd FILE [STATUS]: what is said of its handler
containerd() { echo "containerd_handler rdma: ${2-ok}: $BIN/oci-rdma-runtime-runc (/etc/containerd/$1)"; }
APPEND=" -> Append the handler to that file, then: systemctl restart containerd"
CRI='plugins."io.containerd.grpc.v1.cri"'
rdma="[$CRI.containerd.runtimes.rdma]
pod_annotations = [\"oci-rdma-hook.io/*\"]
[$CRI.containerd.runtimes.rdma.options]
BinaryName = \"$BIN/oci-rdma-runtime-runc\""
main='version = 2
imports = ["/etc/containerd/conf.d/*.toml"]'
etc containerd/config.toml "$main"
etc containerd/conf.d/rdma.toml "version = 2
$rdma"
says "a handler in a file of imports, by a pattern" "$(containerd conf.d/rdma.toml)"
mv "$NODE/etc/containerd/conf.d/rdma.toml" "$NODE/etc/containerd/conf.d/rdma.conf"
examine
is "…and not one of another name" 0 "$(grep -c conf.d "$T/out")"
mv "$NODE/etc/containerd/conf.d/rdma.conf" "$NODE/etc/containerd/conf.d/rdma.toml"
config '{"opt_inn": 1}'
examine
is "…and a policy that cannot be read: what it would run is not said" "1 1 0" "$rc $(grep -c opt_inn "$T/err") $(grep -c containerd "$T/out")"
config
etc containerd/config.toml "${main/\/etc\/containerd\//}"
says "…by one that is relative to the file" "$(containerd conf.d/rdma.toml)"
etc containerd/config.toml "${main/conf.d\/\*/\*\/rdma}"
says "…by one of a directory" "$(containerd conf.d/rdma.toml)"
etc containerd/config.toml "${main/conf.d/[b-d]onf.?}"
says "…by one with other wildcards beside '*'" "$(containerd conf.d/rdma.toml)"
etc containerd/config.toml "${main/conf.d\/\*/conf.?\/rdma}"
objects "…but not by them alone, which are no pattern for containerd, but a name" containerd_config 'conf.?/rdma.toml'
etc containerd/config.toml 'version = 2
imports = ["../containerd/more.toml"]'
etc containerd/more.toml 'imports = ["config.toml", "conf.d/rdma.toml", "/etc/containerd/more.toml"]'
says "…of imports of imports, in a circle" "$(containerd conf.d/rdma.toml)"
rm "$NODE/etc/containerd/more.toml"
etc containerd/config.toml "$main"
etc containerd/conf.d/rdma.toml "${rdma//runtime-runc/runtime-oops}"
objects "a handler there whose shim is not there" /etc/containerd/conf.d/rdma.toml "handler rdma" oci-rdma-runtime-oops "install it first"
etc containerd/conf.d/rdma.toml "${rdma/hook.io\/\*/hook.io/none}"
objects "a handler there that hands no annotation on" /etc/containerd/conf.d/rdma.toml "pod_annotations"
# Another file's table of the plugin replaces that which has the handler, in containerd 1.x and not in 2.x.
etc containerd/config.toml "$main
$rdma"
etc containerd/conf.d/rdma.toml "version = 2
[$CRI.containerd]
default_runtime_name = \"nvidia\""
says "a handler whose tables a later file replaces" "$(containerd config.toml warn): /etc/containerd/conf.d/rdma.toml, which is imported, comes later; in containerd 1.x: its tables take the place of these$APPEND"
etc containerd/conf.d/rdma.toml 'version = 2
[plugins."io.containerd.nri.v1.nri"]
disable = false'
says "…and another plugin's does not" "$(containerd config.toml)"
for version in 3 2; do
	etc containerd/config.toml "$(sed 's/version = 2/version = 3/; s/grpc.v1.cri/cri.v1.runtime/' <<<"$main
$rdma")"
	etc containerd/conf.d/rdma.toml "version = $version
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.other]"
	if [ $version = 3 ]; then
		says "version 3 merges" "$(containerd config.toml)"
	else
		says "…but not a file of another version" "$(containerd config.toml warn): /etc/containerd/conf.d/rdma.toml, which is imported, has another version: its tables take the place of these$APPEND"
	fi
done
etc containerd/conf.d/rdma.toml "version = 3
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.rdma.options]
BinaryName = '/nowhere/oci-rdma-runtime-runc'"
objects "a later file says what a handler runs" /etc/containerd/conf.d/rdma.toml "/nowhere/oci-rdma-runtime-runc"
etc containerd/config.toml 'imports = ["missing.toml"]'
objects "a file of imports that is not there, with which containerd does not start" containerd_config missing.toml
rm -r "$NODE/etc/containerd"

# ---- an old kernel: RHEL 8's 4.18 ----

# without_openat2 DESCRIPTION PART [COMMAND…]: what it says, below the command
without_openat2() {
	"${@:3}" strace -o /dev/null -e trace=openat2 -e inject=openat2:error=ENOSYS "$ADMIN" --sysroot "$NODE" --check-config >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	is "$1: status" 1 "$rc"
	has "$1: it says so" "$2" "$(<"$T/err")"
}
# 2.6 is what the kernel then says of itself.
without_openat2 "a kernel without openat2" "this kernel has no openat2(2): Linux 5.6 or newer is needed" setarch --uname-2.6
without_openat2 "a filter that hides openat2, as systemd's" "a filter of system calls hides openat2(2): remove RestrictSUIDSGID="

# ---- a node without an installation: "ok" of the defaults alone would read as one ----

NOTHING="no hooks.d file in force runs oci-rdma-hook"
node one
examine
is "nothing is installed: that is no mistake, and said" "0 1 1" "$rc $(grep -c ': ok' "$T/out") $(grep -c "$NOTHING" "$T/out")"
examine config/config.json
lacks "a file alone says nothing about the node" "$NOTHING" "$(<"$T/out")"
mkdir -p "$ENGINE" "$NODE/usr/local/bin" && : >"$NODE$PROGRAM" && chmod 755 "$NODE$PROGRAM"
hooks_file
examine
lacks "nor does a node that has a hook" "$NOTHING" "$(<"$T/out")"

# ---- more than one error ----
echo '{"opt_in":"x","memlok":1,
"memlock":0}' >"$T/policy.json"
examine "$T/policy.json"
is "all errors of a file, a line each" "1 oci-rdma-admin oci-rdma-admin oci-rdma-admin" "$rc $(cut -d: -f1 "$T/err" | paste -sd' ')"
for part in "line 1: opt_in: 'x'" "line 1: memlok: unknown key" "line 2: memlock: 0 would"; do has "each" "$part" "$(<"$T/err")"; done
config "$(<"$T/policy.json")"
examine
is "the node's policy: likewise" "1 3" "$rc $(grep -c '^oci-rdma-admin: policy: fail: ' "$T/err")"

# ---- usage ----

timeout "$PATIENCE" "$ADMIN" --check-config --format json >"$T/out" 2>"$T/err" </dev/null
is "an option of another task: status" 2 "$?"
timeout "$PATIENCE" "$ADMIN" --sysroot "$T/nowhere" --check-config >"$T/out" 2>"$T/err"
is "a sysroot that does not exist" 1 "$?"
one_line "a sysroot that does not exist" "$T/nowhere"
finish
