#!/bin/bash
# --check-removal: which configuration files still run the shim; --leave-runtimes: what takes its place. On recorded nodes; real containers are
# in tests/podman/removal.sh.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
SHIM=/usr/local/bin/oci-rdma-runtime-crun
DROP_INS=etc/crio/crio.conf.d

# examine: sets rc
examine() {
	timeout "$PATIENCE" "$ADMIN" --sysroot "$NODE" --check-removal >"$T/out" 2>"$T/err"
	rc=$?
}

# free NAME: a row: nothing names it, and nothing is said
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

# crio_handler FILE NAME: a drop-in with a handler that is the shim
crio_handler() { write "$DROP_INS/$1" "[crio.runtime.runtimes.$2]
runtime_path = \"$SHIM\""; }

fresh() {
	rm -rf "$NODE"
	mkdir -p "$NODE"
	write $DROP_INS/10-crio.conf "$(<tests/cli/crio/upstream.conf)"
}

# ---- CRI-O's handlers ----

fresh
free "a node without us"
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
crio_handler 99-broken.conf "$(printf '"a\\u001b[2Jb"')"
needed "a handler's name writes nothing else to the terminal" 'a?[2Jb'
fresh

row "a sysroot that is none: what is not looked at needs nothing that we know of, which is no success"
for case in "absent: No such file or directory" "err: Not a directory"; do
	timeout "$PATIENCE" "$ADMIN" --sysroot "$T/${case%%:*}" --check-removal >"$T/out" 2>"$T/err"
	is "${case%%:*}" "1 oci-rdma-admin: sysroot $T/$case" "$? $(cat "$T/out" "$T/err")"
done

row "an operand is wrong usage"
timeout "$PATIENCE" "$ADMIN" --check-removal operand >/dev/null 2>&1
is "status" 2 "$?"

# ---- containerd and Docker ----

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
needed "a configuration of containerd that cannot be read" /etc/containerd/config.toml "it is not known whether"
write etc/containerd/config.toml 'imports = ["conf.d/*.toml"]'
containerd_runs "$SHIM" rdma conf.d/x.toml
needed "a handler of containerd, in a file of imports" /etc/containerd/conf.d/x.toml "handler rdma"
rm -r "$NODE/etc/containerd"
write etc/docker/daemon.json "{\"runtimes\": {\"other\": {\"path\": \"/bin/other\"}, \"rdma\": {\"path\": \"$SHIM\"}}}"
needed "a runtime of Docker" /etc/docker/daemon.json "$SHIM" "reload docker"
write etc/docker/daemon.json '{"runtimes": {"other": {"path": "/bin/other"}}}'
free "another runtime of Docker"
write etc/docker/daemon.json '{'
needed "a configuration of Docker that cannot be read" /etc/docker/daemon.json "it is not known whether"
rm "$NODE/etc/docker/daemon.json"
mkdir "$NODE/etc/docker/daemon.json"
needed "a directory in its place" /etc/docker/daemon.json "it is not known whether"
fresh

# ---- what takes the shims' place ----

# left [NAME…]: a row's node with these runtimes and all shims; sets out and rc
left() {
	local name
	rm -rf "${NODE:?}"/usr
	for name in "$@"; do install -D -m 755 /bin/true "$NODE$name"; done
	mkdir -p "$NODE/usr/local/bin"
	for name in "" -crun -runc -kata; do ln -s oci-rdma-hook "$NODE/usr/local/bin/oci-rdma-runtime$name"; done
	touch "$NODE"/usr/local/bin/oci-rdma-{hook,runtime.old} "$NODE/usr/local/bin/.oci-rdma-runtime-crun.new"
	out=$("$ADMIN" --sysroot "$NODE" --leave-runtimes /usr/local/bin 2>"$T/err")
	rc=$?
}
links() { find "$NODE/usr/local/bin" -type l -printf '%f %l\n' | sort | sed 's/^oci-rdma-runtime//' | paste -sd ,; }
files() { find "$NODE/usr/local/bin" -type f -printf '%f\n' | sort | xargs; }

row "a link to each installed runtime, CRI-O's own first, and the tmpfiles.d file that removes it; other files stay"
left /usr/libexec/crio/crun /usr/bin/crun /usr/sbin/runc
is "links" " /usr/libexec/crio/crun,-crun /usr/libexec/crio/crun,-runc /usr/sbin/runc" "$(links)"
is "others" "oci-rdma-hook oci-rdma-runtime.old" "$(files)"
is "tmpfiles.d" "0 r! /usr/local/bin/oci-rdma-runtime
r! /usr/local/bin/oci-rdma-runtime-crun
r! /usr/local/bin/oci-rdma-runtime-runc
r! /etc/crio/crio.conf.d/60-oci-rdma-hook*.conf
r! /etc/tmpfiles.d/oci-rdma-hook.conf" "$rc $(grep -v '^#' <<<"$out")"
one_line "a shim that had no runtime goes, which is said" "oci-rdma-runtime-kata: no runtime is installed"
again=$("$ADMIN" --sysroot "$NODE" --leave-runtimes /usr/local/bin 2>&1)
is "a second time says the same" "$out" "$again"

row "without a runtime no link is left, and nothing printed"
left
is "nothing" "0 " "$rc $out$(links)"

row "the list of runtimes is the shim's, and no name of the shim itself"
write etc/oci-rdma-hook/runtimes "/usr/local/bin/oci-rdma-runtime-crun
/opt/crun
/opt/kata"
left /opt/crun /opt/kata /usr/bin/crun
is "links" " /opt/crun,-crun /opt/crun,-kata /opt/kata" "$(links)"
write etc/oci-rdma-hook/runtimes opt/crun
left /usr/bin/crun
is "a list that cannot be used: nothing is changed" "1 4" "$rc $(find "$NODE/usr/local/bin" -lname oci-rdma-hook | wc -l)"
one_line "…which is said" "/etc/oci-rdma-hook/runtimes: line 1"
needed "…and --check-removal says so beforehand" "/etc/oci-rdma-hook/runtimes: line 1" "correct the file first"

row "a directory that is none"
"$ADMIN" --sysroot "$NODE" --leave-runtimes /none >"$T/out" 2>"$T/err"
is "status" 1 $?
one_line "which is said" "/none: No such file or directory"
finish
