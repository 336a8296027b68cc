#!/bin/bash
# Each entry point under valgrind's memcheck: no byte is read that nobody wrote, none past an end, no memory is lost, no descriptor left.
# Two builds (BUILD/memcheck): the static one, as nodes have it, of which memcheck knows the stack and what the kernel is given; and a
# dynamic one, of which it knows the heap, too: there each allocation of an arena is one of malloc's. Both are without the seccomp
# filter, which valgrind's own calls do not pass, and without HARDENING, which writes each variable before its first use. The doctor is
# dynamic alone. It and the NRI plugin work in children, which memcheck follows.
# builds: memcheck tests/valgrind/.unpacked
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
MEMCHECK=${BUILD:-build}/memcheck
VALGRIND=$(realpath -m "${BUILD:-build}/tests/valgrind/usr/libexec/valgrind")
if [ ! -e "$VALGRIND/default.supp" ]; then
	fail "there is no $VALGRIND: make suite S=tests/cli/valgrind.sh"
	finish
fi
PLAIN=$HOOK
HOOK=$T/bin/oci-rdma-hook
SAID=$T/memcheck.said
. tests/cli/process.bash
. tests/cli/tools/shim.bash
by_case
trap 'end_process; rm -rf "$T"' EXIT
node h100

# Stands for hook and shim; runs $T/program/NAME, the shim with $T/program/preload.so if that is there
mkdir "$T/program"
cat >"$HOOK" <<END
#!/bin/bash
export VALGRIND_LIB=$VALGRIND VALGRIND_LAUNCHER=\$0
for fd in /proc/\$\$/fd/*; do [ "\${fd##*/}" -le 2 ] || eval "exec \${fd##*/}>&-"; done # of whom started the tests
kinds=all
if [ "\${0##*/}" = oci-rdma-runtime ] && [ -e $T/program/preload.so ]; then
	export LD_PRELOAD=$T/program/preload.so
	kinds=definite,indirect,possible # exec frees what we still know of
fi
descriptors=yes
case \${0##*/} in
oci-rdma-doctor | oci-rdma-nri) kinds=definite,indirect,possible descriptors=no ;; # a child ends with all that its parent has
esac
exec $VALGRIND/memcheck-$(dpkg --print-architecture)-linux -q --log-file=$SAID --track-fds=\$descriptors --leak-check=full \\
	--show-leak-kinds=\$kinds "$T/program/\${0##*/}" "\$@"
END
chmod 755 "$HOOK"
for name in admin doctor nri; do cp "$HOOK" "$T/bin/oci-rdma-$name"; done

# program FILE: what is run from now on
program() {
	ln -sfn "$(realpath "$1")" "$T/program/oci-rdma-hook"
	ln -sfn oci-rdma-hook "$T/program/oci-rdma-runtime"
	ln -sfn "$(realpath "${1%/*}/oci-rdma-admin")" "$T/program/oci-rdma-admin"
}

# clean DESCRIPTION: memcheck was there in the last run, and had nothing to say
clean() {
	if [ -e "$SAID" ]; then is "$1: memcheck is silent" "" "$(<"$SAID")"; else fail "$1: memcheck did not run"; fi
	rm -f "$SAID"
}

# run DESCRIPTION STATUS ARG…: PROGRAM, by default the hook, with what is on stdin
run() {
	local what=$1 want=$2
	shift 2
	timeout "$PATIENCE" "${PROGRAM:-$HOOK}" --sysroot "$NODE" "$@" >"$T/out" 2>"$T/err"
	is "$what: exit status" "$want" $?
	clean "$what"
}

stages() {
	config "$everything"
	container '{}'
	hook
	is "$build, no RDMA: status, and no nccl.conf" "0 " "$rc $(ls "$ROOT/etc")"
	clean "$build, no RDMA"
	container h100-trainer.json
	echo NCCL_DEBUG=INFO >"$ROOT/etc/nccl.conf"
	for stage in createRuntime poststart; do
		hook "$stage"
		is "$build, four VFs, $stage: status and memlock" "0 $AFTER" "$rc $(limit)"
		is "$build, four VFs, $stage: nccl.conf" "NCCL_DEBUG=INFO NCCL_IB_HCA==mlx5_6,mlx5_7,mlx5_10,mlx5_11" \
			"$(grep -hE '^NCCL_(DEBUG|IB_HCA)=' "$ROOT/etc/nccl.conf" | paste -sd ' ')"
		clean "$build, four VFs, $stage"
	done
	config '{"memlock": "8Mi", "on_error": "fail", "namespaces": ["team-b"]}'
	fresh_process
	state . >"$T/state"
	hook
	is "$build, denied: status and memlock" "0 $BEFORE" "$rc $(limit)"
	clean "$build, denied"
	printf '{"annotations": {' >"$B/config.json"
	hook
	is "$build, a torn config.json: status" 0 "$rc"
	clean "$build, a torn config.json"
}

reports() {
	local format
	config "$everything"
	bundle h100-trainer.json
	for format in text json spec nccl; do run "$build, dry run, $format" 0 --dry-run --format $format "$B"; done
	run "$build, precreate" 0 precreate <"$B/config.json"
	has "$build, precreate: it edits" NCCL_IB_HCA==mlx5_6 "$(<"$T/out")"
	run "$build, precreate of no JSON" 0 precreate <"$HOOK"
	mkdir -p "$NODE/usr/share/containers/oci/hooks.d" "$NODE/usr/local/bin"
	cp config/hooks.d/annotation/*.json "$NODE/usr/share/containers/oci/hooks.d/"
	cp "$HOOK" "$NODE/usr/local/bin/oci-rdma-hook"
	local PROGRAM=$T/bin/oci-rdma-admin
	run "$build, check-config" 0 --check-config
	run "$build, check-config of a profile" 0 --check-config config/profiles/*.json
	config '{"memlock": "8Mi", "nccl": {"no_such_key": 1}}'
	run "$build, check-config of a wrong one" 1 --check-config
	run "$build, wrong usage" 2 --no-such-option
}

# What the runtime would do is in tests/cli/shim*.sh.
runtimes() {
	policy ''
	fresh
	start --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
	edited "$build, create"
	clean "$build, create"
	kept "$ID"
	start --root=$ROOT exec --process "$P" "$ID"
	has "$build, exec: process.json is edited" NCCL_IB_HCA==mlx5_6 "$(<"$P")"
	clean "$build, exec"
	start --root=$ROOT exec "$ID" true
	is "$build, exec without a process.json: status" 0 "$rc"
	clean "$build, exec without a process.json"
	start --root=$ROOT state "$ID"
	clean "$build, state"
	start --root=$ROOT delete --force "$ID"
	clean "$build, delete"
	fresh none
	start --root=$ROOT create --bundle "$B" "$ID"
	not_edited "$build, create, no RDMA"
	clean "$build, create, no RDMA"
}

# examine DESCRIPTION PART ARG…: the doctor on the recorded node; it says PART
examine() {
	local what="$build, doctor, $1" part=$2
	shift 2
	timeout "$PATIENCE" "$T/bin/oci-rdma-doctor" "$@" >"$T/out" 2>"$T/err"
	has "$what: it says what it should" "$part" "$(<"$T/out")"
	clean "$what"
}

doctors() {
	local format log='node-1:27:94 [0] NCCL WARN NET/IB : Got completion from peer 10.0.103.8<34567> with status=4 opcode=0 len=0 vendor err 81 (Recv)'
	. tests/cli/doctor.bash
	defaults
	h100
	on_node
	write etc/containerd/config.toml 'imports = ["conf.d/*.toml"]'
	write etc/containerd/conf.d/rdma.toml '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.rdma.options]
BinaryName = "/nowhere/oci-rdma-runtime-runc"'
	for format in text json html prometheus; do examine "a node, $format" memlock --sysroot "$NODE" --format $format; done
	examine "a container" '"id": "plan"' --sysroot "$NODE" --format json --container "$ID"
	examine "a container, text" mlx5_6 --sysroot "$NODE" --verbose --container "$ID"
	examine "a symptom" p2p_blocked --symptom "$log" --format json
	examine "a log that nobody knows" 'no known cause' --symptom 'no such message'
	write sys/class/infiniband/mlx5_6/ports/1/state ''
	write etc/crio/crio.conf.d/90-x '[crio.runtime'
	write etc/oci-rdma-hook/config.json '{"memlok": 1'
	examine "a node that is torn" memlock --sysroot "$NODE" --format json
}

sessions() {
	mkdir -p "$T/nri" # its node, apart from ours
	"$PYTHON" -IS tests/cli/tools/nri_memcheck.py "$T/bin/oci-rdma-nri" "$T/nri" | sed "s/ - / - $build, NRI, /"
	[ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
	clean "$build, NRI"
}

everything='{"memlock": "8Mi", "nccl": {"socket_ifname": "rdma", "gid_index": "legacy"}, "frameworks": {"ucx": true, "deepep": true, "gloo": true}}'
policy ''
HOOK=$PLAIN prepare rdma h100-trainer.json none '{}'
"${CC:-gcc}" -shared -fPIC -o "$T/end_at_exec.so" tests/cli/tools/end_at_exec.c || exit 1

# Controls: the silence says something
for build in static dynamic; do
	if [ $build = static ]; then option=-static; else option=-pie; fi
	"${CC:-gcc}" -g -O0 -w $option -o "$T/faulty" tests/cli/tools/faulty.c || exit 1
	program "$T/faulty"
	while read -r fault part; do
		rm -f "$SAID"
		"$HOOK" "$fault" >"$T/out" 2>&1
		has "control, $build, $fault" "$part" "$(cat "$SAID")"
	done <<-END
		uninitialised depends on uninitialised value
		passed-on points to uninitialised byte
		descriptor Open file descriptor
		closed-twice File descriptor
		$([ $build = static ] || printf '%s\n' 'past-the-end Invalid read of size 1' 'lost definitely lost')
	END

	program "$MEMCHECK/$build/oci-rdma-hook"
	rm -f "$SAID"
	# In place of the runtime an end, where memcheck counts what is left. A static executable goes on to the runtime.
	[ $build = static ] || ln -s "$T/end_at_exec.so" "$T/program/preload.so"
	stages
	reports
	runtimes
	ln -sfn "$(realpath "$MEMCHECK/$build/oci-rdma-nri")" "$T/program/oci-rdma-nri"
	sessions
done
ln -sfn "$(realpath "$MEMCHECK/dynamic/oci-rdma-doctor")" "$T/program/oci-rdma-doctor"
doctors
finish
