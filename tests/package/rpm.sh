#!/bin/bash
# The RPM: made by the real rpmbuild of what `make dist` makes, clean to rpmlint, installed into a root of its own, verified, run,
# upgraded over a changed configuration, and erased. It is the last commit that is packaged.
# builds: tests/yajl/.unpacked
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/package/rpm.bash

row "the spec has the Makefile's version"
is "the spec has the Makefile's version" "$version" "$(sed -n 's/^Version: *//p' $SPEC)"

# ---- make dist ----

row "make dist: the same bytes in another place, later; what git has; nothing that others may write"
make -s dist BUILD="$T/one" 2>/dev/null
tarball=$T/one/oci-rdma-hook-$version.tar.gz
git clone -q --shared . "$T/clone"
(umask 077 && cd "$T/clone" && make -s dist BUILD="$T/two" && touch -d '1 day ago' Makefile)
check "make dist in another place, later: the same bytes" cmp "$tarball" "$T/two/oci-rdma-hook-$version.tar.gz"
is "it has what git has" "$(git ls-tree -r --name-only HEAD | sort)" \
	"$(tar -tzf "$tarball" | grep -v '/$' | sed "s|^oci-rdma-hook-$version/||" | sort)"
is "none of it may be written by others" "" "$(tar -tvzf "$tarball" | grep -E '^[^l](.{4}|.{7})w')"
row "make dist without git, or below another's repository, fails and says why"
tar -xzf "$tarball" -C "$T"
(cd "$T/oci-rdma-hook-$version" && GIT_CEILING_DIRECTORIES=$T make -s dist >"$T/out" 2>&1)
is "make dist without git fails" 2 "$?"
has "and says why" "git checkout" "$(cat "$T/out")"
git init -q "$T/other" && git -C "$T/other" -c user.name=test -c user.email=test@example.invalid commit -q --allow-empty -m other
cp -R "$T/oci-rdma-hook-$version" "$T/other/tree"
is "also below another's repository" "2 0" "$(cd "$T/other/tree" && make -s dist >"$T/out" 2>&1; echo "$? $(find build -name '*.tar.gz' 2>/dev/null | wc -l)")"

# ---- rpmbuild, rpmlint ----

# rpmbuild runs with --nodeps here, so what is built from is read from the sources: each header is some package's, here Debian's.
declare -A fedora=([libibverbs-dev]=rdma-core-devel [libprotobuf-c-dev]=protobuf-c-devel [libseccomp-dev]=libseccomp-devel [libyajl-dev]=yajl-devel
	[libcap-dev]=libcap-devel
	[libc6-dev]="" [linux-libc-dev]="")
# headers_of: the Fedora packages of what the programs include; a Debian one that has no counterpart above as it is
headers_of() {
	local name package
	grep -rhE '^#include <' core explain admin hook nri doctor tools "${BUILD:-build}/generated/nri" | sort -u | gcc -D_GNU_SOURCE -M -x c - 2>/dev/null | tr ' ' '\n' | grep '^/usr/include' |
		xargs dpkg-query -S 2>/dev/null | cut -d: -f1 | sort -u | while read -r package; do
		name=${fedora[$package]-$package}
		[ -z "$name" ] || echo "$name"
	done | sort -u
}
row "the spec requires the packages of the headers, and yajl as each distribution has it"
is "the spec requires the packages of the headers" "$(headers_of)" \
	"$(sed -n 's/^BuildRequires: *\(.*-devel\)$/\1/p' $SPEC | sort -u)"
# wants [OPTION…]: of yajl and the static C library, what a build would want; rpm macros say for which distribution
wants() { rpmspec -q --buildrequires "$@" $SPEC | grep -E 'yajl|static' | sort | paste -sd ' '; }
is "Fedora: its yajl" yajl-devel "$(wants --define 'fedora 42')"
for release in 9 10; do is "RHEL $release: no yajl, since it is compiled from its sources" "" "$(wants --define "rhel $release")"; done
is "RHEL 9, --without bundled_yajl: its yajl" yajl-devel "$(wants --define 'rhel 9' --without bundled_yajl)"
is "--with static: the static C library and libcap, and no yajl" "glibc-static libcap-static" "$(wants --with static)"
is "the source of yajl is named just where it is compiled" "0 1 1" \
	"$(for o in fedora\ 42 rhel\ 10 with_static\ 1; do rpmspec -q --srpm --qf '[%{SOURCE}\n]' --define "$o" $SPEC | grep -c yajl; done | paste -sd ' ')"

lint_all() {
	rpmlint -c rpm/rpmlint.toml $SPEC "${RPMS[@]}" "$T"/rpm/SRPMS/*.rpm >"$T/lint" 2>&1
	grep -E ': [EW]: ' "$T/lint" || grep -q ' 0 errors, 0 warnings' "$T/lint" || cat "$T/lint"
}
row "the packages: clean to rpmlint, the distribution's flags win, their architectures, and what each wants of the system"
build "$tarball"
is "rpmlint finds nothing" "" "$(lint_all)"
compiled=$(grep -m 1 -- '-c -o [^ ]*/core/base/arena.o' "$T/build.log")
has "the distribution's flags come last, so that they win" " $OPTFLAGS -MMD " "$compiled"
is "…and none of ours lowers them" "" "$(weaker "$compiled")"
machine=$(uname -m)
each="oci-rdma-hook $machine,oci-rdma-hook-doc noarch,oci-rdma-hook-doctor $machine,oci-rdma-hook-nri $machine,oci-rdma-hook-podman noarch"
is "each package's architecture" "$each" "$(architectures)"
is "the hook wants libcap and yajl's library of the system" "libcap.so.2 libyajl.so.2" "$(shared '')"
is "the doctor wants the same" "libcap.so.2 libyajl.so.2" "$(shared doctor)"
is "the NRI plugin wants protobuf-c's, too" "libcap.so.2 libprotobuf-c.so.1 libyajl.so.2" "$(shared nri)"
lacks "none says that it has a yajl of its own" bundled "$(rpm -qp --provides "${RPMS[@]}" 2>/dev/null)"
row "doctor and NRI plugin are packages of their own, and no scriptlet looks at the hardware"
is "the doctor is a package of its own" "$([ ! -e doctor/main.c ] || printf '%s\n' /usr/bin/kubectl-rdma_doctor{,-job,-selftest} /usr/bin/oci-rdma-doctor)" \
	"$(rpm -qpl "$T"/rpm/RPMS/*/oci-rdma-hook-doctor-* 2>/dev/null | grep bin/)"
nri=("$T"/rpm/RPMS/*/oci-rdma-hook-nri-*.rpm)
is "the NRI plugin is a package of its own, with its unit, man page and completion" \
	"/usr/bin/oci-rdma-nri /usr/lib/systemd/system/oci-rdma-nri-a.service /usr/lib/systemd/system/oci-rdma-nri-b.service /usr/share/bash-completion/completions/oci-rdma-nri /usr/share/man/man8/oci-rdma-nri.8.gz" \
	"$(rpm -qpl "${nri[@]}" 2>/dev/null | grep oci-rdma-nri | sort | paste -sd ' ')"
has "it has the hook below it, of the same version" "oci-rdma-hook = $version" "$(rpm -qp --requires "${nri[@]}" 2>/dev/null)"
lacks "which has none of it" oci-rdma-nri "$(rpm -qpl "$T"/rpm/RPMS/*/oci-rdma-hook-"$version"-*.rpm 2>/dev/null)"
lacks "nor stops its unit" oci-rdma-nri "$(rpm -qp --scripts "$T"/rpm/RPMS/*/oci-rdma-hook-"$version"-*.rpm 2>/dev/null)"
is "no scriptlet of the first looks at the hardware" "" "$(rpm -qp --scripts "${RPMS[@]}" 2>/dev/null | grep -E '/sys/|/dev/|lspci|modprobe')"
is "an upgrade keeps each file in /etc that you have changed: %config(noreplace)" \
	"/etc/containers/containers.conf.d/oci-rdma-hook.conf cn /etc/oci-rdma-hook/config.json cn" \
	"$(rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES} %{FILEFLAGS:fflags}\n]' "${RPMS[@]}" 2>/dev/null | sed -n 's|^-[^ ]* \(/etc/.*\)|\1|p' | sort | xargs)"
mkdir "$T/first"
cp "${RPMS[@]}" "$T/first/"

# The next release: static, and with another config.json, so that the administrator's change is in the way.
sed -i 's/^Release:.*/Release: 2/' "$T/oci-rdma-hook-$version/$SPEC"
echo '// the next release' >>"$T/oci-rdma-hook-$version/config/config.json"
tar -C "$T" -czf "$T/second.tar.gz" "oci-rdma-hook-$version"
mv "$T/second.tar.gz" "$T/one/oci-rdma-hook-$version.tar.gz"
yajl_beside "$tarball"
row "--with static: the hook wants no library, doctor and NRI plugin do; and each library in them with its license"
build "$tarball" --with static
is "--with static: each package's architecture" "$each" "$(architectures)"
lacks "--with static: the hook wants no library, the C library neither" .so. "$(of '' --requires)"
is "--with static: the doctor wants libcap" "libcap.so.2" "$(shared doctor)"
is "--with static: the NRI plugin wants protobuf-c's library, which Fedora and RHEL have no static one of" "libcap.so.2 libprotobuf-c.so.1" "$(shared nri)"
is "--with static: the license texts of what is linked into the hook" "libc6-dev libcap-dev libyajl-dev" \
	"$(of '' -l | sed -n 's,.*/licenses/.*/lib,lib,p' | sort | paste -sd ' ')"
is "--with static: …and its licenses" "Apache-2.0 AND ISC AND (BSD-3-Clause OR GPL-2.0-only) AND LGPL-2.1-or-later" "$(of '' --qf '%{LICENSE}')"
for package in '' doctor nri; do
	has "--with static: oci-rdma-hook${package:+-$package} says which yajl it has in it" "bundled(yajl) = 2.1.0" "$(of "$package" --provides)"
	is "--with static: oci-rdma-hook${package:+-$package} has yajl's license" "Apache-2.0 AND ISC 1" \
		"$(of "$package" --qf '%{LICENSE}' | cut -d ' ' -f 1-3) $(of "$package" -l | grep -c '/licenses/.*/COPYING$')"
done
second=("${RPMS[@]}")

if [ "$(id -u)" -ne 0 ]; then
	pass "installation # skip needs root, for rpm --root"
	finish
fi

# ---- a root of its own ----

ROOT=$T/root
# in_root OPTION…: rpm there. What the packages need of the system is not rpm's there.
in_root() { rpm --root "$ROOT" --dbpath /var/lib/rpm "$@" 2>&1; }
# boot: systemd's part in it
boot() { systemd-tmpfiles --root="$ROOT" --create --remove --boot; }
# everything: all that is there but rpm's own
everything() { (cd "$ROOT" && find . -path ./var -prune -o -print | sort); }

mkdir -p "$ROOT"/{bin,etc/tmpfiles.d,proc,tmp,run,usr/bin,usr/share/{doc,licenses,man/man5,man/man8},usr/lib,var/lib/rpm,var/tmp}
chmod 1777 "$ROOT/tmp" "$ROOT/var/tmp"
cp "$(command -v busybox)" "$ROOT/bin/busybox"
for applet in sh rm cp mkdir mv; do ln -s busybox "$ROOT/bin/$applet"; done
install -m 755 /bin/true "$ROOT/usr/bin/crun"
# The half minute is not waited for: it is written down, with what is there then.
cat >"$ROOT/bin/sleep" <<-'END'
	#!/bin/sh
	echo "$1" /usr/bin/oci-rdma-hoo[k] /usr/share/containers/oci/hooks.d/* >>/var/slept
END
chmod 755 "$ROOT/bin/sleep"
in_root --initdb
before=$(everything)

row "rpm -i: all as packaged, with man pages; it passes its own check, and plans"
check "rpm -i" in_root -i --nodeps "$T"/first/*.rpm
is "rpm -V: all as packaged" "" "$(in_root -Va --nodeps)"
examine() { "$ROOT/usr/bin/oci-rdma-admin" --sysroot "$ROOT" --check-config; }
check "what it installed passes its own check" examine
is "which saw both hook files" 2 "$(examine | grep -c 'hooks.d.*: ok')"
tests/nodes/mknode tests/nodes/h100.json "$T/node"
tests/bundles/mkbundle h100-trainer.json "$T/bundle"
dry_run() { "$ROOT/usr/bin/oci-rdma-hook" --sysroot "$T/node" --dry-run --format nccl "$T/bundle" | grep -v '^#'; }
is "the dry run from there" NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11 "$(dry_run)"
for program in "$ROOT"/usr/bin/oci-rdma-*; do
	check "${program##*/} has a man page" gzip -t "$ROOT/usr/share/man/man8/${program##*/}.8.gz"
done
lacks "nothing speaks of /usr/local" /usr/local "$(grep -r /usr/local "$ROOT/etc" "$ROOT/usr/share/containers" "$ROOT"/usr/share/oci-rdma-hook/{hooks.d,podman,precreate.d})"

printf '{"namespaces": ["team-a"]}\n' >"$ROOT/etc/oci-rdma-hook/config.json"
row "rpm -U keeps a changed configuration, with the new one beside it"
check "rpm -U to the next release" in_root -U --nodeps "${second[@]}"
is "it keeps the changed configuration" '{"namespaces": ["team-a"]}' "$(cat "$ROOT/etc/oci-rdma-hook/config.json")"
check "and puts the new one beside it" grep -q 'next release' "$ROOT/etc/oci-rdma-hook/config.json.rpmnew"
is "rpm -V: only that is changed" "c /etc/oci-rdma-hook/config.json" "$(in_root -Va --nodeps | sed 's/^[^ ]* *//')"
check "the check passes" examine
is "the dry run of the next release" NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11 "$(dry_run)"
is "release 2 is what is installed" 2 "$(in_root -q --qf '%{RELEASE}' oci-rdma-hook)"
rm "$ROOT/etc/oci-rdma-hook/config.json.rpmnew"

mapfile -t names < <(in_root -qa --qf '%{NAME}\n' | sort)
handler=$ROOT/etc/crio/crio.conf.d/60-oci-rdma-hook.conf
mkdir -p "${handler%/*}"
printf '[crio.runtime.runtimes.rdma]\nruntime_path = "/usr/bin/oci-rdma-runtime-crun"\n' >"$handler"
printf '[crio.runtime]\ndefault_runtime = "rdma"\n' >"${handler%/*}/70-mine.conf"
row "rpm -e is refused while an engine would not start without the shim"
has "rpm -e: it is named" "set another default_runtime first" "$(in_root -e "${names[@]}")"
check "…and the program stays, with its handler" test -x "$ROOT/usr/bin/oci-rdma-runtime-crun" -a -e "$handler"
rm "${handler%/*}/70-mine.conf"
mapfile -t names < <(in_root -qa --qf '%{NAME}\n' | sort)
row "rpm -e: the hook files first, the executable after the grace period; a changed configuration is left, and a link to the runtime until the next boot"
check "rpm -e" in_root -e "${names[@]}"
is "a link to the runtime, which the handler runs" "/usr/bin/crun 1" "$(readlink "$ROOT/usr/bin/oci-rdma-runtime-crun") $(grep -c oci-rdma-runtime-crun "$handler")"
is "…until the next boot" "r! /usr/bin/oci-rdma-runtime-crun" "$(grep crun$ "$ROOT/etc/tmpfiles.d/oci-rdma-hook.conf")"
check "the next boot" boot
is "the hook files go first, and the executable after the grace period" \
	"$(sed -n 's/^GRACE ?= //p' install/install.mk) /usr/bin/oci-rdma-hook /usr/share/containers/oci/hooks.d/*" "$(cat "$ROOT/var/slept")"
rm -r "$ROOT/etc/crio"
is "only the changed configuration is left" "./etc/oci-rdma-hook ./etc/oci-rdma-hook/config.json.rpmsave" \
	"$(comm -13 <(echo "$before") <(everything) | paste -sd ' ')"
rm -r "$ROOT/etc/oci-rdma-hook"

# With a systemctl, that says what it was asked, and whether the plugin is still there
cat >"$ROOT/bin/systemctl" <<-'END'
	#!/bin/sh
	there=gone
	if [ -x /usr/bin/oci-rdma-nri ]; then there=there; fi
	echo "$there: $*" >>/var/systemctl
END
chmod 755 "$ROOT/bin/systemctl"
# asked: what it was, since the last time
asked() {
	grep -v oci-rdma-metrics "$ROOT/var/systemctl" 2>/dev/null
	sed -n 's/^[a-z]*: \(.*\) oci-rdma-metrics.service$/\1/p' "$ROOT/var/systemctl" 2>/dev/null >>"$T/monitoring"
	rm -f "$ROOT/var/systemctl"
}
row "with a systemctl: a new unit is known, an upgraded one restarted if it runs, and stopped before its program goes"
touch "$ROOT/etc/tmpfiles.d/oci-rdma-hook.conf"
check "rpm -i, again" in_root -i --nodeps "$T"/first/*.rpm
is "the unit is known then, and neither enabled nor started" "there: --quiet daemon-reload" "$(asked)"
check "…and what an earlier removal has left is forgotten" test ! -e "$ROOT/etc/tmpfiles.d/oci-rdma-hook.conf"
check "rpm -U, again" in_root -U --nodeps "${second[@]}"
is "the next release's plugin takes over where one runs" $'there: --quiet daemon-reload\nthere: --quiet try-restart oci-rdma-nri-a.service\nthere: --quiet try-restart oci-rdma-nri-b.service' "$(asked)"
mapfile -t names < <(in_root -qa --qf '%{NAME}\n' | sort)
check "rpm -e, again" in_root -e "${names[@]}"
is "the unit is stopped and disabled while its program is there" $'there: --quiet --no-reload disable --now oci-rdma-nri-a.service oci-rdma-nri-b.service\ngone: --quiet --no-reload disable --now oci-rdma-hook-cdi.path oci-rdma-hook-cdi.service' "$(asked)"
is "what brings metrics is enabled with the doctor, restarted by an upgrade, and stopped" $'--quiet enable\n--quiet try-restart\n--quiet --no-reload disable --now' \
	"$(cat "$T/monitoring")"
rm "$ROOT/bin/systemctl"
check "the next boot, again" boot
is "nothing is left" "$before" "$(everything)"
finish
