#!/bin/bash
# config/kubernetes/node-install, what the DaemonSet runs, on a scratch root: the order of its steps, a second run, an upgrade, removal.
# shellcheck disable=SC2016,SC2034,SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash

check "make-context" config/kubernetes/make-context "$HOOK" "$T/context"
not_dynamic() { ! config/kubernetes/make-context /bin/true "$T/dynamic" 2>"$T/log"; }
check "make-context: an executable that needs libraries is refused" not_dynamic
has "…saying why" "shared libraries" "$(<"$T/log")"
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
	sed -nE "s#.* (rename|unlink).*\"$host(/[^\"]*)\".*= 0\$#\2#p" <(whole_calls "$T/trace")
}
tree() { (cd "$host" && find . ! -type d ! -path '*/libexec/*' ! -name 10-crio.conf | sort); }
refused() { ! "$@"; }

# crio_host: CRI-O as upstream's packages have it
crio_host() {
	local name
	install -D -m 644 tests/cli/crio/upstream.conf "$host/etc/crio/crio.conf.d/10-crio.conf"
	for name in crun runc conmon; do install -D -m 755 /bin/true "$host/usr/libexec/crio/$name"; done
}

crio_host
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
is "install: the handler's monitor is that of this node's CRI-O" 'monitor_path = "/usr/libexec/crio/conmon"' "$(grep monitor "$handler")"
is "install: nothing is written where CRI-O reads, nor left beside" "" "$(find "$host" -name '.*')"
check "install: both handlers" node_install install RUNTIME="crun runc"
is "…the second's" 'runtime_path = "/usr/local/bin/oci-rdma-runtime-runc"' "$(grep ^runtime_path "${handler%.conf}-runc.conf")"
check "…its program is there" test -x "$host/usr/local/bin/oci-rdma-runtime-runc"
rm "${handler%.conf}-runc.conf" "$host/usr/local/bin/oci-rdma-runtime-runc"

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
has "remove: in between it waits" "so that containers that were created with the hook can start" "$(<"$T/log")"
is "remove: nothing is left" "" "$(tree)"
check "remove: the directory is gone, too" test ! -e "$host/etc/oci-rdma-hook"
is "a second remove touches nothing" "" "$(traced remove RUNTIME=1)"
lacks "…and does not wait" waiting "$(<"$T/log")"

check "install again" node_install install RUNTIME=1
echo '{}' >"$host/etc/oci-rdma-hook/config.json"
pod=$host/var/lib/containers/storage/overlay-containers/940942ebb876/userdata
mkdir -p "$pod"
echo '{"annotations": {"io.kubernetes.cri-o.ContainerType": "sandbox", "io.kubernetes.cri-o.RuntimeHandler": "rdma",
	"io.kubernetes.pod.name": "h-kim-0", "io.kubernetes.pod.namespace": "team-a"}}' >"$pod/config.json"
node_install remove RUNTIME=1 GRACE=1 &
remover=$!
within grep -q waiting "$T/log"
has "remove: a pod of the handler is named" "pod team-a/h-kim-0 runs under CRI-O's handler rdma" "$(<"$T/log")"
check "remove: …it keeps its runtime" test -x "$host/usr/local/bin/oci-rdma-runtime-crun"
check "remove: …and its handler, with which CRI-O knows it after a restart" test -e "$handler"
check "remove: …but the hook files are off" test ! -e "$hooks/90-oci-rdma-hook.json"
rm -r "$host/var/lib/containers"
wait "$remover"
is "remove: it goes on when they are gone" 0 $?
is "remove: a config.json that is not ours stays" ./etc/oci-rdma-hook/config.json "$(tree)"

rm -rf "${host:?}"/*
crio_host
rm "$host/usr/libexec/crio/conmon"
check "a handler that CRI-O would not start with is refused" refused node_install install RUNTIME=1
has "…saying why" "/usr/libexec/crio/conmon is not an executable file, so that CRI-O does not start" "$(<"$T/log")"
is "…and nothing is switched on" "./etc/oci-rdma-hook/config.json
./usr/local/bin/oci-rdma-hook
./usr/local/bin/oci-rdma-runtime-crun" "$(tree)"
crio_host
check "…until it is mended" node_install install RUNTIME=1
sed -i s/libexec.crio.conmon/bin\\/conmon/ "$host/etc/crio/crio.conf.d/10-crio.conf"
install -D -m 755 /bin/true "$host/usr/bin/conmon"
check "check: a handler that CRI-O's own has left behind is noticed" refused node_install check RUNTIME=1
check "…and made again" node_install install RUNTIME=1
is "…with what is right now" 'monitor_path = "/usr/bin/conmon"' "$(grep monitor "$handler")"

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
rm -rf "${host:?}"/*
mkdir -p "$host/usr/local/bin/oci-rdma-hook"
check "a directory in the executable's place is refused" refused node_install install CONFIG="$T/none"
is "…and nothing is switched on, nor put into it" ./usr/local/bin/.oci-rdma-hook.new "$(tree)"
rm -rf "${host:?}"/*
crio_host
# interrupted FILE: the install is killed where FILE is to be renamed; what it leaves beside the files. By the machine's shell: the image's
# has an mv of its own.
mkdir "$T/killing"
printf '#!/bin/sh\ncase $3 in "$KILLED_AT") kill -9 "$PPID" ;; *) exec busybox mv "$@" ;; esac\n' >"$T/killing/mv"
chmod 755 "$T/killing/mv"
interrupted() {
	env PATH="$T/killing:$image/bin" KILLED_AT="$host$1" ROOT="$host" SOURCE="$image/oci-rdma-hook" CONFIG="$T/config.json" RUNTIME=1 \
		/bin/sh "$image/oci-rdma-hook/bin/node-install" install >"$T/log" 2>&1
	(cd "$host" && find . -name '.*.new')
}
for file in /usr/local/bin/oci-rdma-hook /etc/oci-rdma-hook/config.json /usr/local/bin/oci-rdma-runtime-crun \
	/etc/crio/crio.conf.d/60-oci-rdma-hook.conf "${hooks#"$host"}/90-oci-rdma-hook.json"; do
	rm -rf "${host:?}"/*
	crio_host
	is "killed at the rename of ${file##*/}: one file is left beside" 1 "$(interrupted "$file" | wc -l)"
	check "…a removal succeeds" node_install remove RUNTIME=1
	is "…and takes that away, too" "" "$(tree)"
done
check "refused: HOOKS=all" refused node_install install HOOKS=all
check "refused: no task" refused node_install ""
finish
