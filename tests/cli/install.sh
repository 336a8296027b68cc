#!/bin/bash
# make install and uninstall: at no moment is there a hook file without its executable, which would let containers start without
# RDMA, silently; and nothing in CRI-O's directory keeps CRI-O from starting.
# shellcheck disable=SC2317 # functions that another shell calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
# -o all: the programs of this tree stay as they are, for the suites that run beside this one.
arguments=(-s -o all DESTDIR="$T/root" BUILD="${BUILD:-build}" SYSCONFDIR=/etc)
hooks=$T/root/usr/share/containers/oci/hooks.d

# order MAKE-TARGET: what becomes of the executable ("hook") and of hook files ("json"), in the order in which the target does it
order() {
	strace -f -qq -e trace=rename,renameat,renameat2,unlink,unlinkat -o "$T/trace" make "${arguments[@]}" "$1" >"$T/out" 2>&1 ||
		fail "make $1" "$(cat "$T/out")"
	whole_calls "$T/trace" | grep -F "$T/root" | sed -nE 's/.*bin\/oci-rdma-hook".* = 0$/hook/p; s/.*hooks\.d\/[^.][^"]*\.json".* = 0$/json/p' | uniq | xargs
}
is "install: the executable first" "hook json" "$(order install)"
is "install: again, over itself" "hook json" "$(order install)"
check "the executable is there" "$T/root/usr/local/bin/oci-rdma-hook" --version
is "the hook files name it" /usr/local/bin/oci-rdma-hook "$(jq -r .hook.path "$hooks"/*.json | sort -u)"
is "each with an environment of its own" "" "$(jq -r 'select(.hook.env | type != "array") | .hook.path' "$hooks"/*.json)"
is "each with a timeout" "" "$(jq -r 'select(.hook.timeout | type != "number") | .hook.path' "$hooks"/*.json)"
is "CRI-O's directory has no stage that it refuses" "createRuntime poststart" "$(jq -r '.stages[]' "$hooks"/*.json | sort -u | xargs)"
is "nothing half written is left" "" "$(find "$T/root" -name '.*')"
check "kubectl's plugin is not a node's" test ! -e "$T/root/usr/local/bin/kubectl-rdma_doctor"
check "KUBECTL=1" make "${arguments[@]}" install KUBECTL=1
is "KUBECTL=1: the plugin is there" 755 "$(stat -c %a "$T/root/usr/local/bin/kubectl-rdma_doctor")"
is "uninstall: the hook files first" "json hook" "$(order uninstall)"
is "and nothing is left" "" "$(find "$T/root" -type f -o -type l)"

# graces FILE PATTERN…: what each file has in the place of its \(…\)
graces() {
	while [ $# -gt 0 ]; do
		sed -n "s/^$2\$/\1/p" "$1"
		shift 2
	done | paste -sd ' '
}
grace=$(sed -n 's/^GRACE ?= //p' install/install.mk)
# shellcheck disable=SC2016 # a pattern
is "make uninstall, the DaemonSet's removal and both packages wait equally long: $grace s" "$grace $grace $grace" "$(graces \
	install/kubernetes/node-install 'GRACE=${GRACE:-\(.*\)}' rpm/oci-rdma-hook.spec ' *sleep \(.*\)' debian/oci-rdma-hook.prerm '\t*sleep \(.*\)')"

# ---- the handler: made from the machine's own CRI-O, in an /etc that is private ----

if [ "$(id -u)" -ne 0 ]; then
	pass "RUNTIME=1 # skip it needs root, for a private /etc"
	finish
fi
refused() { ! "$@"; }
check "RUNTIME=1 below a DESTDIR is refused" refused make "${arguments[@]}" install RUNTIME=1
# shellcheck disable=SC2016 # the inner shell's
private_etc() {
	unshare --mount bash -ec 'mkdir "$1/layer"; mount -t tmpfs none "$1/layer"; mkdir "$1/layer/upper" "$1/layer/work"
		mount -t overlay none -o "lowerdir=/etc,upperdir=$1/layer/upper,workdir=$1/layer/work" /etc
		mount -t tmpfs none /run
		shift; exec "$@"' - "$T" "$@"
}
# labelled: which kinds of files restorecon was given, once they were there
labelled() {
	sed -nE 's#.*/bin/oci-rdma-hook$#program#p; s#.*\.service$#units#p; s#.*/hooks\.d/[^.].*\.json$#hooks.d#p; s#.*/etc/oci-rdma-hook$#config#p' "$T/restorecon.log" |
		awk '!seen[$0]++' | xargs
}
# A machine with SELinux's tool and systemd's, that say what they are given
install -d "$T/tools"
cat >"$T/tools/restorecon" <<'END'
#!/bin/sh
for path; do [ ! -e "$path" ] || echo "$path"; done >>"$T/restorecon.log"
END
# shellcheck disable=SC2016 # the tool's own
printf '#!/bin/sh\necho "$*" >>"$T/systemctl.log"\n' >"$T/tools/systemctl"
chmod 755 "$T/tools/"*
check "restorecon is not for a DESTDIR" test ! -e "$T/restorecon.log"
steps() {
	PATH=$T/tools:$PATH
	local made=(make -s -o all PREFIX="$T/prefix" SYSCONFDIR=/etc HOOKSDIR="$T/hooks.d" BUILD="${BUILD:-build}" GRACE=0)
	local dropin=/etc/crio/crio.conf.d/60-oci-rdma-hook.conf
	rm -rf /etc/crio /etc/oci-rdma-hook
	mkdir -p "$T/prefix" /etc/crio/crio.conf.d /etc/oci-rdma-hook
	sed "s|/usr/libexec/crio|$T/crio|" tests/cli/crio/upstream.conf >/etc/crio/crio.conf.d/10-crio.conf
	echo "$T/crio/crun" >/etc/oci-rdma-hook/runtimes
	for name in crun runc; do install -D -m 755 /bin/true "$T/crio/$name"; done
	check "RUNTIME=1 where CRI-O would not start with it is refused" refused "${made[@]}" install RUNTIME=1
	check "…no drop-in is there" test ! -e "$dropin"
	is "…nor anything that is half written" "" "$(find /etc/crio /etc/oci-rdma-hook -name '.*')"
	install -m 755 /bin/true "$T/crio/conmon"
	check "RUNTIME=1" "${made[@]}" install RUNTIME=1
	is "…what was installed is labelled, the units and the hook files after they are there" "program units hooks.d config" "$(labelled)"
	is "…its monitor is this CRI-O's" "monitor_path = \"$T/crio/conmon\"" "$(grep monitor "$dropin")"
	is "…its program is ours" "runtime_path = \"$T/prefix/bin/oci-rdma-runtime-crun\"" "$(grep ^runtime_path "$dropin")"
	is "…and it passes the check" "crio_handler rdma: ok: $T/prefix/bin/oci-rdma-runtime-crun ($dropin)" "$("$T/prefix/bin/oci-rdma-admin" --check-config | grep ^crio_handler)"
	echo '[crio.runtime]' >/etc/crio/crio.conf.d/70-x.conf
	echo 'default_runtime = "rdma"' >>/etc/crio/crio.conf.d/70-x.conf
	check "uninstall: refused while it is CRI-O's default" refused "${made[@]}" uninstall
	check "…and nothing is gone" test -x "$T/prefix/bin/oci-rdma-runtime-crun" -a -e "$dropin"
	rm /etc/crio/crio.conf.d/70-x.conf
	mkdir -p /etc/systemd/system /etc/machine-config-daemon /run/oci-rdma-hook
	cp "$T"/prefix/lib/systemd/system/oci-rdma-nri*.service /etc/systemd/system
	echo '{"path":"/usr/local/bin/oci-rdma-hook"}' >/etc/machine-config-daemon/currentconfig
	check "uninstall: refused on a node of OpenShift that has the plugin by a MachineConfig" refused "${made[@]}" uninstall
	has "…saying what to do" "oc delete machineconfig" "$("${made[@]}" uninstall 2>&1)"
	check "…and nothing is gone" test -x "$T/prefix/bin/oci-rdma-nri" -a -e /etc/systemd/system/oci-rdma-nri-a.service
	rm -r /etc/machine-config-daemon
	echo '{"pid":1,"started":5}' >/run/oci-rdma-hook/nri.json
	: >"$T/systemctl.log"
	check "uninstall" "${made[@]}" uninstall
	is "uninstall: a unit that was laid down in /etc is no unit any more" "" "$(ls /etc/systemd/system/oci-rdma* 2>/dev/null)"
	is "…systemd forgets all units after their files are gone" "disable --now oci-rdma-nri-a.service oci-rdma-nri-b.service oci-rdma-metrics.service oci-rdma-hook-cdi.service oci-rdma-hook-cdi.path
daemon-reload" "$(<"$T/systemctl.log")"
	is "…and /run has nothing of ours" "" "$(ls -d /run/oci-rdma* 2>/dev/null)"
	check "…CRI-O's handler stays" test -e "$dropin"
	is "…with a link to the runtime of this machine's list in its program's place" "$T/crio/crun" "$(readlink "$T/prefix/bin/oci-rdma-runtime-crun")"
	is "…until the next boot" "r! $T/prefix/bin/oci-rdma-runtime-crun
r! /etc/crio/crio.conf.d/60-oci-rdma-hook*.conf
r! /etc/tmpfiles.d/oci-rdma-hook.conf" "$(grep -E 'crun$|/etc' /etc/tmpfiles.d/oci-rdma-hook.conf)"
	check "install again" "${made[@]}" install
	check "…and the next boot takes nothing" test ! -e /etc/tmpfiles.d/oci-rdma-hook.conf
	is "…of the shims" oci-rdma-hook "$(readlink "$T/prefix/bin/oci-rdma-runtime-crun")"
}
export T HOOK BUILD failed
export -f steps labelled check is has pass fail refused whole_calls
private_etc bash -c steps || failed=1
finish
