#!/bin/bash
# What the administrator finds in the journal: one line per grant or denial, and nothing about all others. Which outcome is said, and which one
# somebody has said before, in all cases: unit core/report/log.
# It runs in a mount namespace of its own, with a /dev/log that the suite reads.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/namespace.bash "the log"
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
node one
rdma='{"devices":[["/dev/infiniband/uverbs6",231,198]]}'

. tests/cli/journal.bash

config '{"memlock": "8Mi"}'
container "$rdma"
hook
logged
is "a grant is one line" 1 "$(wc -l <<<"${log%$'\n'}")"
for part in oci-rdma-hook 940942ebb876fe6079df8da29c1c12cc56f396967f80b36e8efb63028986fbfd trainer h-kim-0 team-a mlx5_6 8388608 createRuntime; do
	has "it names $part" "$part" "$log"
done
check "it has a priority" grep -qE '^<[0-9]+>' <<<"$log"
hook poststart
logged
is "the other stage adds no second line" "" "$log"
fresh_process
state . >"$T/state"
hook poststart
logged
is "poststart raises again what runc's own limit undid" "$AFTER" "$(limit)"
is "which is the same grant: no line" "" "$log"

# In runc's poststart the process has its user, and prlimit(2) of another user's process needs CAP_SYS_RESOURCE, also to read the limit.
program=$HOOK
printf '#!/bin/sh\nexec setpriv --bounding-set -sys_resource %s "$@"\n' "$program" >"$T/unprivileged" && chmod 755 "$T/unprivileged"
# of_a_user CASE: poststart of a process of user 1000, which has the limit
of_a_user() {
	WRAPPER=(prlimit --memlock="$AFTER" setpriv --reuid 1000 --clear-groups)
	container "$1"
	WRAPPER=()
	HOOK=$T/unprivileged
	hook poststart
	HOOK=$program
	logged
}
of_a_user "$rdma"
is "poststart without CAP_SYS_RESOURCE, of a user's process: createRuntime has raised the limit or logged why not: no line" "0 " "$rc $log"
of_a_user "${rdma%\}},\"merge\":{\"process\":{\"rlimits\":[{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":1048576,\"hard\":1048576}]}}}"
is "…but where the spec lists a limit, which runc has set since: one line" "0 1" "$rc $(grep -c 'poststart: cannot raise RLIMIT_MEMLOCK .*CAP_SYS_RESOURCE' <<<"$log")"

# The pod's author reads the reason in the engine's error, and has no business with the node's directories.
config '{"memlock": "8Mi", "on_error": "fail"}'
container "${rdma%\}},\"annotations\":{\"oci-rdma-hook.io/memlock\":\"much\"}}"
hook
logged
has "a mistake in an annotation, told to its author: where" "createRuntime: config.json: line " "$rc $(<"$T/err")"
lacks "a mistake in an annotation, told to its author: …without the node's directories" "$B" "$(<"$T/err")"

config '{"memlock": "8Mi", "namespaces": ["team-b"]}'
container "$rdma"
hook
hook poststart
logged
is "a denial is one line, of both stages together" 1 "$(wc -l <<<"${log%$'\n'}")"
has "it says so" denied "$log"
has "it names the namespace" team-a "$log"

# A state that cannot be read: what stderr is cannot be known then, so that the line is here alone
container "$rdma"
state '.annotations.long = ("x" * 4194304)' >"$T/state"
hook
logged
is "a state of more than 4 MiB: one line" 1 "$(wc -l <<<"${log%$'\n'}")"
has "a state of more than 4 MiB: it says so" "state JSON on stdin: larger than" "$log"
state 'del(.bundle) | .annotations["run.oci.hooks.stderr"] = "/x"' >"$T/state"
hook
logged
has "a state that cannot be used, with a stderr that its author chose: it says why" "the bundle is missing" "$log"

# A function of vfio-pci
node '{"functions":[{"pci":"0000:3b:00.0","ibdev":"mlx5_2","vfs":[{"pci":"0000:3b:02.5","driver":"vfio-pci"}]}]}'
config '{"memlock": "8Mi", "devices": ["verbs", "vfio"]}'
mkdir -p "$NODE/run"
container '{"devices":[["/dev/vfio/2",243,0]]}'
hook
logged
has "a vfio function: named as the kernel does" " devices=vfio/2 memlock=8388608 capabilities=- nccl=- by=createRuntime" "$log"
has "a vfio function: in the record, too" '"vfio/2"' "$(cat "$NODE"/run/oci-rdma-hook/*/* 2>/dev/null)"
config '{"memlock": "8Mi", "devices": ["verbs", "vfio", "vdpa"]}'
container '{"devices":[["/dev/vfio/2",243,0]]}'
hook
logged
has "a vfio function and a broken policy: it may not count" "none: " "$log"
container '{"devices":[["/dev/vfio/2",243,0]],"annotations":{"oci-rdma-hook.io/inject":null}}'
hook
logged
is "a vfio function and a broken policy, not asked for: no line" "0 " "$rc $log"
node one

# Who did not ask, and who refuses
config '{"memlock": "8Mi"}'
device='"devices":[["/dev/infiniband/uverbs6",231,198]]'
for case in '{"annotations":{"oci-rdma-hook.io/inject":null}}' "{$device,\"annotations\":{\"oci-rdma-hook.io/inject\":null}}" \
	'{"annotations":{"oci-rdma-hook.io/inject":"false"}}' "{$device,\"annotations\":{\"oci-rdma-hook.io/inject\":\"false\"}}" \
	'{"annotations":{"oci-rdma-hook.io/inject":"false","oci-rdma-hook.io/unknown":"1"}}' \
	'{"annotations":{"io.kubernetes.cri-o.ContainerType":"sandbox"}}' '{"annotations":{"io.kubernetes.cri.container-type":"sandbox"}}'; do
	container "$case"
	hook
	hook poststart
	logged
	is "nothing to say about $case" "" "$log"
done

# Who asks and gets nothing: nothing_for CASE REASON
nothing_for() {
	container "$1"
	hook
	is "$1: it starts, as it is, with nothing on stderr" "0 $BEFORE " "$rc $(limit) $(<"$T/err")"
	hook poststart
	logged
	is "$1: one line, of both stages together" 1 "$(wc -l <<<"${log%$'\n'}")"
	has "$1: for information" "<30>" "$log"
	has "$1: why" "$2" "$log"
	has "$1: and whose" "none: container=940942ebb876fe6079df8da29c1c12cc56f396967f80b36e8efb63028986fbfd name=trainer pod=h-kim-0 namespace=team-a" "$log"
}
nothing_for '{}' "reason=no RDMA device"
nothing_for '{"devices":[["/dev/infiniband/uverbs6",1,3]]}' "warnings=unproven_device by=createRuntime reason=no RDMA device"
nothing_for '{"annotations":{"oci-rdma-hook.io/containers":"loader"}}' oci-rdma-hook.io/containers
nothing_for "{$device,\"annotations\":{\"oci-rdma-hook.io/inject\":null,\"oci-rdma-hook.io/memlock\":\"1Mi\"}}" "no annotation oci-rdma-hook.io/inject"
config '{"opt_inn": "device"}'
nothing_for '{}' "opt_inn"

rm -rf "$NODE/run/oci-rdma-hook"
config '{"memlock": "8Mi"}'
container '{"annotations":{"oci-rdma-hook.io/containers":"loader"}}'
"$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out"
logged
is "precreate: a sidecar's line, too" 1 "$(grep -c "<30>.* by=precreate reason=.*does not name this container" <<<"$log")"
container '{"annotations":{"io.kubernetes.cri.container-type":"sandbox"}}'
"$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out"
logged
is "precreate: nothing to say about a pod's sandbox" "" "$log"

# Another entry point, as the NRI plugin, has been there: of what is left to be added one line, that is no second grant
line_of() {
	container "{$device,\"env\":[$1],\"merge\":{\"process\":{\"rlimits\":[$2]}}}"
	"$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out"
	logged
	is "$3" "$4" "$(sed -E 's/.*: ([a-z]+): .*( memlock=.*)/\1\2/' <<<"$log")"
}
limit='{"type":"RLIMIT_MEMLOCK","soft":8388608,"hard":8388608}'
config '{"memlock": "8Mi", "capabilities": ["CAP_IPC_LOCK"]}'
line_of '"NCCL_IB_HCA==mlx5_6"' "$limit" "limit and variables are there: only the capability is added" \
	"addition memlock=- capabilities=CAP_IPC_LOCK nccl=- by=precreate"
line_of '"NCCL_IB_HCA==mlx5_6"' '' "the limit is not there: a grant" "grant memlock=8388608 capabilities=CAP_IPC_LOCK nccl=- by=precreate"
line_of '' "$limit" "the variable is not there: a grant" "grant memlock=8388608 capabilities=CAP_IPC_LOCK nccl=env by=precreate"
line_of '"NCCL_IB_HCA=mlx5_9"' "$limit" "the variable is the author's own: a grant" \
	"grant memlock=8388608 capabilities=CAP_IPC_LOCK nccl=- by=precreate warnings=env_already_set"
config '{"memlock": "8Mi", "capabilities": ["CAP_IPC_LOCK"], "nccl": {"hca": false}}'
line_of '' "$limit" "the limit alone may be the engine's own: a grant" "grant memlock=8388608 capabilities=CAP_IPC_LOCK nccl=- by=precreate"
config '{"memlock": "8Mi", "capabilities": []}'
line_of '"NCCL_IB_HCA==mlx5_6"' "$limit" "nothing is left to be added: no line" ""

config '{"memlock": "8Mi"}'
echo /bin/true >"$NODE/etc/oci-rdma-hook/runtimes"
ln -s "$HOOK" "$T/oci-rdma-runtime"
for name in containers:loader inject:True; do
	container "{\"annotations\":{\"oci-rdma-hook.io/${name%:*}\":\"${name#*:}\"}}"
	OCI_RDMA_SYSROOT=$NODE "$T/oci-rdma-runtime" create --bundle "$B" c0 >"$T/out" 2>&1
	is "shim, $name: the container starts, and the shim is silent" "0 " "$? $(<"$T/out")"
	logged
	is "shim, $name: one line" 1 "$(grep -c "<30>.* container=c0 .* by=runtime reason=" <<<"$log")"
done

# Behind the shim: the runtime that it starts runs the hook, which reads the shim's record
mkdir -p "$NODE/run"
cat >"$T/crun" <<'END'
#!/bin/bash
# crun create …: like the real one, the parent of the hook
cd "$BUNDLE" && "$HOOK_UNDER_TEST" --sysroot "$OCI_RDMA_SYSROOT" createRuntime <"$STATE_FILE"
exit
END
chmod 755 "$T/crun"
# behind_shim CASE: $log of both, and how it ended
behind_shim() {
	container "$1"
	logged
	BUNDLE=$B HOOK_UNDER_TEST=$HOOK STATE_FILE=$T/state OCI_RDMA_SYSROOT=$NODE "$T/oci-rdma-runtime" create --bundle "$B" "$(jq -r .id "$T/state")" >"$T/out" 2>&1
	rc=$?
	logged
}
config '{"memlock": "8Mi"}'
echo "$T/crun" >"$NODE/etc/oci-rdma-hook/runtimes"
for case in '{}' '{"annotations":{"oci-rdma-hook.io/containers":"loader"}}' '{"annotations":{"oci-rdma-hook.io/inject":"True"}}'; do
	behind_shim "$case"
	is "shim and hook, $case: one line, the shim's" "0 1 1" "$rc $(wc -l <<<"${log%$'\n'}") $(grep -c '<30>.* none: .* by=runtime' <<<"$log")"
done
config '{"memlock": "8Mi", "namespaces": ["team-b"]}'
echo "$T/crun" >"$NODE/etc/oci-rdma-hook/runtimes"
behind_shim "$rdma"
is "shim and hook, denied: one line, the shim's" "0 1 1" "$rc $(wc -l <<<"${log%$'\n'}") $(grep -c ' denied: .* by=runtime' <<<"$log")"
config '{"memlock": "8Mi", "on_no_device": "fail"}'
container '{}'
bash -c 'cd "$1" && "$2" --sysroot "$3" createRuntime <"$4"; exit' - "$B" "$HOOK" "$NODE" "$T/state" >"$T/out" 2>"$T/err"
is "a hook that fails says why, whoever has said it before" "1 1" "$? $(wc -l <"$T/err")"
config '{"memlock": "8Mi"}'
logged

container '{"devices":[["/dev/infiniband/uverbs6",231,198]],"annotations":{"io.kubernetes.pod.name":"a\nkernel: b\u001b[2J\u0000c\u2028"}}'
hook
logged
is "a forged name makes no second line" 1 "$(wc -l <<<"${log%$'\n'}")"
lacks "and no control character" $'\e' "$log"

# An id is the runtime's caller's: the shim's is not in any file.
config '{"memlock": "8Mi"}'
echo /bin/true >"$NODE/etc/oci-rdma-hook/runtimes"
container "$rdma"
ln -s "$HOOK" "$T/oci-rdma-runtime"
OCI_RDMA_SYSROOT=$NODE "$T/oci-rdma-runtime" create --bundle "$B" $'a\nkernel: b\e[2Jc'
logged
is "control characters of an id become question marks" "1 1" "$(wc -l <<<"${log%$'\n'}") $(grep -cF 'container=a?kernel: b?[2Jc ' <<<"$log")"

# A policy that cannot be read: the container has a device, and its failure one line, of both stages together
config '{"opt_inn": "device"}'
container "$rdma"
hook
hook poststart
logged
is "a failure is one line, of both stages together" 1 "$(grep -c '<27>.*createRuntime: .*opt_inn' <<<"$log")"
is "and nothing else" 1 "$(wc -l <<<"${log%$'\n'}")"
"$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>"$T/err"
logged
is "precreate: a failure is one line, in the log and on stderr" "1 1" "$(grep -c '<27>.*precreate: .*opt_inn' <<<"$log") $(grep -c opt_inn "$T/err")"
check "precreate: and the container is as it was" cmp "$B/config.json" "$T/out"
config '{"memlock": "8Mi"}'

devices='["/dev/infiniband/uverbs6",231,198]'
for n in {100..299}; do devices+=",[\"/dev/infiniband/uverbs$n\",1,$n]"; done
container "{\"devices\":[$devices]}"
hook
logged
is "a grant with more warnings than are kept is one line" 1 "$(wc -l <<<"${log%$'\n'}")"
is "with all that are kept" 128 "$(grep -o 'unproven_device' <<<"$log" | wc -l)"

container "$rdma"
state '.pid = 1' >"$T/state"
hook
logged
is "a failure is one line, too" 1 "$(grep -c 'pid 1' <<<"$log")"

# A journal that nobody reads must not hold up the container
# A sender's buffer may be full before the journal is (net.unix.max_dgram_qlen is 10 here, 512 there): then another one sends.
timeout "$PATIENCE" "$PYTHON" -IS -c '
import socket
senders, full = [], False
while not full:
    senders.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    senders[-1].connect("/dev/log")
    senders[-1].setblocking(False)
    full = True
    try:
        while True:
            senders[-1].send(b"x")
            full = False
    except BlockingIOError:
        pass
'
container "$rdma"
cat >"$T/traced" <<END
#!/bin/bash
export ASAN_OPTIONS=detect_leaks=0 # which would trace as well
exec strace -f -qq -e trace=sendto,sendmsg,send -o "$T/trace" -- "$HOOK" "\$@"
END
chmod 755 "$T/traced"
HOOK=$T/traced hook
is "a journal that nobody reads holds nobody up: the kernel refuses the line at once" "yes no" \
	"$(grep -q 'send.*EAGAIN' "$T/trace" && echo yes || echo no) $(grep -qE 'ERESTART|SIGALRM' "$T/trace" && echo yes || echo no)"
is "memlock is raised all the same" "0 $AFTER" "$rc $(limit)"
finish
