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

check "control: the node has devices" test "${#hcas[@]}" -gt 10
is "--device: each device" "${hcas[*]}" "$(completed oci-rdma-doctor --sysroot "$NODE" --device '')"
is "--device: one, by its beginning" mlx5_11 "$(completed oci-rdma-doctor --sysroot "$NODE" --device mlx5_11)"
is "--device: none of that name" nothing "$(completed oci-rdma-doctor --sysroot "$NODE" --device nothing)"
# shellcheck disable=SC2016 # a name that is a command
mkdir -p "$T/foreign/sys/class/infiniband/"'$(>ran)'
completed oci-rdma-doctor --sysroot "$T/foreign" --device '' >/dev/null
check "--device: a name in somebody's record is no command" test ! -e ran -a ! -e "$T/ran"
rm -f ran
is "--container: each id, once" "${ids[*]}" "$(completed oci-rdma-doctor --sysroot "$NODE" --container '')"
is "--container: those that begin so" "${ids[*]:0:2}" "$(completed oci-rdma-doctor --sysroot "$NODE" --container 94)"
is "--container: one" "${ids[2]}" "$(completed oci-rdma-doctor --sysroot "$NODE/" --container c0)"
is "--container=: the same" "--sysroot=$NODE --container=${ids[2]}" "$(typed '' oci-rdma-doctor --sysroot="$NODE" --container=c0 | paste -sd ' ')"
is "--device=: the same" "--device=mlx5_11" "$(typed '' oci-rdma-doctor --sysroot="$NODE" --device=mlx5_11 | tail -n 1)"
is "--dry-run: an id" "${ids[2]}" "$(completed oci-rdma-hook --sysroot "$NODE" --dry-run c0)"
mkdir "$T/94-bundle"
touch "$T/94-file"
is "--dry-run: directories, too" "$T/94-bundle" "$(completed oci-rdma-hook --sysroot "$NODE" --dry-run "$T/94")"
is "--format=: the same" "--format=json" "$(typed '' oci-rdma-hook --format=j)"
is "--sysroot: a directory" "$T/94-bundle" "$(completed oci-rdma-hook --sysroot "$T/94")"
is "a stage" createRuntime "$(completed oci-rdma-hook --sysroot "$NODE" createR)"
for program in oci-rdma-hook oci-rdma-doctor; do
	is "$program: an option" --sysroot "$(completed "$program" --sysr)"
done

# A person's own options change nothing, and a node without any of it is no error.
mkdir "$T/empty"
for options in failglob nullglob 'nocaseglob dotglob extglob'; do
	is "shopt -s $options: the same" "${ids[2]}" "$(typed "$options" oci-rdma-doctor --sysroot "$NODE" --container c0 | tail -n 1)"
	for option in --device --container; do
		is "shopt -s $options: nothing there for $option" "x" "$(typed "$options" oci-rdma-doctor --sysroot "$T/empty" $option x | tail -n 1)"
		lacks "shopt -s $options, $option: and no word about it" match "$(<"$T/err")"
	done
done
finish
