#!/bin/bash
# config/nri's two units with real systemctl, on this machine's own systemd as process 1 of namespaces (tools/with-systemd): the standby runs on
# whatever happens to the other one, for which it is there, and ends when that one is stopped. There is no engine.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash

if ! may_mount || [ ! -x /lib/systemd/systemd ]; then
	pass "the standby's unit # skip it needs root that may mount, and systemd"
	finish
fi

JOB=$T/job
mkdir -p "$JOB"
cp tests/lib.sh config/nri/*.service "${BUILD:-build}/oci-rdma-nri" "$JOB/"
cat >"$JOB/run" <<'END'
#!/bin/bash
. /job/lib.sh
PLUGIN=oci-rdma-nri.service STANDBY=oci-rdma-nri-standby.service
mkdir -p /usr/local/bin
rm -rf /usr/local/lib/systemd/system/oci-rdma*
cp /job/oci-rdma-nri /usr/local/bin/
cp /job/*.service /etc/systemd/system/
systemctl daemon-reload
main_pid() { systemctl show --property MainPID --value "$1"; }
is_up() { [ "$(systemctl is-active "$1")" = active ]; }
is_anew() { is_up "$1" && [ "$(main_pid "$1")" != "$2" ]; }
is_down() { [ "$(systemctl is-active "$1")" = inactive ]; }
# standby WHAT: whether it is the process of before
standby() { if [ "$(main_pid "$STANDBY")" = "$pid" ]; then echo "$1: the standby runs on"; else echo "$1: the standby was ended"; fi; }

systemctl start "$PLUGIN"
within is_up "$STANDBY" && echo "start: both run"
pid=$(main_pid "$STANDBY") other=$(main_pid "$PLUGIN")
kill -KILL "$other"
within is_anew "$PLUGIN" "$other"
standby killed
within is_up "$STANDBY"
pid=$(main_pid "$STANDBY")
systemctl restart "$PLUGIN"
standby restarted
systemctl stop "$PLUGIN"
within is_down "$STANDBY" && echo "stopped: both are"
END
chmod 755 "$JOB/run"
sed -i "2i export PATIENCE=$PATIENCE" "$JOB/run"

unshare --mount tests/cli/tools/with-systemd "$JOB" || fail "systemd runs the job"
is "the standby runs on while the other one is killed and restarted, and ends with it" \
	$'start: both run\nkilled: the standby runs on\nrestarted: the standby runs on\nstopped: both are' "$(<"$JOB/out")"

sed -i 's/^StopWhenUnneeded=.*/StopPropagatedFrom=oci-rdma-nri.service/' "$JOB/oci-rdma-nri-standby.service"
unshare --mount tests/cli/tools/with-systemd "$JOB" || fail "systemd runs the job"
has "control: with StopPropagatedFrom= it is ended when the other one is killed" 'killed: the standby was ended' "$(<"$JOB/out")"
finish
