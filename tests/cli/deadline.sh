#!/bin/bash
# A hook that is not done in time: it says so and lets the container start, or with "on_error": "fail" does not. strace sends the alarm's
# signal at a system call, in place of a /sys or disk that stalls: no clock is waited for. The shim's deadline: tests/cli/system-call-faults.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
node one
rdma='{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
container "$rdma"

declare -A calls
for on_error in warn fail; do
	config "{\"memlock\": \"8Mi\", \"on_error\": \"$on_error\"}"
	for stage in createRuntime poststart; do
		fresh_process && state . >"$T/state"
		strace -f -o "$T/trace" "$HOOK" --sysroot "$NODE" "$stage" <"$T/state" >/dev/null 2>&1
		seconds=$(grep -oE '(alarm\(|it_value=\{tv_sec=)[0-9]+' "$T/trace" | head -n 1 | grep -oE '[0-9]+$')
		timeout=$(cat config/hooks.d/*/*.json | jq -s 'map(.hook.timeout) | min')
		check "$stage: an alarm after ${seconds:-no} s, before the hook files' $timeout s" test "${seconds:-0}" -gt 0 -a "${seconds:-99}" -lt "$timeout"
		check "$stage: is set before config.json is opened" test "$(grep -nE -m1 'alarm\(|it_value' "$T/trace" | cut -d: -f1)" -lt \
			"$(grep -n -m1 'openat2(.*"config.json"' "$T/trace" | cut -d: -f1)"
		calls[$stage]=$(grep -c 'openat2(' "$T/trace")
		check "$stage: there is something to interrupt" test "${calls[$stage]}" -gt 2
		ended='' said=0
		for ((n = 1; n <= calls[$stage]; n++)); do
			fresh_process && state . >"$T/state"
			strace -f -o "$T/trace" -e trace=openat2 -e "inject=openat2:signal=ALRM:when=$n" \
				"$HOOK" --sysroot "$NODE" "$stage" <"$T/state" >"$T/out" 2>"$T/err"
			ended+=" $?"
			if grep -q "not finished after $seconds s" "$T/err"; then said=$((said + 1)); fi
		done
		# In poststart the container runs, and crun would kill it.
		if [ "$on_error" = warn ] || [ "$stage" = poststart ]; then
			is "$stage, on_error $on_error: late at each of ${calls[$stage]} calls, the container starts" "" "${ended// 0/}"
		else
			is "$stage, on_error fail: late at each of ${calls[$stage]} calls, it starts or is refused" "" "$(tr -d ' 01' <<<"$ended")"
			check "$stage, on_error fail: it is refused once the device is proven" test "$said" -gt 0
			is "$stage, on_error fail: and says why each time" "$(grep -o 1 <<<"$ended" | wc -l)" "$said"
		fi
	done
done

# Without a device nothing was needed, be it asked for: however late, it starts.
container '{}'
config '{"on_error": "fail"}'
state . >"$T/state"
calls[none]=$(strace -f -e trace=openat2 "$HOOK" --sysroot "$NODE" createRuntime <"$T/state" 2>&1 >/dev/null | grep -c 'openat2(')
ended=''
for ((n = 1; n <= calls[none]; n++)); do
	strace -f -o "$T/trace" -e trace=openat2 -e "inject=openat2:signal=ALRM:when=$n" \
		"$HOOK" --sysroot "$NODE" createRuntime <"$T/state" >"$T/out" 2>"$T/err"
	ended+=" $?"
done
is "on_error fail, no device: late at each of ${calls[none]} calls, the container starts" "" "${ended// 0/}"
finish
