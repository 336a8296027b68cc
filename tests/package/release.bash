# shellcheck shell=bash disable=SC2034
# What is released of the commit that is checked out, for the suites that look at it: whichever comes first makes it, in a clean clone.
# Sets $version, $commit, $tree (the clone) and $out (what is released).
if ! is_checkout; then
	pass "make release # skip: it is made of a commit, and this tree has none"
	finish
fi
version=$(sed -n 's/^VERSION := //p' Makefile)
commit=$(git rev-parse HEAD)
tree=$(realpath -m "${BUILD:-build}/tests/release/tree")
out=$tree/build/release/$version

# release DIRECTORY: there. What the RPM compiles of yajl, and kubectl, are those that were fetched for this tree.
release() {
	git clone -q . "$1" && mkdir -p "$1/build/tests" && cp -R "${BUILD:-build}"/tests/{yajl,kubectl} "$1/build/tests/" || return
	touch "$1"/build/tests/{yajl,kubectl}/.unpacked
	if make -C "$1" -s release REGISTRY=registry.example/team >"$T/release.log" 2>&1; then return; fi
	tail -n 20 "$T/release.log"
	return 1
}

released() {
	mkdir -p "${tree%/*}"
	exec 9>"$tree.lock"
	flock 9
	local status=0
	# Not $out: check(), which runs this, has a variable of that name.
	if [ "$(git -C "$tree" rev-parse HEAD 2>/dev/null)" != "$commit" ] || [ ! -e "$tree/build/release/$version/SHA256SUMS" ]; then
		rm -rf "$tree"
		release "$tree" || status=$?
	fi
	exec 9>&-
	return "$status"
}
check "make release" released
[ -e "$out/SHA256SUMS" ] || finish
