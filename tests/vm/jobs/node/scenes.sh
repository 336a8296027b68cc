# shellcheck shell=bash disable=SC2034 # what it sets is used where it is sourced
# What must hold of a node however the project came there. Sourced by ./run; $ROW names the part.

RT=runc
UNITS=(oci-rdma-nri-a.service oci-rdma-nri-b.service)
SHIM=/usr/bin/oci-rdma-runtime-runc # a handler's program
PODMAN=(podman)                     # it reads /usr/share/containers/oci/hooks.d, as CRI-O does

# plugin_says: what `oci-rdma-nri --check` says where the plugin is; a part whose plugin is in a container has its own
plugin_says() { oci-rdma-nri --check; }
# is_connected UNIT: as it tells systemd
is_connected() { [[ $(systemctl show --property StatusText --value "$1") = "connected to containerd"* ]]; }
# is_whole: both plugins are connected
is_whole() { is_connected "${UNITS[0]}" && is_connected "${UNITS[1]}"; }
not() { ! "$@"; }

# syslog_of ID: the journal's lines about a container
syslog_of() {
	journalctl --sync
	journalctl --quiet --no-pager -o short -t oci-rdma-hook -t oci-rdma-nri | grep "${1:0:12}"
}

# asked WORD…: what systemctl says, when it has an answer: it waits 25 s for systemd, which a busy machine may need
asked() {
	local answer
	answer=$(mktemp)
	within answers "$answer" "$@"
	cat "$answer"
	rm "$answer"
}

# answers FILE WORD…
answers() { systemctl --no-legend --no-pager "${@:2}" >"$1"; }

# things: the files, the units and the mounts of the node, and directories with our name: an empty one that others use as well may stay. What engines,
# package managers and logs write for themselves is not the project's.
things() {
	local path without=()
	for path in /proc /sys /dev /run/job /run/user /run/systemd /run/udev /run/log /run/containerd /run/containers /run/credentials /run/mount \
		/run/libpod /run/crun /run/runc /run/lock /run/image /run/image.tar /run/crun.out /run/runc.out /run/cri /run/kubelet.saw /etc/cni/net.d/cni.lock /var/lib/job /var/log /var/cache /var/tmp /tmp /root /var/lib/containerd \
		/var/lib/containers /var/lib/cni /var/lib/dpkg /var/lib/apt /var/lib/systemd /lost+found; do
		without+=(-path "$path" -prune -o)
	done
	find / /run -xdev "${without[@]}" \( ! -type d -o -name '*oci-rdma*' \) -print | sort -u
	asked list-unit-files | awk '{ print "unit", $1, $2 }'
	asked list-units --all --plain 'oci-rdma*' | awk '{ print "loaded", $1, $3 }'
	findmnt -rn -o TARGET,FSTYPE | grep -v -e ^/run/credentials -e ^/proc/sys/fs/binfmt_misc -e ^/var/lib/containers/storage/overlay | sed 's/^/mount /' | sort
}

# nothing_left: after removal, and the engine starts
nothing_left() {
	systemctl restart containerd.service
	check "$ROW, removed: the engine starts" within ./cri version
	if [ -e /etc/tmpfiles.d/oci-rdma-hook.conf ]; then systemd-tmpfiles --create --remove --boot /etc/tmpfiles.d/oci-rdma-hook.conf; fi # as the next boot does
	things >/run/job/after
	is "$ROW, removed: no file, unit or mount is left" "" "$(diff "$STATE/before" /run/job/after)"
	RT=runc
	control
}

# control: a pod without us
control() {
	pod "control-$RANDOM" "${ASKS[@]}"
	trainer trainer
	main_process
	refused "$ROW, without the plugin, main process"
	by_exec exec-sync
	refused "$ROW, without the plugin, exec"
	./cri remove-pod "$POD"
}

# ---- what is started says what is true ----

# connected: unit, plugin, policy and doctor
connected() {
	local unit
	check "$ROW: both plugins are connected" within is_whole
	for unit in "${UNITS[@]}"; do has "$ROW: systemctl status: $unit runs" 'active (running)' "$(systemctl status --no-pager "$unit" 2>&1)"; done
	has "$ROW: --check names the engine" 'plugin      connected to containerd' "$(plugin_says 2>&1)"
	OUT=$(./oci-rdma-admin --check-config 2>&1)
	is "$ROW: --check-config ends well" 0 $?
	is "$ROW: --check-config: each line says ok" "" "$(grep -v ': ok' <<<"$OUT")"
	doctor_says_connected
}

doctor_says_connected() {
	command -v oci-rdma-doctor >/dev/null || return
	OUT=$(oci-rdma-doctor 2>&1)
	is "$ROW: the doctor finds nothing that fails" "" "$(grep ^FAIL <<<"$OUT")"
	has "$ROW: the doctor: both plugins are connected" 'ok    nri: 2 of 2 plugins are connected to containerd' "$OUT"
	has "$ROW: the doctor: exec has the limit" 'NRI: the limit reaches exec' "$OUT"
}

# served: main process and exec of uid 0 on crun and of uid 1000 on runc, at a time
served() { on_both served_of; }
served_of() {
	local uid=0 how
	[ "$RT" = crun ] || uid=1000
	[ "$SYSTEMD" -ge 257 ] || RT=runc # Debian 12's crun 1.8 takes no config.json of this containerd: "unknown version specified"
	pod "served-$RT-$BASHPID-$RANDOM" "${ASKS[@]}" # two at a time may be of one runtime, and have the same random number
	trainer trainer --user "$uid"
	main_process
	granted "$ROW, $RT, main process" "$uid"
	for how in exec-sync exec; do
		by_exec "$how"
		granted "$ROW, $RT, $how" "$uid"
	done
	is "$ROW, $RT: one line in the journal" 1 "$(syslog_of "$ID" | grep -c .)"
	./cri remove-pod "$POD"
	finish
}

# another WHAT: one more pod, uid 1000 on runc
another() {
	pod "another-$RANDOM" "${ASKS[@]}"
	trainer trainer --user 1000
	main_process
	granted "$ROW, $1, main process" 1000
	by_exec exec-sync
	granted "$ROW, $1, exec" 1000
	./cri remove-pod "$POD"
}

# ---- what happens to a node ----

# since: both connections' beginnings. connected_anew BEFORE: whether both are others
since() { jq -s 'map(.connected_since)' /run/oci-rdma-hook/nri-[ab].json; }
connected_anew() { is_whole && jq -e --argjson before "$1" -s '. as $now | length == 2 and all(range(2); $now[.].connected_since != $before[.])' /run/oci-rdma-hook/nri-[ab].json >/dev/null; }

# engine_again: the engine is restarted, then killed, with a container that runs
engine_again() {
	local before how
	pod "engine-$RANDOM" "${ASKS[@]}"
	trainer before --user 1000
	for how in restart kill; do
		before=$(since)
		if [ "$how" = restart ]; then systemctl restart containerd.service; else systemctl kill --kill-who=main -s KILL containerd.service; fi
		check "$ROW, engine's $how: both plugins are connected again, by themselves" within connected_anew "$before"
		within ./cri version >/dev/null
		by_exec exec-sync
		granted "$ROW, engine's $how, exec in a container of before" 1000
	done
	./cri remove-pod "$POD"
	another "after the engine's restart and end"
}

# main_pid UNIT
main_pid() { systemctl show -p MainPID --value "$1"; }
# replaced UNIT PID: whether the unit's process is another, and all is as it was
replaced() {
	local now
	now=$(main_pid "$1")
	[ "$now" != "$2" ] && [ "$now" != 0 ] && is_whole
}

# plugin_killed: by hand, or by the kernel for want of memory
plugin_killed() { ended_by KILL; }
# plugin_hangs: its loop stands still; systemd's watchdog ends it
plugin_hangs() {
	ended_by STOP
	has "$ROW, plugin hangs: systemd's watchdog has ended it" 'Watchdog timeout' "$(journalctl --quiet --no-pager --boot --unit "${UNITS[0]}")"
}
# ended_by SIGNAL: of one after the other. A pod of this moment is served
ended_by() {
	local unit pid
	for unit in "${UNITS[@]}"; do
		pid=$(main_pid "$unit")
		kill "-$1" "$pid"
		another "SIG$1 of $unit"
		check "$ROW, SIG$1: systemd starts $unit again" within replaced "$unit" "$pid"
	done
}

# missed_and_mended: a pod is made while the units are stopped. The plugin names it; with doc/install-kubernetes.md's drop-in and the policy it mends it.
missed_and_mended() {
	local config=/etc/oci-rdma-hook/config.json name=missed-$RANDOM unit
	systemctl stop "${UNITS[@]}"
	pod "$name" "${ASKS[@]}"
	waiter trainer --user 1000
	main_process
	refused "$ROW, created while the units are stopped, main process"
	systemctl start "${UNITS[@]}"
	check "$ROW, missed: --check names it" within check_says "team-a/$name/trainer"
	has "$ROW, missed: the journal says what to do" 'delete the pod, so that it is created again' "$(syslog_of "$ID")"
	for unit in "${UNITS[@]}"; do install -D -m 644 mend.conf "/etc/systemd/system/$unit.d/override.conf"; done
	cp "$config" "$STATE/config.json"
	sed -i 's|// "on_missed": "report", |"on_missed": "mend",|' "$config" # as the file's head says
	systemctl daemon-reload && systemctl restart "${UNITS[@]}"
	check "$ROW, mended: --check says so" within check_says "mended      team-a/$name/trainer: "
	has "$ROW, mended: the journal says for what the pod has to be created again" "an exec has the engine's limit" "$(syslog_of "$ID")"
	by_exec exec-sync
	refused "$ROW, mended, exec"
	main_registers "$ROW, mended, main process" 1000
	./cri remove-pod "$POD"
	cp "$STATE/config.json" "$config"
	for unit in "${UNITS[@]}"; do rm -r "/etc/systemd/system/$unit.d"; done
	systemctl daemon-reload && systemctl restart "${UNITS[@]}"
}
check_says() { plugin_says | grep -qF "$1"; }

# plugin_upgraded: `upgrade_it` of the part, over a container that runs
plugin_upgraded() {
	local unit pids=()
	pod "upgrade-$RANDOM" "${ASKS[@]}"
	trainer before --user 1000
	for unit in "${UNITS[@]}"; do pids+=("$unit" "$(main_pid "$unit")"); done
	upgrade_it
	set -- "${pids[@]}"
	while [ $# -gt 0 ]; do
		check "$ROW, upgrade: $1 has another process" within replaced "$1" "$2"
		lacks "$ROW, upgrade: $1 has the new executable" deleted "$(readlink "/proc/$(main_pid "$1")/exe")"
		shift 2
	done
	by_exec exec-sync
	granted "$ROW, upgrade, exec in a container of before" 1000
	./cri remove-pod "$POD"
	another "after the upgrade"
}

# kubelet_has_seen: written once the stand-in has looked
kubelet_has_seen() { grep -q ^status /run/kubelet.saw; }

# booted: the plugin was connected before the kubelet started
booted() {
	within kubelet_has_seen
	has "$ROW, reboot: the plugin was connected before the kubelet started" 'status 0' "$(cat /run/kubelet.saw)"
	connected
	another "after the reboot"
}

# removed_with_pods: `remove_it` of the part while a served pod runs: it keeps what it has
removed_with_pods() {
	pod "kept-$RANDOM" "${ASKS[@]}"
	trainer kept --user 1000
	main_process
	granted "$ROW, a pod before the removal" 1000
	remove_it
	check "$ROW, removed: no plugin runs" not pidof oci-rdma-nri
	by_exec exec-sync
	granted "$ROW, removed: exec in a pod of before" 1000
	OUT=$(./cri remove-pod "$POD" 2>&1)
	is "$ROW, removed: the pod of before ends as it should" "" "$OUT"
}

# only_records_left: in /run, beside the shim's link to its runtime; the node's next boot empties it; for a row whose removal runs nothing on the node
only_records_left() {
	is "$ROW, removed: only records are left, until the node boots" "" \
		"$(find /run/oci-rdma-hook -mindepth 1 ! -path '*/records*' 2>/dev/null)"
	rm -rf /run/oci-rdma-hook /run/oci-rdma-hook.*
}

# with_podman_image: made by the first step that wants it
with_podman_image() {
	if podman image exists "$IMAGE"; then return; fi
	[ -e /run/image ] || make_rootfs /run/image # a reboot has taken it
	tar -C /run/image -c . | podman import --quiet - "$IMAGE" >/dev/null
}

# in_podman [OPTION…]: sets OUT: what a container with two devices sees of itself
in_podman() {
	OUT=$("${PODMAN[@]}" run --rm "${ALLOCATED[@]}" --user 1000 --network host "$@" "$IMAGE" probe 2>&1)
}

# hook_serves: the hook files that the row brings, by podman, which reads them as CRI-O does: main is served, exec is not
hook_serves() {
	with_podman_image
	in_podman
	has "$ROW, podman, without the annotation: mlx5_1 gets ENOMEM" 'mlx5_1: reg_mr 256 MiB: ENOMEM' "$OUT"
	in_podman "${ASKS[@]}"
	has "$ROW, podman, main process: no limit" 'uid=1000 memlock soft=unlimited hard=unlimited ' "$OUT"
	has "$ROW, podman, main process: mlx5_1 registers 256 MiB" 'mlx5_1: reg_mr 256 MiB ok' "$OUT"
	has "$ROW, podman, main process: nccl.conf" "nccl.conf: $NCCL" "$OUT"
}

# shim_serves: the shim that the row brings, as podman's runtime: main and exec
shim_serves() {
	with_podman_image
	OUT=$("${PODMAN[@]}" --runtime "$SHIM" run --detach --name shim "${ALLOCATED[@]}" --user 1000 --network host "${ASKS[@]}" "$IMAGE" sh -c "$LOOK; exec sleep 1000000" 2>&1) || fail "$ROW, shim" "$OUT"
	within logged shim
	granted "$ROW, shim, main process" 1000
	OUT=$("${PODMAN[@]}" --runtime "$SHIM" exec shim sh -c "$LOOK" 2>&1)
	granted "$ROW, shim, exec" 1000
	"${PODMAN[@]}" --runtime "$SHIM" rm --force --time 0 shim >/dev/null
}
# logged NAME: sets OUT, once the container has looked. With journald `podman logs` fails now and then (podman#20569): go-systemd asks dlerror(3)
# on whichever thread Go runs it, which may still have another library's error.
logged() { OUT=$(podman logs "$1" 2>&1) && [[ $OUT == *"probe ended"* ]]; }
