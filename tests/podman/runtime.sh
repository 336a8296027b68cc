#!/bin/bash
# The runtime shim in front of crun and runc themselves, as an engine or a person calls it: what it hands on, what exec gets,
# and what becomes of a container where it cannot do its part.
# shellcheck disable=SC2119 # what is optional is left out
cd "$(dirname "$0")/../.." || exit 1
. tests/podman/setup.bash
. tests/podman/shim.bash
export OCI_RDMA_SYSROOT=$NODE

# shim ARG…, past ARG…: the runtime with the shim and without, as an engine calls it
shim() { timeout "$PATIENCE" "$SHIM-$runtime" "$@"; }
past() { timeout "$PATIENCE" "$(command -v "$runtime")" "$@"; }

# call COMMAND [ARG…]: sets $rc, $output, $errors
call() {
	"$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	output=$(cat "$T/out") errors=$(cat "$T/err")
}

# bundle NAME [JQ-FILTER]: $B, of a container that reports and was allocated a device, changed by the filter
bundle() {
	B=$T/bundles/$1
	rm -rf "$B"
	mkdir -p "$B"
	(cd "$B" && "$runtime" spec)
	jq --arg root "$ROOT" --arg cgroup "/${T##*/}/$1" '
		.process.terminal = false | .process.args = ["report"] | .process.rlimits = []
		| .root = {path: $root} | .linux.cgroupsPath = $cgroup
		| .annotations."oci-rdma-hook.io/inject" = "true"
		| .linux.devices = [{path: "/dev/infiniband/uverbs6", type: "c", major: 231, minor: 198, fileMode: 438, uid: 0, gid: 0}]
		| '"${2-.}" "$B/config.json" >"$B/new" && mv "$B/new" "$B/config.json"
}
goes_on='.process.args = ["sleep", "14400"]'
not_ours='del(.annotations) | .process.args = ["sleep", "14400"]'

# reports NAME COMMAND [ARG…]: what a process in a container says that it got
reports() {
	call "${@:2}"
	get_report
	is "$1: silently" "0 " "$rc $errors"
}

# ---- what is handed on ----

# A runtime that writes to $SEEN what it got. It is asked for a container's state, and then is the real one.
fake_runtime() {
	mkdir -p "$T/fake"
	cat >"$T/fake/$runtime" <<-EOF2
		#!/usr/bin/perl
		exec "$(command -v "$runtime")", @ARGV if grep { \$_ eq "state" } @ARGV and "@ARGV" !~ /handed/;
	EOF2
	cat >>"$T/fake/$runtime" <<-'EOF2'
		my $alarm = alarm 0;
		sub text { open my $f, "<", $_[0]; local $/; my $t = <$f>; $t }
		my @seen = ("argv " . join " ", map { quotemeta } @ARGV);
		push @seen, "alarm $alarm", "cwd " . readlink "/proc/self/cwd";
		push @seen, "env " . join " ", map { quotemeta } grep { !/^(_|OCI_RDMA_RUNTIME_ROUNDS)=/ } split /\0/, text "/proc/self/environ"; # bash sets $_; the shim adds the other
		push @seen, grep { /^(PPid|Uid|Gid|Groups|Umask|Sig[^Q]|Shd|Cap|NoNew|Seccomp|Cpus_allowed)/ } split /^/, text "/proc/self/status";
		push @seen, text "/proc/self/limits";
		my @stat = split / /, (text "/proc/self/stat") =~ s/.*\) //r;
		push @seen, "session @stat[1..5] priority @stat[15, 16]";
		for my $fd (sort { $a <=> $b } map { s{.*/}{}r } glob "/proc/self/fd/*") {
			my $to = readlink "/proc/self/fd/$fd" or next;
			push @seen, "fd $fd $to " . text "/proc/self/fdinfo/$fd";
		}
		open my $out, ">", $ENV{SEEN} or die;
		print $out join "\n", @seen, "";
		exit 42;
	EOF2
	chmod 755 "$T/fake/$runtime"
}

# hands_on NAME ARG…: the runtime behind the shim sees what it would have seen without. The caller's descriptors, signals, … are
# those of this function.
hands_on() {
	local name=$runtime,\ $1 with without
	shift
	export SEEN=$T/seen
	"$T/fake/$runtime" "$@"
	without=$?
	mv "$SEEN" "$T/seen.without"
	"$SHIM-$runtime" "$@"
	with=$?
	is "$name: the runtime is called, its status handed back" "42 42" "$without $with" >&100
	is "$name: it sees what it would have seen" "" "$(diff "$T/seen.without" "$SEEN" 2>&1 9>/dev/null)" >&100
	rm -f "$SEEN"
}

handed_on() {
	exec 100>&1
	fake_runtime
	policy
	listed "$T/fake/$runtime"

	hands_on "--version" --version
	hands_on "features" features
	hands_on "no command"
	hands_on "state" --root "$T/handed" state handed
	hands_on "kill" --log=/dev/null --log-format json kill handed 15
	hands_on "an unknown command" --no-such-option walk the dog
	hands_on "odd arguments" create "" " " $'a\nb' $'\xff\xfe' -- --bundle
	hands_on "update, with stdin" update --resources - handed < <(echo '{}')
	hands_on "delete" delete --force handed
	hands_on "create, no such bundle" create --bundle "$T/none" handed
	bundle plain "$not_ours"
	hands_on "create, not ours" create --bundle "$B" --pid-file "$T/pid" handed
	bundle granted
	jq '.process | .rlimits = [{type: "RLIMIT_NOFILE", soft: 512, hard: 512}]' "$B/config.json" >"$T/process.json"
	hands_on "create, ours" create --bundle "$B" --pid-file "$T/pid" handed
	mkdir -p "$T/handed/handed"
	if [ "$runtime" = crun ]; then
		cp "$B/config.json" "$T/handed/handed"
	else
		jq -n --arg bundle "bundle=$B" '{config: {labels: [$bundle]}}' >"$T/handed/handed/state.json"
	fi
	hands_on "exec, ours" --root "$T/handed" exec --process "$T/process.json" --pid-file "$T/execpid" --detach handed
	is "$runtime, handed on: what it executes is edited" "[\"$NCCL\"] 2" \
		"$(jq -rc '"\(.env | map(select(startswith("NCCL")))) \(.rlimits | length)"' "$T/process.json")"
	hands_on "exec, not ours" exec --process "$T/process.json" other
	bundle granted
	hands_on "restore" restore --bundle "$B" --image-path "$T/none" --pid-file "$T/pid" restored
	is "$runtime, restore: config.json has it" 1 "$(jq '.process.env | map(select(. == "NCCL_IB_HCA==mlx5_6")) | length' "$B/config.json")"

	# the caller's own state
	(
		cd "$T/fake" && umask 0137
		exec 3<"$T/process.json" 7>"$T/written" 20<"$T" 21<>"$T/endless" 0<&3
		read -r -u 3 _
		hands_on "descriptors, umask, cwd" create --bundle ../bundles/granted --preserve-fds 1 handed
	)
	(
		trap '' PIPE HUP USR1 CHLD ALRM
		hands_on "ignored signals" create --bundle "$B" handed
		hands_on "ignored signals, exec" exec another true
	)
	hands_on "no stdin" state handed <&-
	hands_on "no stdout" create --bundle "$B" handed >&-
	hands_on "no stderr" delete --force handed 2>&-
	hands_on "no stdin, stdout, stderr" create --bundle "$B" handed <&- >&- 2>&-
	(
		ulimit -n 256
		ulimit -c 0
		ulimit -s 1024
		hands_on "limits" create --bundle "$B" handed
	)
	# shellcheck disable=SC2119,SC2016
	setsid setpriv --bounding-set -net_raw,-sys_chroot --no-new-privs -- nice -n 5 \
		env --block-signal=USR1 --block-signal=ALRM --block-signal=CHLD EMPTY= $'ODD=a\nb' \
		"$BASH" -c "$(declare -f hands_on is pass fail); runtime=$runtime T=$T SHIM=$SHIM"' hands_on "$@"' bash \
		"session, privileges, priority, blocked signals, environment" create --bundle "$B" handed
	exec 100>&-
	get_log
}

# The real runtimes' own answers, byte for byte
own_answers() {
	local args
	for args in --version -v features --help "create --help" "exec --help" "" list "list --format json" \
		"--no-such-option list" "state none" "kill none 9" "start none" "delete none" "delete --force none" "exec none true" \
		"create none" "run --bundle $T/none none" "walk the dog"; do
		# shellcheck disable=SC2086
		{
			past $args >"$T/past.out" 2>"$T/past.err" </dev/null
			echo $? >>"$T/past.err"
			shim $args >"$T/shim.out" 2>"$T/shim.err" </dev/null
			echo $? >>"$T/shim.err"
			sed -i 's/^time="[^"]*"/time=/' "$T"/{past,shim}.err
		}
		check "$runtime $args: stdout, byte by byte" cmp "$T/past.out" "$T/shim.out"
		is "$runtime $args: stderr and status" "$(cat "$T/past.err")" "$(cat "$T/shim.err")"
	done
	silent "$runtime, its own answers"

	listed /none "$(command -v "$runtime")"
	is "$runtime --version, by the list" "$(past --version)" "$("$SHIM" --version)"
	listed
}

# ---- command lines ----

# gone ID: it has ended, and nothing is kept of it
gone() {
	call shim delete --force "$1"
	is "$runtime, delete --force $1" "0 " "$rc $output$errors"
	keeps_nothing "$runtime, after delete --force $1"
}

# crun's --config is looked for from the caller's directory.
another_config() {
	mkdir -p "$T/elsewhere"
	cd "$T/elsewhere" || return
	for file in other.json "$T/elsewhere/other.json"; do
		bundle way
		mv "$B/config.json" other.json
		reports "$runtime run --config $file" shim run --bundle "$B" --config "$file" one
		got_all "$runtime run --config $file"
	done
	cd "$OLDPWD" || return
}

command_lines() {
	root
	bundle way
	reports "$runtime run" shim run --bundle "$B" one
	got_all "$runtime run"
	one_grant "$runtime run"
	bundle way
	reports "$runtime run -b, id behind --" shim run -b "$B" -- one
	got_all "$runtime run -b, id behind --"
	bundle way
	local way=(run one -bundle "$B")
	[ "$runtime" = runc ] || way=(run "-b$B" --pi "$T/pid" one)
	reports "$runtime ${way[*]}" shim "${way[@]}"
	got_all "$runtime ${way[*]}"
	bundle way
	cd "$B" || return
	reports "$runtime run, in the bundle" shim run one
	got_all "$runtime run, in the bundle"
	cd "$OLDPWD" || return
	[ "$runtime" = runc ] || another_config
	get_log
	gone one

	bundle way "$goes_on"
	call shim create --bundle "$B" --pid-file "$T/pid" one
	is "$runtime create" "0 " "$rc $errors"
	call shim delete one
	call shim create --bundle "$B" --pid-file "$T/pid" one
	call shim start one
	is "$runtime start" "0 " "$rc $errors"
	call shim delete one
	check "$runtime delete, of one that runs: refused" test "$rc" -ne 0
	execs_of_one
	gone one
	one_grant "$runtime create, start"

	bundle way "$goes_on"
	ln -sfn way "$T/bundles/link"
	call shim --root "$T/root of runtime" run --detach --bundle "$T/bundles/link" one
	is "$runtime run, by a link, no pid file, a root of its own" "0 " "$rc $errors"
	reports "$runtime --root exec" shim "--root=$T/root of runtime/" exec one report
	got_all "$runtime --root exec"
	reports "$runtime exec, its root not given" shim --root "$T/root of runtime" exec one report
	call shim --root "$T/root of runtime" delete --force one
	get_log
}

# Without --process the runtime makes the process from the container's own spec, and crun takes the limit from its caller.
execs_of_one() {
	reports "$runtime exec" shim exec one report
	got_all "$runtime exec"
	reports "$runtime exec --user" shim exec --user 1000 one report
	got_all "$runtime exec --user"
	reports "$runtime exec --env" shim exec --env NCCL_IB_HCA=mine one /bin/report
	is "$runtime exec --env: the user's value, and the limit" "NCCL_IB_HCA=mine $AFTER" "$nccl_env $memlock"
	local words="-user 0 -cwd /tmp"
	[ "$runtime" = runc ] || words="-u0 --cw /tmp"
	# shellcheck disable=SC2086
	reports "$runtime exec $words" shim exec $words one report
	got_all "$runtime exec $words"
	reports "$runtime exec --cwd" shim exec --cwd /tmp one report --process none
	got_all "$runtime exec --cwd"

	jq '.process | .args = ["report"]' "$B/config.json" >"$T/process.json"
	jq 'del(.env[] | select(startswith("NCCL"))) | del(.rlimits, .capabilities) | .user.uid = 1000' "$T/process.json" \
		>"$T/bare.json"
	# argp joins letters and abbreviates, and -t takes what is joined to it; Go's flags take one dash for two.
	local ways=("-p FILE" "--process=FILE" "--process FILE")
	case $runtime in
	crun) ways+=(-pFILE "-tp -pFILE" "-eA=B -pFILE" "--en A=B --pi $T/execpid --t --process FILE") ;;
	runc) ways+=("-process FILE" -process=FILE -p=FILE "-env A=B -tty=false -p FILE" "-detach=false --p FILE") ;;
	esac
	for file in process bare; do
		for option in "${ways[@]}"; do
			cp "$T/$file.json" "$T/edited.json"
			# shellcheck disable=SC2086
			reports "$runtime exec $option, $file" shim exec ${option/FILE/$T/edited.json} one
			got_all "$runtime exec $option, $file"
		done
	done
	if [ "$runtime" = crun ]; then # it does not wait for a detached one's report
		cp "$T/bare.json" "$T/edited.json"
		call shim exec -de A=B -dp "$T/edited.json" one
		is "crun exec -de A=B -dp FILE" "0 $NCCL" "$rc $(jq -r '.env[-1]' "$T/edited.json")"
	fi
	cp "$T/bare.json" "$T/edited.json"
	chmod 640 "$T/edited.json"
	cd "$T" || return
	reports "$runtime exec, a relative path" shim exec --process edited.json one
	got_all "$runtime exec, a relative path"
	cd "$OLDPWD" || return
	is "$runtime exec: the file's mode" 640 "$(stat -c %a "$T/edited.json")"
	is "$runtime exec: no temporary file stays" "" "$(find "$T" -maxdepth 1 -name '.*')"
}

# ---- whose it is ----

# stranger ID WHAT: what is executed in it gets nothing, by either way
stranger() {
	reports "$runtime, $2, exec" shim exec "$1" report
	got_nothing "$runtime, $2, exec"
	jq '.process | .args = ["report"]' "$B/config.json" >"$T/process.json"
	reports "$runtime, $2, exec --process" shim exec --process "$T/process.json" "$1"
	got_nothing "$runtime, $2, exec --process"
}

strangers() {
	local pid_file
	for pid_file in "" "--pid-file=$T/pid"; do
		bundle first "$goes_on"
		# shellcheck disable=SC2086
		call shim run --detach $pid_file --bundle "$B" one
		past delete --force one
		bundle second "$not_ours"
		past run --detach ${pid_file:+"$pid_file.other"} --bundle "$B" one </dev/null >/dev/null 2>&1
		stranger one "an id used again, past the shim${pid_file:+, pid file}"
		gone one
	done

	bundle first "$goes_on"
	call shim run --detach --bundle "$B" one
	call shim delete --force one
	bundle second "$not_ours"
	call shim run --detach --bundle "$B" one
	stranger one "an id used again"
	gone one

	bundle first "$goes_on"
	call shim run --detach --bundle "$B" one
	bundle first "$not_ours"
	past delete --force one
	past run --detach --bundle "$B" one </dev/null >/dev/null 2>&1
	stranger one "config.json rewritten"
	gone one
	get_log

	bundle first "$goes_on"
	call shim run --detach --pid-file "$T/pid" --bundle "$B" one
	bundle second "$goes_on"
	call shim run --detach --bundle "$B" two
	bundle other "$not_ours"
	call shim run --detach --bundle "$B" other
	stranger other "a container beside it"
	call shim delete --force other
	reports "$runtime, exec beside it" shim exec one report
	got_all "$runtime, exec beside it"
	gone one
	call shim delete --force two
	get_log
}

# ---- one in front of the other ----

# leads_back NAME PATH…: a list with nothing in it but ourselves
leads_back() {
	listed "${@:2}"
	call timeout "$PATIENCE" "$SHIM" --version
	is "$1: status" 127 "$rc"
	is "$1: nothing on stdout" "" "$output"
	has "$1: says why" "runtimes" "$errors"
	is "$1: in one line" 1 "$(wc -l <"$T/err")"
}

in_front() {
	mkdir -p "$T/second"
	# The one behind runs an installed runtime, by its name.
	printf '#!/bin/sh\nOCI_RDMA_SYSROOT=%s exec %s "$@"\n' "$T/second.node" "$SHIM-$runtime" >"$T/second/$runtime"
	chmod 755 "$T/second/$runtime"
	mkdir -p "$T/second.node/etc"
	cp -r "$NODE/sys" "$T/second.node/"
	cp -r "$NODE/etc/oci-rdma-hook" "$T/second.node/etc"
	rm -f "$T/second.node/etc/oci-rdma-hook/runtimes"
	listed "$T/second/$runtime"
	bundle twice "$goes_on"
	call shim run --detach --pid-file "$T/pid" --bundle "$B" one
	is "$runtime, a shim in front of the shim" "0 " "$rc $errors"
	is "$runtime, a shim in front of the shim: one limit, one variable" "1 1" \
		"$(jq -r '[(.process.rlimits | length), (.process.env | map(select(startswith("NCCL"))) | length)] | join(" ")' "$B/config.json")"
	is "$runtime, a shim in front of the shim: CAP_IPC_LOCK once in each set" "1 1 1 1 1" \
		"$(jq -r '[.process.capabilities[] | map(select(. == "CAP_IPC_LOCK")) | length] | join(" ")' "$B/config.json")"
	one_grant "$runtime, a shim in front of the shim"
	reports "$runtime, a shim in front of the shim, exec" shim exec --user 1000 one report
	got_all "$runtime, a shim in front of the shim, exec"
	jq '.process | del(.env, .rlimits) | .args = ["/bin/report"]' "$B/config.json" >"$T/process.json"
	reports "$runtime, a shim in front of the shim, exec --process" shim exec --process "$T/process.json" one
	got_all "$runtime, a shim in front of the shim, exec --process"
	is "$runtime, a shim in front of the shim, exec --process: one variable" 1 "$(jq '.env | map(select(startswith("NCCL"))) | length' "$T/process.json")"
	gone one

	leads_back "$runtime, the list leads back" "$SHIM"
	leads_back "$runtime, the list leads back by links" "$SHIM" "$SHIM-crun" /usr/local/bin/oci-rdma-hook
	ln -f /usr/local/bin/oci-rdma-hook /usr/local/bin/hard
	leads_back "$runtime, the list leads back by a hard link" /usr/local/bin/hard
	rm /usr/local/bin/hard
	cp /usr/local/bin/oci-rdma-hook "$T/oci-rdma-runtime"
	leads_back "$runtime, the list leads back by a copy" "$T/oci-rdma-runtime"
	leads_back "$runtime, the list has nothing that can be run" /none "$T/file"
	printf '#!/bin/sh\nexec %s "$@"\n' "$SHIM" >"$T/loop"
	chmod 755 "$T/loop"
	leads_back "$runtime, the list leads back by a script" "$T/loop"
	listed
	get_log
}

# ---- a file of the node that the author of the container chose as the hooks' stderr ----

# crun opens it for each hook: what a hook says there would be in a script of root's, with a name that the author chose in it.
# shellcheck disable=SC2016 # jq's variable, and what a shell would run
chosen_stderr() {
	local hook='{path: "/usr/local/bin/oci-rdma-hook", args: ["oci-rdma-hook", "--sysroot", $ENV.OCI_RDMA_SYSROOT, "createRuntime"]}' case
	# It reads the state, which is larger than a pipe: crun fails if the hook has ended meanwhile.
	local says='{path: "/bin/sh", args: ["sh", "-c", "cat >/dev/null; echo the control >&2"]}'
	local -A cases=(
		["a state that can be read"]='.'
		["a state with more annotations than are read"]='.annotations += ([range(131071)] | map({key: "f\(.)", value: ""}) | from_entries)
			| .annotations += ([range(9)] | map({key: "~$(touch /owned)\(.)", value: ""}) | from_entries)'
		["a state that is larger than what is read"]='.annotations.long = ("x" * 4194304)'
	)
	for case in "${!cases[@]}"; do
		rm -f "$T/chosen"
		bundle chosen ".hooks.createRuntime = [$hook, $says] | .annotations[\"run.oci.hooks.stderr\"] = \"$T/chosen\" | ${cases[$case]}"
		call past run --bundle "$B" chosen
		is "$runtime, a chosen stderr, $case: the container runs" 0 "$rc"
		is "$runtime, a chosen stderr, $case: another hook's line is there, and none of ours" "the control" "$(cat "$T/chosen")"
	done
}

mkfifo "$T/endless"
for runtime in crun runc; do
	policy
	handed_on
	listed
	own_answers
	command_lines
	strangers
	in_front
done
runtime=crun
chosen_stderr
nothing_left
finish
