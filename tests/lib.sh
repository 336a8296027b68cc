# shellcheck shell=bash
# What the shell suites share: TAP lines on stdout ("ok - …", "not ok - …"), counted by tests/run.
# A suite sources this file, makes its checks, and ends with `finish`.

failed=0
row=''
row_failures=''

# row NAME: opens a row of several checks, which lasts until the next one, `row ''` or `finish`. It is printed once, and each check that
# fails in it is a comment. In a subshell a check is a row of its own: `row ''` first.
row() {
	if [ -n "$row" ]; then
		if [ -z "$row_failures" ]; then
			printf 'ok - %s\n' "$row"
		else
			printf 'not ok - %s\n%s' "$row" "$row_failures"
			failed=1
		fi
	fi
	row=$1
	row_failures=''
}

# by_case: from here on a check's name is "CASE: WHAT", and each case is a row: a check belongs to the row whose name its own begins with, or
# opens a row of what stands before its last ": ". In a subshell, too, if that ends with `finish` and calls this.
by_case=
by_case() { by_case=$BASHPID; }
join_row() {
	if [ -z "$by_case" ]; then return; fi
	if [ "$BASHPID" != "$by_case" ]; then
		row='' # a subshell could not print it later
		return
	fi
	case $1 in
	"${row:-:}" | "${row:-:}: "*) ;;
	*) row "${1%: *}" ;;
	esac
}

pass() {
	[[ $1 = *'# skip'* ]] || join_row "$1"
	if [ -z "$row" ] || [[ $1 = *'# skip'* ]]; then printf 'ok - %s\n' "$1"; fi
}

# fail DESCRIPTION [DETAIL]: DETAIL goes out as TAP comments, so that a failure explains itself in CI's log
fail() {
	local detail=${2:+"#   ${2//$'\n'/$'\n'#   }"}
	join_row "$1"
	if [ -n "$row" ]; then
		row_failures+="# $1"$'\n'${detail:+$detail$'\n'}
	else
		printf 'not ok - %s\n%s' "$1" "${detail:+$detail$'\n'}"
		failed=1
	fi
}

# check DESCRIPTION COMMAND [ARG…]: the command must succeed
checking=
check() {
	local what=$1 out
	shift
	if out=$(checking=yes "$@" 2>&1); then pass "$what"; else fail "$what" "$* : $out"; fi
	fresh= # `within` has looked at it, in a subshell
}

# is DESCRIPTION WANT GOT
is() {
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "$(printf 'want: %s\ngot:  %s' "$2" "$3")"; fi
}

# has DESCRIPTION PART TEXT: PART is a fixed string
has() {
	case $3 in
	*"$2"*) pass "$1" ;;
	*) fail "$1" "$(printf 'want this in it: %s\ngot: %s' "$2" "$3")" ;;
	esac
}

# lacks DESCRIPTION PART TEXT
lacks() {
	case $3 in
	*"$2"*) fail "$1" "$(printf 'must not hold: %s\ngot: %s' "$2" "$3")" ;;
	*) pass "$1" ;;
	esac
}

# Seconds for what must happen. Only what hangs takes so long: no busy machine (one on which a suite took 27 times as long was seen), no
# emulated one, no sanitizer. So no test's result depends on the machine, and none waits longer than until it happens.
export PATIENCE=${PATIENCE:-900}
# What only has to be there until it is killed sleeps for hours: no suite takes so long.

# may_mount: root who may have mounts of his own, which a container's root mostly may not
may_mount() { [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; }

# launch [-a] NAME LOG COMMAND [ARG…]: starts the command in the background. Its process id is in $NAME, what it prints in LOG. This shell empties
# LOG before the process exists, so that no line of an earlier process is taken for one of this (-a: appends, for a log that nobody waits for).
# `within` gives up as soon as a process that was launched ends, unless `may_end PID` has said that it may.
declare -A launched=() began_at=()
fresh='' lost='' began=''
launch() {
	local append=
	if [ "$1" = -a ]; then append=yes && shift; fi
	[ -n "$append" ] || : >"$2"
	"${@:3}" >>"$2" 2>&1 &
	fresh=$!
	begin_of "$fresh" || : # it may have ended
	launched[$fresh]=$2 began_at[$fresh]=$began lost=''
	printf -v "$1" %s "$fresh"
}
may_end() { unset "launched[$1]"; }
# begin_of PID: sets $began, in ticks; "" if there is no such process
begin_of() {
	local fields
	began=
	{ read -r began <"/proc/$1/stat"; } 2>/dev/null || return
	read -ra fields <<<"${began##*) }" # proc_pid_stat(5): it is the 22nd, and the name may hold blanks
	began=${fields[19]}
}
# is_there PID: the process that was launched, and not a later one of the same number: numbers are used again within a minute on a busy machine
is_there() { begin_of "$1" && [ "$began" = "${began_at[$1]}" ]; }

# within COMMAND [ARG…]: waits until the command succeeds, looking again after 20 ms at first, every 200 ms in the end. A fifo that nobody writes to
# is what it waits for: each look by sleep(1) would be another process, and a suite that waits a lot did little else.
# If that cannot happen any more, the row fails and says why: PATIENCE is over, or a process has ended that was launched just now, or ran when the
# wait began. After ten seconds the suite's log says what is waited for.
within() {
	local begin=$SECONDS noted='' ms=20 pause pid watched=() never=${T:-/tmp}/never
	for pid in "${!launched[@]}"; do
		if [ "$pid" = "$fresh" ] || [ "$pid" = "$lost" ] || is_there "$pid"; then watched+=("$pid"); fi
	done
	fresh=
	until "$@" 2>/dev/null; do
		for pid in "${watched[@]}"; do
			if is_there "$pid"; then continue; fi
			if "$@" 2>/dev/null; then return; fi
			lost=$pid # nor does what is waited for next
			give_up "the process has ended; the end of ${launched[$pid]}:"$'\n'"$(tail -n 20 "${launched[$pid]}")" "$@"
			return 1
		done
		if [ "$((SECONDS - begin))" -ge "$PATIENCE" ]; then
			give_up "not within $PATIENCE s" "$@"
			return 1
		fi
		if [ -z "$noted" ] && [ "$((SECONDS - begin))" -ge 10 ]; then
			noted=yes
			echo "# ${row:+$row: }waits for: $*" >>"/proc/$$/fd/1" # also where stdout is a variable
		fi 2>/dev/null
		[ -p "$never" ] || mkfifo "$never"
		printf -v pause 0.%03d "$ms"
		read -rt "$pause" <>"$never" || [ $? -gt 128 ] || sleep "$pause"
		ms=$((ms * 2 < 200 ? ms * 2 : 200))
	done
}

# give_up WHY COMMAND…: a failure of the row; inside `check` a detail of its failure
give_up() {
	local by_case=
	if [ -n "$checking" ]; then
		printf '%s\n' "$1"
	else
		fail "what is waited for happens: ${*:2}" "$1"
	fi
}

# whole_calls FILE: what `strace -f` wrote, with each system call in one line, where it ended. strace writes one in two parts when another process
# has something to say in between, which it may at any moment.
whole_calls() {
	awk '/ <unfinished \.\.\.>$/ { sub(/ <unfinished \.\.\.>$/, ""); begun[$1] = $0; next }
		/^[^<]*<\.\.\. [a-z0-9_]+ resumed>/ {
			process = $1
			sub(/^[^<]*<\.\.\. [a-z0-9_]+ resumed>/, "")
			sub(/^\) +=/, ") =") # aligned as if the line were short
			print begun[process] $0
			delete begun[process]
			next
		}
		{ print }
		END { for (process in begun) print begun[process] " <unfinished ...>" }' "$1"
}

# built VARIABLE FILE: sets it to FILE's absolute path. A suite that lacks what it tests is one failed row, which says what makes it.
built() {
	if [ ! -e "$2" ]; then
		fail "${2##*/} is built" "$2 is missing: make suite S=${0#"$PWD/"}"
		finish
	fi
	printf -v "$1" %s "$(realpath "$2")"
}

# workdir: a private directory that goes with the suite; sets $T
workdir() {
	T=$(mktemp -d "${TMPDIR:-/tmp}/oci-rdma-test.XXXXXX")
	trap 'rm -rf "$T"' EXIT
}

# is_checkout: whether this tree is git's. One of `make dist` is not, also where it lies in another's repository.
is_checkout() { git ls-files --error-unmatch Makefile >/dev/null 2>&1; }

# with_git: from here on git knows this tree's files; those of `make dist` by a repository below $T
with_git() {
	if is_checkout; then return; fi
	export GIT_DIR=$T/git GIT_WORK_TREE=$PWD
	git -c init.defaultBranch=main init -q && git add -A
}

finish() {
	row ''
	exit "$failed"
}
