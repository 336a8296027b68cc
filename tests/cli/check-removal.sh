#!/bin/bash
# --check-removal: what still needs the runtime shim, on recorded nodes. Real containers are in tests/podman/removal.sh.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
SHIM=/usr/local/bin/oci-rdma-runtime-crun
POD=overlay-containers/940942ebb876/userdata/config.json
STORAGE=var/lib/containers/storage
DROP_INS=etc/crio/crio.conf.d

# examine: sets rc
examine() {
	timeout "$PATIENCE" "$ADMIN" --sysroot "$NODE" --check-removal >"$T/out" 2>"$T/err"
	rc=$?
}

# free NAME: a row: nothing needs it, and nothing is said
free() {
	row "$1"
	examine
	is "nothing" "0 " "$rc $(cat "$T/out" "$T/err")"
}

# needed NAME PART…: a row: one line
needed() {
	row "$1"
	examine
	is "the status" 1 "$rc"
	one_line "one line" "${@:2}"
}

# write PATH TEXT: of the node
write() {
	mkdir -p "$NODE/${1%/*}"
	printf '%s\n' "$2" >"$NODE/$1"
}

# sandbox HANDLER [TYPE]: a pod, as CRI-O keeps it
sandbox() {
	write "$STORAGE/$POD" "$(jq -n --arg handler "$1" --arg type "${2:-sandbox}" '{annotations: {
		"io.kubernetes.cri-o.ContainerType": $type, "io.kubernetes.cri-o.RuntimeHandler": $handler,
		"io.kubernetes.pod.name": "h-kim-0", "io.kubernetes.pod.namespace": "team-a"}}')"
}

# monitor NAME [ARGUMENT…]: a process of that name
monitor() {
	write proc/4711/comm "$1"
	printf '%s\0' "${@:2}" >"$NODE/proc/4711/cmdline"
}

# crio_handler FILE NAME: a drop-in with a handler that is the shim
crio_handler() { write "$DROP_INS/$1" "[crio.runtime.runtimes.$2]
runtime_path = \"$SHIM\""; }

fresh() {
	rm -rf "$NODE"
	mkdir -p "$NODE"
	write $DROP_INS/10-crio.conf "$(<tests/cli/crio/upstream.conf)"
}

# ---- CRI-O's pods ----

fresh
free "a node without us"
sandbox ""
free "a pod of CRI-O's default"
sandbox rdma
needed "a pod of the handler, although its drop-in is gone" "pod team-a/h-kim-0" "handler rdma" "delete the pod"
sandbox rdma-runc
needed "…and the one for runc" "handler rdma-runc"
sandbox rdma-youki
needed "…and one that --crio-handler has made for another runtime" "handler rdma-youki"
sandbox rdma container
free "a container's annotation, which its author may write, says nothing"
write "$STORAGE/$POD" '{"annotations": {"io.kubernetes.cri-o.ContainerType": "sandbox"}}'
free "a pod without a handler's name"
write "$STORAGE/$POD" '{"annotations": {"io.kubernetes.cri-o.RuntimeHandler": "rdma"}}'
free "what does not say that it is a pod"
sandbox mine
free "a pod of somebody's handler"
crio_handler 60-oci-rdma-hook.conf mine
needed "…that runs the shim" "handler mine"
fresh
write $DROP_INS/50-others.conf $'[crio.runtime.runtimes.rdma]\nruntime_path = "/usr/bin/others"'
sandbox rdma
free "a handler of that name that is not ours"
fresh
write etc/crio/crio.conf $'[crio]\nroot = "/data/crio"'
mkdir -p "$NODE/data"
sandbox rdma
mv "$NODE/$STORAGE" "$NODE/data/crio"
needed "CRI-O's storage is elsewhere" "pod team-a/h-kim-0"
write data/crio/$POD '{"annotations": {'
free "a pod that cannot be read"
write data/crio/$POD '{"annotations": {"io.kubernetes.cri-o.ContainerType": "sandbox",
	"io.kubernetes.cri-o.RuntimeHandler": "rdma", "io.kubernetes.pod.name": "a\u001b[2Jb\nc", "io.kubernetes.pod.namespace": "team-a"}}'
needed "a pod's name writes nothing else to the terminal" "pod team-a/a?[2Jb?c"

# ---- CRI-O's handlers ----

fresh
crio_handler 60-oci-rdma-hook.conf rdma
free "our own drop-in goes with the shim"
rm "$NODE/$DROP_INS/60-oci-rdma-hook.conf"
crio_handler 50-mine.conf rdma
needed "somebody's drop-in" 50-mine.conf "handler rdma" "$SHIM" "systemctl restart crio"
crio_handler 50-mine.conf "'rdma.gpu'"
needed "a handler with a dot in its name" 50-mine.conf "$SHIM"
crio_handler 50-mine.conf 'rdma-gpu."a.b"'
free "a table below a handler is none"
write $DROP_INS/50-mine.conf "[\"crio.runtime.runtimes\".rdma]
runtime_path = \"$SHIM\""
free "another table of CRI-O's than that of the handlers, whose name has dots"
crio_handler 50-mine.conf rdma
rm "$NODE/$DROP_INS/10-crio.conf"
needed "somebody's drop-in, and no file names a default" 50-mine.conf "handler rdma" "$SHIM" "systemctl restart crio"
mv "$NODE/$DROP_INS/50-mine.conf" "$NODE/$DROP_INS/60-oci-rdma-hook.conf"
write $DROP_INS/70-default.conf $'[crio.runtime]\ndefault_runtime = "rdma"'
needed "the shim as CRI-O's default" "handler rdma" 70-default.conf "does not start"
fresh
write $DROP_INS/99-broken.conf '[crio.runtime'
needed "a file that cannot be read" 99-broken.conf

# ---- containers that run ----

fresh
id=$(printf '55b81b0956cb%052d' 7)
# conmon_free NAME ARGUMENT… and conmon_needs NAME ARGUMENT…: with a monitor that has these arguments
conmon_free() { monitor conmon "${@:2}" && free "$1"; }
conmon_needs() { monitor conmon "${@:2}" && needed "$1" "container $id" "$SHIM"; }
crio=(/usr/libexec/crio/conmon -b /run/b -c "$id" --exit-dir /var/run/crio/exits -n k8s_main -P /run/pid -p /run/pidfile
	--persist-dir /p -r "$SHIM" --runtime-arg --root=/run/crun --socket-dir-path /var/run/crio -u "$id" -s)
conmon_needs "a container of CRI-O" "${crio[@]}"
conmon_needs "a runtime's own options are not conmon's" -c "$id" -r "$SHIM" --runtime-arg -r --runtime-arg /usr/bin/crun
conmon_free "a container of another runtime" "${crio[@]/"$SHIM"//usr/bin/crun}"
monitor sleep "${crio[@]}"
free "a process that is no conmon"
podman=(/usr/bin/conmon --api-version 1 -c "$id" -u "$id" -r "$SHIM" -b /b -p /run/pidfile --exit-command /usr/bin/podman
	--exit-command-arg --root --exit-command-arg /g --exit-command-arg --runtime)
cleanup=(--exit-command-arg container --exit-command-arg cleanup)
conmon_needs "a container that podman knows by the shim's path" "${podman[@]}" --exit-command-arg "$SHIM" "${cleanup[@]}"
conmon_free "podman's own option is the first one" "${podman[@]}" --exit-command-arg crun --exit-command-arg container --exit-command-arg --runtime \
	--exit-command-arg "$SHIM"
conmon_free "one that podman knows by the name crun, which it looks up again" "${podman[@]}" --exit-command-arg crun "${cleanup[@]}"
conmon_needs "conmon's options with =" --cid="$id" --runtime="$SHIM"
conmon_free "options that only begin so" --cidr="$id" --runtimes="$SHIM"
conmon_free "a conmon that was told of no container" -r "$SHIM"
conmon_free "a conmon that was told of no runtime" -c "$id"
conmon_free "a command line that was cut off" -c "$id" -r
if chown 12345 "$NODE/proc/4711" 2>/dev/null; then conmon_free "another user's process says nothing" "${crio[@]}"; fi

row "a sysroot that is none: what is not looked at needs nothing that we know of, which is no success"
for case in "absent: No such file or directory" "err: Not a directory"; do
	timeout "$PATIENCE" "$ADMIN" --sysroot "$T/${case%%:*}" --check-removal >"$T/out" 2>"$T/err"
	is "${case%%:*}" "1 oci-rdma-admin: sysroot $T/$case" "$? $(cat "$T/out" "$T/err")"
done
# What a container's root calls conmon needs nothing. Nor does a program that is setuid root, which any user may start by that name:
# "conmon -c ID -- root -r …" is su that asks for a password.
fresh
setuid=$'Name:\tconmon\nUid:\t1000\t0\t0\t0\nNSpid:\t4711'
monitor conmon --cid=x --runtime="$SHIM"
write proc/4711/status $'Name:\tconmon\nNSpid:\t4711\t1\nVmPeak:\t1 kB'
free "a container's process with the shim on its command line"
write proc/4711/status "$setuid"
free "a user's setuid program with the shim on its command line"
write proc/4711/status "${setuid/1000/0}"
needed "…but root's own is believed" "container x" "$SHIM"
write proc/4711/status $'Name:\tconmon\nNSpid:\t4711\nVmPeak:\t1 kB'
needed "…as is one of the node's own" "container x" "$SHIM"
fresh

row "an operand is wrong usage"
timeout "$PATIENCE" "$ADMIN" --check-removal operand >/dev/null 2>&1
is "status" 2 "$?"

# ---- containerd and Docker ----

TASKS=io.containerd.runtime.v2.task
fresh
for dir in "run/containerd/$TASKS/k8s.io" "run/containerd/$TASKS/default" "run/docker/containerd/daemon/$TASKS/moby" "run/k3s/containerd/$TASKS/k8s.io"; do
	write "$dir/940942ebb876/runtime" /usr/bin/runc
	free "a container of $dir, by runc"
	write "$dir/940942ebb876/runtime" "$SHIM"
	needed "a container of $dir, by the shim: it is named once" 940942ebb876 "(namespace ${dir##*/})" "$SHIM" "remove the container first"
	rm -r "${NODE:?}/run"
done
# What cannot be read whole is not "none"
many=run/containerd/$TASKS/k8s.io
mkdir -p "$NODE/$many"
(cd "$NODE/$many" && mkdir c{1..4200} && for i in {1..4200}; do printf '%s' "$SHIM" >"c$i/runtime"; done)
row "4,200 containers are all looked at"
examine
is "status, lines" "1 4200" "$rc $(grep -c . "$T/err")"
rm -r "${NODE:?}/run"
mkdir -p "$NODE/$many/940942ebb876/runtime"
needed "a runtime that cannot be read" "$many/940942ebb876/runtime: cannot be read" "not known whether a container there needs the shim"
rm -r "$NODE/$many/940942ebb876/runtime"
free "no runtime at all"
write "$many/version" 2
free "a file beside the containers"
head -c 4096 /dev/zero | tr '\0' / >"$NODE/$many/940942ebb876/runtime"
needed "a runtime of a path that is too long" "$many/940942ebb876/runtime: cannot be read"
rm -r "${NODE:?}/run"
for dir in "run/containerd/$TASKS" "$many" "$STORAGE/overlay-containers" var/lib/docker/containers proc; do
	mkdir -p "$NODE/$(dirname "$dir")"
	ln -s "${dir##*/}" "$NODE/$dir"
	needed "a directory that cannot be read: $dir" "$dir: cannot be read" "not known"
	rm "$NODE/$dir"
	: >"$NODE/$dir"
	free "a file in its place: $dir"
	rm "$NODE/$dir"
done
# too_large FILE SIZE
too_large() {
	write "$1" ''
	truncate -s "$2" "$NODE/$1"
	needed "a container's ${1##*/} that is too large" "$1: cannot be read" "not known"
	rm "$NODE/$1"
}
too_large $STORAGE/overlay-containers/0/userdata/config.json 17M
too_large var/lib/docker/containers/0/hostconfig.json 2M
rm -r "${NODE:?}/var"
long=$(printf '%0200000d' 0)
monitor conmon -b "$long" --cid 940942ebb876 --runtime "$SHIM"
needed "a command line that is too large" "/proc/4711/cmdline: longer than" "not known"
monitor conmon --cid 940942ebb876 --runtime "$SHIM" --log "$long"
needed "…whose beginning says it" 940942ebb876 "stop and remove"
rm -r "${NODE:?}/proc"
# containerd_runs PROGRAM HANDLER [FILE]
containerd_runs() { write "etc/containerd/${3-config.toml}" "[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.$2.options]
BinaryName = '$1'"; }
containerd_runs "$SHIM" rdma
needed "a handler of containerd" /etc/containerd/config.toml "handler rdma" "restart containerd"
containerd_runs "$SHIM" '"rdma.gpu"'
needed "a handler of containerd with a dot" /etc/containerd/config.toml "handler rdma.gpu" "restart containerd"
write etc/containerd/config.toml "[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.\"rdma.options\"]
BinaryName = '$SHIM'"
free "a key in a handler's own table, whose name ends in .options, is not BinaryName's"
containerd_runs runc runc
free "containerd's own handler"
write etc/containerd/config.toml 'version = ['
needed "a configuration of containerd that cannot be read" /etc/containerd/config.toml "it is not known which"
write etc/containerd/config.toml 'imports = ["conf.d/*.toml"]'
containerd_runs "$SHIM" rdma conf.d/x.toml
needed "a handler of containerd, in a file of imports" /etc/containerd/conf.d/x.toml "handler rdma"
rm -r "$NODE/etc/containerd"
write etc/docker/daemon.json "{\"runtimes\": {\"other\": {\"path\": \"/bin/other\"}, \"rdma\": {\"path\": \"$SHIM\"}}}"
needed "a runtime of Docker" /etc/docker/daemon.json "$SHIM" "reload docker"
write etc/docker/daemon.json '{"runtimes": {"other": {"path": "/bin/other"}}}'
free "another runtime of Docker"
write etc/docker/daemon.json '{'
needed "a configuration of Docker that cannot be read" /etc/docker/daemon.json "cannot tell"
rm "$NODE/etc/docker/daemon.json"

# Docker's containers that do not run: hostconfig.json is what Docker 26 writes
# stopped RUNTIME [DIRECTORY]
stopped() {
	write "${2-var/lib/docker}/containers/940942ebb876/hostconfig.json" "$(jq -cn --arg runtime "$1" '{Binds: null, NetworkMode: "bridge",
		RestartPolicy: {Name: "no", MaximumRetryCount: 0}, Runtime: $runtime, Isolation: "", OomScoreAdj: 0}')"
}
stopped runc
free "a stopped container of Docker's own runtime"
stopped rdma
needed "one whose entry is gone already, by the name that we give it" "container 940942ebb876 of Docker" "runtime rdma" "remove it first"
stopped rdma-crun
needed "…before crun" "runtime rdma-crun"
stopped mine
free "one of a runtime that nobody knows"
row "one of an entry that is the shim: both are named; one that runs is named once, and a runtime rdma that is not ours is not"
write etc/docker/daemon.json "{\"runtimes\": {\"mine\": {\"path\": \"$SHIM\"}, \"rdma\": {\"path\": \"/bin/other\"}}}"
examine
is "both" "1 2 1" "$rc $(grep -c . "$T/err") $(grep -c 'container 940942ebb876 of Docker has the runtime mine' "$T/err")"
write "run/docker/containerd/daemon/$TASKS/moby/940942ebb876/runtime" "$SHIM"
examine
is "once" 1 "$(grep -c 940942ebb876 "$T/err")"
rm -r "${NODE:?}/run/docker"
stopped rdma
examine
is "not ours" 1 "$(grep -c . "$T/err")"
write etc/docker/daemon.json '{"data-root": "/data/docker"}'
free "Docker's directory is elsewhere"
stopped rdma data/docker
needed "…and a container there" "container 940942ebb876 of Docker"
for text in '{}' '{"Runtime": null}' '{"Runtime": ""}'; do
	write data/docker/containers/940942ebb876/hostconfig.json "$text"
	free "a container of Docker's default: $text"
done
write data/docker/containers/940942ebb876/hostconfig.json '{"Runtime": '
free "a container that cannot be read, which Docker could not start"
stopped "$(printf 'rdma-%0100d' 0)" data/docker
needed "a long name is cut" "rdma-0000"
finish
