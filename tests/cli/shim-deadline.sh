#!/bin/bash
# Done in time or not, the runtime starts with the caller's signals and alarm. strace sends the alarm's signal at a system call, in place of a
# disk that stalls. That files stay whole: tests/cli/system-call-faults.sh. It runs in a mount namespace of its own, with an empty /run.
# shellcheck disable=SC2119 # what is optional is left out
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "the shim's deadline"
. tests/cli/setup.bash
. tests/cli/tools/shim.bash
by_case
empty_run
node one
cat >"$RT/crun" <<-EOT
	#!/usr/bin/perl
	my \$alarm = alarm 0;
	open my \$seen, ">", "$SEEN/signals";
	open my \$status, "<", "/proc/self/status";
	print \$seen grep { /^Sig(Blk|Ign)/ } <\$status>;
	print \$seen "alarm ", \$alarm > 900000 ? "about 1000000" : \$alarm, "\n";
EOT
policy
prepare rdma '{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
ALARM=(perl -e 'alarm 1000000; exec @ARGV' --)
late=("$(command -v strace)" -o "$T/trace" -e trace=openat2 -e inject=openat2:signal=ALRM:when=3)

# starts DESCRIPTION COMMAND…: by COMMAND, direct, in time, and late
starts() {
	local what=$1 way
	shift
	fresh
	"$@" "$RT/crun" create --bundle "$B" "$ID" </dev/null
	mv "$SEEN/signals" "$T/direct"
	for way in "in time" late; do
		fresh
		rm -f "$SEEN/signals"
		if [ "$way" = late ]; then
			"${late[@]}" "$@" "$SHIM" create --bundle "$B" "$ID" </dev/null >"$T/out" 2>"$T/err"
			not_edited "$what, late"
		else
			"$@" "$SHIM" create --bundle "$B" "$ID" </dev/null >"$T/out" 2>"$T/err"
			edited "$what, in time"
		fi
		same "$what, $way: the runtime's signals and alarm are the caller's" "$(<"$T/direct")" "$(cat "$SEEN/signals" 2>&1)"
	done
}
starts "as usual" env
starts "SIGALRM blocked" env --block-signal=ALRM
starts "SIGALRM ignored" env --ignore-signal=ALRM
starts "an alarm of the caller" "${ALARM[@]}"
finish
