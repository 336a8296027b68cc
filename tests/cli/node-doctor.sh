#!/bin/bash
# The doctor's image: what is in it starts with the node's C library, and where that cannot be says so and reads the node all the same.
# shellcheck disable=SC2016,SC2317 # the inner shells' dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
DOCTOR=$(realpath "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}")
check "make-context" config/kubernetes/doctor/make-context "$DOCTOR" "$T/context"
image=$T/context/root
if [ "$(id -u)" -ne 0 ]; then
	pass "the image # skip it needs root, for mounts"
	finish
fi

# in_image SCRIPT: runs node-doctor --format json in the image's root, with what SCRIPT mounts at $HOST
in_image() {
	unshare --mount env image="$image" HOST="$image/host" KUBERNETES_SERVICE_HOST=10.0.0.1 sh -ec "mkdir -p \$HOST; $1
		HOST=/host exec chroot \$image /bin/node-doctor --format json" >"$T/out" 2>"$T/err"
	rc=$?
}
said() { jq -r "$1" "$T/out" 2>&1; }

in_image 'mount --rbind / $HOST'
check "on a node like this one it runs" test "$rc" -le 1
is "…with nothing to say of the C library" "" "$(<"$T/err")"
is "…as the node's own: no sysroot, and no container for the kubelet's variables" "$("$DOCTOR" --format json | jq -r .where)" "$(said .where)"
is "…it has found its own limits, by the node's /proc" 1 "$(said '[.findings[] | select(.id == "memlock")] | length')"

in_image 'mkdir -p $HOST/proc $HOST/sys; mount --rbind /proc $HOST/proc; mount --rbind /sys $HOST/sys'
check "on a node without glibc it runs, too" test "$rc" -le 1
has "…it says what it wants" "wants glibc 2.34 or newer" "$(<"$T/err")"
has "…and what is missing" "only reads the node's files" "$(<"$T/err")"
is "…and reads the node" 1 "$(said .schema)"

in_image ':'
is "without a node: status 2" 2 "$rc"
has "without a node: what to run" "kubectl debug node/NODE" "$(<"$T/err")"
is "without a node: nothing is reported" "" "$(<"$T/out")"
finish
