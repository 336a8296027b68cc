#!/bin/bash
# The hook's stages on a real process and a real directory: what changes, and above all what does not.
# What an image's nccl.conf, its links and mounts become, in all cases: unit core/nccl_conf and core/plan.
# The process may have up to 8 MiB; a container runtime's real limits need privileges, and are tested with podman and in the VM.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
node one
rdma='{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
not_asked='{"devices":[["/dev/infiniband/uverbs6",231,198]],"annotations":{"oci-rdma-hook.io/inject":null}}'
config='{"memlock": "8Mi"}'
config "$config"
NCCL='NCCL_IB_HCA==mlx5_6'

conf() { grep -v '^#' "$ROOT/etc/nccl.conf"; }

for stage in createRuntime prestart poststart; do
	container "$rdma"
	hook "$stage"
	is "$stage: exit status" 0 "$rc"
	is "$stage: silent" "" "$(cat "$T/out" "$T/err")"
	is "$stage: memlock" "$AFTER" "$(limit)"
done
container "$rdma"
hook
is "no temporary file stays" nccl.conf "$(ls -A "$ROOT/etc")"
is "its owner is the container's root" 0:0 "$(stat -c %u:%g "$ROOT/etc/nccl.conf")"
dry_run --format nccl
is "nccl.conf is what the dry run says" "$(grep -v '^#' "$T/out")" "$(conf)"

# The NRI plugin or the shim has put the value into the environment: sessions that lack it (sshd, sudo, env -i) read the file
container '{"devices":[["/dev/infiniband/uverbs6",231,198]],"env":["NCCL_IB_HCA==mlx5_6"]}'
hook
is "the environment has our value: nccl.conf has it too" "$NCCL" "$(conf)"
before=$(all_of "$T/bundle")
hook
same "the environment has our value: another run changes nothing" "$before" "$(all_of "$T/bundle")"
rm -rf "${ROOT:?}/etc" && echo >"${ROOT:?}/etc"
hook
is "the environment has our value: a file that cannot be written is no failure" "0 " "$rc $(cat "$T/err")"
container '{"devices":[["/dev/infiniband/uverbs6",231,198]],"env":["NCCL_IB_HCA=mlx5_0"]}'
hook
check "the environment has another value: no nccl.conf" test ! -s "$ROOT/etc/nccl.conf"
# RUN of `buildah build`: its root directory becomes an image
container "$rdma"
state '.id = "buildah-buildah1234567"' >"$T/state"
hook
is "a build: memlock" "0 $AFTER" "$rc $(limit)"
is "a build: no nccl.conf" "" "$(ls -A "$ROOT/etc")"

container "$rdma"
hook
before=$(all_of "$T/bundle")
for stage in createRuntime poststart createRuntime; do
	hook "$stage"
	is "another run ($stage): exit status" 0 "$rc"
	same "another run ($stage) changes nothing" "$before" "$(all_of "$T/bundle")"
	is "another run ($stage): memlock" "$AFTER" "$(limit)"
done
fresh_process
state . >"$T/state"
hook poststart
is "poststart on a fresh limit (runc's own came after createRuntime)" "$AFTER" "$(limit)"
same "and nccl.conf is as it was" "$before" "$(all_of "$T/bundle")"

# Controls
for case in "$not_asked" '{}' "{\"from\":\"h100-trainer.json\",\"devices\":[],\"merge\":{\"linux\":{\"devices\":[]}}}" \
	'{"devices":[["/dev/infiniband/uverbs6",231,198]],"annotations":{"io.kubernetes.cri-o.ContainerType":"sandbox"}}' \
	'{"devices":[["/dev/infiniband/uverbs6",231,198]],"annotations":{"oci-rdma-hook.io/inject":"false"}}'; do
	for stage in createRuntime prestart poststart; do
		container "$case"
		before=$(all_of "$B" "$NODE/etc")
		hook "$stage"
		is "control, $stage: exit status" 0 "$rc"
		is "control, $stage: silent" "" "$(cat "$T/out" "$T/err")"
		is "control, $stage: memlock as it was" "$BEFORE" "$(limit)"
		same "control, $stage: files as they were" "$before" "$(all_of "$B" "$NODE/etc")"
	done
done
config '{"memlock": "8Mi", "namespaces": ["team-b"]}'
container "$rdma"
hook
is "denied: the container starts" 0 "$rc"
is "denied: memlock as it was" "$BEFORE" "$(limit)"
check "denied: no nccl.conf" test ! -e "$ROOT/etc/nccl.conf"

config '{"memlock": "8Mi", "opt_in": "device"}'
container "$not_asked"
hook
is "opt_in device, not asked for: exit status" 0 "$rc"
is "opt_in device, not asked for: memlock" "$AFTER" "$(limit)"
# What an earlier start was given: createRuntime takes it away, poststart leaves it to the processes that have read it
config "$config"
container "$rdma"
hook
config '{"memlock": "8Mi", "namespaces": ["team-b"]}'
hook poststart
is "denied after a grant: poststart writes no file" "$NCCL" "$(conf)"
hook
is "denied after a grant: createRuntime takes our lines away" "" "$(conf)"
config '{"memlock": "8Mi", "on_no_device": "fail"}'
container '{}'
hook
check "on_no_device fail: the container does not start" test "$rc" -ne 0
one_line "on_no_device fail"
hook poststart
is "on_no_device fail: poststart is 0 all the same" 0 "$rc"
config '{"memlock": "8Mi", "on_no_device": "tcp"}'
container '{}'
hook
is "tcp: exit status" 0 "$rc"
is "tcp: memlock as it was" "$BEFORE" "$(limit)"
is "tcp: nccl.conf" "NCCL_IBEXT_DISABLE=1 NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME==eth0" "$(conf | sort | paste -sd ' ')"

# Limits
config '{"memlock": "2Mi"}'
container "$rdma"
prlimit --pid "$pid" --memlock=4194304:8388608
hook
is "a higher limit is not lowered" 4194304:8388608 "$(limit)"
config '{}'
container "$rdma"
hook
if prlimit --memlock=8388608:8388608 prlimit --memlock=unlimited:unlimited true 2>/dev/null; then
	is "unlimited" "0 unlimited:unlimited" "$rc $(limit)"
else
	is "unlimited, without the right to: warn" 0 "$rc"
	one_line "unlimited, without the right to" MEMLOCK
	is "unlimited, without the right to: as it was" "$BEFORE" "$(limit)"
	config '{"on_error": "fail"}'
	container "$rdma"
	hook
	check "unlimited, without the right to: fail" test "$rc" -ne 0
	one_line "unlimited, without the right to: fail" MEMLOCK
	hook poststart
	is "unlimited, without the right to: poststart is 0 all the same" 0 "$rc"
fi
config "$config"

# A function of vfio-pci: the limit, where the policy counts it
node '{"functions":[{"pci":"0000:3b:00.0","ibdev":"mlx5_2","vfs":[{"pci":"0000:3b:02.5","driver":"vfio-pci"}]}]}'
vfio='{"devices":[["/dev/vfio/vfio",10,196],["/dev/vfio/2",243,0]]}'
config '{"memlock": "8Mi", "devices": ["verbs", "vfio"]}'
for case in "$vfio" '{"devices":[["/dev/vfio/devices/vfio0",242,0]]}'; do
	container "$case"
	before=$(all_of "$B")
	hook
	is "vfio: exit status" 0 "$rc"
	is "vfio: memlock" "$AFTER" "$(limit)"
	same "vfio: no nccl.conf" "$before" "$(all_of "$B")"
	hook poststart
	is "vfio: poststart" "0 $AFTER" "$rc $(limit)"
done
for case in '{"devices":[["/dev/vfio/vfio",10,196],["/dev/vfio/2",243,7]],"env":["PCIDEVICE_A_B=0000:3b:02.5"]}' \
	'{"devices":[["/dev/vfio/2",1,3]]}' "${vfio%\}},\"annotations\":{\"oci-rdma-hook.io/inject\":null}}"; do
	container "$case"
	hook
	is "vfio, a path and an environment without the number, or no annotation: as it was" "0 $BEFORE" "$rc $(limit)"
done
config "$config"
container "$vfio"
hook
is "vfio, a policy that does not count it: as it was" "0 $BEFORE" "$rc $(limit)"
node one
config "$config"

# RCCL's file, which it reads in place of /etc/nccl.conf
container "$rdma"
hook
check "no AMD GPU: no rccl.conf" test ! -L "$ROOT/etc/rccl.conf"
container '{"devices":[["/dev/infiniband/uverbs6",231,198],["/dev/kfd",238,0]],"annotations":{"oci-rdma-hook.io/nccl":"false"}}'
hook
check "an AMD GPU, nothing to write: no rccl.conf" test ! -L "$ROOT/etc/rccl.conf"
container '{"devices":[["/dev/infiniband/uverbs6",231,198],["/dev/kfd",238,0]]}'
hook
is "an AMD GPU: rccl.conf is a link to nccl.conf" "nccl.conf" "$(readlink "$ROOT/etc/rccl.conf")"
before=$(all_of "$B")
hook
same "an AMD GPU: a second run changes nothing" "$before" "$(all_of "$B")"
rm "$ROOT/etc/rccl.conf"
echo own >"$ROOT/etc/rccl.conf"
hook
is "an AMD GPU: the image's own rccl.conf stays" own "$(cat "$ROOT/etc/rccl.conf")"

# The image's own nccl.conf
container "$rdma"
printf '# ours\nNCCL_DEBUG=INFO\n' >"$ROOT/etc/nccl.conf"
hook
is "an image's own lines come first" "# ours|NCCL_DEBUG=INFO" "$(head -2 "$ROOT/etc/nccl.conf" | paste -sd '|')"
is "and ours follow" "NCCL_DEBUG=INFO|$NCCL" "$(conf | paste -sd '|')"
before=$(all_of "$B")
hook
same "a second run adds nothing" "$before" "$(all_of "$B")"

# Nothing outside of the root is reached
mkdir "$T/outside"
echo host >"$T/outside/nccl.conf"
# outside DESCRIPTION: the hook runs; what is outside is as it was, and memlock is raised
outside() {
	local before
	before=$(all_of "$T/outside")
	hook
	same "$1: outside nothing changes" "$before" "$(all_of "$T/outside")"
	is "$1: and nothing comes in from there" "" "$(grep -rsh '^host$' "$ROOT")"
	is "$1: exit status" 0 "$rc"
	is "$1: memlock" "$AFTER" "$(limit)"
	is "$1: no temporary file" "" "$(find "$ROOT" -type f ! -name nccl.conf)"
}
container "$rdma"
ln -s "$T/outside/nccl.conf" "$ROOT/etc/nccl.conf"
outside "nccl.conf is an absolute symlink"
container "$rdma"
rmdir "$ROOT/etc"
ln -s "$T/outside" "$ROOT/etc"
outside "etc is an absolute symlink"
container "$rdma"
rm "$B/config.json"
mkfifo "$B/config.json"
hook
is "config.json is a FIFO: exit status" 0 "$rc"
one_line "config.json is a FIFO" config.json

# Mounts over it
for mount in /etc/nccl.conf /etc; do
	container "{\"devices\":[[\"/dev/infiniband/uverbs6\",231,198]],\"merge\":{\"mounts\":[{\"destination\":\"$mount\",\"type\":\"bind\",\"source\":\"$T/outside\",\"options\":[\"bind\"]}]}}"
	before=$(all_of "$ROOT" "$T/outside")
	hook
	same "a mount on $mount: left alone" "$before" "$(all_of "$ROOT" "$T/outside")"
	is "a mount on $mount: exit status" 0 "$rc"
	is "a mount on $mount: memlock" "$AFTER" "$(limit)"
	dry_run --format json
	warns "a mount on $mount: warning" nccl_conf_mounted
done
# crun says "/" for a container with a user namespace and devices; it was started with --bundle, though
container "$rdma"
state '.bundle = "/"' >"$T/state"
cat >"$T/crun" <<'END'
#!/bin/bash
# crun create --bundle DIR HOOK NODE STATE: like the real one, the parent of the init and of the hook
prlimit --memlock=1048576:8388608 sleep 14400 </dev/null >/dev/null 2>&1 &
echo $! >"$6.pid"
until [ "$(cat /proc/$!/comm)" = sleep ]; do sleep 0.02; done # its limit is set then
sed -i "s/\"pid\":[0-9]*/\"pid\":$!/" "$6"
cd /
"$4" --sysroot "$5" createRuntime <"$6"
exit
END
chmod +x "$T/crun"
"$T/crun" create --bundle "$B" "$HOOK" "$NODE" "$T/state" >"$T/out" 2>"$T/err"
is "bundle \"/\" and a runtime with --bundle: exit status" 0 $?
is "bundle \"/\" and a runtime with --bundle: nccl.conf" "$NCCL" "$(conf)"
is "bundle \"/\" and a runtime with --bundle: memlock" "$AFTER" "$(limit_of "$(<"$T/state.pid")")"
kill -9 "$(<"$T/state.pid")"
container '{"devices":[["/dev/infiniband/uverbs6",231,198]],"merge":{"linux":{"namespaces":[{"type":"pid"},{"type":"user"},{"type":"mount"}]}}}'
WRAPPER=(unshare --user)
fresh_process
if echo '0 100000 65536' >"/proc/$pid/uid_map" && echo '0 200000 65536' >"/proc/$pid/gid_map"; then
	state . >"$T/state"
	rmdir "$ROOT/etc"
	chown 100000:200000 "$ROOT"
	hook
	is "user namespace: memlock" "$AFTER" "$(limit)"
	is "user namespace: the owner is the container's root" 100000:200000 "$(stat -c %u:%g "$ROOT/etc/nccl.conf")"
	is "user namespace: also of a new /etc" 100000:200000 "$(stat -c %u:%g "$ROOT/etc")"
	before=$(all_of "$B")
	hook
	same "user namespace: a second run changes nothing" "$before" "$(all_of "$B")"
else
	pass "user namespace # skip: not allowed here"
fi
finish
