#!/bin/bash
# make release-check: a small repository in which all is right may be released, and not with any one thing wrong. It has this tree's own
# files where they are looked at, and a Makefile with what is asked of ours.
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir
version=$(sed -n 's/^VERSION := //p' Makefile)
today=$(date +%F)
export GIT_AUTHOR_DATE="$today 12:00" GIT_COMMITTER_DATE="$today 12:00" GIT_CONFIG_GLOBAL=$T/gitconfig
printf '[user]\nname = test\nemail = test@example.invalid\n[init]\ndefaultBranch = main\n' >"$T/gitconfig"

R=$T/repository
mkdir "$R"
cp --parents -t "$R" MAINTAINERS SECURITY.md doc/troubleshooting.md doc/man/* install/kubectl/* config/kubernetes/{install,nri,nri/launch,events}/kustomization.yaml config/selftest/kustomization.yaml debian/{changelog,control} \
	rpm/oci-rdma-hook.spec tools/{release-check,versions}
here=$PWD
cd "$R" || exit 1
cat >Makefile <<END
VERSION := $version
all:
	test ! -e .git
dist:
	git archive --format=tar.gz --prefix=oci-rdma-hook-\$(VERSION)/ -o build/oci-rdma-hook-\$(VERSION).tar.gz HEAD
check-unit check-cli: all
	test -e doc/troubleshooting.md
check-long:
	test -e .git
.PHONY: all dist check-unit check-cli check-long
END
printf '/build/\n' >.gitignore
printf '# Changelog\n\n## [Unreleased]\n\n## [%s] - %s\n\n### Added\n- It.\n' "$version" "$today" >CHANGELOG.md
sed -i "s/^\.Dd .*/.Dd $(date -d "$today" '+%B %-d, %Y')/" doc/man/*
sed -i "0,/^ -- /s/^ -- .*/ -- The authors <authors@oci-rdma-hook.io>  $(date -R -d "$today")/" debian/changelog
sed -i "0,/^\* /s/^\* .*/* $(date -d "$today" '+%a %b %d %Y') The authors <authors@oci-rdma-hook.io> - $version-1/" rpm/oci-rdma-hook.spec
sed -i 's/\.invalid/.io/' MAINTAINERS
git init -q && git add -A && git commit -qm all && git tag "v$version"
right=$(git rev-parse HEAD)

# examine [OPTION]: $out, $rc
examine() {
	out=$(tools/release-check "$@" 2>&1)
	rc=$?
}

# refused WHAT PLACE TEXT: that alone, as it is now; then all is right again
refused() {
	examine "${4---without-tarball}"
	row "$1"
	is "it is refused" "1 release-check: $version may not be released: 1 things are in the way" "$rc ${out##*$'\n'}"
	is "one line, with its place" "$2" "$(grep "^${2%%:*}" <<<"$out" | sed -E 's/^([^:]*(:[0-9]+)?): .*/\1/')"
	has "and what to do" "$3" "$out"
	row ''
	git reset -q --hard "$right"
	git clean -qfd
	git tag | xargs -r git tag -d >/dev/null
	git tag "v$version"
}

# committed COMMAND…: its change, in the commit that has the tag
committed() {
	"$@"
	git add -A && git commit -qm change && git tag -f "v$version" >/dev/null
}

# at PATTERN FILE: FILE:LINE
at() { echo "$2:$(grep -m 1 -n -- "$1" "$2" | cut -d: -f1)"; }

examine
is "all is right: accepted, with its tarball and check-long" "0 release-check: $version may be released" "$rc ${out##*$'\n'}"

echo >>SECURITY.md
refused "a change that is not committed" SECURITY.md "commit it"
touch new
refused "a file that is not committed" new "commit it, or remove it"

git tag -d "v$version" >/dev/null
refused "no tag" Makefile:1 "git tag -a v$version"
git commit -q --allow-empty -m later
refused "the tag is another commit" Makefile:1 "the tag v$version is another commit"
git tag v99.0.0 && git tag -d "v$version" >/dev/null
refused "another version's tag" Makefile:1 "this commit's tag is v99.0.0"

for file in install/kubectl/kubectl-rdma_doctor config/kubernetes/{install,nri,nri/launch,events}/kustomization.yaml config/selftest/kustomization.yaml debian/changelog doc/troubleshooting.md; do
	committed sed -i "0,/$version/s/$version/99.0.1/" "$file"
	refused "$file has another version" "$(at 99.0.1 "$file")" "write $version"
done
committed sed -i "s/^Version:.*/Version: 99.0.1/" rpm/oci-rdma-hook.spec
refused "the spec has another version" "$(at '^Version' rpm/oci-rdma-hook.spec)" "write $version"
committed sed -i "s/ - $version-1/ - 99.0.1-1/" rpm/oci-rdma-hook.spec
refused "the spec's changelog has another version" "$(at '^\*' rpm/oci-rdma-hook.spec)" "write $version"
committed sed -i '/newTag/d' config/kubernetes/nri/kustomization.yaml
refused "a version that is gone" config/kubernetes/nri/kustomization.yaml "say $version there"
committed eval "echo image: oci-rdma-doctor:$version >doc/new.md"
refused "a version in a file that is not listed" doc/new.md:1 "add it, or leave the version out"

committed sed -i "/^- It/d; s/^## \[Unreleased\]/&\n\n- It./" CHANGELOG.md
examine --without-tarball
has "the CHANGELOG's entry is unreleased still" "CHANGELOG.md:3: [Unreleased] has entries: move them to [$version]" "$out"
has "…so that the release has none" "CHANGELOG.md:7: the section has no entry" "$out"
git reset -q --hard "$right" && git tag -f "v$version" >/dev/null
committed sed -i "s/^## \[$version\].*/## [99.0.1] - $today/" CHANGELOG.md
refused "no section in the CHANGELOG" CHANGELOG.md "add '## [$version] - "
for date in '' ' - today' ' - 2026-02-30'; do
	committed sed -i "s/^\(## \[$version\]\).*/\1$date/" CHANGELOG.md
	refused "the section's date is '$date'" CHANGELOG.md:5 "write '## [$version] - "
done
committed sed -i "s/^\(## \[$version\]\).*/\1 - 9999-01-01/" CHANGELOG.md
refused "a day to come" CHANGELOG.md:5 "has not come yet"
committed sed -i "s/^\(## \[$version\]\).*/\1 - 2020-01-01/" CHANGELOG.md
refused "a day before the commit" CHANGELOG.md:5 "lies before this commit"

committed sed -i '/^ -- /s/  .*/  Wed, 01 Jan 2020 00:00:00 +0000/' debian/changelog
refused "another day in debian/changelog" "$(at '^ -- ' debian/changelog)" "write $(date -R -d "$today")"
committed sed -i '/^\*/s/^.\{17\}/* Wed Jan 01 2020/' rpm/oci-rdma-hook.spec
refused "another day in the spec" "$(at '^\*' rpm/oci-rdma-hook.spec)" "write $(date -d "$today" '+%a %b %d %Y')"
for date in 'January 1, 2020' 'January 1, 9999' 'Someday'; do
	committed sed -i "s/^\.Dd .*/.Dd $date/" doc/man/oci-rdma-nri.8
	refused "a page of $date" doc/man/oci-rdma-nri.8:2 "write .Dd $(date -d "$today" '+%B %-d, %Y')"
done
committed sed -i '/^\.Dd/d' doc/man/oci-rdma-nri.8
refused "a page without a day" doc/man/oci-rdma-nri.8 ".Dd is no day"

for key in security maintainers registry; do
	committed sed -i "/^$key:/s/\.io/.invalid/" MAINTAINERS
	refused "MAINTAINERS: $key as it is in this tree" "$(grep -n "^$key:" "$here/MAINTAINERS" | sed 's/^\([0-9]*\).*/MAINTAINERS:\1/')" "a placeholder, '$key: "
	committed sed -i "/^$key:/d" MAINTAINERS
	refused "MAINTAINERS: no $key" MAINTAINERS "it has no line '$key: …'"
done
for contact in 'security@example.com' 'https://example.org/report' 'root@localhost'; do
	committed sed -i "s|^security:.*|security: $contact|" MAINTAINERS
	refused "the contact is $contact" MAINTAINERS:2 "a placeholder"
done
for file in debian/control debian/changelog rpm/oci-rdma-hook.spec; do
	place=$(at '@oci-rdma-hook.io' "$file")
	committed sed -i 's/@oci-rdma-hook\.io/@localhost/' "$file"
	refused "$file: a placeholder" "$place" "write an address"
done

committed eval 'echo "doc/troubleshooting.md export-ignore" >.gitattributes'
refused "the tarball lacks a file" "build/oci-rdma-hook-$version.tar.gz" "see the end of build/release-check.log" ""
committed sed -i '/^check-long/{n;s/test/! test/}' Makefile
refused "a test that takes long fails" tests "see the end of build/release-check-long.log" ""
committed sed -i 's/git archive/false/' Makefile
refused "no tarball" "build/oci-rdma-hook-$version.tar.gz" "make dist did not make it" ""

row "SECURITY.md has no address of its own: who publishes writes it into MAINTAINERS alone"
is "none" "" "$(grep -nE '[[:alnum:]]@[[:alnum:]]|https?://' "$here/SECURITY.md")"
has "where it is" "](MAINTAINERS)" "$(<"$here/SECURITY.md")"
row ''

# ---- a tree of `make dist`, which is not git's, below another's repository ----

git init -q "$T/other"
git archive --prefix=other/tree/ "$right" | tar -x -C "$T"
cd "$T/other/tree" || exit 1
mkdir build && touch build/made
is "its files are known" "$(git -C "$R" ls-tree -r --name-only "$right" | sort)" "$( (with_git && git ls-files | sort))"
cd "$here" || exit 1
check "control: this tree's are, too" with_git
finish
