#!/bin/bash
# Debian packages: made by dpkg-buildpackage of the last commit, clean to lintian, installed by apt into a Debian of their own, run there,
# and purged without a trace.
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir
if ! is_checkout; then
	pass "the Debian packages # skip: they are made of a commit, and this tree has none"
	finish
fi

version=$(sed -n 's/^VERSION := //p' Makefile)
is "debian/changelog has the Makefile's version" "$version" "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)"
mkdir "$T/source"
git archive HEAD | tar -x -C "$T/source"
build() { (cd "$T/source" && JOBS=1 dpkg-buildpackage --build=full --no-sign) >"$T/log" 2>&1 || { tail -n 30 "$T/log" && false; }; }
check "dpkg-buildpackage" build
is "lintian finds nothing" "" "$(lintian --allow-root --fail-on none --tag-display-limit 0 "$T"/*.changes 2>&1 | grep -v 'running with root privileges')"

# ---- in a Debian of its own ----

root=$T/root
mirror=$(tools/mirror)
. /etc/os-release
bootstrap() { mmdebstrap --quiet --mode=root --variant=apt --include=jq,libcap2,libnettle8,libyajl2,libprotobuf-c1 "$VERSION_CODENAME" "$root" "$mirror"; }
check "a Debian for it" bootstrap
# What apt and dpkg write of themselves is not the packages'.
files() {
	(cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./packages -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
		-o -path ./var/log -o -path ./var/cache \) -prune -o -print | sort)
}
# shellcheck disable=SC2016 # the inner shell's
in_root() { unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
before=$(files)
mkdir "$root/packages"
cp "$T"/*.deb "$root/packages"
rm -f "$root"/packages/*-dbgsym_*
# shellcheck disable=SC2046 # names without spaces
install_all() { in_root apt-get install -y --no-install-recommends $(cd "$root" && echo ./packages/*.deb); }
check "apt-get install" install_all
for program in oci-rdma-hook oci-rdma-nri oci-rdma-doctor; do
	is "$program runs, and says its commit" "$program $version (commit $(git rev-parse --short=12 HEAD))" "$(in_root "$program" --version)"
done
check "what is installed can be used" in_root oci-rdma-hook --check-config
is "…with both hook files" 2 "$(in_root oci-rdma-hook --check-config | grep -c 'hooks.d.*: ok')"
absent() { [ ! -e "$1" ] && [ ! -L "$1" ]; }
check "the plugin's unit is not switched on" absent "$root/etc/systemd/system/multi-user.target.wants/oci-rdma-nri.service"
is "each package's executables" "$(printf '%s\n' kubectl-rdma_doctor oci-rdma-{hook,nri,doctor,runtime} | sort)" \
	"$(in_root dpkg -L oci-rdma-hook oci-rdma-hook-nri oci-rdma-hook-doctor | sed -n 's|^/usr/bin/||p' | sed 's/-\(crun\|runc\)$//' | sort -u)"
echo '// mine' >>"$root/etc/oci-rdma-hook/config.json"
check "removed" in_root apt-get remove -y oci-rdma-hook 'oci-rdma-hook-*'
check "…the changed configuration stays" grep -q '// mine' "$root/etc/oci-rdma-hook/config.json"
check "purged" in_root apt-get purge -y oci-rdma-hook 'oci-rdma-hook-*'
rm -r "$root/packages"
is "nothing of it is left" "" "$(diff <(echo "$before") <(files))"
finish
