#!/bin/bash
# The shim's command line: it is read as the runtime behind it does.
# shellcheck disable=SC2119 # what is optional is left out
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tools/shim-node.bash

# All ways to say the same, and to whom. BUNDLE, ID, and FILE are put in.
created() {
	local name="$2: $IN_FRONT_OF" words
	fresh
	read -ra words <<<"${2//ID/$ID}"
	passes "$name" "${words[@]//BUNDLE/$B}"
	understands "$1" || return
	edited "$name"
}
while read -r whom line; do
	row "$line"
	for name in $runtimes; do
		in_front_of "$name"
		created "$whom" "$line"
	done
done <<-EOT
	all create --bundle BUNDLE ID
	all create -b BUNDLE ID
	not-runc create -bBUNDLE ID
	not-crun create -b=BUNDLE ID
	not-runc create --bund BUNDLE ID
	all create --b=BUNDLE ID
	not-crun create -bundle BUNDLE ID
	all run -d --keep -b BUNDLE ID
	runc run -d=false -b BUNDLE ID
	all restore --bundle BUNDLE ID
	all restore --image-path /i --work-path=/w --tcp-established --shell-job --file-locks --manage-cgroups-mode soft --bundle BUNDLE --lsm-profile x --lsm-mount-context y -d ID
	not-crun restore --empty-ns network --bundle BUNDLE --lazy-pages --auto-dedup ID
	not-runc restore --network-lock skip --e --sh --f --c /s --m soft --bundle BUNDLE ID
	all --root=/run/r create --bundle BUNDLE ID
	not-runc --roo /run/r create --bundle BUNDLE ID
	not-crun create --bundle BUNDLE ID -root=/run/r
	not-crun create --log /l --root /run/r --log-format json --bundle BUNDLE ID
	all --root create create --bundle BUNDLE ID
	all --log /l --log-format json --root /run/r create --bundle BUNDLE ID
	not-runc --log-level debug --log-f json create --bundle BUNDLE ID
	not-runc --debug --systemd-cgroup --cgroup-manager systemd --rootless auto --root /run/r create --bundle BUNDLE ID
	not-crun --debug --systemd-cgroup --rootless auto --criu /criu --root /run/r create --bundle BUNDLE ID
	not-runc --cgroup-manager=systemd --cgroup-manager run create --bundle BUNDLE ID
	all --log delete create --bundle BUNDLE ID
	all --unknown create --bundle BUNDLE ID
	all -V create --bundle BUNDLE ID
	all create --bundle BUNDLE --unknown ID
	all create --unknown=exec --bundle BUNDLE ID
	all create --bundle BUNDLE --pid-file /p --no-pivot --no-new-keyring --no-subreaper ID
	all create --bundle BUNDLE --console-socket /s --preserve-fds 2 ID
	not-crun create --bundle BUNDLE --pidfd-socket /p ID
	not-runc create --pi run --cons delete --bundle BUNDLE ID
	not-crun create ID --bundle BUNDLE
	all create --bundle BUNDLE -- ID
	all -- create --bundle BUNDLE ID
	all create --bundle /nowhere --bundle BUNDLE ID
EOT
in_front_of crun
fresh
passes "an id that begins with '-'" create --bundle "$B" -- -x
edited "an id that begins with '-'"
fresh
passes "an id that is an option behind --" create --bundle "$B" -- --bundle
edited "an id that is an option behind --"
# in_dir DIR ARG…: passes, there
in_dir() {
	local dir=$1 what="in the bundle's neighbourhood: ${*:2}" want
	shift
	fresh
	echo $((++round)) >"$T/round"
	(cd "$dir" && timeout "$PATIENCE" "$SHIM" "$@" </dev/null >"$T/out" 2>"$T/err")
	rc=$?
	look
	printf -v want ' <%s>' "$@"
	is "$what: the runtime is started, silently" "0 \"\"$want" "$rc \"$said\"$arguments"
	edited "$what"
}
fresh
mkdir -p "$T/here/below"
ln -s "$B" "$T/here/link"
in_dir "$T" create --bundle "${B##*/}" "$ID"
in_dir "$T/here/below" create "--bundle=../../${B##*/}" "$ID"
in_dir "$T/here" create --bundle link "$ID"
in_front_of runc
in_dir "$B" create --bundle= "$ID"
in_front_of crun
fresh
(cd "$B" && timeout "$PATIENCE" "$SHIM" create "$ID" </dev/null >"$T/out" 2>"$T/err")
edited "without --bundle the directory is the bundle"

# crun takes that path from the caller's directory on, and goes to the bundle then (src/run_create.c)
for option in "--config other.json" --config=other.json "-f other.json" -fother.json; do
	fresh
	cp "$B/config.json" "$T/here/other.json"
	read -ra words <<<"$option"
	(cd "$T/here" && timeout "$PATIENCE" "$SHIM" create --bundle "$B" "${words[@]}" "$ID" </dev/null >"$T/out" 2>"$T/err")
	edited "crun's $option: the other file" "$T/here/other.json"
	not_edited "crun's $option"
	kept "$ID" "$T/here/other.json"
	start --root=$ROOT exec --process "$P" "$ID"
	exec_edited "crun's $option"
done
mkdir -p "$T/here/sub"
fresh
mv "$B/config.json" "$T/here/c.json"
passes "crun's --config with an absolute path" create --bundle "$B" --config "$T/here/c.json" "$ID"
edited "crun's --config with an absolute path" "$T/here/c.json"
# A relative root.path is the bundle's all the same, and what the image sets there wins
fresh
jq '.root.path = "image"' "$B/config.json" >"$T/here/c.json"
mkdir -p "$B/image/etc"
echo NCCL_IB_HCA=mine >"$B/image/etc/nccl.conf"
passes "crun's --config, root.path in the bundle" create --bundle "$B" --config "$T/here/c.json" "$ID"
is "crun's --config, root.path in the bundle: the image's setting stays" "" "$(jq -r '.process.env[] | select(startswith("NCCL_"))' "$T/here/c.json")"
rm -r "$B/image"
fresh
passes "crun's --config, no root.path there" create --bundle "$B" --config "$T/here/c.json" "$ID"
is "crun's --config, no root.path there: ours is set" NCCL_IB_HCA==mlx5_6 "$(jq -r '.process.env[] | select(startswith("NCCL_"))' "$T/here/c.json")"

# What is wrong with that file is said of its own path
on_error fail
fresh
for config in "$T/here/c.json" c.json sub/c.json; do
	(cd "$T/here" && head -c -2 "$B/config.json" >"$config" && timeout "$PATIENCE" "$SHIM" create --bundle "$B" --config "$config" "$ID" </dev/null >"$T/out" 2>"$T/err")
	has "crun's --config, one that cannot be read: its own path is named" ": ${config/#c./.\/c.}: line " "$(<"$T/err")"
done
policy

# No bundle, no id, or none that anybody could use: the runtime says so
for line in create "create --bundle $B" "create --bundle" "create --bundle /nowhere $ID" "create --bundle $B/config.json $ID" run exec "exec --process" \
	"exec --process $P" "exec --process /nowhere/x $ID" "exec --process / $ID" "exec --process $B $ID" delete "delete --force" "create --bundle $B a/b" \
	"create --bundle $B ../../x" "exec --process $P ../$ID" "delete ../$ID" "delete /$ID"; do
	row "$line"
	for on_error in warn fail; do
		on_error $on_error
		fresh none
		read -ra words <<<"$line"
		passes "$line: on_error $on_error" "${words[@]}"
		exec_not_edited "$line"
	done
done
policy
fresh
passes "an empty bundle and id" create --bundle "" ""
for id in a/b ../x / . .. "$(printf '%0300d' 0)"; do
	fresh
	passes "id ${id:0:20}" create --bundle "$B" "$id"
	passes "id ${id:0:20}: exec" --root=$ROOT exec --process "$P" "$id"
	exec_not_edited "id ${id:0:20}: exec"
done
# An id leads nowhere but to a directory of its own
fresh
create
for id in "../r/$ID" "./$ID" "$ID/."; do
	passes "id ${id/"$ID"/ID}: exec" --root=$ROOT exec --process "$P" "$id"
	exec_not_edited "id ${id/"$ID"/ID}: exec"
done
finish
