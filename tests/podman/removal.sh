#!/bin/bash
# Taking the runtime shim off while containers run: what would be stranded is named, and what podman serves without it goes on.
# shellcheck disable=SC2154 # what setup.bash sets
. tests/podman/setup.bash

config '{}'
root
shim=/usr/local/bin/oci-rdma-runtime-crun
ln -s oci-rdma-hook "$shim"
detached() { pod run -d --cgroup-parent "/${T##*/}" --rootfs "$ROOT" /bin/sleep 14400; }
uninstall() { make -s uninstall GRACE=0 BINDIR="${shim%/*}" SYSCONFDIR="$T/etc" HOOKSDIR="$T/none" DATADIR="$T/share" 2>&1; }

is "nothing runs: nothing is in the way" "0 " "$("$ADMIN" --check-removal 2>&1; echo "$? ")"

runtime=$shim
id=$(detached)
out=$(uninstall)
is "a container by the shim's path: uninstall refuses" 2 "$?"
has "…naming it" "container $id runs through $shim" "$out"
check "…and has taken nothing away" test -x "$shim"
is "…so that exec goes on" 0 "$(pod exec "$id" /bin/sleep 0 >"$T/out" 2>&1; echo $?)"
check "…and the container ends" pod rm -f -t 0 "$id"

# containers.conf's way: the shim first, the plain runtime behind it
printf '[engine.runtimes]\ncrun = ["%s", "%s"]\n' "$shim" "$(command -v crun)" >>"$CONTAINERS_CONF"
runtime=crun
id=$(detached)
has "a container by containers.conf runs by the shim, too" "$shim" "$(tr '\0' ' ' < <(cat /proc/[0-9]*/cmdline) | grep -o " -r $shim")"
out=$(uninstall)
is "a container by containers.conf: uninstall goes on" "0 oci-rdma-hook is uninstalled" "$? $out"
check "…the shim is gone" test ! -e "$shim"
is "…exec goes on" 0 "$(pod exec "$id" /bin/sleep 0 >"$T/out" 2>&1; echo $?)"
check "…and the container ends" pod rm -f -t 0 "$id"
nothing_left
finish
