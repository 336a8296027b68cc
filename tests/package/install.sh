#!/bin/bash
# make install and make uninstall: into a DESTDIR what belongs there, by rename; off again without a trace but what
# was changed. What a host does with it is tested in the virtual machine (tests/vm/check-podman).
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
BUILD=${BUILD:-build}
built ADMIN "${ADMIN:-$BUILD/oci-rdma-admin}"
umask 022
workdir
ROOT=$T/root
doctor=()
if [ -e doctor/main.c ]; then doctor=(oci-rdma-doctor); fi

# make_it TARGET [VARIABLE=…]: sets OUT
make_it() { OUT=$(make -s -o all QUIET=1 "$1" DESTDIR="$ROOT" BUILD="$BUILD" "${@:2}" 2>&1); }
files() { (cd "$ROOT" && find . \( -type f -o -type l \) | sed 's|^\./||' | sort); }

row "make install: what belongs there, which passes its own check; a second time nothing changes"
make_it install
is "status, and three lines" "0 3 oci-rdma-hook $(sed -n 's/^VERSION := //p' Makefile) is installed" "$? $(wc -l <<<"$OUT") $(tail -n 1 <<<"$OUT")"
is "what it installs" "$(printf '%s\n' etc/oci-rdma-hook/config.json \
	usr/local/bin/oci-rdma-{admin,hook,nri,runtime,runtime-crun,runtime-runc} "${doctor[@]/#/usr/local/bin/}" \
	usr/local/share/bash-completion/completions/oci-rdma-{admin,hook,nri} "${doctor[@]/#/usr/local/share/bash-completion/completions/}" \
	usr/local/lib/systemd/system/oci-rdma-{hook-cdi.path,hook-cdi.service,metrics.service,nri-a.service,nri-b.service} usr/local/share/man/man5/oci-rdma-hook.json.5 \
	usr/local/share/man/man8/oci-rdma-{admin,hook,nri,runtime,runtime-crun,runtime-runc}.8 "${doctor[@]/%/.8}" \
	usr/local/share/oci-rdma-hook/{containerd/render-base-spec,docker/daemon.json,podman/oci-rdma-hook.conf,profiles/roce-legacy.json} \
	usr/local/share/oci-rdma-hook/licenses/{GPL-2,libcap-dev,libprotobuf-c-dev,libyajl-dev,musl-dev} \
	usr/local/share/oci-rdma-hook/monitoring/{collect,rules.yaml} \
	usr/local/share/oci-rdma-hook/hooks.d/device/{90-oci-rdma-hook,91-oci-rdma-hook-poststart}.json \
	usr/local/share/oci-rdma-hook/precreate.d/90-oci-rdma-hook-precreate.json \
	usr/share/containers/oci/hooks.d/{90-oci-rdma-hook,91-oci-rdma-hook-poststart}.json |
	sed 's|^oci-rdma-doctor\.8|usr/local/share/man/man8/&|' | sort)" "$(files)"
is "programs are 0755, all else 0644" "" \
	"$(find "$ROOT" -type f \( -path '*/bin/*' ! -perm 0755 -o \( -name render-base-spec -o -name collect \) ! -perm 0755 -o ! -path '*/bin/*' ! -name render-base-spec ! -name collect ! -perm 0644 \) -o -type d ! -perm 0755)"
examine() { "$ADMIN" --sysroot "$ROOT" --check-config; }
check "it passes its own check" examine
is "with both hook files" 2 "$(examine | grep -c 'hooks.d.*: ok')"
is "the precreate file is not where CRI-O reads" "" "$(grep -rl precreate "$ROOT/usr/share/containers")"
before=$(cd "$ROOT" && find . -type f -exec sha256sum {} + | sort)
check "make install again" make_it install
is "changes nothing" "$before" "$(cd "$ROOT" && find . -type f -exec sha256sum {} + | sort)"

# In which order: tests/cli/install.sh
row "no file that an engine may read is written where it stands; and uninstall leaves nothing"
strace -f -qq -e trace=openat,creat -o "$T/trace" make -s -o all install DESTDIR="$ROOT" BUILD="$BUILD" >/dev/null 2>&1
is "no file that an engine may read is written where it stands" "" \
	"$(grep -E 'O_(WRONLY|RDWR|CREAT)' "$T/trace" | grep -oE '"[^"]*/hooks\.d/[^"]*\.json"')"
make_it uninstall
is "make uninstall leaves nothing" "" "$(files)"
is "nor a directory of ours" "" "$(find "$ROOT" -name '*rdma*')"

row "a changed config.json or drop-in stays over an installation and uninstall, which say so; an unchanged drop-in goes"
make_it install
echo '{}' >"$ROOT/etc/oci-rdma-hook/config.json"
make_it install
has "which is said" "kept: $ROOT/etc/oci-rdma-hook/config.json" "$OUT"
is "a changed config.json stays over an installation" '{}' "$(cat "$ROOT/etc/oci-rdma-hook/config.json")"
drop_in=etc/containers/containers.conf.d/oci-rdma-hook.conf
install -D -m 644 "$ROOT/usr/local/share/oci-rdma-hook/podman/oci-rdma-hook.conf" "$ROOT/$drop_in"
echo '# mine' >>"$ROOT/$drop_in"
make_it uninstall
is "and over uninstall, as a changed drop-in does" "$(printf '%s\n' $drop_in etc/oci-rdma-hook/config.json)" "$(files)"
has "which says so" "kept, as it was changed: $ROOT/etc/oci-rdma-hook/config.json" "$OUT"
rm -rf "$ROOT"
make_it install
install -D -m 644 "$ROOT/usr/local/share/oci-rdma-hook/podman/oci-rdma-hook.conf" "$ROOT/$drop_in"
make_it uninstall
is "a drop-in as it was goes" "" "$(files)"

# Other places, and the other set of hook files
row "everything follows the variables PREFIX, SYSCONFDIR, HOOKSDIR and HOOKS"
rm -rf "$ROOT"
OTHER=(PREFIX=/opt/rdma SYSCONFDIR=/opt/etc HOOKSDIR=/opt/hooks.d HOOKS=device)
make_it install "${OTHER[@]}"
is "everything follows the variables" "" "$(files | grep -v ^opt/)"
is "hook files name the executable where it is" /opt/rdma/bin/oci-rdma-hook "$(jq -r .hook.path "$ROOT"/opt/hooks.d/*.json | sort -u)"
is "HOOKS=device: always" "true true" "$(jq .when.always "$ROOT"/opt/hooks.d/*.json | paste -sd ' ')"
lacks "templates name it, too" /usr/local "$(cat "$ROOT"/opt/rdma/share/oci-rdma-hook/podman/*.conf | grep -v '^#')"
is "…and the unit that brings metrics, its program, and that one the doctor" "/opt/rdma/share/oci-rdma-hook/monitoring/collect
/opt/rdma/bin/oci-rdma-doctor" "$(sed -n 's|^ExecStart=/bin/sh ||p' "$ROOT/opt/rdma/lib/systemd/system/oci-rdma-metrics.service"
	grep -o '/[a-z/]*/oci-rdma-doctor"' "$ROOT/opt/rdma/share/oci-rdma-hook/monitoring/collect" | tr -d '"')"
is "each hook file is right there" 0 "$("$ADMIN" --sysroot "$ROOT" --check-config "$ROOT"/opt/hooks.d/*.json >/dev/null; echo $?)"
make_it uninstall "${OTHER[@]}"
is "and off again" "" "$(files)"

row "HOOKS= that names no hook files is refused, and changes nothing"
for target in install uninstall; do
	make_it install
	before=$(files)
	make_it "$target" HOOKS=devices
	is "make $target HOOKS=devices: status" 2 "$?"
	has "…which says why" "HOOKS=devices: must be annotation or device" "$OUT"
	is "…and changes nothing" "$before" "$(files)"
done
make_it uninstall

# ---- the NRI plugin's unit ----

# verified [SED-COMMAND]: what systemd itself says of the unit, beside an engine's and the kubelet's that are ordered around it
verified() {
	local unit name
	rm -rf "$ROOT"
	make_it install
	unit=$ROOT/usr/local/lib/systemd/system/oci-rdma-nri-a.service
	[ $# -eq 0 ] || sed -i "$1" "$unit"
	for name in sysinit basic shutdown multi-user network; do echo '[Unit]' >"${unit%/*}/$name.target"; done
	for name in containerd kubelet; do printf '[Unit]\nAfter=containerd.service\n[Service]\nExecStart=/usr/local/bin/oci-rdma-hook\n' >"${unit%/*}/$name.service"; done
	sed -i '/^After/d' "${unit%/*}/containerd.service"
	systemd-analyze verify --man=no --root="$ROOT" oci-rdma-nri-a.service oci-rdma-nri-b.service kubelet.service containerd.service 2>&1
}
row "systemd has nothing to say about the plugin's units"
is "systemd has nothing to say about the unit" "" "$(verified)"
is "both units are installed as files of their own, since systemd takes a link for a second name of one unit" "regular file
regular file" "$(stat -c %F "$ROOT"/usr/local/lib/systemd/system/oci-rdma-nri-[ab].service)"
has "control: a value that systemd does not know" "Failed to parse service restart specifier" "$(verified s/Restart=always/Restart=allways/)"
has "control: a key that systemd does not know" "Unknown key 'MemoryMux'" "$(verified s/^MemoryMax/MemoryMux/)"
has "control: an order that cannot be kept" "ordering cycle" "$(verified 's/^After=.*/&\nAfter=kubelet.service/')"
rm -rf "$ROOT"
make_it install
unit=$ROOT/usr/local/lib/systemd/system/oci-rdma-nri-a.service
row "the plugins' units: nothing needs them, a start is given up in seconds, and systemctl enables and disables it"
is "nothing needs the unit, so that the kubelet does not fail with it" "" "$(grep -E '^(RequiredBy|RequisiteOf|BindsTo|Requires|UpheldBy)=' "$unit")"
# A start that is given up takes as long as TimeoutStartSec; the plugin itself says that it is ready sooner (tests/cli/nri.sh).
check "a start is given up in seconds" test "$(sed -n 's/^TimeoutStartSec=//p' "$unit")" -le 15
check "systemctl enable" systemctl --quiet --root="$ROOT" enable oci-rdma-nri-a.service oci-rdma-nri-b.service
wants=$ROOT/etc/systemd/system/multi-user.target.wants
is "they start with the node then" "$(printf '/usr/local/lib/systemd/system/oci-rdma-nri-%s.service\n' a b)" "$(readlink "$wants"/*)"
check "systemctl disable" systemctl --quiet --root="$ROOT" disable oci-rdma-nri-a.service oci-rdma-nri-b.service
is "and no more" "" "$(find "$wants" -type l 2>/dev/null)"

# Under SELinux udevadm has to enter a domain of its own, which NoNewPrivileges= forbids: the plus sign is what takes that away.
row "the CDI unit waits for udev with full privileges, and starts without"
is "signs" "-+" \
	"$(sed -nE 's|^ExecStartPre=([-+]*)/usr/bin/udevadm settle .*|\1|p' config/cdi/oci-rdma-hook-cdi.service)"

# On a host itself, whose directories are of the test's and whose systemctl says what it was asked, and whether the plugin is there
HERE=(TEXTFILE_DIRECTORIES="$T/none" PREFIX="$T/here" SYSCONFDIR="$T/here/etc" HOOKSDIR="$T/here/hooks.d" RUNSTATEDIR="$T/here/run" GRACE=0)
mkdir "$T/bin"
cat >"$T/bin/systemctl" <<-END
	#!/bin/sh
	there=gone
	if [ -x "$T/here/bin/oci-rdma-nri" ]; then there=there; fi
	echo "\$there: \$*" >>"$T/asked"
	exit \${SYSTEMCTL_STATUS:-0}
END
chmod 755 "$T/bin/systemctl"
chmod 755 "$T"
# here TARGET: make_it on the host; sets OUT and STATUS
here() {
	rm -f "$T/asked"
	OUT=$(PATH=$T/bin:$PATH make -s -o all "$1" BUILD="$BUILD" "${HERE[@]}" 2>&1)
	STATUS=$?
}
row "on the host: units are neither enabled nor started, and stopped by uninstall while the program is there, also where systemctl fails"
for status in 0 1; do
	export SYSTEMCTL_STATUS=$status
	here install
	is "on the host: make install neither enables nor starts the unit" "0 no" "$STATUS $([ -e "$T/asked" ] && echo yes || echo no)"
	here uninstall
	is "…make uninstall disables and stops it while the program is there, and goes on where that cannot be ($status)" \
		"0 there: disable --now oci-rdma-nri-a.service oci-rdma-nri-b.service oci-rdma-metrics.service oci-rdma-hook-cdi.service oci-rdma-hook-cdi.path
gone: daemon-reload" "$STATUS $(cat "$T/asked")"
	is "…and nothing is left of it" "" "$(find "$T/here" -name '*nri*' ! -type d)"
done
# A host with a node exporter
unset SYSTEMCTL_STATUS
row "a host with a node exporter: make install starts what brings it the metrics, unless MONITORING=0"
mkdir "$T/collector"
HERE[0]=TEXTFILE_DIRECTORIES="$T/none $T/collector"
here install
is "a host with a node exporter: make install starts what brings it the metrics" "there: daemon-reload
there: enable --now oci-rdma-metrics.service" "$(cat "$T/asked")"
HERE+=(MONITORING=0)
here install
check "…and does not with MONITORING=0" test ! -e "$T/asked"
finish
