#!/bin/bash
# install/kubernetes/node-install, what the DaemonSet runs, on a scratch root: the order of its steps, a second run, an upgrade, removal.
# packages: systemd
# shellcheck disable=SC2016,SC2034,SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash

NRI_PLUGIN=${HOOK%/*}/oci-rdma-nri
check "make-context" install/kubernetes/make-context "$HOOK" "$ADMIN" "$NRI_PLUGIN" "$T/context"
is "the image has the license texts of what is linked into the programs, and of busybox" "GPL-2 LICENSE busybox-static libcap-dev libprotobuf-c-dev libyajl-dev musl-dev" \
	"$(cd "$T/context/root/licenses" && find . -type f -size +0 -printf '%f\n' | LC_ALL=C sort | paste -sd ' ')"
unknown() { cp /bin/true "$T/unknown" && ! install/licenses "$T/none" "$T/unknown" 2>"$T/log"; }
check "licenses: a program that no package has is refused" unknown
has "licenses: which" "no package has $T/unknown" "$(<"$T/log")"
not_dynamic() { ! install/kubernetes/make-context "$@" "$T/dynamic" 2>"$T/log"; }
check "make-context: a hook that needs libraries is refused" not_dynamic /bin/true "$ADMIN" "$NRI_PLUGIN"
has "…saying why" "shared libraries" "$(<"$T/log")"
check "make-context: and such a plugin" not_dynamic "$HOOK" "$ADMIN" /bin/true
has "…saying why" "shared libraries" "$(<"$T/log")"
image=$T/context/root
host=$T/host
printf '{ "opt_in": "annotation" } // ours\n' >"$T/config.json"
hooks=$host/usr/share/containers/oci/hooks.d
handler=$host/etc/crio/crio.conf.d/60-oci-rdma-hook.conf

remover='' installer='' other='' stayer='' # what launch starts

# node_install TASK [VARIABLE=VALUE…]: with the image's own shell and tools, and nothing else. TASK may be two words: "install nri".
node_install() {
	# shellcheck disable=SC2086 # two words
	env -i PATH="$image/bin" ROOT="$host" SOURCE="$image/oci-rdma-hook" CONFIG="$T/config.json" GRACE=0 "${@:2}" \
		"$image/bin/sh" "$image/oci-rdma-hook/bin/node-install" $1 >"$T/log" 2>&1
}
# traced TASK [VARIABLE=VALUE…]: what it renamed and removed on the node, one a line, in order
traced() {
	rm -f "$T"/trace.*
	# shellcheck disable=SC2086 # two words
	strace -f -qq -ttt -o "$T/trace" -e trace=rename,renameat,renameat2,unlink,unlinkat,rmdir \
		env -i PATH="$image/bin" ROOT="$host" SOURCE="$image/oci-rdma-hook" CONFIG="$T/config.json" GRACE=0 "${@:2}" \
		"$image/bin/sh" "$image/oci-rdma-hook/bin/node-install" $1 >"$T/log" 2>&1
	sed -nE "s#.* (rename|unlink).*\"$host(/[^\"]*)\".*= 0\$#\2#p" <(whole_calls "$T/trace") | grep -vx /etc/oci-rdma-hook/.lock
}
# boot: systemd's part in it
boot() { [ ! -e "$host/etc/tmpfiles.d/oci-rdma-hook.conf" ] || systemd-tmpfiles --root="$host" --create --remove --boot; }
# tree: after a boot, and without the lock, which goes with the directory
tree() { boot && (cd "$host" && find . ! -type d ! -path '*/libexec/*' ! -name 10-crio.conf ! -path ./etc/oci-rdma-hook/.lock | sort); }
refused() { ! "$@"; }
# fails DESCRIPTION PART TASK [VARIABLE=VALUE…]: it is refused, and says this
fails() {
	check "$1" refused node_install "${@:3}"
	has "$1: it says so" "$2" "$(<"$T/log")"
}

# crio_host: CRI-O as upstream's packages have it
crio_host() {
	local name
	install -D -m 644 tests/cli/crio/upstream.conf "$host/etc/crio/crio.conf.d/10-crio.conf"
	for name in crun runc conmon; do install -D -m 755 /bin/true "$host/usr/libexec/crio/$name"; done
}

# new_host: that and nothing else
new_host() { rm -rf "${host:?}"/* && crio_host; }

crio_host
steps=$(traced install RUNTIME=1)
is "install: the executable first, the hook files last, each by rename" "/usr/local/bin/oci-rdma-hook
/etc/oci-rdma-hook/config.json
/usr/local/bin/oci-rdma-runtime-crun
/etc/crio/crio.conf.d/60-oci-rdma-hook.conf
/usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json
/usr/share/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json" "$steps"
has "install: the log says which version it is" "$("$HOOK" --version)" "$(<"$T/log")"
has "install: …and when the handler takes effect" "60-oci-rdma-hook.conf: it takes effect after systemctl restart crio" "$(<"$T/log")"
installed="./etc/crio/crio.conf.d/60-oci-rdma-hook.conf
./etc/oci-rdma-hook/config.json
./usr/local/bin/oci-rdma-hook
./usr/local/bin/oci-rdma-runtime-crun
./usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json
./usr/share/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json"
is "install: these files and no other" "$installed" "$(tree)"
is "install: modes" "644 755 755 644" "$(stat -c %a "$handler" "$host"/usr/local/bin/* "$hooks/90-oci-rdma-hook.json" | xargs)"
is "install: the executable runs" "$("$HOOK" --version)" "$("$host/usr/local/bin/oci-rdma-hook" --version)"
for json in "$hooks"/*.json; do
	check "install: ${json##*/} names what is there" test -x "$host$(jq -r .hook.path "$json")"
done
check "check: all is as installed" node_install check RUNTIME=1
is "install: the handler's monitor is that of this node's CRI-O" 'monitor_path = "/usr/libexec/crio/conmon"' "$(grep monitor "$handler")"
is "install: nothing is written where CRI-O reads, nor left beside but the lock" "$host/etc/oci-rdma-hook/.lock" "$(find "$host" -name '.*')"
check "install: both handlers" node_install install RUNTIME="crun runc"
is "…the second's" 'runtime_path = "/usr/local/bin/oci-rdma-runtime-runc"' "$(grep ^runtime_path "${handler%.conf}-runc.conf")"
check "…its program is there" test -x "$host/usr/local/bin/oci-rdma-runtime-runc"
rm "${handler%.conf}-runc.conf" "$host/usr/local/bin/oci-rdma-runtime-runc"

# durable TASK [VARIABLE=VALUE…]: what it wrote to the disk ("disk") and renamed ("name") on the node, one a line, in order
durable() {
	rm -f "$T"/trace.*
	# shellcheck disable=SC2086 # two words
	strace -f -qq -y -ttt -o "$T/trace" -e trace=rename,renameat,renameat2,fsync,fdatasync,syncfs \
		env -i PATH="$image/bin" ROOT="$host" SOURCE="$image/oci-rdma-hook" CONFIG="$T/config.json" GRACE=0 "${@:2}" \
		"$image/bin/sh" "$image/oci-rdma-hook/bin/node-install" $1 >"$T/log" 2>&1
	sed -nE "s#.* (fsync|fdatasync|syncfs)\([0-9]+<$host(/[^>]*)>\).*= 0\$#disk \2#p; s#.* rename.*\"$host(/[^\"]*)\".*= 0\$#name \1#p" \
		<(whole_calls "$T/trace")
}
rm "$handler" "$hooks/90-oci-rdma-hook.json"
is "install: each file is on the disk before it has its name, and then the name is" "disk /etc/crio/.60-oci-rdma-hook.conf.new
name /etc/crio/crio.conf.d/60-oci-rdma-hook.conf
disk /etc/crio/crio.conf.d
disk /usr/share/containers/oci/hooks.d/.90-oci-rdma-hook.json.new
name /usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json
disk /usr/share/containers/oci/hooks.d" "$(durable install RUNTIME=1)"

is "a second install touches nothing" "" "$(traced install RUNTIME=1)"
is "an interrupted install is finished: what is there stays" "/usr/share/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json" \
	"$(rm "$hooks/91-oci-rdma-hook-poststart.json" && traced install RUNTIME=1)"

printf 'older' >>"$host/usr/local/bin/oci-rdma-hook.copy" && cat "$host/usr/local/bin/oci-rdma-hook" >>"$host/usr/local/bin/oci-rdma-hook.copy"
mv "$host/usr/local/bin/oci-rdma-hook.copy" "$host/usr/local/bin/oci-rdma-hook"
check "check: another executable is noticed" refused node_install check RUNTIME=1
lacks "…whose mode and owner are not what is wrong" "mode and owner" "$(<"$T/log")"
is "upgrade: only the executable, by rename" /usr/local/bin/oci-rdma-hook "$(traced install RUNTIME=1)"
check "upgrade: all is as installed" node_install check RUNTIME=1

steps=$(traced remove RUNTIME=1)
is "remove: the hook files first, the executable last" "/usr/share/containers/oci/hooks.d/90-oci-rdma-hook.json
/usr/share/containers/oci/hooks.d/91-oci-rdma-hook-poststart.json
/etc/tmpfiles.d/oci-rdma-hook.conf
/usr/local/bin/oci-rdma-hook
/etc/oci-rdma-hook/config.json" "$steps"
check "remove: the lock goes with its directory" test ! -e "$host/etc/oci-rdma-hook"
has "remove: in between it waits" "so that containers that were created with the hook can start" "$(<"$T/log")"
is "remove: the handler stays, and its program is a link to the runtime" "/usr/libexec/crio/crun 1" \
	"$(readlink "$host/usr/local/bin/oci-rdma-runtime-crun") $(grep -c "^runtime_path.*/oci-rdma-runtime-crun" "$handler")"
is "a second remove touches nothing" "" "$(traced remove RUNTIME=1)"
lacks "…and does not wait" waiting "$(<"$T/log")"
check "install over what a removal has left" node_install install RUNTIME=1
is "…and a boot takes nothing of it" "$installed" "$(tree)"
node_install remove RUNTIME=1
is "remove: nothing is left after the next boot" "" "$(tree)"
check "remove: the directory is gone, too" test ! -e "$host/etc/oci-rdma-hook"
mkdir -p "$host/usr/local/bin"
ln -s /nowhere "$host/usr/local/bin/oci-rdma-hook"
node_install remove
has "remove: an executable that is a link, which leads elsewhere on the node, goes after a grace" "waiting 0 s" "$(<"$T/log")"
check "another directory of hooks.d files" node_install install HOOKS_DIR=/etc/containers/oci/hooks.d
is "…gets them, and the default one does not" "1 0" \
	"$([ -e "$host/etc/containers/oci/hooks.d/90-oci-rdma-hook.json" ] && echo 1) $(find "$host/usr/share" -name '*.json' 2>/dev/null | wc -l)"
node_install remove HOOKS_DIR=/etc/containers/oci/hooks.d
is "…and a removal takes them away" "" "$(tree)"

node_install install RUNTIME="crun runc"
node_install remove RUNTIME="crun runc"
is "remove: both handlers, and the program of each" "" "$(tree)"

check "install again" node_install install RUNTIME=1
echo '{}' >"$host/etc/oci-rdma-hook/config.json"
check "check: another config.json is noticed" refused node_install check RUNTIME=1
lacks "…and no plugin is named that is not there" "both DaemonSets" "$(<"$T/log")"
mine=$host/etc/crio/crio.conf.d/70-mine.conf
printf '[crio.runtime]\ndefault_runtime = "rdma"\n' >"$mine"
fails "remove: a handler that is CRI-O's default is refused" "CRI-O does not start without its program" remove RUNTIME=1
check "…and nothing is removed" test -e "$hooks/90-oci-rdma-hook.json"
rm "$mine"
check "…until it is corrected" node_install remove RUNTIME=1
is "remove: a config.json that is not ours stays" ./etc/oci-rdma-hook/config.json "$(tree)"
has "…and the log says why" "kept $host/etc/oci-rdma-hook, because it contains other files" "$(<"$T/log")"

new_host
rm "$host/usr/libexec/crio/conmon"
fails "a handler that CRI-O would not start with is refused" "/usr/libexec/crio/conmon is not an executable file" install RUNTIME=1
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
check "…which check does not mind" node_install check HOOKS=device CONFIG="$T/none"
check "…no handler unless asked for" test ! -e "$handler"
check "RUNTIME=0" node_install install RUNTIME=0
check "…asks for none" test ! -e "$handler"
rm -rf "${host:?}"/*
echo '{"optin":"device"}' >"$T/wrong.json"
check "a policy that cannot be read is refused" refused node_install install CONFIG="$T/wrong.json"
has "…saying why" optin "$(<"$T/log")"
has "…and what to do" "$T/wrong.json: correct this file" "$(<"$T/log")"
is "…and nothing is switched on" ./usr/local/bin/oci-rdma-hook "$(tree)"
rm -rf "${host:?}"/*
mkdir -p "$host/usr/local/bin/oci-rdma-hook"
check "a directory in the executable's place is refused" refused node_install install CONFIG="$T/none"
is "…and nothing is switched on, nor put into it" ./usr/local/bin/.oci-rdma-hook.new "$(tree)"
new_host
# ---- modes and owners ----

new_host
node_install install RUNTIME=1
# changed PATH COMMAND…: a file that the node could not use is not installed, and is put right
changed() {
	local path=$1
	"${@:2}" "$path"
	check "check: ${*:2:2} of ${path##*/} is noticed" refused node_install check RUNTIME=1
	has "…saying so" "mode and owner are" "$(<"$T/log")"
	is "…and mended by an install, by rename" "${path#"$host"}" "$(traced install RUNTIME=1)"
	check "…so that all is as installed" node_install check RUNTIME=1
}
for path in "$host/usr/local/bin/oci-rdma-hook" "$host/usr/local/bin/oci-rdma-runtime-crun" "$host/etc/oci-rdma-hook/config.json" "$handler" \
	"$hooks/90-oci-rdma-hook.json"; do
	changed "$path" chmod 600
done
if [ "$(id -u)" -eq 0 ]; then changed "$host/usr/local/bin/oci-rdma-hook" chown 12345; fi
as_link() { mv "$1" "$T/elsewhere" && ln -s "$T/elsewhere" "$1"; }
changed "$host/etc/oci-rdma-hook/config.json" as_link
node_install remove RUNTIME=1
crio_host
mv "$host/etc/crio/crio.conf.d/10-crio.conf" "$host/etc/crio/crio.conf" && rmdir "$host/etc/crio/crio.conf.d"
(umask 077 && node_install install RUNTIME=1)
is "a CRI-O without drop-ins gets one, and files have their modes whatever the caller's mask is" "0 644 755 644" \
	"$(node_install check RUNTIME=1; echo $?) $(stat -c %a "$handler" "$host/usr/local/bin/oci-rdma-hook" "$hooks/90-oci-rdma-hook.json" | xargs)"
for path in "$handler" "$host/usr/local/bin/oci-rdma-hook"; do
	echo mine >"$T/elsewhere"
	unfinished=$(dirname "$path")/.${path##*/}.new
	[ "$path" != "$handler" ] || unfinished=$host/etc/crio/.${path##*/}.new
	rm "$path"
	ln -s "$T/elsewhere" "$unfinished"
	check "an unfinished ${path##*/} that is a link" node_install install RUNTIME=1
	is "…is not written through" "mine 0" "$(<"$T/elsewhere") $(node_install check RUNTIME=1; echo $?)"
done
ln -sf /nowhere "$hooks/90-oci-rdma-hook.json"
node_install remove RUNTIME=1
is "a removal takes away a link that leads nowhere" ./etc/crio/crio.conf "$(tree | grep -v /elsewhere)"
rm "$host/etc/crio/crio.conf"
crio_host
node_install install RUNTIME=1

# ---- one at a time ----

# A sleep that ends when the file $T/go is there, and steps that can be counted. By the machine's shell: the image's has tools of its own.
mkdir "$T/stepping"
printf '#!/bin/sh\nuntil [ -e "$GO" ]; do /bin/sleep 0.02; done\n' >"$T/stepping/sleep"
chmod 755 "$T/stepping/sleep"
by_hand=(env PATH="$T/stepping:$image/bin" GO="$T/go" ROOT="$host" SOURCE="$image/oci-rdma-hook" CONFIG="$T/config.json" GRACE=7 RUNTIME=1
	/bin/sh "$image/oci-rdma-hook/bin/node-install")
# begin_removal: $remover, which has come to where it waits
begin_removal() {
	launch remover "$T/removal" "${by_hand[@]}" remove
	within grep -q "waiting 7 s" "$T/removal"
}
begin_removal
launch installer "$T/install" "${by_hand[@]}" install
within grep -q "waiting until another install or removal" "$T/install"
check "an install waits for a removal's grace" test ! -e "$hooks/90-oci-rdma-hook.json"
touch "$T/go"
wait "$remover"
is "…which ends well" 0 $?
wait "$installer"
is "…and then the install" 0 $?
check "…whose files nobody takes away" node_install check RUNTIME=1
rm "$T/go"
begin_removal
kill -9 "$remover"
wait "$remover" 2>/dev/null
check "a removal that is killed in its grace leaves the executable" test -x "$host/usr/local/bin/oci-rdma-hook"
check "…and no lock, although its sleep still runs" flock --nonblock "$host/etc/oci-rdma-hook/.lock" true
touch "$T/go"
"${by_hand[@]}" remove >"$T/removal" 2>&1
is "…when it is started again it ends" 0 $?
has "…after a grace" "waiting 7 s, so that containers that were created with the hook can start" "$(<"$T/removal")"
is "…and nothing is left" "" "$(tree)"

# beside TASK CONDITION…: the task while this shell holds the lock of the node, and what the condition says meanwhile
beside() {
	exec 8>>"$host/etc/oci-rdma-hook/.lock"
	flock 8
	# shellcheck disable=SC2086 # two words
	launch other "$T/beside" "${by_hand[@]}" $1 8<&-
	within grep -q "waiting until another install or removal" "$T/beside"
	check "$1: it waits for another, and touches nothing" "${@:2}"
	exec 8<&-
	wait "$other"
	is "$1: …and then ends well" 0 $?
}
crio_host
mkdir -p "$host/etc/oci-rdma-hook"
beside "install nri" test ! -e "$host/opt/nri"
beside "remove nri" test -e "$host/opt/nri/plugins/90-oci-rdma"

# What any user can open, a user may lock.
crio_host
mkdir -p "$host/usr/local/bin" "$host/etc/oci-rdma-hook"
exec 7<"$host/usr/local/bin" 8<"$host/etc/oci-rdma-hook"
flock 7
flock 8
check "a lock of the node's directories by others holds up no install" timeout 600 "${by_hand[@]}" install 7<&- 8<&-
exec 7<&- 8<&-
is "…which takes one that only root can open" 600 "$(stat -c %a "$host/etc/oci-rdma-hook/.lock")"

# ---- killed at each step ----

for tool in cp mv rm chmod mkdir rmdir sync sleep; do
	printf '#!/bin/sh\necho >>"%s/steps"\n[ "$(/usr/bin/wc -l <"%s/steps")" -ne "$KILL_AT" ] || { kill -9 "$PPID"; exit; }\n[ %s = sleep ] || exec busybox %s "$@"\n' \
		"$T" "$T" "$tool" "$tool" >"$T/stepping/$tool"
	chmod 755 "$T/stepping/$tool"
done
# killed_at N TASK…: it is killed before its Nth step. False when it has fewer.
killed_at() {
	: >"$T/steps"
	KILL_AT=$1 "${by_hand[@]}" "${@:2}" >"$T/killed" 2>&1
	[ "$(wc -l <"$T/steps")" -ge "$1" ]
}
# each_step INSTALL REMOVE UNSOUND: the two tasks, and what says what a node must not have at any moment. Sets $wrong, and $n of each
each_step() {
	wrong=
	for ((installs = 1; ; installs++)); do
		# shellcheck disable=SC2086 # two words
		killed_at "$installs" $1 || break
		wrong+=$("$3" 2>&1)
		node_install "$1" RUNTIME=1 && node_install "${1/install/check}" RUNTIME=1 || wrong+="install after step $installs: $(<"$T/log")"
		[ -z "$(find "$host" -name '.*.new')" ] || wrong+="step $installs leaves $(find "$host" -name '.*.new')"
		node_install "$2" RUNTIME=1 || wrong+="remove after step $installs: $(<"$T/log")"
		[ -z "$(tree)" ] || wrong+="step $installs leaves $(tree)"
		# shellcheck disable=SC2086
		killed_at "$installs" $1
		node_install "$2" RUNTIME=1 || wrong+="remove instead after step $installs: $(<"$T/log")"
		[ -z "$(tree)" ] || wrong+="step $installs and a removal leave $(tree)"
	done
	for ((removals = 1; ; removals++)); do
		node_install "$1" RUNTIME=1 || wrong+="install: $(<"$T/log")"
		# shellcheck disable=SC2086
		killed_at "$removals" $2 || break
		wrong+=$("$3" 2>&1)
		before=$([ ! -e "$host/usr/local/bin/oci-rdma-hook" ] || echo "waiting 0 s")
		node_install "$2" RUNTIME=1 || wrong+="remove after step $removals: $(<"$T/log")"
		case $(<"$T/log") in *"$before"*) ;; *) wrong+="step $removals: the executable goes without a grace" ;; esac
		[ -z "$(tree)" ] || wrong+="step $removals leaves $(tree)"
	done
}
# unsound: what a node must not have at any moment: a file that names an executable which is not there, or half of one
unsound() {
	local name
	for name in "$hooks"/*.json; do
		[ ! -e "$name" ] || cmp "$image/oci-rdma-hook/bin/oci-rdma-hook" "$host/usr/local/bin/oci-rdma-hook" || echo "$name names it"
	done
	name=$host/usr/local/bin/oci-rdma-runtime-crun
	[ ! -e "$handler" ] || [ -x "$name" ] || [ -x "$host$(readlink "$name")" ] || echo "the handler names its runtime"
	for name in 90-oci-rdma-hook 91-oci-rdma-hook-poststart; do
		[ ! -e "$hooks/$name.json" ] || cmp "config/hooks.d/annotation/$name.json" "$hooks/$name.json"
	done
	[ -z "$(find "$host/etc/crio/crio.conf.d" "$hooks" -name '.*' ! -name '.*.new' 2>/dev/null)" ] || echo "CRI-O would read a hidden file"
}
new_host
each_step install remove unsound
is "killed before any of its steps, an install is finished, or taken away, by the next; and a removal finished, with a grace" "" "$wrong"
check "…of which there are dozens, and several" test "$installs" -gt 24 -a "$removals" -gt 8
node_install remove RUNTIME=1

# ---- disks that are full, or cannot be written ----

if may_mount; then
	export -f node_install tree boot crio_host
	export T image host
	# on_disk SCRIPT: with a small file system as the node's /usr/local/bin
	on_disk() {
		unshare --mount bash -c 'mkdir -p "$host/usr/local/bin" && mount -t tmpfs -o size=1m none "$host/usr/local/bin"
			bin=$host/usr/local/bin
			'"$1" 2>&1
	}
	is "a full disk: refused, and nothing is switched on, nor half a file left" "1 1 filler" "$(on_disk '
		head -c 900k /dev/zero >"$bin/filler"; node_install install; echo "$? $(grep -c "make space on this disk" "$T/log") $(ls -A "$bin")"' | xargs)"
	is "a full disk: an upgrade leaves what is there, and no half of a file" "1 same filler oci-rdma-hook" "$(on_disk '
		head -c 500k /dev/zero >"$bin/filler"; cp -p "$image/oci-rdma-hook/bin/oci-rdma-hook" "$bin"; echo >>"$bin/oci-rdma-hook"
		before=$(cksum "$bin/oci-rdma-hook"); node_install install; echo $?
		[ "$before" != "$(cksum "$bin/oci-rdma-hook")" ] || echo same; ls -A "$bin"' | xargs)"
	is "a read-only disk: an install is refused, which says what to do" "1 1" "$(on_disk '
		mount -o remount,ro "$bin"; node_install install; echo $?; grep -c "mount it writable" "$T/log"' | xargs)"
	# on_etc SCRIPT: the same as the directory of CRI-O's configuration
	on_etc() {
		unshare --mount bash -c 'etc=$host/etc/crio; mkdir -p "$etc" && mount -t tmpfs -o size=64k none "$etc" && crio_host
			'"$1" 2>&1
	}
	is "a full disk: a handler that cannot be written is refused for that reason, and no file names the hook" "1 1 0 0" "$(on_etc '
		head -c 100k /dev/zero >"$etc/filler" 2>/dev/null; node_install install RUNTIME=1; echo $?; grep -c "make space on this disk" "$T/log"
		grep -c "CRI-O would not start" "$T/log"; tree | grep -c -e hooks.d -e "[.]new"' | xargs)"
	rm -rf "${host:?}"/*
	is "a read-only disk: a removal fails, and ends when the disk can be written again" "1 1 0" "$(on_disk '
		node_install install; mount -o remount,ro "$bin"; node_install remove; echo $?; grep -c "Read-only file system" "$T/log"
		mount -o remount,rw "$bin"; node_install remove; echo $?; ls -A "$bin"' | xargs)"
	rm -rf "${host:?}"/*
	mkdir -p "$host/etc/oci-rdma-hook"
	node_install install
	lacks "a directory that is mounted and empty has no other files" "contains other files" "$(unshare --mount bash -c '
		mount --bind "$host/etc/oci-rdma-hook" "$host/etc/oci-rdma-hook"; node_install remove; cat "$T/log"')"
fi
# ---- as a container of the DaemonSet: the image is its root, the node is at /host, the ConfigMap at /config ----

if may_mount; then
	mkdir -p "$image"/{host,config,dev,proc} "$T/configmap"
	cp "$T/config.json" "$T/configmap"
	# in_image TASK [VARIABLE=VALUE…]: with nothing else in its environment, and no process of the machine in its /proc
	in_image() {
		unshare --mount --pid --fork --kill-child sh -c 'mount -t proc none "$1/proc" && mount --bind /dev "$1/dev" && mount --bind "$2" "$1/host" && mount --bind "$3" "$1/config" &&
			shift 3 && exec env -i PATH=/bin "$@"' - "$image" "$host" "$T/configmap" "${@:2}" \
			"$(command -v chroot)" "$image" /bin/sh /oci-rdma-hook/bin/node-install "$1" >"$T/log" 2>&1
	}
	new_host
	check "in the image: an install" in_image install RUNTIME=1
	is "…puts all of it below /host" "$installed" "$(tree)"
	launch remover "$T/log" in_image remove
	check "in the image: a removal's grace" within grep -q "waiting 30 s" "$T/log"
	# unshare, with which all ends that it has started: else the removal would go on after its grace.
	kill -9 "$(xargs <"/proc/$remover/task/$remover/children")"
	wait "$remover" 2>/dev/null
	# By an administrator on the node itself, without a container
	cp -a "$host/." "$image"
	check "ROOT=: an install on the node itself" in_image install RUNTIME=1 ROOT=
	check "…puts the handler there, as that node wants it" test -s "$image${handler#"$host"}"
	check "ROOT=: a removal" timeout "$PATIENCE" bash -c "$(declare -f in_image)"'; in_image remove ROOT= GRACE=0'
	host=$image boot
	is "…takes it away" "" "$(find "$image/etc" "$image/usr" -name '*oci-rdma*')"
	rm -rf "${image:?}"/{etc,usr}
fi

# stay, as the container's only program
launch stayer "$T/output" env -i PATH="$image/bin" SOURCE="$image/oci-rdma-hook" "$image/bin/sh" "$image/oci-rdma-hook/bin/node-install" stay
children() { cat "/proc/$stayer/task/$stayer/children"; }
child=
sleeps() {
	child=$(children | xargs)
	[ "$(cat "/proc/$child/comm")" = sleep ] || ! kill -0 "$stayer"
} 2>/dev/null
within sleeps
is "stay: one process that sleeps" sleep "$(cat "/proc/$child/comm")"
kill -TERM "$stayer"
wait "$stayer"
is "…and a signal ends it well" 0 $?
kill "$child"

new_host
fails "refused: HOOKS=all" "HOOKS must be" install HOOKS=all
is "…and nothing is put there" "" "$(tree)"
check "refused: no task" refused node_install ""
fails "refused: another program" "hook|nri" "install doctor"

# ---- the NRI plugin, which the engine launches ----

rm -rf "${host:?}"/*
plugins=$host/opt/nri/plugins
plugin=$plugins/90-oci-rdma
mark=$host/etc/oci-rdma-hook/nri-plugin
# Each moment of it must be one in which an engine may start: it reads that directory then.
is "nri: policy and plugin, in this order, each by rename" "/etc/oci-rdma-hook/config.json
/opt/nri/plugins/90-oci-rdma" "$(traced "install nri")"
has "nri: the log says which version it is" "$("$NRI_PLUGIN" --version)" "$(<"$T/log")"
is "nri: the plugin's unfinished file never lay where the engine looks" "$host/opt/nri/.90-oci-rdma.new" \
	"$(whole_calls "$T/trace" | sed -nE 's#.* open(at)?\(.*"([^"]*90-oci-rdma[^"]*)".*#\2#p; s#.* rename(at2?)?\([^"]*"([^"]*90-oci[^"]*)".*#\2#p' | sort -u)"
is "nri: these files and no other" "./etc/oci-rdma-hook/config.json
./etc/oci-rdma-hook/nri-plugin
./opt/nri/plugins/90-oci-rdma" "$(tree)"
is "nri: modes" "755 755 644" "$(stat -c %a "$plugins" "$plugin" "$host/etc/oci-rdma-hook/config.json" | xargs)"
is "nri: the plugin runs" "$("$NRI_PLUGIN" --version)" "$("$plugin" --version)"
check "nri: check: all is as installed" node_install "check nri"
check "nri: check: another config.json is noticed" refused node_install "check nri" CONFIG="$T/own.json"
lacks "nri: …and no hook is named that is not there" "both DaemonSets" "$(<"$T/log")"
rm "$mark" "$plugin"
is "nri: each file is on the disk before it has its name, and before the next" "disk /etc/oci-rdma-hook
disk /opt/nri/.90-oci-rdma.new
name /opt/nri/plugins/90-oci-rdma
disk /opt/nri/plugins" "$(durable "install nri")"
is "nri: a second install touches nothing" "" "$(traced "install nri")"
changed_plugin() {
	"${@:2}" "$1"
	check "nri: check: ${*:2:2} is noticed" refused node_install "check nri"
	is "nri: …and mended by rename" /opt/nri/plugins/90-oci-rdma "$(traced "install nri")"
	check "nri: …so that all is as installed" node_install "check nri"
}
changed_plugin "$plugin" chmod 600
changed_plugin "$plugin" rm
rm "$mark"
fails "nri: check: a mark that is gone is noticed" "a removal of the hook takes config.json away" "check nri"
check "nri: …and made again" node_install "install nri"

# A program that runs cannot be written (ETXTBSY): the upgrade puts another file there, and what runs goes on with its own.
cp /bin/sleep "$T/older" && mv "$T/older" "$plugin" && chmod 755 "$plugin"
"$plugin" 1000 &
running=$!
is "nri: upgrade while the plugin runs: by rename" /opt/nri/plugins/90-oci-rdma "$(traced "install nri")"
check "nri: …it is the new one" cmp "$image/oci-rdma-hook/bin/oci-rdma-nri" "$plugin"
check "nri: …and what ran still runs" kill -0 "$running"
check "nri: a removal while it runs" node_install "remove nri"
kill "$running"
wait "$running" 2>/dev/null
is "nri: remove: nothing is left" "" "$(tree)"
is "nri: …no empty directory of ours" "etc opt/nri" "$(cd "$host" && find . -type d -empty | sed 's,^./,,' | sort | xargs)"
is "nri: a second removal touches nothing" "" "$(traced "remove nri")"

# Other plugins
install -D -m 755 /bin/true "$plugins/10-other"
check "nri: beside another plugin" node_install "install nri"
node_install "remove nri"
is "nri: another plugin stays" ./opt/nri/plugins/10-other "$(tree)"
rm "$plugins/10-other"
install -m 644 /dev/null "$plugins/README"
check "nri: a file that is not executable does no harm" node_install "install nri"
check "nri: …nor does check mind it" node_install "check nri"
mkdir "$plugins/directory"
install -m 755 /bin/true "$plugins/directory/program"
check "nri: nor a directory, and what is in it" node_install "check nri"
rm -r "$plugins/directory"
install -m 654 /bin/true "$plugins/group"
check "nri: an executable of its group alone is one" refused node_install "check nri"
rm "$plugins/group"
for name in oci-rdma 9-oci-rdma .hidden; do
	install -m 755 /bin/true "$plugins/$name"
	check "nri: an executable $name, at which the engine would stop, is noticed by check" refused node_install "check nri"
	has "nri: …which names it, and says what to do" "$plugins/$name: the engine will not start" "$(<"$T/log")"
	check "nri: …and by install" refused node_install "install nri"
	rm "$plugins/$name"
done
ln -s /nowhere "$plugins/link" # whose own mode is 777
check "nri: so is a link" refused node_install "check nri"
rm "$plugins/link"
node_install "remove nri"
rm -rf "${host:?}"/*
mkdir -p "$host/opt/nri" "$T/else"
ln -s "$T/else" "$plugins"
fails "nri: a directory that is a link is refused" "is a link" "install nri"
is "nri: …and nothing is put anywhere" "./opt/nri/plugins" "$(tree; ls -A "$T/else")"
rm "$plugins"
mkdir -p "$plugin"
check "nri: a directory in the plugin's place is refused" refused node_install "install nri" CONFIG="$T/none"
is "nri: …and nothing is put into it" "" "$(find "$plugin" -mindepth 1)"
rm -rf "${host:?}"/*
check "nri: a policy that cannot be read is refused" refused node_install "install nri" CONFIG="$T/wrong.json"
has "nri: …saying why" optin "$(<"$T/log")"
is "nri: …and no plugin is there" "./etc/oci-rdma-hook/nri-plugin" "$(tree)"

# ---- hook and plugin on one node: one policy, which neither takes from the other ----

for order in "hook nri" "nri hook"; do
	read -r first second <<<"$order"
	new_host
	node_install "install hook"
	node_install "install nri"
	check "$order: both are installed" node_install "check hook"
	check "$order: both" node_install "check nri"
	lacks "$order: …which has nothing to say" "both DaemonSets" "$(<"$T/log")"
	check "$order: the first is removed" node_install "remove $first"
	check "$order: …the policy stays" cmp "$T/config.json" "$host/etc/oci-rdma-hook/config.json"
	has "$order: …and the log says why" "is still in use" "$(<"$T/log")"
	check "$order: …the second is whole" node_install "check $second"
	check "$order: the second is removed" node_install "remove $second"
	is "$order: …with the policy" "" "$(tree)"
done
node_install "install hook"
node_install "install nri" CONFIG="$T/own.json"
fails "two policies: check of the one that is not there fails" "give both DaemonSets the same config.json" "check hook"
check "…as does check of the plugin, whose policy is not there any more" refused node_install "check nri"
node_install "install hook"
has "…which says the same" "give both DaemonSets the same config.json" "$(node_install "check nri" CONFIG="$T/own.json"; cat "$T/log")"
node_install "install nri" CONFIG="$T/own.json"
node_install "install nri" CONFIG="$T/none"
check "without a policy of its own the plugin takes the node's" cmp "$T/own.json" "$host/etc/oci-rdma-hook/config.json"
node_install "remove nri" CONFIG="$T/none"
node_install "remove hook" CONFIG="$T/own.json"
is "…and nothing is left" "" "$(tree)"

# ---- killed at each step, and a disk of its own ----

# stops_engine: what an engine that starts now would stop at
stops_engine() {
	local name
	for name in "$plugins"/* "$plugins"/.[!.]*; do
		case $name in
		"$plugins/*" | "$plugins/.[!.]*") ;;
		"$plugin") cmp "$image/oci-rdma-hook/bin/oci-rdma-nri" "$plugin" ;;
		*) echo "$name" ;;
		esac
	done
}
rm -rf "${host:?}"/*
each_step "install nri" "remove nri" stops_engine
is "nri: killed before any of its steps, an install is finished, or taken away, by the next; and a removal finished" "" "$wrong"
check "…of which there are several, and some" test "$installs" -gt 12 -a "$removals" -gt 4
rm -rf "${host:?}"/*

if may_mount; then
	# on_opt SCRIPT: with a small file system as the node's /opt/nri
	on_opt() {
		unshare --mount bash -c 'opt=$host/opt/nri; mkdir -p "$opt" && mount -t tmpfs -o size=1m none "$opt"
			'"$1" 2>&1
	}
	is "nri: plugins on a file system of its own: refused, since no rename leads there" "1 1" "$(on_opt '
		mkdir "$opt/plugins"; mount -t tmpfs none "$opt/plugins"; node_install "install nri"; echo "$? $(ls -A "$opt/plugins")$(grep -c "in one step" "$T/log")"' | xargs)"
fi
finish
