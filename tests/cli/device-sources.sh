#!/bin/bash
# All means by which a cluster gives RDMA devices to a container: tests/cli/device-sources has a file for each, with
#   about    what it is
#   node     the node as it was recorded: a description for tests/nodes/mknode, or the name of one there
#   bundle   the container as the engine hands it over: a case for tests/bundles/mkbundle
#   plan     what the dry run is to say: all of its JSON, but for who the container is and what is worded for people. A warning
#            is its code, and what its message must name. What a file leaves out is as in `wanted` below
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case

# field JQ-FILTER: of $path
field() { jq -r "$1" "$path"; }

# wanted: its plan, whole. A device is a VF of NUMA node 0 with one port, mlx5_6 is uverbs6, and a GPU is far from it; a grant is the limit and the
# capability.
# shellcheck disable=SC2016 # jq's variables
wanted() {
	jq '.plan | (.decision == "grant") as $granted
		| {rdma_netns: null, devices: [], gpus: [], env: {}, warnings: [],
			rlimits: (if $granted then [{type: "RLIMIT_MEMLOCK", soft: 18446744073709551615, hard: 18446744073709551615}] else [] end),
			capabilities: (if $granted then ["CAP_IPC_LOCK"] else [] end)} + .
		| .devices[] |= {auxiliary: null, kind: "vf", netdev: null, numa_node: 0, iommu: "identity",
			uverbs: ("/dev/infiniband/uverbs" + (.ibdev | ltrimstr("mlx5_")))} + .
		| .devices[].ports[] |= {port: 1, state: "ACTIVE", link_layer: "Ethernet", rate_gbps: 400, gid_index: 3} + .
		| (.devices | map({(.ibdev): "SYS"}) | add) as $far
		| .gpus[] |= {numa_node: 0, iommu: "identity"} + . + {distance: ($far + .distance)}' "$path"
}

# unsaid: what the warnings of the dry run lack, or have too much
unsaid() {
	jq -r --slurpfile plan "$T/plan" '$plan[0].warnings as $want | .warnings as $got | ($got | map(.code)) as $codes |
		if $codes != ($want | map(.[0])) then "warnings: \($got)"
		else range($want | length) as $i | $want[$i][1:][] as $part | $got[$i].message |
			select(contains($part) | not) | "\($part) is not in: \(.)"
		end' "$T/out"
}

# untold: what a reader of the text does not learn
untold() {
	local text part
	text=$("$HOOK" --sysroot "$NODE" --dry-run "$B")
	jq -r '.decision, (.devices[] | .ibdev, .netdev // empty), (.env | to_entries[] | "\(.key)=\(.value)"), .warnings[][0], .vfio[]?' "$T/plan" |
		while read -r part; do
			case $text in *"$part"*) ;; *) echo "$part" ;; esac
		done
}

# added BEFORE AFTER: the environment and the capabilities that one spec has and the other has not. The limit is left out: this
# machine may not have the right to give it.
added() {
	jq -S -c -n --slurpfile before "$1" --slurpfile after "$2" '[$before[0], $after[0]] | map(.process) |
		{env: (.[1].env - .[0].env | sort), capabilities: ([.[1].capabilities[]] | map(map(select(. == "CAP_IPC_LOCK"))) | unique)}'
}

# promised: the same, as the dry run has it
promised() {
	jq -S -c '{env: (.env | to_entries | map("\(.key)=\(.value)") | sort), capabilities: (if .capabilities == [] then [[]] else [.capabilities] end)}' "$T/out"
}

paths=(tests/cli/device-sources/*.json)
for path in "${paths[@]}"; do
	name=$(basename "$path" .json)
	node "$(field .node)"
	plan "$(field .bundle)"
	wanted >"$T/plan"
	is "$name: a plan is made, without a word on stderr" "0 " "$rc $(<"$T/err")"
	same "$name: $(field '[.about] | flatten | join(" ")')" "$(jq -S 'del(.warnings)' "$T/plan")" \
		"$(jq -S 'del(.schema, .container, .reason, .warnings)' "$T/out" 2>&1)"
	is "$name: its warnings" "" "$(unsaid 2>&1)"
	is "$name: the text says it, too" "" "$(untold)"
	"$HOOK" --sysroot "$NODE" precreate <"$B/config.json" >"$T/edited" 2>"$T/err"
	is "$name: a run does what the dry run says" "$(promised)" "$(added "$B/config.json" "$T/edited" 2>&1)"
done
# shellcheck disable=SC2016 # the backticks are Markdown's
is "doc/devices.md names each of them, and no other" "$(basename -s .json -a "${paths[@]}" | sort)" \
	"$(sed -n '/^| given by/,/^$/s/.*|\(.*\)|$/\1/p' doc/devices.md | grep -o '`[a-z-]*`' | tr -d '`' | sort)"
finish
