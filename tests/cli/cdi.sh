#!/bin/bash
# --cdi: the node's HCAs as a CDI spec, for engines on hosts without Kubernetes; and --ask, by which its hooks ask for the container.
# Engines are in the VM's test, the specification's own schema in cdi-schema.sh.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash

# cdi [ARG…]: sets rc; the spec is in $T/out
cdi() {
	timeout "$PATIENCE" "$ADMIN" --sysroot "$NODE" --cdi "$@" >"$T/out" 2>"$T/err"
	rc=$?
}

# says DESCRIPTION JQ-FILTER WANT: of the spec
says() { is "$1" "$3" "$(jq -r "$2" "$T/out" 2>&1)"; }

# names: each device with its files
names='.devices[] | .name + " " + ([.containerEdits.deviceNodes[].path | ltrimstr("/dev/infiniband/")] | join(","))'

# ---- the spec ----

node one
cdi
row "a spec has each HCA by name and by address, and all of them, by paths alone, rdma_cm and the hooks once"
is "status, and nothing else is said" "0 " "$rc $(<"$T/err")"
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
row "its hooks are two stages of this program, ask, and have a PATH and a timeout as config/hooks.d has them"
says "they are two stages, and ask" '.containerEdits.hooks[] | .hookName + " " + (.args | join(" "))' \
	"createRuntime oci-rdma-hook --sysroot $NODE --ask createRuntime
poststart oci-rdma-hook --sysroot $NODE --ask poststart"
says "they run this program" '[.containerEdits.hooks[].path] | unique[]' "$HOOK"
says "with a PATH and a timeout as config/hooks.d has them" '[.containerEdits.hooks[] | {env, timeout}] | unique[] | tostring' \
	"$(jq -c '.hook | {env, timeout}' config/hooks.d/annotation/90-oci-rdma-hook.json)"
row "the file says where it must not be"
says "the note" '.annotations["oci-rdma-hook.io/note"] | test("Kubernetes")' true
echo '{}' >"$T/policy.json"
cp "$T/out" "$T/plain"
(cd "$T" && timeout "$PATIENCE" "$ADMIN" --config policy.json --sysroot node --cdi >"$T/out" 2>"$T/err")
row "--config and --sysroot are handed on, from the root on"
says "the hook" '.containerEdits.hooks[0].args | join(" ")' \
	"oci-rdma-hook --config $T/policy.json --sysroot $NODE --ask createRuntime"
rm -r "$NODE/sys/class/misc"
cdi
row "no rdma_cm on the node, none in the spec"
says "rdma_cm" '.containerEdits | has("deviceNodes")' false

node odd
cdi
row "two devices of one function, a subfunction, a device without hardware"
says "the devices" "$names | select(test(\"20:00.0|sf.4|^rxe|^all\"))" '0000:20:00.0 uverbs1,uverbs2
mlx5_core.sf.4 uverbs6
rxe0 uverbs40
all uverbs0,uverbs1,uverbs2,uverbs3,uverbs4,uverbs5,uverbs6,uverbs7,uverbs8,uverbs9,uverbs10,uverbs40'

node '{"virtual":[{"ibdev":"rxe1","netdev":"e1"},{"ibdev":"rxe2","netdev":"e2"},{"ibdev":"rxe3","netdev":"e3"},{"ibdev":"_x4","netdev":"e4"}]}'
# called UVERBS NAME: an administrator's name for a device
called() { echo "$2" >"$(find "$NODE/sys/devices" -path "*/$1/ibdev")"; }
called uverbs1 all
called uverbs2 a-
cdi
row "names that would spoil the whole file are left out"
says "the devices" "$names" 'rxe3 uverbs3
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
row "a file is what is printed, by rename, readable whatever the umask, and nothing else is left"
is "status, and nothing is said or printed" "0 " "$rc $(cat "$T/err" "$T/out")"
check "what is printed" cmp "$FILE" "$T/plain"
is "others may read it" "644 $(id -u)" "$(stat -c '%a %u' "$FILE")"
is "the old one stays whole" old "$(<"$T/old")"
is "the directory" oci-rdma-hook.json "$(ls -A "$T/cdi")"
(cd "$T/cdi" && timeout "$PATIENCE" "$ADMIN" --sysroot "$NODE" --cdi here.json >"$T/out" 2>"$T/err")
check "a relative path" cmp "$T/cdi/here.json" "$T/plain"
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
	row "in a directory for all, a $kind of that name is replaced, and nothing else is made or changed"
	is "the file" "0 644 $(id -u) regular file" "$rc $(stat -c '%a %u %F' "$T/open/$kind")"
	is "the file elsewhere" "precious 600" "$(cat "$T/victim" "$T/made" 2>&1 | head -n 1) $(stat -c %a "$T/victim")"
	check "nothing is made elsewhere" test ! -e "$T/made"
done
row "a file that cannot be made: a directory that is not there, or that is one"
for file in "$T/nowhere/x.json" "$T/cdi/"; do
	cdi "$file"
	is "status" 1 "$rc"
	one_line "one line" "${file%x.json}"
done

node '{}'
row "no HCA: nothing is printed; the file goes, which is no failure, nor is that there is none"
cdi
is "status, and nothing on stdout" "1 " "$rc $(<"$T/out")"
one_line "one line" "no HCA"
for _ in 1 2; do
	cdi "$FILE"
	is "the file" "0 no" "$rc $([ -e "$FILE" ] || echo no)"
done

row "wrong usage"
for wrong in "--cdi a b" "--cdi --check-config" "--ask --cdi" cdi ""; do
	# shellcheck disable=SC2086 # words
	timeout "$PATIENCE" "$ADMIN" $wrong >"$T/out" 2>"$T/err" </dev/null
	is "$wrong" 2 "$?"
done
timeout "$PATIENCE" "$HOOK" --ask >"$T/out" 2>"$T/err" </dev/null
is "--ask alone" 2 "$?"

row "no unit starts on a Kubernetes node"
for unit in config/cdi/*; do
	is "${unit##*/}" 'ConditionPathExists=!/var/lib/kubelet
ConditionPathExists=!/var/lib/k0s/kubelet
ConditionPathExists=!/var/snap/microk8s/common/var/lib/kubelet' "$(grep ^Condition "$unit")"
done

# ---- --ask ----

node one
config '{"memlock": "8Mi"}'
plain='{"devices":[["/dev/infiniband/uverbs6",231,198]],"annotations":{"oci-rdma-hook.io/inject":null}}'
conf() { grep -v '^#' "$ROOT/etc/nccl.conf"; }

# nothing NAME CASE ARGUMENT…: a row: the hook gives nothing to this container
nothing() {
	row "$1"
	container "$2"
	hook "${@:3}"
	is "status, memlock as it was, no nccl.conf" "0 $BEFORE " "$rc $(limit) $(ls -A "$ROOT/etc")"
}
for stage in createRuntime prestart poststart; do
	row "--ask $stage, no annotation: granted, in silence"
	container "$plain"
	hook --ask "$stage"
	is "status, output, memlock" "0  $AFTER" "$rc $(cat "$T/out" "$T/err") $(limit)"
	[ "$stage" = poststart ] || is "nccl.conf" 'NCCL_IB_HCA==mlx5_6' "$(conf)"
done
nothing "the same without --ask" "$plain" createRuntime
nothing "--ask, and its author refuses" "${plain/null/\"false\"}" --ask createRuntime
nothing "--ask without a device" '{"annotations":{"oci-rdma-hook.io/inject":null}}' --ask createRuntime
nothing "--ask with a device by name only" "${plain/\"annotations\"/\"devices\":[[\"\/dev\/infiniband\/uverbs6\",1,3]],\"annotations\"}" --ask createRuntime
config '{"memlock": "8Mi", "namespaces": ["other"]}'
nothing "--ask, and the policy does not admit the namespace" "$plain" --ask createRuntime
config '{"memlock": "8Mi"}'

# The devices that an engine has put into config.json also ask through the other entry points.
hooks='"merge":{"hooks":{"createRuntime":[{"path":"/usr/local/bin/oci-rdma-hook","args":["oci-rdma-hook","--ask","createRuntime"]}]}}'
row "the hooks of config.json ask: granted, and it says why; precreate does so as well"
plan "${plain%\}},$hooks}"
that "granted" '.decision + ": " + .reason' \
	"grant: 1 RDMA device allocated and asked for by the hook's arguments (--ask)"
timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out" 2>"$T/err"
is "precreate" 'NCCL_IB_HCA==mlx5_6' "$(jq -r '.process.env[] | select(startswith("NCCL"))' "$T/out")"
plan "${plain%\}},${hooks/--ask/--asks}}"
row "hooks that do not ask"
decides "nothing" none
plan "$plain" --ask
row "--ask with --dry-run: as if they did"
that "granted" .decision grant
finish
