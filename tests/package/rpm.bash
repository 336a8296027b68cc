# shellcheck shell=bash disable=SC2034
# What the RPM's suites share. They work in $T; it is the last commit that is packaged.
. tests/lib.sh
workdir
if ! is_checkout; then
	pass "the RPMs # skip: they are made of a commit, and this tree has none"
	finish
fi
SPEC=rpm/oci-rdma-hook.spec
version=$(sed -n 's/^VERSION := //p' Makefile)
# What Fedora asks of a compiler, of which our own flags ask less
OPTFLAGS='-O2 -g -Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=3 -fstack-protector-strong -fasynchronous-unwind-tables'
# The build's packages are Debian's here, which rpm knows nothing of. Its brp-compress is a bash script that says sh.
BUILD_OPTIONS=(--nodeps --define "_topdir $T/rpm" --define "optflags $OPTFLAGS" --define "__os_install_post bash /usr/lib/rpm/brp-compress %{_prefix}; find %{buildroot}%{_bindir} -type f -name 'oci-rdma-*' -exec %{__strip} {} +")
[ -e doctor/main.c ] || BUILD_OPTIONS+=(--without doctor)

# yajl_beside TARBALL: the spec's Source1, of Debian's sources
yajl_beside() { tar -C "${BUILD:-build}/tests/yajl" -czf "${1%/*}/yajl-2.1.0.tar.gz" .; }

# build TARBALL [OPTION…]: sets RPMS. What is compiled is kept in $T/objects, since how it is linked is all that the packages differ in.
build() {
	local log=$T/build.log
	rm -rf "$T/rpm" "$T"/objects/oci-rdma-*
	if JOBS=1 BUILD=$T/objects rpmbuild "${BUILD_OPTIONS[@]}" "${@:2}" -ta "$1" >"$log" 2>&1; then
		pass "rpmbuild ${*:2}"
	else
		fail "rpmbuild ${*:2}" "$(grep '^not ok' "$log"; tail -n 20 "$log")"
		finish
	fi
	mapfile -t RPMS < <(find "$T/rpm/RPMS" -name '*.rpm' | sort)
}

# weaker LINE: what a compiler was told that lowers a distribution's flags, or lets its next compiler break the build
weaker() { tr ' ' '\n' <<<"$1" | grep -xE -- '-D_FORTIFY_SOURCE=2|-fno-asynchronous-unwind-tables|-fno-inline-functions-called-once|-Werror' | paste -sd ' '; }

# of PACKAGE --requires|--provides…: what rpm says of the one that was built, '' being the first
of() { rpm -qp "${@:2}" "$T"/rpm/RPMS/*/oci-rdma-hook${1:+-$1}-"$version"-*.rpm 2>/dev/null; }
# architectures: of all packages, as NAME ARCH
architectures() { rpm -qp --qf '%{NAME} %{ARCH}\n' "${RPMS[@]}" 2>/dev/null | sort | paste -sd ,; }
# shared PACKAGE: the libraries that it wants of the system, without the C library's
shared() { of "$1" --requires | sed -nE 's/^(lib[^(]*|ld-[^(]*)\(.*/\1/p' | grep -vE '^(libc|ld-linux.*)\.so' | sort -u | paste -sd ' '; }
