#!/bin/bash
# The main job: the users' container on the users' node, in every format, and the command line around it.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case

node h100
plan h100-trainer.json
is "a plan was made" 0 "$rc"
is "nothing on stderr" "" "$(cat "$T/err")"
like "the plan is the expected one" h100-trainer
has "unlimited is the whole number 2^64-1" 18446744073709551615 "$(cat "$T/out")"
check "it gives a reason" jq -e '.reason | length > 0' "$T/out"

dry_run --format nccl
is "nccl.conf is one line" 'NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11' "$(grep -v '^#' "$T/out")"
is "a comment holds no =" "" "$(grep '^#.*=' "$T/out")"

dry_run --format text
text=$(cat "$T/out")
is "README shows how make demo ends" "$(sed -n '/^.make demo. ends/,/^## /s/^    //p' README.md | sed 's/ *$//')" \
	"$(sed -n '/^what it gets/,/^$/{/^$/d; s/ *$//; p}' "$T/out")"
for part in trainer team-a h-kim-0 grant; do has "the text names $part" "$part" "$text"; done
for part in RLIMIT_MEMLOCK unlimited CAP_IPC_LOCK /etc/nccl.conf NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11; do
	has "the text says what is set: $part" "$part" "$(tr '[:lower:]' '[:upper:]' <<<"$text")$text"
done
# device_row IBDEV PART…: its row of the table of devices
device_row() {
	local line part
	line=$(grep -w -- "$1" <<<"$text" | grep -vF 'NCCL_IB_HCA' | head -1)
	for part; do has "the text's row of $1 names $part" "$part" "$line"; done
}
device_row mlx5_6 0000:3b:02.6 0000:3b:00.0 net1 ACTIVE 400 0
device_row mlx5_11 0000:ba:00.5 0000:ba:00.0 net4 ACTIVE 400 1
dry_run
is "text is the default" "$text" "$(cat "$T/out")"
"$HOOK" --sysroot="$NODE" --dry-run "$B/" >"$T/out" 2>&1
is "--sysroot=DIR and BUNDLE/ are the same" "$text" "$(cat "$T/out")"
(cd "$B" && "$HOOK" --dry-run --sysroot "$NODE" . >"$T/out" 2>&1)
is "options may follow, and BUNDLE be relative" "$text" "$(cat "$T/out")"

plan '{"from":"h100-trainer.json","devices":[["/dev/infiniband/uverbs9",1,3]],"env":["NCCL_IB_HCA=mlx5_0"]}'
dry_run --format text
text=$(cat "$T/out")
has "the text warns of a value that the container sets itself" mlx5_0 "$text"
has "the text warns of an unproven device" uverbs9 "$text"

config '{"frameworks": {"ucx": true}}'
plan h100-trainer.json
dry_run --format text
is "a value that is too long for its column stands alone" "  UCX_NET_DEVICES=mlx5_6:1,mlx5_7:1,mlx5_10:1,mlx5_11:1|shim, precreate, NRI: env" \
	"$(grep -A 1 UCX_NET "$T/out" | sed '2s/^ *//' | paste -sd '|')"
config '{}'

# doc/migration.md, step by step: a StatefulSet that is privileged, a Job with IPC_LOCK and SYS_RESOURCE
# migrates STEP WANT CASE: decision, devices, warnings, and whether a limit is added
migrates() {
	plan "{\"from\":\"h100-trainer.json\",$3}"
	that "migration: $1" '"\(.decision) \(.devices | length) \([.warnings[].code] | join(",")) \(.rlimits | length)"' "$2"
}
not_yet='"annotations":{"oci-rdma-hook.io/inject":null}'
today='"env":["NCCL_SOCKET_IFNAME=net1,net2","NCCL_IB_DISABLE=0","NCCL_IB_GID_INDEX=3","NCCL_NET_GDR_LEVEL=5"]'
lock='"merge":{"process":{"capabilities":{"bounding":["CAP_IPC_LOCK","CAP_SYS_RESOURCE"],"effective":["CAP_IPC_LOCK","CAP_SYS_RESOURCE"]}}}'
user='"merge":{"process":{"user":{"uid":1000650000,"gid":0}}}'
limit='"merge":{"process":{"rlimits":[{"type":"RLIMIT_MEMLOCK","hard":67108864,"soft":67108864}]}}'
migrates "step 2, privileged, nothing changes" "none 4  0" "$not_yet,\"privileged\":true,$today"
migrates "step 3, privileged, with the script, a grant" "grant 4  1" "\"privileged\":true,$today"
migrates "step 4, an NCCL_IB_HCA that was left, a warning" "grant 4 env_already_set 1" '"privileged":true,"env":["NCCL_IB_HCA=mlx5_6"]'
migrates "step 5, restricted" "grant 4  1" "$user"
migrates "the Job, step 2" "none 4  0" "$not_yet,$lock"
migrates "the Job, step 3" "grant 4  1" "$lock"
migrates "--ulimit memlock=64M, raised" "grant 4  1" "$limit"
migrates "--ulimit memlock=64M, with the annotation memlock, kept" "grant 4  0" "\"annotations\":{\"oci-rdma-hook.io/memlock\":\"64Mi\"},$limit"

# mounted SOURCE: what the dry run says of that hostPath
mounted() {
	plan "$(jq -c --arg path "$1" '{merge: {mounts: [{destination: $path, source: $path, type: "bind"}]}}' <<<null)"
	jq -r '"\(.decision) " + ([.warnings[] | .code + (.message | capture("shows (?<n>[0-9]+) RDMA") | " " + .n)] | join(","))' "$T/out"
}
is "a hostPath of the devices' files: it allocates nothing, and what it shows" "none mounted_devices 14" "$(mounted /dev/infiniband)"
is "a hostPath of the devices' files: of one" "none mounted_devices 1" "$(mounted /dev/infiniband/uverbs7)"
is "a hostPath of the devices' files: of none" "none " "$(mounted /dev/infiniband/rdma_cm)"
plan '{"env":["PCIDEVICE_A=0000:3b:02.6"]}'
dry_run --format text
has "the text of a container without RDMA says none" none "$(cat "$T/out")"
is "and that is a plan, too" 0 "$rc"
dry_run --format nccl
is "for which nccl.conf is empty" "" "$(cat "$T/out")"

node big
is "the big node has 1,024 VFs" 1024 "$(find "$NODE/sys/devices" -name physfn | wc -l)"
bundle '{"allocate":[{"resource":"openshift.io/a","devices":{"0000:11:00.2":"mlx5_8","0000:81:10.1":"mlx5_1031"}}]}'
dry_run --format json
gets "on a node of 1,024 VFs" mlx5_8,mlx5_1031

# usage STATUS DESCRIPTION ARG…
usage() {
	local want=$1 what=$2
	shift 2
	timeout "$PATIENCE" "$HOOK" "$@" >"$T/out" 2>"$T/err" </dev/null
	is "$what" "$want" "$?"
}
usage 0 "--help" --help
for part in createRuntime prestart poststart --dry-run --format --sysroot --config; do
	has "--help names $part" "$part" "$(cat "$T/out")"
done
is "--help is for stdout" "" "$(cat "$T/err")"
help=$(<"$T/out")
usage 0 "-h" -h
is "-h is --help" "$help" "$(<"$T/out")"
usage 0 "--version" --version
check "--version is one line with a number" grep -qE '^oci-rdma-hook .*[0-9]+\.[0-9]+' "$T/out"
if is_checkout; then has "--version says the commit" "(commit $(git rev-parse --short=12 HEAD)" "$(<"$T/out")"; fi
usage 2 "no argument"
has "it shows the usage" oci-rdma-hook "$(cat "$T/err")"
is "and nothing on stdout" "" "$(cat "$T/out")"
usage 2 "an unknown stage" createContainer
usage 2 "an unknown option" --nope createRuntime
has "it leads to --help" "unknown option: --nope; see oci-rdma-hook --help" "$(cat "$T/err")"
lacks "…and to nothing else" "name decides" "$(cat "$T/err")"
ln -s "$(realpath "$HOOK")" "$T/my-crun"
"$T/my-crun" create --bundle "$B" id >"$T/out" 2>"$T/err"
is "as a runtime, under a name that is none of the shim's" 2 $?
has "…it says that its name decides" "to run as a runtime it has to be called oci-rdma-runtime" "$(cat "$T/err")"
usage 2 "two stages" createRuntime poststart
usage 2 "--dry-run without a bundle" --dry-run
usage 2 "--dry-run with two bundles" --dry-run "$B" "$B"
usage 1 "--dry-run with an empty bundle" --dry-run ""
usage 2 "an unknown format" --dry-run --format yaml "$B"
usage 2 "--format without a value" --dry-run "$B" --format
usage 2 "--format for a stage" --format json createRuntime
usage 2 "--sysroot without a value" --dry-run "$B" --sysroot
usage 1 "a bundle that does not exist" --dry-run "$T/nowhere"
one_line "a bundle that does not exist" "$T/nowhere"
usage 1 "a sysroot that does not exist" --sysroot "$T/nowhere" --dry-run "$B"
one_line "a sysroot that does not exist" "$T/nowhere"
usage 1 "a --config that does not exist" --config "$T/nowhere" --sysroot "$NODE" --dry-run "$B"
one_line "a --config that does not exist" "$T/nowhere"

# What no engine has made would pass for a container that does not ask.
mkdir "$T/spec"
for config in '{}' '{"ociVersion":"1.0.0","process":{"args":["sh"]},"root":{"path":"rootfs"},"linux":{"namespaces":[{"type":"pid"}]}}'; do
	echo "$config" >"$T/spec/config.json"
	usage 1 "a bundle that no engine has made" --sysroot "$NODE" --dry-run "$T/spec"
	one_line "a bundle that no engine has made" "$T/spec/config.json: no engine's config.json"
done
: >"$T/spec/empty"
usage 1 "an empty policy" --sysroot "$NODE" --config "$T/spec/empty" --dry-run "$B"
one_line "an empty policy" "$T/spec/empty: is empty"
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$T"
	cp "$HOOK" "$T/hook"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$T/hook" --dry-run 0123456789ab >"$T/out" 2>"$T/err"
	one_line "another user than root" "run it as root: no container '0123456789ab' was found"
fi

# What a script has redirected is to be whole, or the script to hear that it is not.
# lost ARG…: where stdout is a device without space
lost() {
	timeout "$PATIENCE" "${PROGRAM:-$HOOK}" --sysroot "$NODE" "$@" >/dev/full 2>"$T/err" </dev/null
	is "a full stdout, $1: the exit status" 1 "$?"
	one_line "a full stdout, $1" "$(basename "${PROGRAM:-$HOOK}"): "
}
lost --version
lost --help
PROGRAM=$ADMIN lost --check-config
PROGRAM=$ADMIN lost --cdi
for format in text json spec nccl; do lost "--format=$format" --dry-run "$B"; done
finish
