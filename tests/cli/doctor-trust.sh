#!/bin/bash
# Root runs oci-rdma-doctor, on what users and containers have written: it believes root's states alone, opens the devices that it
# has checked, and shows of a file that a container names nothing but NCCL's values.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults

# believed NAME ID PID: a row: it speaks of this process; "": of none, which is status 2
believed() {
	row "$1"
	doctor --format json --container "$2"
	is "the process" "${3:-status 2}" "$(if [ "$rc" -lt 2 ]; then jq -r .target.pid "$T/out"; else echo "status $rc"; fi)"
}

# ---- whose state a container's is ----
h100
on_node
USER_ID=$(printf 'beef%060d' 1)
soft=1048576 hard=1048576 process 4720 SECRET_OF_4720=1
write proc/4720/cgroup "0::/user.slice/libpod-$USER_ID.scope"
if [ "$(id -u)" -eq 0 ]; then
	# state_of PATH ID PID [OWNER [MODE]]: a runtime's state, below a directory of the same owner
	state_of() {
		write "$1/$2/status" "{\"pid\":$3,\"bundle\":\"/nowhere\"}"
		chown -R "${4-0}" "${NODE:?}/$1"
		chmod "${5-644}" "$NODE/$1/$2/status"
	}
	state_of run/user/1000/crun "$ID" 4720 1000
	believed "a user's state with the id of root's container is not believed" "$ID" 4711
	state_of run/crun "$ID" 4711
	believed "nor is it where root's runtime has one" "$ID" 4711
	rm -r "${NODE:?}/run/crun"
	state_of run/user/1000/crun "$USER_ID" 4720 1000
	believed "root is told whose container it is, and what to do" "$USER_ID" ""
	has "whose" "belongs to uid 1000" "$(<"$T/err")"
	has "what to do" "--pid PID" "$(<"$T/err")"
	state_of run/crun "$USER_ID" 4720 1000
	believed "a state of another user's is not believed where root's are" "$USER_ID" ""
	state_of run/crun "$USER_ID" 4720 0 666
	believed "nor one that everybody may write" "$USER_ID" ""
	state_of run/crun "$USER_ID" 4720 0 644
	believed "root's own is" "$USER_ID" 4720
	rm -r "${NODE:?}/run/crun/$USER_ID"
	mkdir -p "$NODE/run/crun"
	ln -s ../user/1000/crun/"$USER_ID" "$NODE/run/crun/$USER_ID"
	believed "nor does a link of root's lead to a user's" "$USER_ID" ""
	rm "$NODE/run/crun/$USER_ID"
	chown 1000 "$NODE/run/containers/storage/overlay-containers/$ID/userdata/pidfile"
	believed "a pid file of another user's is not believed" "$ID" null
	chown 0 "$NODE/run/containers/storage/overlay-containers/$ID/userdata/pidfile"

	# the same user asks
	state_of run/user/1000/crun "$USER_ID" 4720 1000
	chmod -R a+rX "$NODE" "$T"
	as_user() { setpriv --reuid 1000 --regid 1000 --clear-groups "$@"; }
	as_user "$DOCTOR" --sysroot "$NODE" --format json --container "$USER_ID" >"$T/out" 2>"$T/err"
	row "a user's own state counts for that user"
	is "the process" 4720 "$(jq .target.pid "$T/out" 2>&1 || cat "$T/err")"
	also memlock fail "/proc/4720/limits"
	row "another user's in its place does not"
	chown -R 1001 "$NODE/run/user/1000"
	as_user "$DOCTOR" --sysroot "$NODE" --container "$USER_ID" >"$T/out" 2>"$T/err"
	is "status, whose" "2 1" "$? $(grep -c "belongs to uid 1001" "$T/err")"
	rm -r "${NODE:?}/run/user"
fi

# ---- which process ----
write run/crun/"$USER_ID"/status '{"pid":4720,"process-start-time":1234,"bundle":"/nowhere"}'
write proc/4720/cgroup '0::/user.slice/session-1.scope'
write proc/4720/stat '4720 (a) b (c) S 1 4720 4720 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 1234 5 6'
believed "without a cgroup of its own the process' start tells it" "$USER_ID" 4720
write proc/4720/stat '4720 (a) S 1 4720 4720 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 1234 5 6
) S 1 4720 4720 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 1235 5 6'
believed "…and no name tells another start" "$USER_ID" ""
write run/crun/"$USER_ID"/status '{"pid":4720,"bundle":"/nowhere"}'
write proc/4720/stat '4720 (a'
believed "without either it is not believed" "$USER_ID" ""
rm -r "${NODE:?}/run/crun"

# ---- what never answers ----
# A file system that a container has mounted there, whose reader the kernel lets wait: strace stops the process that reads the directory.
h100
in_container "$ALLOCATED"
dir=dev/infiniband
timeout "$PATIENCE" strace -f -qq -o "$T/trace" -P "$NODE/$dir" -e trace=getdents64 -e inject=getdents64:signal=STOP \
	"$DOCTOR" --sysroot "$NODE" --format json >"$T/out" 2>"$T/err"
rc=$?
row "a container's /$dir that never answers: the doctor does"
check "control: it was stopped" grep -q SIGSTOP "$T/trace"
is "status" 1 "$((rc < 2))"
also rdma_devices "not checkable" "has not answered in 5 s"

# ---- what of a file is shown ----
h100
in_container "$ALLOCATED" NCCL_CONF_FILE=/run/secrets/db.env
write run/secrets/db.env 'export DB_USER="root"
DB_PASSWORD = hunter2
PASSWORD="hunter3"
NCCL_ and a password = hunter4
hunter5=
 NCCL_DEBUG = INFO
NCCL_IB_DISABLE=1'
for format in json text prometheus; do
	row "$format: of a file that NCCL_CONF_FILE names nothing but NCCL's own is shown"
	doctor --format $format --verbose
	lacks "no secret" hunter "$(<"$T/out")"
	lacks "no name of another variable" DB_USER "$(<"$T/out")"
done
try "NCCL's own is shown and judged" nccl_conf//run/secrets/db.env warn "NCCL_DEBUG = INFO" doctor --format json
also nccl_ib_disable fail "(/run/secrets/db.env)"
finish
