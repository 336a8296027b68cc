#!/bin/bash
# config/kubernetes/node-install, what the DaemonSet runs, on a scratch root: the order of its steps, a second run, an upgrade, removal.
# shellcheck disable=SC2016,SC2034,SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash

check "make-context" config/kubernetes/make-context "$HOOK" "$T/context"
image=$T/context/root
host=$T/host
printf '{ "opt_in": "annotation" } // ours\n' >"$T/config.json"
hooks=$host/usr/share/containers/oci/hooks.d
handler=$host/etc/crio/crio.conf.d/60-oci-rdma-hook.conf

# node_install TASK [VARIABLE=VALUE…]: with the image's own shell and tools, and nothing else
node_install() {
	env -i PATH="$image/bin" ROOT="$host" SOURCE="$image/oci-rdma-hook" CONFIG="$T/config.json" GRACE=0 "${@:2}" \
		"$image/bin/sh" "$image/oci-rdma-hook/bin/node-install" "$1" >"$T/log" 2>&1
}
# traced TASK [VARIABLE=VALUE…]: what it renamed and removed on the node, one a line, in order
traced() {
	rm -f "$T"/trace.*
	strace -f -qq -ttt -o "$T/trace" -e trace=rename,renameat,renameat2,unlink,unlinkat,rmdir \
		env -i PATH="$image/bin" ROOT="$host" SOURCE="$image/oci-rdma-hook" CONFIG="$T/config.json" GRACE=0 "${@:2}" \
		"$image/bin/sh" "$image/oci-rdma-hook/bin/node-install" "$1" >"$T/log" 2>&1
	sed -nE "s#.* (rename|unlink).*\"$host(/[^\"]*)\".*= 0\$#\2#p" "$T/trace"
}
tree() { (cd "$host" && find . ! -type d | sort); }
refused() { ! "$@"; }

mkdir -p "$host/etc/crio"
steps=$(traced install RUNTIME=1)
is "install: the executable first, the hook files last, each by rename" "/usr/local/bin/oci-rdma-hook
/etc/oci-rdma-hook/config.json
/usr/local/bin/oci-rdma-runtime-crun
/etc/crio/crio.conf.d/60-oci-rdma-hook.conf
/usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json
/usr/share/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json" "$steps"
is "install: these files and no other" "./etc/crio/crio.conf.d/60-oci-rdma-hook.conf
./etc/oci-rdma-hook/config.json
./usr/local/bin/oci-rdma-hook
./usr/local/bin/oci-rdma-runtime-crun
./usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json
./usr/share/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json" "$(tree)"
is "install: modes" "644 755 755 644" "$(stat -c %a "$handler" "$host"/usr/local/bin/* "$hooks/90-oci-rdma-hook.json" | xargs)"
is "install: the executable runs" "$("$HOOK" --version)" "$("$host/usr/local/bin/oci-rdma-hook" --version)"
for json in "$hooks"/*.json; do
	check "install: ${json##*/} names what is there" test -x "$host$(jq -r .hook.path "$json")"
done
check "check: all is as installed" node_install check RUNTIME=1

is "a second install touches nothing" "" "$(traced install RUNTIME=1)"
is "an interrupted install is finished: what is there stays" "/usr/share/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json" \
	"$(rm "$hooks/91-oci-rdma-hook-poststart.json" && traced install RUNTIME=1)"

printf 'older' >>"$host/usr/local/bin/oci-rdma-hook.copy" && cat "$host/usr/local/bin/oci-rdma-hook" >>"$host/usr/local/bin/oci-rdma-hook.copy"
mv "$host/usr/local/bin/oci-rdma-hook.copy" "$host/usr/local/bin/oci-rdma-hook"
check "check: another executable is noticed" refused node_install check RUNTIME=1
is "upgrade: only the executable, by rename" /usr/local/bin/oci-rdma-hook "$(traced install RUNTIME=1)"
check "upgrade: all is as installed" node_install check RUNTIME=1

steps=$(traced remove RUNTIME=1)
is "remove: the hook files and the handler first, the executable last" "/usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json
/usr/share/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json
/etc/crio/crio.conf.d/60-oci-rdma-hook.conf
/usr/local/bin/oci-rdma-runtime-crun
/usr/local/bin/oci-rdma-hook
/etc/oci-rdma-hook/config.json" "$steps"
has "remove: in between it waits" "for containers that were created with it to start" "$(<"$T/log")"
is "remove: nothing is left" "" "$(tree)"
check "remove: the directory is gone, too" test ! -e "$host/etc/oci-rdma-hook"
is "a second remove touches nothing" "" "$(traced remove RUNTIME=1)"
lacks "…and does not wait" waiting "$(<"$T/log")"

check "install again" node_install install RUNTIME=1
echo '{}' >"$host/etc/oci-rdma-hook/config.json"
mkdir -p "$host/run/oci-rdma-hook" && touch "$host/run/oci-rdma-hook/0123"
node_install remove RUNTIME=1 GRACE=1 &
remover=$!
within grep -q runtimeClassName "$T/log"
check "remove: containers of the handler keep their runtime" test -x "$host/usr/local/bin/oci-rdma-runtime-crun"
check "remove: …but the hook files are off" test ! -e "$hooks/90-oci-rdma-hook.json"
rm "$host/run/oci-rdma-hook/0123"
wait "$remover"
is "remove: it goes on when they are gone" 0 $?
is "remove: a config.json that is not ours stays" ./etc/oci-rdma-hook/config.json "$(tree)"

rm -rf "${host:?}"/*
echo '{"opt_in":"device"}' >"$T/own.json"
install -D -m 0644 "$T/own.json" "$host/etc/oci-rdma-hook/config.json"
check "HOOKS=device, without a config.json of ours" node_install install HOOKS=device CONFIG="$T/none"
check "…the files for every container" cmp config/hooks.d/device/90-oci-rdma-hook.json "$hooks/90-oci-rdma-hook.json"
check "…the node's own policy stays" cmp "$T/own.json" "$host/etc/oci-rdma-hook/config.json"
check "…no handler unless asked for" test ! -e "$handler"
rm -rf "${host:?}"/*
echo '{"optin":"device"}' >"$T/wrong.json"
check "a policy that cannot be read is refused" refused node_install install CONFIG="$T/wrong.json"
has "…saying why" optin "$(<"$T/log")"
is "…and nothing is switched on" ./usr/local/bin/oci-rdma-hook "$(tree)"
check "refused: HOOKS=all" refused node_install install HOOKS=all
check "refused: no task" refused node_install ""
finish
