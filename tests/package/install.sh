#!/bin/bash
# make install and make uninstall: into a DESTDIR what belongs there, by rename and in order; off again without a trace but what
# was changed. What a host does with it is tested in the virtual machine (tests/vm/check-install).
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
BUILD=${BUILD:-build}
HOOK=$(realpath "${HOOK:-$BUILD/oci-rdma-hook}")
umask 022
workdir
ROOT=$T/root
doctor=()
if [ -e doctor/main.c ]; then doctor=(oci-rdma-doctor); fi

# make_it TARGET [VARIABLE=…]: sets OUT
make_it() { OUT=$(make -s "$1" DESTDIR="$ROOT" BUILD="$BUILD" "${@:2}" 2>&1); }
files() { (cd "$ROOT" && find . \( -type f -o -type l \) | sed 's|^\./||' | sort); }

check "make install" make_it install
is "what it installs" "$(printf '%s\n' etc/oci-rdma-hook/config.json \
	usr/local/bin/oci-rdma-{hook,nri,runtime,runtime-crun,runtime-runc} "${doctor[@]/#/usr/local/bin/}" \
	usr/local/share/bash-completion/completions/oci-rdma-{hook,nri} "${doctor[@]/#/usr/local/share/bash-completion/completions/}" \
	usr/local/lib/systemd/system/oci-rdma-nri.service usr/local/share/man/man5/oci-rdma-hook.json.5 \
	usr/local/share/man/man8/oci-rdma-{hook,nri,runtime,runtime-crun,runtime-runc}.8 "${doctor[@]/%/.8}" \
	usr/local/share/oci-rdma-hook/{podman/oci-rdma-hook.conf,profiles/roce-legacy.json} \
	usr/local/share/oci-rdma-hook/hooks.d/device/{90-oci-rdma-hook,91-oci-rdma-hook-poststart}.json \
	usr/local/share/oci-rdma-hook/precreate.d/90-oci-rdma-hook-precreate.json \
	usr/share/containers/oci/hooks.d/{90-oci-rdma-hook,91-oci-rdma-hook-poststart}.json |
	sed 's|^oci-rdma-doctor\.8|usr/local/share/man/man8/&|' | sort)" "$(files)"
is "programs are 0755, all else 0644" "" \
	"$(find "$ROOT" -type f \( -path '*/bin/*' ! -perm 0755 -o ! -path '*/bin/*' ! -perm 0644 \) -o -type d ! -perm 0755)"
examine() { "$HOOK" --sysroot "$ROOT" --check-config; }
check "it passes its own check" examine
is "with both hook files" 2 "$(examine | grep -c 'hooks.d.*: ok')"
is "the precreate file is not where CRI-O reads" "" "$(grep -rl precreate "$ROOT/usr/share/containers")"
before=$(cd "$ROOT" && find . -type f -exec sha256sum {} + | sort)
check "make install again" make_it install
is "changes nothing" "$before" "$(cd "$ROOT" && find . -type f -exec sha256sum {} + | sort)"

# In order: the executable first, the hook files last; off the other way round. Each by rename.
strace -f -qq -e trace=rename,renameat,renameat2 -o "$T/trace" make -s install DESTDIR="$ROOT" BUILD="$BUILD" >/dev/null 2>&1
order=$(sed -nE 's/.*"([^"]*)"[^"]*\) = 0$/\1/p' "$T/trace" | sed "s|^$ROOT||" | grep -E '^/usr/(local/bin|share/containers)')
is "the executable comes first" /usr/local/bin/oci-rdma-hook "$(head -n 1 <<<"$order")"
is "the hook files last" "$(printf '/usr/share/containers/oci/hooks.d/%s.json\n' 90-oci-rdma-hook 91-oci-rdma-hook-poststart)" "$(tail -n 2 <<<"$order")"
strace -f -qq -e trace=openat,creat -o "$T/trace" make -s install DESTDIR="$ROOT" BUILD="$BUILD" >/dev/null 2>&1
is "no file that an engine may read is written where it stands" "" \
	"$(grep -E 'O_(WRONLY|RDWR|CREAT)' "$T/trace" | grep -oE '"[^"]*/hooks\.d/[^"]*\.json"')"
strace -f -qq -e trace=unlink,unlinkat -o "$T/trace" make -s uninstall DESTDIR="$ROOT" BUILD="$BUILD" >/dev/null 2>&1
order=$(sed -nE 's/.*"([^"]*)".*= 0$/\1/p' "$T/trace" | sed "s|^$ROOT||" | grep -E '/(bin|hooks.d)/')
check "uninstall takes the hook files first" test "$(grep -n hooks.d/90 <<<"$order" | cut -d: -f1)" -lt "$(grep -n bin/oci-rdma-hook <<<"$order" | cut -d: -f1)"
is "and leaves nothing" "" "$(files)"
is "nor a directory of ours" "" "$(find "$ROOT" -name '*rdma*')"

make_it install
echo '{}' >"$ROOT/etc/oci-rdma-hook/config.json"
make_it install
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
rm -rf "$ROOT"
OTHER=(PREFIX=/opt/rdma SYSCONFDIR=/opt/etc HOOKSDIR=/opt/hooks.d HOOKS=device)
make_it install "${OTHER[@]}"
is "everything follows the variables" "" "$(files | grep -v ^opt/)"
is "hook files name the executable where it is" /opt/rdma/bin/oci-rdma-hook "$(jq -r .hook.path "$ROOT"/opt/hooks.d/*.json | sort -u)"
is "HOOKS=device: always" "true true" "$(jq .when.always "$ROOT"/opt/hooks.d/*.json | paste -sd ' ')"
lacks "templates name it, too" /usr/local "$(cat "$ROOT"/opt/rdma/share/oci-rdma-hook/podman/*.conf | grep -v '^#')"
is "each hook file is right there" 0 "$("$HOOK" --sysroot "$ROOT" --check-config "$ROOT"/opt/hooks.d/*.json >/dev/null; echo $?)"
make_it uninstall "${OTHER[@]}"
is "and off again" "" "$(files)"
finish
