#!/bin/bash
# --cdi: the node's HCAs as a CDI spec, for engines on hosts without Kubernetes; and --ask, by which its hooks ask for the container.
# Engines are in the VM's test, the specification's own schema in cdi-schema.sh.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash

# cdi [ARG…]: sets rc; the spec is in $T/out
cdi() {
	timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" --cdi "$@" >"$T/out" 2>"$T/err"
	rc=$?
}

# says DESCRIPTION JQ-FILTER WANT: of the spec
says() { is "$1" "$3" "$(jq -r "$2" "$T/out" 2>&1)"; }

# names: each device with its files
names='.devices[] | .name + " " + ([.containerEdits.deviceNodes[].path | ltrimstr("/dev/infiniband/")] | join(","))'

# ---- the spec ----

node one
cdi
is "a spec: status, and nothing else is said" "0 " "$rc $(<"$T/err")"
says "its version has annotations, its kind is ours" '.cdiVersion + " " + .kind' '0.6.0 oci-rdma-hook.io/hca'
says "a device for each HCA, by name and by address, and all of them" "$names" 'mlx5_2 uverbs2
0000:3b:00.0 uverbs2
mlx5_6 uverbs6
0000:3b:02.6 uverbs6
all uverbs2,uverbs6'
says "no device says a number: it would be old after the next boot" '[.. | objects | has("major") or has("minor") or has("type")] | any' false
says "no device may be made (mknod)" '[.. | objects | .permissions // empty] | unique[]' rw
says "rdma_cm comes with any of them" '.containerEdits.deviceNodes[].path' /dev/infiniband/rdma_cm
says "the hooks come once with any of them" '[.devices[].containerEdits | keys[]] | unique[]' deviceNodes
says "they are two stages, and ask" '.containerEdits.hooks[] | .hookName + " " + (.args | join(" "))' \
	"createRuntime oci-rdma-hook --sysroot $NODE --ask createRuntime
poststart oci-rdma-hook --sysroot $NODE --ask poststart"
says "they run this program" '[.containerEdits.hooks[].path] | unique[]' "$HOOK"
says "with a PATH and a timeout as config/hooks.d has them" '[.containerEdits.hooks[] | {env, timeout}] | unique[] | tostring' \
	"$(jq -c '.hook | {env, timeout}' config/hooks.d/annotation/90-oci-rdma-hook.json)"
says "the file says where it must not be" '.annotations["oci-rdma-hook.io/note"] | test("Kubernetes")' true
echo '{}' >"$T/policy.json"
cp "$T/out" "$T/plain"
(cd "$T" && timeout "$PATIENCE" "$HOOK" --config policy.json --sysroot node --cdi >"$T/out" 2>"$T/err")
says "--config and --sysroot are handed on, from the root on" '.containerEdits.hooks[0].args | join(" ")' \
	"oci-rdma-hook --config $T/policy.json --sysroot $NODE --ask createRuntime"
rm -r "$NODE/sys/class/misc"
cdi
says "no rdma_cm on the node, none in the spec" '.containerEdits | has("deviceNodes")' false

node odd
cdi
says "two devices of one function, a subfunction, a device without hardware" "$names" 'mlx5_0 uverbs0
0000:10:00.0 uverbs0
mlx5_1 uverbs1
0000:20:00.0 uverbs1,uverbs2
mlx5_2 uverbs2
mlx5_3 uverbs3
0000:30:00.0 uverbs3
mlx5_4 uverbs4
0000:30:00.1 uverbs4
mlx5_5 uverbs5
0000:40:00.0 uverbs5
mlx5_6 uverbs6
mlx5_core.sf.4 uverbs6
mlx5_7 uverbs7
0000:40:00.1 uverbs7
mlx5_8 uverbs8
0000:40:00.2 uverbs8
mlx5_9 uverbs9
0000:40:00.3 uverbs9
mlx5_10 uverbs10
0000:50:00.0 uverbs10
rxe0 uverbs40
all uverbs0,uverbs1,uverbs2,uverbs3,uverbs4,uverbs5,uverbs6,uverbs7,uverbs8,uverbs9,uverbs10,uverbs40'

node '{"virtual":[{"ibdev":"rxe1","netdev":"e1"},{"ibdev":"rxe2","netdev":"e2"},{"ibdev":"rxe3","netdev":"e3"},{"ibdev":"_x4","netdev":"e4"}]}'
# called UVERBS NAME: an administrator's name for a device
called() { echo "$2" >"$(find "$NODE/sys/devices" -path "*/$1/ibdev")"; }
called uverbs1 all
called uverbs2 a-
cdi
says "names that would spoil the whole file are left out" "$names" 'rxe3 uverbs3
all uverbs4,uverbs2,uverbs1,uverbs3'

# ---- into a file ----

node one
mkdir "$T/cdi"
FILE=$T/cdi/oci-rdma-hook.json
echo old >"$FILE"
ln "$FILE" "$T/old"
umask 077
cdi "$FILE"
umask 022
is "a file: status, and nothing is said or printed" "0 " "$rc $(cat "$T/err" "$T/out")"
check "a file: what is printed" cmp "$FILE" "$T/plain"
is "a file: others may read it, whatever the umask" "644 $(id -u)" "$(stat -c '%a %u' "$FILE")"
is "a file: by rename, the old one stays whole" old "$(<"$T/old")"
is "a file: nothing else is left" oci-rdma-hook.json "$(ls -A "$T/cdi")"
(cd "$T/cdi" && timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" --cdi here.json >"$T/out" 2>"$T/err")
check "a file: where we are" cmp "$T/cdi/here.json" "$T/plain"
# A directory in which everybody may write, as an --cdi-spec-dir may be: what others have put there under the name is replaced, and nothing else touched.
mkdir "$T/open" && chmod 1777 "$T/open"
for kind in link dangling hard fifo other; do
	echo precious >"$T/victim" && chmod 600 "$T/victim"
	case $kind in
	link) ln -s ../victim "$T/open/$kind" ;;
	dangling) ln -s ../made "$T/open/$kind" ;;
	hard) ln "$T/victim" "$T/open/$kind" ;;
	fifo) mkfifo "$T/open/$kind" ;;
	other) echo theirs >"$T/open/$kind" && chmod 666 "$T/open/$kind" ;;
	esac
	cdi "$T/open/$kind"
	is "in a directory for all, a $kind of that name: replaced" "0 644 $(id -u) regular file" "$rc $(stat -c '%a %u %F' "$T/open/$kind")"
	is "in a directory for all, a $kind of that name: the file elsewhere is as it was" "precious 600" "$(cat "$T/victim" "$T/made" 2>&1 | head -n 1) $(stat -c %a "$T/victim")"
	check "in a directory for all, a $kind of that name: nothing is made elsewhere" test ! -e "$T/made"
done
cdi "$T/nowhere/x.json"
is "a directory that is not there: status" 1 "$rc"
one_line "a directory that is not there" "$T/nowhere"
cdi "$T/cdi/"
is "a directory for a file: status" 1 "$rc"
one_line "a directory for a file" "$T/cdi/"

node '{}'
cdi
is "no HCA: status" 1 "$rc"
is "no HCA: nothing is printed" "" "$(<"$T/out")"
one_line "no HCA" "no HCA"
cdi "$FILE"
is "no HCA: its file goes, and that is no failure" "0 no" "$rc $([ -e "$FILE" ] || echo no)"
cdi "$FILE"
is "no HCA, no file: that, too" 0 "$rc"

# usage DESCRIPTION ARG…
usage() {
	local what=$1
	shift
	timeout "$PATIENCE" "$HOOK" "$@" >"$T/out" 2>"$T/err" </dev/null
	is "usage: $what" 2 "$?"
}
usage "--cdi with two files" --cdi a b
usage "--cdi and another task" --cdi --check-config
usage "--ask for another task" --ask --cdi
usage "--ask alone" --ask

for unit in config/cdi/*; do
	is "no unit starts on a Kubernetes node: ${unit##*/}" 'ConditionPathExists=!/var/lib/kubelet
ConditionPathExists=!/var/lib/k0s/kubelet
ConditionPathExists=!/var/snap/microk8s/common/var/lib/kubelet' "$(grep ^Condition "$unit")"
done

# ---- --ask ----

node one
config '{"memlock": "8Mi"}'
plain='{"devices":[["/dev/infiniband/uverbs6",231,198]],"annotations":{"oci-rdma-hook.io/inject":null}}'
conf() { grep -v '^#' "$ROOT/etc/nccl.conf"; }

# nothing DESCRIPTION: the last run of the hook gave nothing
nothing() {
	is "$1: status" 0 "$rc"
	is "$1: memlock as it was" "$BEFORE" "$(limit)"
	is "$1: no nccl.conf" "" "$(ls -A "$ROOT/etc")"
}
for stage in createRuntime prestart poststart; do
	container "$plain"
	hook --ask "$stage"
	is "--ask $stage, no annotation: status, silent" "0 " "$rc $(cat "$T/out" "$T/err")"
	is "--ask $stage, no annotation: memlock" "$AFTER" "$(limit)"
done
container "$plain"
hook --ask createRuntime
is "--ask createRuntime: nccl.conf" 'NCCL_IB_HCA==mlx5_6' "$(conf)"
container "$plain"
hook createRuntime
nothing "the same without --ask"
container "${plain/null/\"false\"}"
hook --ask createRuntime
nothing "--ask, and its author refuses"
container '{"annotations":{"oci-rdma-hook.io/inject":null}}'
hook --ask createRuntime
nothing "--ask without a device"
container "${plain/\"annotations\"/\"devices\":[[\"\/dev\/infiniband\/uverbs6\",1,3]],\"annotations\"}"
hook --ask createRuntime
nothing "--ask with a device by name only"
config '{"memlock": "8Mi", "namespaces": ["other"]}'
container "$plain"
hook --ask createRuntime
nothing "--ask, and the policy does not admit the namespace"
config '{"memlock": "8Mi"}'

# The devices that an engine has put into config.json also ask through the other entry points.
hooks='"merge":{"hooks":{"createRuntime":[{"path":"/usr/local/bin/oci-rdma-hook","args":["oci-rdma-hook","--ask","createRuntime"]}]}}'
plan "${plain%\}},$hooks}"
that "the hooks of config.json ask: granted, and it says why" '.decision + ": " + .reason' \
	"grant: 1 RDMA device allocated and asked for by the hook's arguments (--ask)"
timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>"$T/err"
is "the hooks of config.json ask: precreate" 'NCCL_IB_HCA==mlx5_6' "$(jq -r '.process.env[] | select(startswith("NCCL"))' "$T/out")"
plan "${plain%\}},${hooks/--ask/--asks}}"
decides "hooks that do not ask" none
plan "$plain" --ask
that "--ask with --dry-run: as if they did" .decision grant
finish
