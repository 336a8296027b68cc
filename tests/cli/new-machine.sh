#!/bin/bash
# A new machine: what tools/deps says and does where packages are missing, that `make demo` shows its page and not how it was built, and that
# two runs of suites do not harm each other.
# That the packages suffice is shown by a machine that has nothing else.
# shellcheck disable=SC2317 # functions that within calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
if ! command -v apt-get >/dev/null; then
	pass "a new machine # skip: this is not a Debian system"
	finish
fi
BUILD=${BUILD:-build}
umask 022
workdir
chmod 755 "$T"

# ---- packages ----

# Of dpkg's own database, an empty one: no package is installed. A tree of which another user can read all.
mkdir -p "$T/tree" "$T/dpkg" "$T/bin"
touch "$T/dpkg/status"
export DPKG_ADMINDIR=$T/dpkg
cp --parents -t "$T/tree" Makefile tools/deps tests/*.mk tests/*/*.mk install/install.mk
cp -R core lib admin explain hook nri doctor "$T/tree"
as_user=()
if [ "$(id -u)" -eq 0 ]; then as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups); fi
chmod 777 "$T/tree"

# user COMMAND…: as one who may not install; sets $out and $rc
user() { out=$(cd "$T/tree" && PATH=$T/bin:$PATH "${as_user[@]}" "$@" 2>&1) && rc=0 || rc=$?; }

printf '#!/bin/sh\n' >"$T/bin/sudo" && chmod 755 "$T/bin/sudo"
user tools/deps installer coverage podman vm
row "a user who may not install is given the command, with each package once"
is "the command" "1 tools/deps: packages are missing, and only root may install them; run: sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends busybox-static gcovr" \
	"$rc ${out%% podman *}"
is "packages that are in it twice" "" "$(grep -o "no-install-recommends .*[^']" <<<"$out" | tr -s "' " '\n' | sort | uniq -d)"
is "a shell reads it" "" "$(bash -n <<<"${out#*run: }" 2>&1)"
row "make without a compiler: the command, once, for all that is needed"
user make CC=no-compiler demo
is "make demo" "2 1" "$rc $(grep -c apt-get <<<"$out")"
has "the demo's packages" "gcc make libc6-dev " "$out"
has "the demo's own part" " python3'" "$out"
user make CC=no-compiler
is "make itself" "2 1" "$rc $(grep -c apt-get <<<"$out")"
has "musl and yajl" "libprotobuf-c-dev protobuf-c-compiler libyajl-dev musl-tools'" "$out"
user make CC=no-compiler uninstall DESTDIR="$T/nothing"
row "make uninstall needs no compiler"
is "status" "0 0" "$rc $(grep -c apt-get <<<"$out")"

mkdir "$T/a tree"
cp -R "$T/tree/." "$T/a tree"
out=$(make -C "$T/a tree" demo 2>&1) && rc=0 || rc=$?
row "below a path with a space: refused in a line that says what to do"
is "status, lines" "2 1" "$rc $(grep -vc "ing directory" <<<"$out")"
has "what to do" "move this directory, '$T/a tree', to where no name has a space" "$out"

# apt-get of root: what it would install is not installed here, so one of ours stands for it.
cat >"$T/bin/apt-get" <<'END'
#!/bin/sh
echo "$*" >>"$CALLS"
case $* in
update*)
	if [ "$(grep -c update "$CALLS")" -lt "$HELD" ]; then
		echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)' && exit 100
	fi
	echo "what update says" && exit "$UPDATE"
	;;
install*) echo "what install says" && exit "$INSTALL" ;;
esac
END
printf '#!/bin/sh\necho 0\n' >"$T/bin/id"
chmod 755 "$T/bin/apt-get" "$T/bin/id"
export CALLS=$T/calls

# root HELD UPDATE INSTALL: the first HELD calls find the lists locked, then apt-get ends so
root() {
	: >"$CALLS"
	out=$(PATH=$T/bin:$PATH HELD=$1 UPDATE=$2 INSTALL=$3 tools/deps installer demo 2>&1) && rc=0 || rc=$?
}
root 1 0 0
row "for root it is installed, with new lists, and said"
is "what is said" "0 tools/deps: installing busybox-static python3" "$rc $out"
is "what apt-get is asked" "update install -y --no-install-recommends busybox-static python3" \
	"$(sed 's/ -q$//; s/ -o .*//' "$CALLS" | paste -sd ' ')"
out=$(PATH=$T/bin:$PATH tools/deps --say installer demo 2>&1) && rc=0 || rc=$?
row "--say names them, and the command, and installs nothing, also for root"
is "what is said" \
	"1 tools/deps: packages are missing; run: apt-get update && apt-get install -y --no-install-recommends busybox-static python3" "$rc $out"
root 3 0 0
row "another apt that holds the lists is waited for, which is said once"
is "status, calls" "0 3 1" "$rc $(grep -c update "$CALLS") $(grep -c install "$CALLS")"
is "said" 1 "$(grep -c "another apt is at work" <<<"$out")"
root 1 100 0
row "a source that does not answer is not in the way"
is "what is said" "0 tools/deps: installing busybox-static python3" "$rc $out"
root 1 100 100
row "what cannot be installed is an error, with what apt-get said, and the command"
is "status" 1 "$rc"
has "apt-get update" "what update says" "$out"
has "apt-get install" "what install says" "$out"
has "the command" "could not run: apt-get install -y --no-install-recommends busybox-static python3" "$out"
unset DPKG_ADMINDIR

# ---- two runs of suites in one tree ----

printf '#!/bin/sh\nuntil [ -e %s/go ]; do sleep 0.02; done\necho "ok - long"\n' "$T" >"$T/long"
printf '#!/bin/sh\necho "ok - short"\n' >"$T/short"
chmod 755 "$T/long" "$T/short"
# run NAME: that suite, by tests/run; what it says is in $T/NAME.out
first='' second=''
run() { BUILD=$T/runs tests/run "$T/$1" >"$T/$1.out" 2>&1; }
launch first "$T/first" run long
begun() { [ -e "$T/runs/log/${T//\//_}_long" ]; }
within begun
launch second "$T/second" run short
waits() { grep -q "another run works in $T/runs;" "$T/short.out"; }
row "two runs in one tree: the second waits for the first, and says so; both have their logs"
check "it waits" within waits
touch "$T/go"
wait "$first"
is "the first" "0 1 passed, 0 failed" "$? $(tail -n 1 "$T/long.out")"
wait "$second"
is "the second" "0 1 passed, 0 failed" "$? $(tail -n 1 "$T/short.out")"

# A time-out of the runner's look may come in the middle of such a line: the suite lost its name then, and was red.
row "how a suite ended is read whole, also if a look comes in the middle of it"
# shellcheck disable=SC2016 # the suite's
printf '#!/bin/sh\necho "ok - cut"\nprintf "0 " >"$TMPDIR/../ended"\nsleep 1\necho "7 %s/cut" >"$TMPDIR/../ended"\n' "$T" >"$T/cut"
chmod 755 "$T/cut"
LOOK=0.1 run cut
is "status, and its line" "0 7 s  $T/cut: 1 passed, 0 failed" "$? $(grep -om 1 '7 s .*' "$T/cut.out")"

# ---- one row ----

cat >"$T/rows" <<'END'
#!/bin/sh
echo 'ok - a red row'
echo 'not ok - a green row'
echo '#   why the green one is not'
echo 'ok - a red row (again)'
exit 1
END
cat >"$T/dies" <<'END'
#!/bin/sh
echo 'ok - a red row'
exit 3
END
chmod 755 "$T/rows" "$T/dies"
# rows PART [SUITE]: what is said of the rows that have this in their names
rows() {
	ROW=$1 run "${2-rows}"
	printf '%s: ' "$?"
	grep -E '^(not ok|[0-9]+ passed)' "$T/${2-rows}.out" | paste -sd ,
}
row "ROW: only rows with this in their names count; that one fails, or that there is none, is said"
is "what another one says does not count" "0: 2 passed, 0 failed" "$(rows 'a red')"
is "it is no pattern" "0: 1 passed, 0 failed" "$(rows '(again)')"
is "it fails" "1: not ok - a green row,0 passed, 1 failed" "$(rows green)"
has "why" "#   why the green one is not" "$(cat "$T/rows.out")"
is "there is none" "1: not ok - no row's name has in it: blue,0 passed, 1 failed" "$(rows blue)"
has "a suite that dies" "1 failed" "$(rows 'a red' dies)"
is "control: without ROW all rows count" "1: not ok - a green row,2 passed, 1 failed" "$(rows '')"

# ---- waiting for a program ----

# One whose line of the last time is in the log still, one that ends, and one that says it in its last moment
cat >"$T/waiting" <<'END'
#!/bin/bash
. tests/lib.sh
workdir
echo ready >"$T/log"
says() { grep -qx "$1" "$T/log"; }
launch late "$T/log" sh -c 'sleep 0.5; echo ready; exec sleep 14400'
within says ready
is "its own line" ready "$(<"$T/log")"
kill "$late"
row "it ends"
launch gone "$T/log" sh -c 'echo why; exit 3'
within says ready
row "it ends, in a check"
launch gone "$T/log" sh -c 'sleep 0.5; echo why; exit 3'
check "it is ready" within says ready
row "it ends with the line"
launch gone "$T/log" sh -c 'sleep 0.5; echo ready'
within says ready
row "it may end"
launch gone "$T/log" sleep 0.5
may_end "$gone"
PATIENCE=1 within says ready
finish
END
chmod 755 "$T/waiting"
run waiting
log=$(cat "$T/runs/log"/*_waiting)
row "launch and within: no line of an earlier program counts, and a wait ends with its program: that row fails, with the end of the log"
is "the rows" "ok - its own line,not ok - it ends,not ok - it ends, in a check,ok - it ends with the line,not ok - it may end" \
	"$(grep -E '^(not )?ok' <<<"$log" | paste -sd ,)"
is "what was waited for, and why it cannot come" 3 "$(grep -cE '^#.*(within|happens:) says ready' <<<"$log")"
is "the end of the program's log" 2 "$(grep -cx '#   why' <<<"$log")"
has "patience" "#   not within 1 s" "$log"
if may_mount; then
	row "within: a process that has got the number of one that was launched and has ended is another"
	# shellcheck disable=SC2016 # the inner shell's
	is "its end ends no wait" late "$(unshare --pid --fork --mount-proc bash -c '
		. tests/lib.sh
		T=$1
		launch old "$T/log" true
		wait "$old"
		launch new "$T/log" sleep 14400
		echo "$((old - 1))" >/proc/sys/kernel/ns_last_pid
		sleep 0.5 &
		[ $! = "$old" ] || echo "its number is $!, not $old"
		launch late "$T/said" sh -c "sleep 1; echo late >$T/late"
		may_end "$late"
		within test -s "$T/late" && cat "$T/late"' - "$T" 2>&1)"
else
	pass "within: a process that has got the number of one that was launched # skip it needs root, and namespaces of its own"
fi

row "make suite: no name, and one that is none"
is "no name" "S= is missing: make suite S=tests/cli/dry-run.sh" "$(make suite 2>&1 | head -n 1)"
is "no such suite" "no such suite: tests/cli/nope.sh" "$(make suite S=tests/cli/nope.sh 2>&1 | head -n 1)"
is "no such source" "no such suite: tests/unit/nope.c" "$(make suite S=tests/unit/nope.c 2>&1 | head -n 1)"

printf '#!/bin/sh\n[ -e %s/once ] || ! : >%s/once || { echo "not ok - now and then"; exit 1; }\necho "ok - now and then"\n' "$T" "$T" >"$T/flaky"
chmod 755 "$T/flaky"
row "tests/again: how often each row was red"
is "a row that is red once in three" "1 of 3: ${T//\//_}_flaky: now and then" "$(BUILD=$T/runs tests/again 3 "$T/flaky" | tail -n 1)"
is "no row is red" "no row was red or skipped in 2 runs" "$(BUILD=$T/runs tests/again 2 "$T/flaky" | tail -n 1)"

# ---- the demo ----

# A tree of its own, with this one's objects, of which one is compiled anew by a compiler that has something to say
cat >"$T/cc" <<'END'
#!/bin/sh
case $* in *core/base/stderr_line.c) echo 'what the compiler says' >&2 && [ ! -e "$0.fails" ] || exit 1 ;; esac
exec gcc "$@"
END
chmod 755 "$T/cc"
mkdir "$T/own" "$T/build"
cp -a --parents -t "$T/own" Makefile .commit core lib admin explain hook nri doctor events tools install config doc tests/*.mk tests/*/*.mk tests/{nodes,bundles,unit}
cp -a "$BUILD"/{musl,generated,.deps,commit,oci-rdma-hook} "$T/build/"
# The tree, the compiler and the build folder are others, which alone would compile all again.
for with in compiled linked; do sed "s|^gcc |$T/cc |; s|=$(realpath "$BUILD")=|=$T/build=|; s|=$PWD=|=$T/own=|; s|-I$BUILD/generated|-I$T/build/generated|" "$BUILD/$with-with" >"$T/build/$with-with" && touch -r "$BUILD/$with-with" "$T/build/$with-with"; done
compiled=$T/build/musl/core/base/stderr_line.o

# demo: sets $out, of $T/build $BUILD, and $rc
demo() { out=$(make -C "$T/own" --no-print-directory BUILD="$T/build" CC="$T/cc" demo 2>&1) && rc=0 || rc=$?; }
page=$T/build/oci-rdma-hook' --sysroot '$T/build/demo/node' --dry-run '$T/build/demo/bundle
demo
row "make demo: what is built shows its page at once, and nothing else"
is "the first line" "0 $page" "$rc ${out%%$'\n'*}"
has "a plan" "what it gets, and through what" "$out"
is "all else" "" "$(grep -vxFf <("$T/build/oci-rdma-hook" --sysroot "$T/build/demo/node" --dry-run "$T/build/demo/bundle") <<<"${out#*$'\n'}")"
rm "$compiled"
demo
row "make demo: what is not built is a line, what the compiler says, then the page"
is "the lines" "0 building $T/build/oci-rdma-hook …|what the compiler says|$page" \
	"$rc $(head -n 3 <<<"$out" | paste -sd '|')"
rm "$compiled"
touch "$T/cc.fails"
demo
row "make demo: what does not compile shows why, and no page"
is "status" 2 "$rc"
has "why" "what the compiler says" "$out"
lacks "no page" "what it gets" "$out"
rm "$T/cc.fails"
demo

# ---- what a build was configured with is remembered ----

# would_make [VARIABLE…]: what make would make again, of the hook alone
would_make() { make -n -C "$T/own" BUILD="$T/build" CC="$T/cc" V=1 "$@" "$T/build/oci-rdma-hook" 2>&1 | grep -o " -o $T/build/[^ ]*" | sed "s| -o $T/build/||; s|\.new$||"; }
row "nothing is made again for the same options, nor for an edited Makefile or help"
is "the same" "" "$(would_make)"
touch "$T/own/Makefile" "$T/own/doc/make-help.txt"
is "edited" "" "$(would_make)"
row "other options make again what they change: CFLAGS all, LIBC, DYNAMIC and LDFLAGS what is linked"
made=$(would_make CFLAGS=-O1)
for part in musl/core/base/stderr_line.o oci-rdma-hook; do has "CFLAGS" "$part" "$made"; done
made=$(would_make LIBC=glibc)
is "LIBC=glibc: of other objects" "oci-rdma-hook 0" \
	"$(grep -x oci-rdma-hook <<<"$made") $(grep -c '^musl/' <<<"$made")"
has "DYNAMIC=1" oci-rdma-hook "$(would_make DYNAMIC=1)"
is "LDFLAGS: the executable alone" oci-rdma-hook "$(would_make LDFLAGS=-Wl,-O1)"
finish
