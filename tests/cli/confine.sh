#!/bin/bash
# A hook gives away what it does not need as soon as its input is read. TAP on stdout.
# builds: tests/oci-rdma-hook-dynamic
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
node one
config '{"memlock":"8Mi"}'
rdma='{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
container "$rdma"

# line FILE REGEX: where it is first found; 0 if it is not
line() { grep -nE -m1 "$2" "$1" | cut -d: -f1 | grep . || echo 0; }

for stage in createRuntime prestart poststart; do
	strace -f -o "$T/trace" "$HOOK" --sysroot "$NODE" "$stage" <"$T/state" >/dev/null 2>&1
	filter=$(line "$T/trace" 'prctl\(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, .* = 0')
	spec=$(line "$T/trace" 'openat2\(.*"config.json"')
	check "$stage: the filter is set before config.json is opened" test "$filter" -gt 0 -a "$filter" -lt "$spec"
	check "$stage: so are fewer capabilities" test "$(line "$T/trace" 'capset\(.* = 0')" -lt "$spec"
	check "$stage: the directory is the node's root" test "$(line "$T/trace" 'chdir\("/"\) += 0')" -gt 0
	check "$stage: what was left open is closed" test "$(line "$T/trace" 'close_range\(3, 4294967295, 0\) += 0')" -gt 0
	is "$stage: a second filter is not needed" 1 "$(grep -c 'PR_SET_SECCOMP' "$T/trace")"
	is "$stage: at most six capabilities are kept" "" \
		"$(grep -o 'capset(.*' "$T/trace" | grep -o 'CAP_[A-Z_]*' | grep -vxE 'CAP_(CHOWN|DAC_OVERRIDE|FOWNER|SETGID|SETUID|SYS_RESOURCE)')"
done
strace -f -o "$T/trace" "$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>&1
check "precreate: confined when it has read config.json" test "$(line "$T/trace" 'PR_SET_SECCOMP.* = 0')" -gt 0
check "precreate: and edits it all the same" grep -q RLIMIT_MEMLOCK "$T/out"

# What a kernel cannot do is logged, in a line of the container's; of a container without RDMA nothing is logged. The parent is to be the init's.
unconfined() {
	strace -f -s 300 -o "$T/sent" -e trace=close_range,sendto -e inject=close_range:error=ENOSYS:syscall=getpid "$HOOK" --sysroot "$NODE" createRuntime \
		<"$T/state" >/dev/null 2>&1
	said=$(grep -c 'sendto(.*cannot close inherited descriptors: Function not implemented' "$T/sent")
}
container "$rdma"
unconfined
is "a kernel without close_range: a container with RDMA has a line about it, and its grant" "1 $AFTER" "$said $(limit)"
container '{}'
unconfined
is "…and one without RDMA has no line" 0 "$said"

# What the kernel does at any other system call: tests/unit/core/confine/confine.c
container "$rdma"
echo '{"memlock":"8Mi"}' >"$T/policy.json"
(cd "$T" && "$HOOK" --config policy.json --sysroot node createRuntime <"$T/state") >/dev/null 2>&1
is "relative paths of the caller's are found" "$AFTER" "$(limit)"

# Each C library makes other calls for the same work, and some for much of it only: glibc's qsort asks for the machine's memory, malloc
# moves large blocks. A killed hook would keep the container from starting. (The rest of the suites runs on one build.)
node big
config '{"memlock":"8Mi"}'
devices=
for n in {8..200}; do
	if [ "$n" -lt 32 ]; then number="231,$((192 + n))"; else number="509,$((n - 32))"; fi
	devices+="${devices:+,}[\"/dev/infiniband/uverbs$n\",$number]"
done
printf '{"env":[%s],"devices":[%s]}' "$(printf '"V%0500d=",' {1..2000} | sed 's/,$//')" "$devices" >"$T/large"
for HOOK in "$HOOK" "$(realpath "${BUILD:-build}/tests/oci-rdma-hook-dynamic")"; do
	container "{\"devices\":[$devices]}"
	hook createRuntime
	is "${HOOK##*/}: a container with 193 devices is granted" "0 $AFTER" "$rc $(limit)"
	is "${HOOK##*/}: its nccl.conf has as many as NCCL takes" 32 "$(sed -n 's/^NCCL_IB_HCA==//p' "$ROOT/etc/nccl.conf" | tr , '\n' | grep -c .)"
	"$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>"$T/err"
	is "${HOOK##*/}: precreate, too" "0 32" "$? $(grep -o 'NCCL_IB_HCA==[^"]*' "$T/out" | tr , '\n' | grep -c .)"
	container "$T/large"
	hook createRuntime
	is "${HOOK##*/}: with an environment of 1 MB" "0 $AFTER" "$rc $(limit)"
	echo '{' >"$B/config.json"
	hook createRuntime
	is "${HOOK##*/}: an error is said" "0 1" "$rc $(wc -l <"$T/err")"
done
finish
