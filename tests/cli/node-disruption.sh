#!/bin/bash
# config/openshift/node-disruption-policy.yaml with real systemctl: what OpenShift's machine-config daemon does with the MachineConfigs of NRI=1
# (tools/mcd.py plan has its order, from its source), on this machine's own systemd as process 1 of namespaces (tools/with-systemd). Each change has to
# go through without a reboot and without an action that fails, which degrades the pool; and a plugin whose files are gone must not run on.
# packages: systemd
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash

if ! may_mount || [ ! -x /lib/systemd/systemd ]; then
	pass "the machine-config daemon's actions # skip they need root that may mount, and systemd"
	finish
fi

POLICY=config/openshift/node-disruption-policy.yaml
JOB=$T/job
mkdir -p "$JOB"

# ---- what the pool has, one after another ----

# rendered NAME EXECUTABLE [VARIABLE=VALUE…]
rendered() { check "renders $1" env "${@:3}" install/machineconfig/render-hook "$2" "$T/$1.yaml"; }
# shellcheck disable=SC2016 # the tool's own
printf '#!/bin/sh\nstrip "$@" || exit\nwhile [ "$1" != -o ]; do shift; done\necho newer >>"$2"\n' >"$T/newer"
chmod 755 "$T/newer"
rendered hook "$HOOK"
rendered nri "$HOOK" NRI=1
rendered executable "$HOOK" NRI=1 STRIP="$T/newer"
rendered policy "$HOOK" NRI=1 STRIP="$T/newer" PROFILE=roce-legacy
sed 's/MemoryMax=64M/MemoryMax=65M/' "$T/policy.yaml" >"$T/unit.yaml"
check "control: the units of the one are not the other's" test "$(grep -c MemoryMax=65M "$T/unit.yaml")" -eq 2
BASE=nri=99-worker-oci-rdma-hook,99-worker-oci-rdma-hook-doctor # without what makes CRI-O use it
POOLS=(none nri executable policy unit hook nri "$BASE" nri none hook none)
CHANGES=(first-install executable policy unit without-NRI with-NRI-again enable-deleted enabled-again both-deleted hook-alone hook-alone-deleted)

# of POOL: as mcd.py names it
of() {
	case $1 in
	none) echo none ;;
	*=*) echo "$T/${1%%=*}.yaml=${1#*=}" ;;
	*) echo "$T/$1.yaml" ;;
	esac
}
# plans POLICY DIR: a plan for each change
plans() {
	local i
	for ((i = 0; i < ${#CHANGES[@]}; i++)); do
		python3 tests/cli/tools/mcd.py plan "$2/$((i + 10))-${CHANGES[i]}" "$1" "$(of "${POOLS[i]}")" "$(of "${POOLS[i + 1]}")"
	done
}

# ---- on a node ----

cat >"$JOB/each" <<'END'
#!/bin/bash
# Each change by its script; a line each: what came of it, what became of both plugins and of the unit for metrics, how many plugins run (systemd is
# their parent), whether both were away at a time, and which unit has failed
. /job/lib.sh
METRICS=oci-rdma-metrics.service
printf 'disable *\n' >/usr/lib/systemd/system-preset/99-default-disable.preset # as RHCOS has it
printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n' >/etc/systemd/system/crio.service # what stands for CRI-O
systemctl daemon-reload
mkdir -p /usr/local/bin /run/nri
python3 -B /job/tools/engine.py /run/nri/nri.sock & # what stands for the engine
rm -rf /usr/local/bin/oci-rdma* /usr/local/lib/systemd/system/oci-rdma* /etc/oci-rdma-hook /etc/containers/oci /run/oci-rdma-hook

# property NAME UNIT
property() { systemctl show --property "$1" --value "$2"; }
main_pid() { property MainPID "$1"; }
# memory_max UNIT: that of the unit's file, in bytes
memory_max() { echo $(($(sed -n 's/^MemoryMax=\(.*\)M$/\1/p' "/etc/systemd/system/$1") * 1048576)); }
runs_the_file() { cmp -s "/proc/$(main_pid "$1")/exe" /usr/local/bin/oci-rdma-nri && [ "$(property MemoryMax "$1")" = "$(memory_max "$1")" ]; }
has_unit() { [ -e "/etc/systemd/system/$1" ]; }
# has_ended UNIT: and systemd does not wait to start it again
has_ended() { [ "$(main_pid "$1")" = 0 ] && [ "$(property ActiveState "$1")" != activating ] && [ -z "$(systemctl list-jobs --no-legend "$1")" ]; }
# ended UNIT: what systemd knows of one whose file is gone
ended() {
	if within has_ended "$1"; then echo -n ended; else echo -n "STILL RUNS"; fi
	echo -n ", $(property LoadState "$1"), links: $(find /etc/systemd/system -name "$1" | wc -l)"
}
# runs UNIT PID-BEFORE
runs() {
	if ! within runs_the_file "$1"; then echo -n "IS NOT THE FILE"; elif [ "$(main_pid "$1")" = "$2" ]; then echo -n "runs on"; else echo -n "runs anew"; fi
}
# plugin NAME PID-BEFORE: what became of this plugin, and its unit's MemoryMax
plugin() {
	local unit=oci-rdma-nri-$1.service
	echo -n "$1 "
	if has_unit "$unit"; then
		runs "$unit" "$2"
		echo -n ", MemoryMax=$(($(property MemoryMax "$unit") / 1048576))M, $(systemctl is-enabled "$unit")"
	else
		ended "$unit"
	fi
}
# one_by_one PID PID: where each had run before and was started anew, one was connected when the other one was stopped
one_by_one() {
	local a=oci-rdma-nri-a.service b=oci-rdma-nri-b.service
	if [ "$1" = 0 ] || [ "$2" = 0 ] || [ "$(main_pid "$a")" = "$1" ] || [ "$(main_pid "$b")" = "$2" ] || ! has_unit "$a"; then return 0; fi
	precedes "$a" "$b" || precedes "$b" "$a"
}
# precedes UNIT UNIT: that one had started when this one was stopped
precedes() { [ "$(property ActiveEnterTimestampMonotonic "$1")" -le "$(property ActiveExitTimestampMonotonic "$2")" ]; }
is_active() { systemctl --quiet is-active "$1"; }
metrics() {
	if ! has_unit "$METRICS"; then
		ended "$METRICS"
	elif within is_active "$METRICS"; then
		echo -n "active, $(systemctl is-enabled "$METRICS")"
	else
		echo -n "IS NOT ACTIVE"
	fi
}
failed() { systemctl list-units --all --plain --no-legend --state=failed 'oci-rdma*' 'system-ocirdma*' | cut -d ' ' -f 1 | xargs; }

for change in /job/plans/*/; do
	[ -z "${COME_BACK-}" ] || cp /etc/systemd/system/oci-rdma-*.service /job/tools/ 2>/dev/null
	a=$(main_pid oci-rdma-nri-a.service) b=$(main_pid oci-rdma-nri-b.service)
	sed -i -E "s/^systemctl (enable|preset)/SYSTEMD_OFFLINE=${OFFLINE:-0} &/" "$change/steps"
	[ -z "${LATE-}" ] || sed -i '0,/^systemctl restart/s//sleep 3\n&/; 0,/^systemctl daemon-reload/s//sleep 3\n&/' "$change/steps"
	"$change/steps" >"$change/said" 2>&1
	rc=$?
	echo "$(basename "$change" | cut -c 4-) $rc: ${LOOK+$(plugin a "$a"); $(plugin b "$b"); plugins: $(pgrep -P 1 -cx oci-rdma-nri)$(one_by_one "$a" "$b" || echo " BOTH WERE AWAY"); metrics $(metrics); failed: $(failed)}"
done
# In image mode, an upgrade leaves the units in the image, and a removal brings them back from there, without the other files.
for unit in ${COME_BACK:+oci-rdma-nri-a.service oci-rdma-nri-b.service "$METRICS"}; do
	cp "/job/tools/$unit" /etc/systemd/system/ && systemctl daemon-reload && systemctl start "$unit"
	echo "$unit is back: its conditions hold: $(property ConditionResult "$unit"), $(property ActiveState "$unit")"
done
[ -z "${UNUSABLE-}" ] || { echo foo >/etc/oci-rdma-hook/config.json && systemctl restart oci-rdma-nri-a.service 2>&1 | head -n 1; }
END
chmod 755 "$JOB/each"
cp tests/lib.sh "$JOB/"
cp -r tests/cli/tools "$JOB/"
cat >"$JOB/tools/engine.py" <<'END'
"""Takes each plugin that connects, until it goes."""
import sys
import threading

from nri_peer import Closed, Runtime


def serve(connection):
    try:
        connection.begin().read(1)
    except (Closed, OSError):
        connection.close()


runtime = Runtime(sys.argv[1])
runtime.listener.settimeout(None)
while True:
    threading.Thread(target=serve, args=[runtime.accept()], daemon=True).start()
END
sed 's/system-ocirdma-\([ab]\)\.slice/oci-rdma-nri-\1.service/' "$POLICY" >"$T/by-the-unit.yaml"
sed '/^    units:/,$d' "$POLICY" >"$T/without-units.yaml"
echo '    units: []' >>"$T/without-units.yaml"

# on_a_node POLICY [VARIABLE=VALUE…]: sets OUT
on_a_node() {
	rm -rf "$JOB/plans"
	plans "$1" "$JOB/plans"
	printf '#!/bin/sh\nexec env PATIENCE=%s %s /job/each\n' "$PATIENCE" "${*:2}" >"$JOB/run"
	chmod 755 "$JOB/run"
	unshare --mount tests/cli/tools/with-systemd "$JOB" || fail "systemd runs the job"
	OUT=$(<"$JOB/out")
}

EXPECTED="first-install 0: a runs anew, MemoryMax=64M, enabled; b runs anew, MemoryMax=64M, enabled; plugins: 2; metrics active, enabled; failed: 
executable 0: a runs anew, MemoryMax=64M, enabled; b runs anew, MemoryMax=64M, enabled; plugins: 2; metrics active, enabled; failed: 
policy 0: a runs on, MemoryMax=64M, enabled; b runs on, MemoryMax=64M, enabled; plugins: 2; metrics active, enabled; failed: 
unit 0: a runs anew, MemoryMax=65M, enabled; b runs anew, MemoryMax=65M, enabled; plugins: 2; metrics active, enabled; failed: 
without-NRI 0: a ended, not-found, links: 0; b ended, not-found, links: 0; plugins: 0; metrics active, enabled; failed: 
with-NRI-again 0: a runs anew, MemoryMax=64M, enabled; b runs anew, MemoryMax=64M, enabled; plugins: 2; metrics active, enabled; failed: 
enable-deleted 0: a ended, not-found, links: 0; b ended, not-found, links: 0; plugins: 0; metrics ended, not-found, links: 0; failed: 
enabled-again 0: a runs anew, MemoryMax=64M, enabled; b runs anew, MemoryMax=64M, enabled; plugins: 2; metrics active, enabled; failed: 
both-deleted 0: a ended, not-found, links: 0; b ended, not-found, links: 0; plugins: 0; metrics ended, not-found, links: 0; failed: 
hook-alone 0: a ended, not-found, links: 0; b ended, not-found, links: 0; plugins: 0; metrics active, enabled; failed: 
hook-alone-deleted 0: a ended, not-found, links: 0; b ended, not-found, links: 0; plugins: 0; metrics ended, not-found, links: 0; failed: "

on_a_node "$POLICY" LOOK=1
same "each change goes through" "$EXPECTED" "$OUT"
is "…and no change reboots" "" "$(grep -lx reboot "$JOB"/plans/*/steps)"

plans "$T/without-units.yaml" "$T/rebooting"
is "control: without a policy for the unit its changes reboot" "first-install unit without-NRI with-NRI-again enable-deleted enabled-again both-deleted hook-alone hook-alone-deleted" \
	"$(grep -lx reboot "$T"/rebooting/*/steps | xargs -n 1 dirname | xargs -n 1 basename | cut -c 4- | xargs)"
# The daemon runs in a container that has entered the node's root: there systemctl enable may or may not tell systemd to read its files again.
POOLS=(none nri unit hook none) CHANGES=(first-install unit without-NRI hook-alone-deleted)
on_a_node "$POLICY" LOOK=1 OFFLINE=1
same "the changes of the unit go through if enable tells systemd nothing, too" "$(grep -E "^($(IFS='|' && echo "${CHANGES[*]}")) " <<<"$EXPECTED")" "$OUT"

POOLS=(none nri none) CHANGES=(first-install both-deleted)
on_a_node "$POLICY" COME_BACK=1
same "units that come back after a removal start nothing, and nothing over and over" "first-install 0: 
both-deleted 0: 
$(printf 'oci-rdma-%s.service is back: its conditions hold: no, inactive\n' nri-a nri-b metrics)" "$OUT"

POOLS=(none nri) CHANGES=(first-install)
on_a_node "$POLICY" UNUSABLE=1
same "with a policy that cannot be used, systemctl says that a plugin's start has failed" "first-install 0: 
Job for oci-rdma-nri-a.service failed because the control process exited with error code." "$OUT"

# What brings the metrics sees that its unit's file is gone, and ends. The restart of its slice then finds it deactivating, and does nothing, which is so
# for as long as ExecStopPost= takes; if it waited to be started again (Restart=always) when systemd reads its files, it would fail.
sed "s/ExecStopPost=.bin.sh -c '/&sleep 4; /" "$T/nri.yaml" >"$T/slow.yaml"
POOLS=(none slow none)
on_a_node "$POLICY" LOOK=1 LATE=1
same "and if the daemon takes its time until it runs the actions" "$(grep -E "^($(IFS='|' && echo "${CHANGES[*]}")) " <<<"$EXPECTED")" "$OUT"
BACKWARDS=1 on_a_node "$POLICY" LOOK=1
same "and if the daemon takes the units in the other order" "$(grep -E "^($(IFS='|' && echo "${CHANGES[*]}")) " <<<"$EXPECTED")" "$OUT"

# A start that takes a second, and no order between the unit and its slice
for name in nri executable; do sed '/^ *Before=system-ocirdma-/d; s/^\( *\)TimeoutStartSec=15/&\n\1ExecStartPre=\/bin\/sleep 1/' "$T/$name.yaml" >"$T/$name-at-once.yaml"; done
POOLS=(none nri-at-once executable-at-once) CHANGES=(first-install executable)
on_a_node "$POLICY" LOOK=1
has "control: without Before= the second plugin is stopped while the first one starts" "plugins: 2 BOTH WERE AWAY" "$OUT"

POOLS=(none nri hook) CHANGES=(first-install without-NRI)
on_a_node "$T/by-the-unit.yaml"
has "control: an action that restarts the unit itself does well when the update adds it" "first-install 0:" "$OUT"
lacks "control: …and fails when the update removes it" "without-NRI 0:" "$OUT"
finish
