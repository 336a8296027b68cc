#!/bin/bash
# Debian packages of the last commit, as it is released: clean to lintian, installed by apt into a Debian of their own, run there, and purged
# without a trace.
# packages: podman doctor-image cross-aarch64 events
# builds: tests/yajl/.unpacked tests/kubectl/.unpacked
# shellcheck disable=SC2016,SC2317 # a format of dpkg-query's; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir
. tests/package/release.bash

is "debian/changelog has the Makefile's version" "$version" "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)"
mkdir "$T/source"
git archive HEAD | tar -x -C "$T/source"
source_package() { (cd "$T/source" && dpkg-buildpackage -S --no-sign); }
check "the source package" source_package
flags() (cd "$T/source" && DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get "$1")
compiled=$(cd "$T/source" && make -n -f debian/rules override_dh_auto_build 2>&1 | grep -m 1 -- '-c -o build/core/base/arena.o')
row "the compiler is called with dpkg's flags, the last ones, and with no -Werror nor another _FORTIFY_SOURCE of ours"
has "CFLAGS" " $(flags CFLAGS) -MMD " "$compiled"
has "CPPFLAGS" " $(flags CPPFLAGS) -D_GNU_SOURCE " "$compiled"
is "each once" "-D_FORTIFY_SOURCE=2" "$(tr ' ' '\n' <<<"$compiled" | grep -xE -- '-D_FORTIFY_SOURCE=.*|-fno-asynchronous-unwind-tables|-fno-inline-functions-called-once|-Werror')"
row ''
is "lintian finds nothing" "" \
	"$(lintian --allow-root --fail-on none --tag-display-limit 0 "$T"/*.changes "$out"/*.deb 2>&1 | grep -v 'running with root privileges')"

# ---- in a Debian of its own ----

root=$T/root
mirror=$(tools/mirror)
. /etc/os-release
bootstrap() { mmdebstrap --quiet --mode=root --variant=apt --include=jq,libcap2,libyajl2,libprotobuf-c1 "$VERSION_CODENAME" "$root" "$mirror"; }
check "a Debian for it" bootstrap
# What apt and dpkg write of themselves is not the packages'.
files() {
	(cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./packages -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
		-o -path ./var/log -o -path ./var/cache \) -prune -o -print | sort)
}
# shellcheck disable=SC2016 # the inner shell's
in_root() { unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
mkdir -p "$root/etc/tmpfiles.d"
install -m 755 /bin/true "$root/usr/bin/crun"
before=$(files)
mkdir "$root/packages"
cp "$out"/*.deb "$root/packages"
# shellcheck disable=SC2046 # names without spaces
install_all() { in_root apt-get install -y --no-install-recommends $(cd "$root" && echo ./packages/*.deb); }
row "apt-get install: programs run and say their commit, what is installed can be used, units are not switched on"
check "apt-get install" install_all
for program in oci-rdma-hook oci-rdma-admin oci-rdma-nri oci-rdma-doctor; do
	is "$program runs, and says its commit" "$program $version (commit $(git rev-parse --short=12 HEAD))" "$(in_root "$program" --version)"
done
check "what is installed can be used" in_root oci-rdma-admin --check-config
is "…with both hook files" 2 "$(in_root oci-rdma-admin --check-config | grep -c 'hooks.d.*: ok')"
is "the plugin's units are not switched on" "" "$(find "$root/etc/systemd/system" -name "oci-rdma-nri*" 2>/dev/null)"
is "each package's executables" "$(printf '%s\n' kubectl-rdma_doctor{,-job,-selftest} oci-rdma-{hook,admin,nri,doctor,runtime} | sort)" \
	"$(in_root dpkg -L oci-rdma-hook oci-rdma-hook-nri oci-rdma-hook-doctor | sed -n 's|^/usr/bin/||p' | sed 's/-\(crun\|runc\)$//' | sort -u)"
is "dpkg asks before it replaces a file that you have changed: each of ours in /etc" \
	"/etc/containers/containers.conf.d/oci-rdma-hook.conf /etc/oci-rdma-hook/config.json" \
	"$(in_root dpkg-query --show --showformat '${Conffiles}\n' 'oci-rdma-hook*' | sed -n 's/^ \(.*\) .*/\1/p' | sort | xargs)"
touch "$root/etc/tmpfiles.d/oci-rdma-hook.conf"
check "what an earlier removal has left is forgotten" in_root sh -c 'DPKG_MAINTSCRIPT_PACKAGE=x /var/lib/dpkg/info/oci-rdma-hook.postinst configure && test ! -e /etc/tmpfiles.d/oci-rdma-hook.conf'
echo '// mine' >>"$root/etc/oci-rdma-hook/config.json"
row "apt-get remove keeps a changed configuration and a link to the runtime until the next boot, purge leaves nothing"
check "removed" in_root apt-get remove -y oci-rdma-hook 'oci-rdma-hook-*'
is "…a link to the runtime" /usr/bin/crun "$(readlink "$root/usr/bin/oci-rdma-runtime-crun")"
check "…until the next boot" systemd-tmpfiles --root="$root" --create --remove --boot
check "…the changed configuration stays" grep -q '// mine' "$root/etc/oci-rdma-hook/config.json"
check "purged" in_root apt-get purge -y oci-rdma-hook 'oci-rdma-hook-*'
rm -r "$root/packages"
is "nothing of it is left" "" "$(diff <(echo "$before") <(files))"
finish
