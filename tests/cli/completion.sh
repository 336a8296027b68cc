#!/bin/bash
# Completions in a bash: what it puts on its line. Options and formats: tests/package/man.sh; each place of a container: tests/cli/bundle.sh.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
. tests/cli/completion.bash
node h100
ids=("$(printf '94a%061d' 1)" "$(printf '94a%061d' 2)" "$(printf 'c0ffee%058d' 3)")
mkdir -p "$NODE/run/crun/${ids[0]}" "$NODE/run/runc/${ids[1]}" \
	"$NODE/run/containerd/io.containerd.runtime.v2.task/k8s.io/${ids[2]}" "$NODE/var/lib/containers/storage/overlay-containers/${ids[0]}"
touch "$NODE/run/crun/94a.lock" "$NODE/var/lib/containers/storage/overlay-containers/containers.json"
mapfile -t hcas < <(cd "$NODE/sys/class/infiniband" && printf '%s\n' * | sort)

# completes NAME WANT PROGRAM WORD…: a row
completes() {
	row "$1"
	is "the words" "$2" "$(completed "${@:3}")"
}
doctor=(oci-rdma-doctor --sysroot "$NODE")
completes "--device: each device" "${hcas[*]}" "${doctor[@]}" --device ''
check "control: the node has devices" test "${#hcas[@]}" -gt 10
completes "--device: one, by its beginning" mlx5_11 "${doctor[@]}" --device mlx5_11
completes "--device: none of that name" nothing "${doctor[@]}" --device nothing
row "--device: a name in somebody's record is no command"
# shellcheck disable=SC2016 # a name that is a command
mkdir -p "$T/foreign/sys/class/infiniband/"'$(>ran)'
completed oci-rdma-doctor --sysroot "$T/foreign" --device '' >/dev/null
check "it has not run" test ! -e ran -a ! -e "$T/ran"
rm -f ran
completes "--container: each id, once" "${ids[*]}" "${doctor[@]}" --container ''
completes "--container: those that begin so" "${ids[*]:0:2}" "${doctor[@]}" --container 94
completes "--container: one" "${ids[2]}" oci-rdma-doctor --sysroot "$NODE/" --container c0
row "the same behind ="
is "--container=" "--sysroot=$NODE --container=${ids[2]}" "$(typed '' oci-rdma-doctor --sysroot="$NODE" --container=c0 | paste -sd ' ')"
is "--device=" "--device=mlx5_11" "$(typed '' oci-rdma-doctor --sysroot="$NODE" --device=mlx5_11 | tail -n 1)"
is "--format=" "--format=json" "$(typed '' oci-rdma-hook --format=j)"
mkdir "$T/94-bundle"
touch "$T/94-file"
completes "--dry-run: an id" "${ids[2]}" oci-rdma-hook --sysroot "$NODE" --dry-run c0
completes "--dry-run: a directory" "$T/94-bundle" oci-rdma-hook --sysroot "$NODE" --dry-run "$T/94"
completes "--sysroot: a directory" "$T/94-bundle" oci-rdma-hook --sysroot "$T/94"
completes "a stage" createRuntime oci-rdma-hook --sysroot "$NODE" createR
row "an option"
for program in oci-rdma-hook oci-rdma-doctor; do is "$program" --sysroot "$(completed "$program" --sysr)"; done

# A person's own options change nothing, and a node without any of it is no error.
mkdir "$T/empty"
for options in failglob nullglob 'nocaseglob dotglob extglob'; do
	row "shopt -s $options: the same, and no word about a node that has nothing"
	is "one" "${ids[2]}" "$(typed "$options" oci-rdma-doctor --sysroot "$NODE" --container c0 | tail -n 1)"
	for option in --device --container; do
		is "nothing there for $option" "x" "$(typed "$options" oci-rdma-doctor --sysroot "$T/empty" $option x | tail -n 1)"
		lacks "$option" match "$(<"$T/err")"
	done
done
finish
