#!/bin/bash
# Root runs oci-rdma-doctor, on what users and containers have written: it believes root's states alone, opens the devices that it
# has checked, and shows of a file that a container names nothing but NCCL's values.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults

# pid_of ID: of which process it speaks
pid_of() {
	doctor --format json --container "$1"
	jq -r .target.pid "$T/out" 2>/dev/null || cat "$T/err"
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
	is "a user's state with the id of root's container is not believed" 4711 "$(pid_of "$ID")"
	state_of run/crun "$ID" 4711
	is "nor is it where root's runtime has one" 4711 "$(pid_of "$ID")"
	rm -r "${NODE:?}/run/crun"
	state_of run/user/1000/crun "$USER_ID" 4720 1000
	doctor --container "$USER_ID"
	is "root is told whose container it is, and what to do" "2 1" "$rc $(grep -c "belongs to uid 1000" "$T/err")"
	has "a user's container: --pid is named" "--pid PID" "$(<"$T/err")"
	state_of run/crun "$USER_ID" 4720 1000
	is "a state of another user's is not believed where root's are" 2 "$(pid_of "$USER_ID" >/dev/null && echo "$rc")"
	state_of run/crun "$USER_ID" 4720 0 666
	is "nor one that everybody may write" 2 "$(pid_of "$USER_ID" >/dev/null && echo "$rc")"
	state_of run/crun "$USER_ID" 4720 0 644
	is "root's own is" 4720 "$(pid_of "$USER_ID")"
	rm -r "${NODE:?}/run/crun/$USER_ID"
	mkdir -p "$NODE/run/crun"
	ln -s ../user/1000/crun/"$USER_ID" "$NODE/run/crun/$USER_ID"
	is "nor does a link of root's lead to a user's" 2 "$(pid_of "$USER_ID" >/dev/null && echo "$rc")"
	rm "$NODE/run/crun/$USER_ID"
	chown 1000 "$NODE/run/containers/storage/overlay-containers/$ID/userdata/pidfile"
	is "a pid file of another user's is not believed" null "$(pid_of "$ID")"
	chown 0 "$NODE/run/containers/storage/overlay-containers/$ID/userdata/pidfile"

	# the same user asks
	state_of run/user/1000/crun "$USER_ID" 4720 1000
	chmod -R a+rX "$NODE" "$T"
	as_user() { setpriv --reuid 1000 --regid 1000 --clear-groups "$@"; }
	as_user "$DOCTOR" --sysroot "$NODE" --format json --container "$USER_ID" >"$T/out" 2>"$T/err"
	is "a user's own state counts for that user" 4720 "$(jq .target.pid "$T/out" 2>&1 || cat "$T/err")"
	finds "a user's own container: its limits" memlock fail "/proc/4720/limits"
	chown -R 1001 "$NODE/run/user/1000"
	as_user "$DOCTOR" --sysroot "$NODE" --container "$USER_ID" >"$T/out" 2>"$T/err"
	is "another user's in its place does not" "2 1" "$? $(grep -c "belongs to uid 1001" "$T/err")"
	rm -r "${NODE:?}/run/user"
fi

# ---- which process ----
write run/crun/"$USER_ID"/status '{"pid":4720,"process-start-time":1234,"bundle":"/nowhere"}'
write proc/4720/cgroup '0::/user.slice/session-1.scope'
write proc/4720/stat '4720 (a) b (c) S 1 4720 4720 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 1234 5 6'
is "without a cgroup of its own the process' start tells it" 4720 "$(pid_of "$USER_ID")"
write proc/4720/stat '4720 (a) S 1 2
(c) S 1 4720 4720 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 1234 5 6'
is "…also if its name has two lines" 4720 "$(pid_of "$USER_ID")"
write proc/4720/stat '4720 (a) S 1 4720 4720 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 1234 5 6
) S 1 4720 4720 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 1235 5 6'
is "…and no name tells another start" 2 "$(pid_of "$USER_ID" >/dev/null && echo "$rc")"
write proc/4720/stat '4720 (a) b (c) S 1 4720 4720 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 1235 5 6'
is "one that began at another time is another" 2 "$(pid_of "$USER_ID" >/dev/null && echo "$rc")"
write run/crun/"$USER_ID"/status '{"pid":4720,"bundle":"/nowhere"}'
write proc/4720/stat '4720 (a'
is "without either it is not believed" 2 "$(pid_of "$USER_ID" >/dev/null && echo "$rc")"
rm -r "${NODE:?}/run/crun"

# ---- what never answers ----
# A file system that a container has mounted there, whose reader the kernel lets wait: strace stops the process that reads the directory.
h100
in_container "$ALLOCATED"
for dir in dev/infiniband dev; do
	timeout "$PATIENCE" strace -f -qq -o "$T/trace" -P "$NODE/$dir" -e trace=getdents64 -e inject=getdents64:signal=STOP \
		"$DOCTOR" --sysroot "$NODE" --format json >"$T/out" 2>"$T/err"
	rc=$?
	check "a container's /$dir that never answers" grep -q SIGSTOP "$T/trace"
	is "…the doctor does" 1 "$((rc < 2))"
	finds "…and says so" rdma_devices "not checkable" "has not answered in 5 s"
done

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
	doctor --format $format --verbose
	lacks "$format: of a file that NCCL_CONF_FILE names nothing but NCCL's own is shown" hunter "$(<"$T/out")"
	lacks "$format: no name of another variable either" DB_USER "$(<"$T/out")"
done
doctor --format json
finds "NCCL's own is" nccl_conf//run/secrets/db.env warn "NCCL_DEBUG = INFO"
finds "and judged" nccl_ib_disable fail "(/run/secrets/db.env)"
finish
