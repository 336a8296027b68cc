#!/bin/bash
# Rootless podman: an engine that is its user's own. It has no right on the machine that he has not, so nothing is proven to it, and what it
# cannot give it says. And an engine that is root's, on a node, never takes this way, whatever its containers are.
# With crun, since runc does not go without cgroups, which only systemd gives to users.
# shellcheck disable=SC2317 # functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/podman/setup.bash
USER_ID=4242
HOME_DIR=$T/home
POLICY=$NODE/etc/oci-rdma-hook/config.json
SHORTAGE="RLIMIT_MEMLOCK is $HARD bytes at most, since this engine cannot raise its hard limit"
runtime=crun

# A user with a range of ids of his own, as useradd makes one; /etc is private to the suite.
make_user() {
	mkdir -p "$HOME_DIR/networks" "/run/user/$USER_ID"
	chmod 755 "$T"
	echo "rdma-user:x:$USER_ID:$USER_ID::$HOME_DIR:/bin/bash" >>/etc/passwd
	echo "rdma-user:x:$USER_ID:" >>/etc/group
	echo "rdma-user:100000:65536" | tee /etc/subuid >/etc/subgid
	sed "s|$T/networks|$HOME_DIR/networks|" "$T/containers.conf" >"$T/rootless.conf"
	sed "s|\"$T/graph\"|\"$HOME_DIR/graph\"|; s|\"/run/|\"/run/user/$USER_ID/|" "$T/storage.conf" >"$T/rootless-storage.conf"
	chown -R "$USER_ID:$USER_ID" "$HOME_DIR" "/run/user/$USER_ID"
}

# as_user COMMAND…: with the limits of a login
as_user() {
	env -i PATH="$PATH" HOME="$HOME_DIR" TMPDIR="$HOME_DIR" XDG_RUNTIME_DIR="/run/user/$USER_ID" \
		CONTAINERS_CONF="$T/rootless.conf" CONTAINERS_STORAGE_CONF="$T/rootless-storage.conf" \
		setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups "$@"
}

# rootless ARG…: the user's podman with $runtime
rootless() { as_user timeout "$PATIENCE" podman --log-level error --runtime "$runtime" "${podman_options[@]}" "$@"; }

# rootless_root: a fresh root file system that is the user's
rootless_root() {
	root
	rm -rf "$HOME_DIR/root"
	mv "$ROOT" "$HOME_DIR/root"
	chown -R "$USER_ID:$USER_ID" "$HOME_DIR/root"
}

# rootless_run [OPTION…]: a container of the user's reports, as run has it
rootless_run() {
	rootless_root
	rootless run --rm --cgroups=disabled "$@" --rootfs "$HOME_DIR/root" /bin/report >"$T/out" 2>"$T/err"
	rc=$?
	errors=$(grep -v 'is not a shared mount' "$T/err")
	get_report
}

# served DESCRIPTION: all that can be given, and one line says what cannot
served() {
	starts "$1"
	is "$1: the soft limit is the hard one" "$HARD:$HARD" "$memlock"
	is "$1: nccl.conf" "$NCCL" "$(settings)"
	is "$1: it belongs to the owner of the root directory" "644 $(reported owner) regular file" "$meta"
	get_log
	is "$1: one line says why it is no more, and what to do" 1 "$(grep -cF "$SHORTAGE" <<<"$log")"
	has "$1: it names the unit" user@.service "$log"
	is "$1: one line is the grant" 1 "$(grep -c ': grant: .* devices=mlx5_6 memlock=8388608 .*warnings=rootless_memlock' <<<"$log")"
}

make_user
rootless_run "${rdma[@]}"
as_it_was "no hook"
hooks annotation "$on_node"
config '{}'

rootless_run "${rdma[@]}"
served "annotated, by podman's --device"
rootless_run "${asked[@]}" --volume /dev/infiniband/uverbs6:/dev/infiniband/uverbs6
served "annotated, by a volume"
rootless_run "${rdma[@]}" --userns keep-id --user 0
served "annotated, in a user namespace of the container's own"
rootless_run "${device[@]}"
untouched "not annotated"
rootless_run "${asked[@]}"
nothing_for "annotated, no device"
rootless_run "${asked[@]}" --volume /dev/null:/dev/infiniband/uverbs6
nothing_for "annotated, another device by that name"
mknod -m 666 /dev/infiniband/block b 231 198
rootless_run "${asked[@]}" --volume /dev/infiniband/block:/dev/infiniband/uverbs6
nothing_for "annotated, a block device of that number"
touch "$HOME_DIR/uverbs6"
rootless_run "${asked[@]}" --volume "$HOME_DIR/uverbs6:/dev/infiniband/uverbs6"
nothing_for "annotated, a file by that name"

# What fits below the hard limit is no shortage.
config '{"memlock": "4Mi"}'
rootless_run "${rdma[@]}"
starts "a policy of 4 MiB"
is "a policy of 4 MiB: the limit" "4194304:$HARD" "$memlock"
get_log
lacks "a policy of 4 MiB: no word of the hard limit" "$SHORTAGE" "$log"

config '{"on_error": "fail"}'
rootless_run "${rdma[@]}"
is "on_error fail: no container" "" "$(cat "$T/out")"
check "on_error fail: podman fails" test "$rc" -ne 0
get_log
has "on_error fail: the log says why" "denied: " "$log"
has "on_error fail: and what to do" "$SHORTAGE" "$log"
rootless_run "${device[@]}"
untouched "on_error fail, not annotated"

# ---- whose policy it is ----

# In the user's namespace the policy of the machine's root belongs to 65534, which has no name for whom it belongs to.
config '{"namespaces": []}'
rootless_run "${rdma[@]}"
as_it_was "root's policy in /etc holds"
logs "root's policy in /etc holds: the log says so" 'denied: '
chmod 666 "$POLICY"
rootless_run "${rdma[@]}"
as_it_was "a policy that others may write"
logs "a policy that others may write: the log says so" 'writable by others'
config '{}'
chown 1 "$NODE/etc/oci-rdma-hook"
chmod 777 "$NODE/etc/oci-rdma-hook"
rootless_run "${rdma[@]}"
as_it_was "a directory on its way that others may write"
logs "a directory on its way that others may write: the log says so" 'writable by others'
rm -r "$NODE/etc/oci-rdma-hook"
echo '{}' >"$T/named.json"
# shellcheck disable=SC2016
hooks annotation '.hook.args[1:1] = ["--sysroot", $node, "--config", "'"$T/named.json"'"]'
rootless_run "${rdma[@]}"
as_it_was "a policy elsewhere that belongs to another user"
logs "a policy elsewhere that belongs to another user: the log says so" 'is not mapped into this user namespace'
hooks annotation "$on_node"

# ---- the shim, and the dry run ----

config '{}'
ln -s oci-rdma-hook /usr/local/bin/oci-rdma-runtime-crun
hooks
printf '#!/bin/sh\nexport OCI_RDMA_SYSROOT=%s\nexec /usr/local/bin/oci-rdma-runtime-crun "$@"\n' "$NODE" >"$T/crun"
chmod 755 "$T/crun"
runtime=$T/crun
rootless_run "${rdma[@]}"
starts "the shim"
is "the shim: the soft limit is the hard one" "$HARD:$HARD" "$memlock"
is "the shim: the environment" "$NCCL" "$nccl_env"
get_log
has "the shim: one line says why it is no more" "$SHORTAGE" "$log"

# What an exec gets is what the container got.
rootless_root
rootless run --detach --name held --cgroups=disabled "${rdma[@]}" --rootfs "$HOME_DIR/root" sleep 14400 >"$T/out" 2>&1 || fail "the shim, held" "$(<"$T/out")"
get_log
rootless exec held /bin/report >"$T/out" 2>"$T/err"
get_report
is "the shim, exec: the environment" "$NCCL" "$nccl_env"
is "the shim, exec: the soft limit is the hard one" "$HARD:$HARD" "$memlock"
silent "the shim, exec"
rootless rm --force --time 0 held >/dev/null 2>&1
is "the shim, exec: nothing is kept of a container" "" "$(find "/run/user/$USER_ID" -path '*oci-rdma*')"
runtime=crun

mkdir "$HOME_DIR/bundle"
cat >"$HOME_DIR/bundle/config.json" <<-END
	{"ociVersion": "1.0.0", "process": {"args": ["sh"], "cwd": "/"}, "annotations": {"oci-rdma-hook.io/inject": "true"},
	 "mounts": [{"destination": "/dev/infiniband/uverbs6", "type": "bind", "source": "/dev/infiniband/uverbs6", "options": ["rbind"]}]}
END
dry_run() { "$@" /usr/local/bin/oci-rdma-hook --sysroot "$NODE" --dry-run --format json "$HOME_DIR/bundle" | jq -r '.decision + " " + (.rlimits | tostring) + " " + ([.warnings[].code] | join(","))'; }
is "the dry run, by the user: what he would get" "grant [{\"type\":\"RLIMIT_MEMLOCK\",\"soft\":$HARD,\"hard\":$HARD}] rootless_memlock" "$(dry_run as_user)"
is "the dry run, by the user in podman's namespace: the same" "$(dry_run as_user)" "$(dry_run as_user podman --log-level error unshare)"
is "the dry run, by root: a mount is no proof on a node" "none [] mounted_devices" "$(dry_run env)"

jq '.linux.devices = [{"path": "/dev/infiniband/uverbs6", "type": "c", "major": 231, "minor": 198}]' "$HOME_DIR/bundle/config.json" >"$T/both.json"
cp "$T/both.json" "$HOME_DIR/bundle/config.json"
is "a device that is listed and mounted is one" 1 \
	"$(as_user /usr/local/bin/oci-rdma-hook --sysroot "$NODE" --dry-run --format json "$HOME_DIR/bundle" | jq '.devices | length')"

# ---- a node's engine, which is root's ----

# A pod's author can have a volume of the host's device file, and a user namespace; no device was allocated to him for that.
hooks annotation "$on_node"
config '{"memlock": "8Mi"}'
root
run "${asked[@]}" --volume /dev/infiniband/uverbs6:/dev/infiniband/uverbs6
nothing_for "root's engine, a volume of the device file"
root
run "${asked[@]}" --volume /dev/infiniband/uverbs6:/dev/infiniband/uverbs6 --uidmap 0:100000:65536 --gidmap 0:100000:65536
nothing_for "root's engine, a volume and a user namespace"
root
run "${rdma[@]}" --uidmap 0:100000:65536 --gidmap 0:100000:65536
granted "root's engine, a device and a user namespace"
within no_process
is "no process is left" "" "$(our_processes)"
finish
