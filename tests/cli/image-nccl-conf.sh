#!/bin/bash
# The image's own /etc/nccl.conf holds, whichever way our values come in; and what we once wrote there goes when nothing is granted any more.
# That nothing is made where there is nothing to say: unit core/nccl_conf
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/process.bash
by_case
node one
SHIM=$T/oci-rdma-runtime
ln -s "$HOOK" "$SHIM"
rdma='"devices":[["/dev/infiniband/uverbs6",231,198]]'
policy="\"memlock\": \"8Mi\", \"nccl\": {\"extra\": {\"NCCL_IB_TC\": \"106\"}}"
config "{$policy}"
echo /bin/true >"$NODE/etc/oci-rdma-hook/runtimes"
conf=$ROOT/etc/nccl.conf
link() { printf '%s\n' NCCL_IB_HCA==mlx5_0 NCCL_DEBUG=INFO >"$ROOT/usr.conf" && ln -s /usr.conf "$conf"; }
file() { printf '%s\n' NCCL_IB_HCA==mlx5_0 NCCL_DEBUG=INFO >"$conf"; }

# in_force: NCCL's variables as NCCL reads them, from config.json's environment and then from nccl.conf: the first of a name holds
in_force() {
	{
		jq -r '.process.env[] | select(startswith("NCCL_"))' "$1"
		grep -v '^#' "$({ [ -e "$conf" ] && echo "$conf"; } || echo "$ROOT/usr.conf")"
	} | awk -F= '!seen[$1]++' | sort | paste -sd ' '
}
want="NCCL_DEBUG=INFO NCCL_IB_HCA==mlx5_0 NCCL_IB_TC=106"
for image in file link; do
	container "{$rdma}"
	$image
	dry_run --format json
	that "$image, the plan: only what the image does not say" '.env | keys | join(" ")' NCCL_IB_TC
	warns "$image, the plan: a warning for what it says otherwise" conf_already_set
	dry_run --format spec
	is "$image, --format spec" "$want" "$(in_force "$T/out")"
	"$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/out"
	is "$image, precreate" "$want" "$(in_force "$T/out")"
	hook createRuntime
	is "$image, the hook" "$want" "$(in_force "$B/config.json")"
	is "$image, the hook: the file is one for all" "644 regular file" "$(stat -c '%a %F' "$conf")"
	container "{$rdma}"
	$image
	OCI_RDMA_SYSROOT=$NODE "$SHIM" create --bundle "$B" c0
	is "$image, the shim" "$want" "$(in_force "$B/config.json")"
	mkdir -p "$T/run/c0"
	cp "$B/config.json" "$T/run/c0"
	jq '.process | .env |= map(select(startswith("NCCL") | not))' "$B/config.json" >"$T/process.json"
	OCI_RDMA_SYSROOT=$NODE "$SHIM" --root "$T/run" exec --process "$T/process.json" c0
	is "$image, the shim's exec" '["NCCL_IB_TC=106"]' "$(jq -c '[.env[] | select(startswith("NCCL"))]' "$T/process.json")"
done
container "{$rdma}"
link
jq --tab '.root.path = "/"' "$B/config.json" >"$T/changed" && cp "$T/changed" "$B/config.json"
dry_run --format json
that "the node's own root is no image's" '.env | keys | join(" ")' "NCCL_IB_HCA NCCL_IB_TC"

# ---- what an earlier start was given ----

# started CASE POLICY: a granted container, started again as CASE under POLICY
started() {
	config "{$policy}"
	container "{$rdma}"
	file
	chown 7:8 "$conf"
	hook createRuntime
	is "granted: our block is there" 1 "$(grep -c NCCL_IB_TC "$conf")"
	chown 7:8 "$conf"
	mv "$B" "$T/kept"
	config "{$policy$2}"
	container "$1"
	rm -rf "$ROOT"
	mv "$T/kept/rootfs" "$ROOT"
	rm -rf "$T/kept"
	hook createRuntime
}
while IFS='|' read -r what case more; do
	started "$case" "$more"
	is "$what: the container starts" "0 " "$rc $(<"$T/err")"
	is "$what: the image's lines are left, and no other" "NCCL_IB_HCA==mlx5_0 NCCL_DEBUG=INFO" "$(paste -sd ' ' "$conf")"
	is "$what: its mode, and the owner of the root directory" "$(stat -c %u:%g "$ROOT") 644" "$(stat -c '%u:%g %a' "$conf")"
	before=$(stat -c %i "$conf")
	hook createRuntime
	is "$what: a second run changes nothing" "$before" "$(stat -c %i "$conf")"
done <<-EOT
	namespaces: []|{$rdma}|, "namespaces": []
	inject false|{$rdma,"annotations":{"oci-rdma-hook.io/inject":"false"}}|
	not asked for|{$rdma,"annotations":{"oci-rdma-hook.io/inject":null}}|
	no device|{}|
	for another container|{$rdma,"annotations":{"oci-rdma-hook.io/containers":"loader"}}|
EOT
finish
