#!/bin/bash
# make YAJL=DIRECTORY: yajl from its sources, for machines without a package of it. The sources are Debian's.
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir

version=$(sed -n 's/^VERSION := //p' Makefile)
cp -R "${BUILD:-build}/tests/yajl" "$T/source"
yajl=$T/source
echo 'static const char origin[] __attribute__((used, retain)) = "yajl of these sources";' >>"$yajl/src/yajl_parser.c"
check "make YAJL=…" make -s BUILD="$T/build" YAJL="$yajl" all
for program in oci-rdma-hook oci-rdma-nri oci-rdma-doctor; do
	is "$program runs" "$program $version" "$("$T/build/$program" --version 2>&1 | cut -d ' ' -f 1,2)"
	check "$program has it" grep -q "yajl of these sources" "$T/build/$program"
	is "$program needs no yajl" "" "$(readelf -W --dynamic "$T/build/$program" | grep -i yajl)"
done
HOOK=$T/build/oci-rdma-hook BUILD=$T/build tests/cli/config.sh >"$T/log" 2>&1
is "tests/cli/config.sh passes with it" 0 $?
refuses() { ! make -s BUILD="$T/other" YAJL="$T" all >"$T/log" 2>&1; }
check "a directory without yajl is refused" refuses
has "…saying so" "there is no src/*.c of yajl" "$(<"$T/log")"
finish
