#!/bin/bash
# The doctor's image: what is in it starts with the node's C library, and where that cannot be says so and reads the node all the same.
# packages: doctor-image
# shellcheck disable=SC2016,SC2317 # the inner shells' dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built DOCTOR "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}"
context() { install/kubernetes/doctor/make-context "$DOCTOR" "$T/context" >"$T/log" 2>&1; }
refused() { ! env "$@" install/kubernetes/doctor/make-context "$DOCTOR" "$T/other" >"$T/log" 2>&1; }
row "make-context says for which platform the image is to be built"
check "make-context" context
image=$T/context/root

# ---- what is in it ----

machine=$(install/executable-machine --libraries "$DOCTOR")
case $machine in aarch64) platform=arm64 other=x86_64 ;; *) platform=amd64 other=aarch64 ;; esac
has "the platform" "--platform linux/$platform" "$(<"$T/log")"
of_elf() { find "$image" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF && echo "$1"' sh {} \;; }
row "programs, libraries and loader in it are for one machine, each once"
is "the machine" "$machine" \
	"$(of_elf | while read -r file; do install/executable-machine --libraries "$file"; done | sort -u)"
loader=$(readelf -lW "$DOCTOR" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
check "the loader" test -x "$image$loader"
is "every library that one of them needs is there" "" "$(of_elf | while read -r file; do
	readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
done | sort -u | while read -r name; do [ "$(find "$image" -name "$name" | wc -l)" = 1 ] || echo "$name"; done)"
row "the license texts of each Debian package that something in it is from"
# /lib and /usr/lib are the same directory, and either may be in dpkg's lists.
is "all" "" "$({ echo busybox-static libyajl-dev libcap-dev curl | xargs -n 1
	of_elf | sed -n "s,^$image\(/.*\.so.*\),\1,p" | sed 's,^/usr/,/,; p; s,^/,/usr/,' | xargs dpkg -S 2>/dev/null | sed 's/:.*//'
} | sort -u | while read -r package; do [ -s "$image/licenses/$package" ] || echo "$package"; done)"
check "and ours" cmp LICENSE "$image/licenses/LICENSE"
row "ARCH: a doctor for other nodes is refused"
check "refused" refused ARCH=$other
has "for which it is" "is for $machine, not for ARCH=$other" "$(<"$T/log")"
mkdir "$T/empty"
row "libraries that are not in SYSROOT are not taken from elsewhere"
check "refused" refused SYSROOT="$T/empty"
has "the first" "for $machine below $T/empty" "$(<"$T/log")"

# ---- what it does ----

if ! may_mount; then
	pass "the image # skip it needs root, and mounts of its own"
	finish
fi

# in_image SCRIPT: runs node-doctor --format json in the image's root, with what SCRIPT mounts at $HOST
in_image() {
	unshare --mount env image="$image" HOST="$image/host" KUBERNETES_SERVICE_HOST=10.0.0.1 sh -ec "mkdir -p \$HOST; $1
		HOST=/host exec chroot \$image /bin/node-doctor --format json" >"$T/out" 2>"$T/err"
	rc=$?
}
said() { jq -r "$1" "$T/out" 2>&1; }

if [ "$machine" = "$(uname -m)" ]; then
	row "on a node like this one it runs as the node's own"
	in_image 'mount --rbind / $HOST'
	check "status" test "$rc" -le 1
	is "stderr" "" "$(<"$T/err")"
	is "no sysroot, and no container for the kubelet's variables" "$("$DOCTOR" --format json | jq -r .where)" "$(said .where)"
	is "its own limits, by the node's /proc" 1 "$(said '[.findings[] | select(.id == "memlock")] | length')"
else
	echo "# on a node like this one: not tried, since this machine is no $machine"
fi

row "on a node without glibc it says what it wants, and reads the node"
in_image 'mkdir -p $HOST/proc $HOST/sys; mount --rbind /proc $HOST/proc; mount --rbind /sys $HOST/sys'
check "status" test "$rc" -le 1
has "what it wants" "needs glibc 2.34 or newer" "$(<"$T/err")"
has "what is missing" "the doctor only reads the node's files" "$(<"$T/err")"
is "the node" 1 "$(said .schema)"

row "without a node: what to run"
in_image ':'
is "status, and no report" "2 " "$rc $(<"$T/out")"
has "what to run" "kubectl debug node/NODE" "$(<"$T/err")"
finish
