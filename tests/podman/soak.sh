#!/bin/bash
# Many containers for each runtime, N in a row and WIDTH beside each other: created, entered and deleted through the shim, with the hook's
# stages in their specs; every second one was allocated nothing. Afterwards there is nothing more than before: no process, mount, cgroup,
# record or file. `make soak N=5000` is the long one.
# shellcheck disable=SC2317 # functions that xargs calls
cd "$(dirname "$0")/../.." || exit 1
. tests/podman/setup.bash
. tests/podman/shim.bash
export OCI_RDMA_SYSROOT=$NODE T SHIM ROOT HOOK AFTER BEFORE
N=${N:-1000} WIDTH=${WIDTH:-200}

# template: what a container's config.json is made of; NAME stands for its name
template() {
	mkdir -p "$T/template"
	rm -f "$T/template/config.json"
	(cd "$T/template" && "$runtime" spec)
	jq --arg cgroup "/${T##*/}/NAME" --arg hook "$HOOK" --arg node "$NODE" '
		def stage(name): [{path: $hook, args: ["oci-rdma-hook", "--sysroot", $node, name]}];
		.process.terminal = false | .process.args = ["sleep", "14400"] | .process.rlimits = []
		| .root = {path: "rootfs"} | .linux.cgroupsPath = $cgroup
		| .hooks = {createRuntime: stage("createRuntime"), poststart: stage("poststart")}
		' "$T/template/config.json" >"$T/template/none"
	jq '.annotations."oci-rdma-hook.io/inject" = "true"
		| .linux.devices = [{path: "/dev/infiniband/uverbs6", type: "c", major: 231, minor: 198, fileMode: 438, uid: 0, gid: 0}]
		' "$T/template/none" >"$T/template/rdma"
}

# life NUMBER: of one container. Says "served" or "plain", or what went wrong
life() {
	local name=c$1 kind=none want=plain got B=$T/soak/c$1
	[ $(($1 % 2)) -eq 0 ] || kind=rdma want=served
	mkdir -p "$B" && cp -a "$T/image" "$B/rootfs" && sed "s/NAME/$name/" "$T/template/$kind" >"$B/config.json" || return
	if ! { timeout "$PATIENCE" "$SHIM-$runtime" create --bundle "$B" --pid-file "$B/pid" "$name" &&
		timeout "$PATIENCE" "$SHIM-$runtime" start "$name"; } </dev/null >"$B/log" 2>&1; then
		echo "$name: $(tail -n 3 "$B/log")"
		return
	fi
	jq '.process | del(.env, .rlimits) | .args = ["/bin/report"]' "$T/template/$kind" >"$B/process.json"
	got=$(timeout "$PATIENCE" "$SHIM-$runtime" exec --process "$B/process.json" "$name" 2>&1 | grep -E '^(memlock|env|conf NCCL)' | xargs)
	case $got in
	"memlock $AFTER env NCCL_IB_HCA==mlx5_6"*) got=served ;;
	"memlock $BEFORE") got=plain ;;
	esac
	[ -z "$(find "$B" "$B/rootfs/etc" -maxdepth 1 -name '.?*')" ] || got="$got, and a temporary file"
	end "$name" >>"$B/log" 2>&1 || got="$got, and no end"
	if [ "$got" = "$want" ]; then echo "$got"; else echo "$name: want $want, got $got"; fi
	rm -rf "$B"
}

# end NAME: as engines do it, again where the runtime says that it has failed
end() { within timeout "$PATIENCE" "$SHIM-$runtime" delete --force "$1"; }
export -f life end within

# left: all that a container could leave behind
left() {
	# But for what looks
	cat /proc/[0-9]*/comm 2>/dev/null | grep -vxE 'cat|grep|bash|sort|uniq|busybox|syslogd' | sort | uniq -c
	sort -k 5 /proc/self/mountinfo | cut -d' ' -f5-
	# Without unified, crun makes a plain directory in its place
	find /sys/fs/cgroup -mindepth 1 -type d \( -fstype cgroup -o -fstype cgroup2 \) -path "*/${T##*/}/*"
	find /run "$T/soak" -mindepth 1 ! -path '/run/crun*' ! -path '/run/runc*' 2>/dev/null | sort
	find /run/crun /run/runc -mindepth 1 -maxdepth 1 2>/dev/null
}

# rmdir(2) of a cgroup says EBUSY while a process in it is still dying, which takes long on a busy machine, 1 time in 1,000. crun takes that
# for done (destroy_cgroup_path), runc tries for 0.3 s (RemovePaths). What has a process that lives cannot be removed here either, and is left.
remove_empty_cgroups() {
	find /sys/fs/cgroup -mindepth 1 -depth -type d \( -fstype cgroup -o -fstype cgroup2 \) -path "*/${T##*/}/c*" -exec rmdir {} + 2>/dev/null
}

# described: what is left, for people: of a process also its state, where in the kernel it sleeps, and its cgroup
described() {
	local pid
	diff <(echo "$before") "$T/left"
	for pid in $(ps -eo pid=,comm= | awk '$2 !~ /^(ps|awk|bash|busybox|syslogd|sed)$/ { print $1 }'); do
		echo "$pid: $(tr '\0' ' ' <"/proc/$pid/cmdline") $(awk '/^(State|PPid)/' "/proc/$pid/status" | xargs) $(cat "/proc/$pid/wchan") $(tail -n 1 "/proc/$pid/cgroup")"
	done 2>/dev/null
}

# The same twice: nothing of what ran before is still going away
steady() { before=$(left); sleep 0.1; [ "$(left)" = "$before" ]; }

# soak NUMBER TOGETHER
soak() {
	local before others
	within steady
	seq "$1" | xargs -P "$2" -I{} "$BASH" -c 'life {}' >"$T/result"
	is "$runtime, $1 containers, $2 at a time: each got what it was to get" \
		"$((($1 + 1) / 2)) served, $(($1 / 2)) plain" "$(grep -c '^served$' "$T/result") served, $(grep -c '^plain$' "$T/result") plain"
	others=$(grep -vxE 'served|plain' "$T/result" | head -n 5)
	[ -z "$others" ] || printf '%s\n' "$others" | sed 's/^/#   /'
	same_as_before() { remove_empty_cgroups; left >"$T/left"; [ "$(<"$T/left")" = "$before" ]; }
	within same_as_before
	is "$runtime, $1 containers, $2 at a time: nothing of them is left" "" "$([ "$(<"$T/left")" = "$before" ] || described)"
}

for runtime in crun runc; do
	export runtime
	policy ''
	template
	mkdir -p "$T/soak"
	soak "$N" 8
	soak "$WIDTH" "$WIDTH"
done
get_log
nothing_left
finish
