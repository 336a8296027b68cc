# shellcheck shell=bash disable=SC2034 # what it sets is used where it is sourced
# Pods of a CRI in the test VM, whose containers look at themselves, and what is expected of them. Sourced in the guest; lib.sh, engine.sh and
# containerd.sh are sourced, and $ALLOCATED is what a device plugin would give a container: mlx5_10 and mlx5_1.

NCCL='NCCL_IB_HCA==mlx5_1,mlx5_10'
ASKS=(--annotation oci-rdma-hook.io/inject=true)
LOOK='probe; env; grep CapEff /proc/self/status; echo probe ended'

# none WHAT: without it there is nothing to look at
none() {
	fail "$RT, $1" "$OUT"
	finish
}

# pod NAME [OPTION…]: of the handler $RT; sets POD
pod() {
	OUT=$(./cri run-pod --handler "$RT" "${@:2}" "$1" 2>&1) || none "a pod $1"
	POD=$OUT
}

# trainer NAME [OPTION…]: a container of $POD with two devices, that looks at itself and waits; sets ID
trainer() {
	OUT=$(./cri run "${ALLOCATED[@]}" "${@:2}" "$POD" "$1" sh -c "$LOOK; exec sleep 1000000" 2>&1) || none "a container $1"
	ID=$OUT
}

# waiter NAME [OPTION…]: like trainer. On a signal its main process becomes the program that registers memory (main_registers).
waiter() {
	OUT=$(./cri run "${ALLOCATED[@]}" "${@:2}" "$POD" "$1" \
		sh -c "echo main=\$\$; trap 'echo registers; exec regmr' USR1; $LOOK; while :; do sleep 0.1; done" 2>&1) || none "a container $1"
	ID=$OUT
}

looked() { ./cri logs "$ID" | grep -q 'probe ended'; }

# What the container's main process has seen, and what a process of exec sees; set OUT
main_process() {
	within looked
	OUT=$(./cri logs "$ID")
}
by_exec() { OUT=$(./cri "$1" "$ID" sh -c "$LOOK" 2>&1); }

effective() { printf '%d' "0x$(sed -n 's/^CapEff:[[:space:]]*//p' <<<"$OUT")"; }

# granted WHAT UID
granted() {
	has "$1: it is uid $2" "uid=$2 memlock soft=unlimited hard=unlimited " "$OUT"
	has "$1: mlx5_1 registers 256 MiB" 'mlx5_1: reg_mr 256 MiB ok' "$OUT"
	has "$1: mlx5_10 registers 256 MiB" 'mlx5_10: reg_mr 256 MiB ok' "$OUT"
	has "$1: the environment names the HCAs" "$NCCL" "$OUT"
}

# refused WHAT
refused() {
	has "$1: mlx5_1 gets ENOMEM" 'mlx5_1: reg_mr 256 MiB: ENOMEM' "$OUT"
	has "$1: the limit is what it was" " memlock soft=$MEMLOCK hard=$MEMLOCK " "$OUT"
	lacks "$1: the environment says nothing" NCCL_IB_HCA "$OUT"
}

# main_registers WHAT UID: the waiter's main process has the limit now, and registers
main_registers() {
	./cri exec-sync "$ID" sh -c "kill -USR1 $(./cri logs "$ID" | sed -n 's/^main=//p')" # 1 is the sandbox's process
	within has_registered
	OUT=$(since_signal)
	has "$1: its limit is raised" "uid=$2 memlock soft=unlimited hard=unlimited " "$OUT"
	has "$1: mlx5_1 registers 256 MiB" 'mlx5_1: reg_mr 256 MiB ok' "$OUT"
	has "$1: mlx5_10 registers 256 MiB" 'mlx5_10: reg_mr 256 MiB ok' "$OUT"
}
since_signal() { ./cri logs "$ID" | sed '1,/^registers$/d'; }
has_registered() { [ "$(since_signal | grep -c reg_mr)" = 2 ]; }
