#!/bin/bash
# --crio-handler: the drop-in for CRI-O's handler, made from what the node has, and refused where CRI-O would not start with it.
# tests/cli/crio has CRI-O's configuration as upstream's packages and RHCOS have it, and as two versions print theirs.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/handler.bash
SHIM=/usr/local/bin/oci-rdma-runtime-crun

# host FILE PROGRAM…: a node with that configuration of CRI-O, and these programs beside ours
host() {
	rm -rf "$NODE"
	install -D -m 644 "tests/cli/crio/$1" "$NODE/etc/crio/crio.conf.d/10-crio.conf"
	program "$SHIM" /usr/local/bin/oci-rdma-runtime-runc "${@:2}"
}
upstream() { host upstream.conf /usr/libexec/crio/{crun,runc,conmon}; }
rhcos() { host rhcos.conf /usr/bin/{crun,runc,conmon}; }

# render [SHIM [PRINTED]]: sets rc; the drop-in is in $T/out
render() {
	timeout "$PATIENCE" "$ADMIN" --sysroot "$NODE" --crio-handler "${@:-$SHIM}" >"$T/out" 2>"$T/err"
	rc=$?
}

printed() { grep -v '^#' "$T/out"; }
# now_renders NAME [WANT], now_refuses NAME PART…: the node as it is now
now_renders() {
	render
	renders "$@"
}
now_refuses() {
	render
	refuses "$@"
}

# ---- where CRI-O's own packages lie ----

upstream
now_renders "upstream's packages: monitor, root and annotations of the handler crun" '[crio.runtime.runtimes.rdma]
runtime_path = "/usr/local/bin/oci-rdma-runtime-crun"
runtime_root = "/run/crun"
monitor_path = "/usr/libexec/crio/conmon"
allowed_annotations = [
    "io.containers.trace-syscall",
]'
has "what it was made by" "# Rendered by: oci-rdma-admin --crio-handler $SHIM" "$(head -n 1 "$T/out")"
"$ADMIN" --sysroot "$NODE" --crio-handler "$SHIM" >/dev/full 2>"$T/err"
rc=$?
: >"$T/out"
refuses "a drop-in that is not whole" "No space left on device"
render /usr/local/bin/oci-rdma-runtime-runc
renders "upstream's packages: before runc" '[crio.runtime.runtimes.rdma-runc]
runtime_path = "/usr/local/bin/oci-rdma-runtime-runc"
runtime_root = "/run/runc"
monitor_path = "/usr/libexec/crio/conmon"'
rhcos
now_renders "RHCOS: conmon in PATH, so no monitor_path" '[crio.runtime.runtimes.rdma]
runtime_path = "/usr/local/bin/oci-rdma-runtime-crun"
runtime_root = "/run/crun"
container_min_memory = "512KiB"
default_annotations = {"run.oci.systemd.subgroup" = ""}
allowed_annotations = [
    "io.containers.trace-syscall",
    "io.kubernetes.cri-o.Devices",
    "io.kubernetes.cri-o.LinkLogs", # and no more
]'
entries() { grep -vE '^(#|runtime_(path|type))' "$1" | tr -d ' \n' | sed 's/,]/]/; s/#andnomore//; s/,]/]/'; }
is "the MachineConfig's says the same" "$(entries config/machineconfig/60-oci-rdma-hook.conf)" "$(entries "$T/out")"
cp "$T/out" "$NODE/etc/crio/crio.conf.d/60-oci-rdma-hook.conf"
cp "$T/out" "$T/first"
now_renders "a second time, with it in place, the same"
check "the same" cmp "$T/first" "$T/out"
printf '[crio.runtime.runtimes.crun]\nruntime_root = "/run/other"\n' >"$NODE/etc/crio/crio.conf.d/99-mine.conf"
now_renders "a later file replaces the handler" '[crio.runtime.runtimes.rdma]
runtime_path = "/usr/local/bin/oci-rdma-runtime-crun"
runtime_root = "/run/other"'
printf '[crio.runtime.runtimes.crun]\n[crio.runtime.runtimes.crun.default_annotations]\nmonitor_path = "/none"\n' >"$NODE/etc/crio/crio.conf.d/99-mine.conf"
now_renders "a key of a table below it is not the handler's"
rm -r "$NODE/etc/crio/crio.conf.d"
now_renders "no file: as CRI-O has it built in" '[crio.runtime.runtimes.rdma]
runtime_path = "/usr/local/bin/oci-rdma-runtime-crun"
runtime_type = "oci"
runtime_root = "/run/crun"'

# ---- what CRI-O prints ----

upstream
render "$SHIM" tests/cli/crio/status-1.36.toml
renders "what 1.36 prints" '[crio.runtime.runtimes.rdma]
runtime_path = "/usr/local/bin/oci-rdma-runtime-crun"
runtime_type = ""
runtime_root = "/run/crun"
allowed_annotations = ["io.containers.trace-syscall"]
monitor_path = "/usr/libexec/crio/conmon"
monitor_cgroup = "system.slice"
monitor_env = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
container_min_memory = "500KiB"
no_sync_log = false
[crio.runtime.runtimes.rdma.default_annotations]
"run.oci.systemd.subgroup" = ""'
cp "$T/out" "$T/first"
render "$SHIM" - <tests/cli/crio/status-1.36.toml
renders "…on stdin" "$(grep -v '^#' "$T/first")"
host upstream.conf /usr/bin/{runc,conmon}
render /usr/local/bin/oci-rdma-runtime-runc tests/cli/crio/status-1.26.toml
renders "what 1.26 prints" '[crio.runtime.runtimes.rdma-runc]
runtime_path = "/usr/local/bin/oci-rdma-runtime-runc"
runtime_type = "oci"
runtime_root = "/run/runc"
monitor_path = "/usr/bin/conmon"
monitor_cgroup = "system.slice"
monitor_env = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]'
render "$SHIM" "$T/none"
refuses "a print that is not there" "$T/none"

# ---- refused: CRI-O would not start with it ----

upstream
sed -i '/monitor_path/d' "$NODE/etc/crio/crio.conf.d/10-crio.conf"
now_refuses "no monitor_path, and conmon not in PATH" 10-crio.conf crun monitor_path conmon "does not start"
printf '[crio.runtime]\nconmon = "/usr/libexec/crio/conmon"\n' >"$NODE/etc/crio/crio.conf.d/20-conmon.conf"
now_renders "the old key conmon is every handler's"
rm "$NODE/usr/libexec/crio/conmon"
now_refuses "…if it is there" /usr/libexec/crio/conmon "does not start"
upstream
rm "$NODE/usr/libexec/crio/conmon"
now_refuses "a monitor_path that is not there" 10-crio.conf /usr/libexec/crio/conmon "does not start"
sed -i 's|^runtime_root = "/run/crun"|runtime_type = "oci"|' "$NODE/etc/crio/crio.conf.d/10-crio.conf"
now_refuses "…also of a handler that names its type, oci" /usr/libexec/crio/conmon "does not start"
sed -i 's|^runtime_type = "oci"|runtime_type = "pod"|' "$NODE/etc/crio/crio.conf.d/10-crio.conf"
now_renders "conmon-rs needs no conmon"
upstream
rm -r "$NODE/etc/crio/crio.conf.d"
now_refuses "no file, and conmon not in PATH" conmon "does not start"
upstream
printf '[crio.runtime\n' >"$NODE/etc/crio/crio.conf.d/.99-hidden.conf"
now_refuses "a file that cannot be read, which CRI-O reads although it is hidden" .99-hidden.conf:1
rhcos
rm -r "$NODE/etc/crio"
now_refuses "no CRI-O" "CRI-O is not installed here"

# ---- refused: its pods would not start ----

upstream
rm "$NODE$SHIM"
now_refuses "no shim" "$SHIM" install
upstream
sed -i 's|^runtime_root = "/run/crun"|inherit_default_runtime = true|' "$NODE/etc/crio/crio.conf.d/10-crio.conf"
now_refuses "a handler that takes the default's path" inherit_default_runtime
upstream
sed -i 's|^runtime_root = "/run/crun"|runtime_type = "vm"|' "$NODE/etc/crio/crio.conf.d/10-crio.conf"
now_refuses "virtual machines" "virtual machines"
upstream
program /usr/bin/crun
now_renders "the distribution's crun beside CRI-O's own is no matter"
mkdir -p "$NODE/etc/oci-rdma-hook"
echo /usr/bin/crun >"$NODE/etc/oci-rdma-hook/runtimes"
now_refuses "…unless the list of runtimes has that one" /usr/bin/crun /usr/libexec/crio/crun /etc/oci-rdma-hook/runtimes
ln -sfn ../libexec/crio/crun "$NODE/usr/bin/crun"
now_renders "…and it is another one"
echo crun >"$NODE/etc/oci-rdma-hook/runtimes"
now_refuses "a list that cannot be read" /etc/oci-rdma-hook/runtimes "line 1"
config '{"optin": 1}'
now_renders "a policy that cannot be read says nothing of runtimes"
config
rm "$NODE/usr/libexec/crio/crun" "$NODE/usr/bin/crun"
now_refuses "no crun at all" crun runtimes

# ---- usage ----

rhcos
program '/usr/"/oci-rdma-runtime-crun' /usr/local/bin/oci-rdma-runtime
for wrong in oci-rdma-runtime-crun '/usr/"/oci-rdma-runtime-crun' '/usr/\/oci-rdma-runtime-crun' $'/usr/\t/oci-rdma-runtime-crun'; do
	render "$wrong"
	refuses "$wrong" "${wrong//$'\t'/?} is not an absolute path"
done
for wrong in /usr/bin/crun /usr/local/bin/oci-rdma-runtime /usr/local/bin/oci-rdma-runtime- '/usr/local/bin/oci-rdma-runtime-c run'; do
	render "$wrong"
	refuses "$wrong" "$wrong does not tell which runtime"
done
row "wrong usage"
for wrong in "--crio-handler" "--crio-handler a b c" "--crio-handler --cdi a" "--crio-handler --format json a" "--containerd-handler a" "--containerd-handler a b c" \
	--lock "--lock 9 10" --leave-runtimes "--leave-runtimes a b"; do
	# shellcheck disable=SC2086 # words
	timeout "$PATIENCE" "$ADMIN" $wrong >"$T/out" 2>"$T/err" </dev/null
	is "$wrong: status" 2 "$?"
done
finish
