#!/bin/bash
# oci-rdma-doctor --compare: recorded jobs, each made from the doctor's own report of a container on the recorded node.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
h100
on_node
doctor --format json --container 940942ebb876
jq '(.findings[] | select(.id == "distance").values.nearest) = "PIX"' "$T/out" >"$T/base.json"

# job N: N pods of it, all alike but for their rails' addresses, on as many nodes
job() {
	local i
	rm -rf "$T/job"
	mkdir "$T/job"
	for ((i = 0; i < $1; i++)); do
		jq --arg i "$i" '(.findings[] | select(.id == "gid").values.gid) |= sub("[0-9]+$"; $i)' "$T/base.json" >"$T/job/trainer-$i@gpu-$i.json"
	done
}

# pod I FILTER: what is otherwise in the report of trainer-I
pod() {
	local file
	for file in "$T"/job/*; do
		[[ $file =~ /trainer-$1@ ]] || continue
		jq "$2" "$file" >"$T/new" && mv "$T/new" "$file"
	done
}

compare() {
	timeout "$PATIENCE" "$DOCTOR" --compare "$@" "$T"/job/* >"$T/out" 2>"$T/err"
	rc=$?
}

# told ROW STATUS [LINE…]: behind the table these lines, and no others; "…" at a line's end stands for what may follow
told() {
	local name=$1 status=$2 line got=()
	shift 2
	row "$name"
	compare
	is "status, errors" "$status " "$rc $(<"$T/err")"
	readarray -t got < <(awk 'behind; /^[0-9]+ pods?[:,]/ { behind = 1 }' "$T/out")
	is "lines" $# "${#got[@]}"
	for line; do
		case $line in
		*…) has "a line" "${line%…}" "${got[0]}" ;;
		*) is "a line" "$line" "${got[0]}" ;;
		esac
		got=("${got[@]:1}")
	done
}
sel() { echo "(.findings[] | select(.id == \"$1\" and (.subject | test(\"$2\"))))"; }
down='.status = "fail" | .evidence = "DOWN, Disabled (ports/1/{state,phys_state}): NCCL does not use this port" | .values.state = "DOWN" | .values.rate_gbps = "10"'

job 4
told "all right" 0
is "what is said" "4 pods: nothing differs, and nothing fails" "$(tail -n 1 "$T/out")"
is "the table" "POD        NODE   DECISION  LIMIT      HCAS  LINK      GBPS  GID  MTU   GPUDIRECT  NEAREST  DRIVER     PINNED
trainer-0  gpu-0  grant     unlimited  4     Ethernet  400   3    9000  dma-buf    PIX      580.65.06  0 bytes" "$(head -n 2 "$T/out")"
pod 2 "$(sel port mlx5_10) |= ($down)"
told "a port is down" 1 "trainer-2 on gpu-2: hcas 3 + 1 DOWN; 3 others: 4" "    mlx5_10: DOWN, Disabled (ports/1/{state,phys_state}): NCCL does not use this port"
is "the pod that differs comes first, and what it differs in" "POD        NODE   HCAS        DECISION trainer-2  gpu-2  3 + 1 DOWN  grant" \
	"$(sed -n '1,2s/^\(.*\(DECISION\|grant\)\).*/\1/p' "$T/out" | xargs -d '\n')"
job 4
pod 2 "$(sel port .) |= ($down)"
told "all its ports are down: their rate and link say nothing" 1 "trainer-2 on gpu-2: hcas 0 + 4 DOWN; 3 others: 4" "    mlx5_6: DOWN, …"
job 4
pod 1 "del($(sel 'port' mlx5_11), $(sel gid mlx5_11), $(sel mtu mlx5_11))"
told "an HCA less" 1 "trainer-1 on gpu-1: hcas 3; 3 others: 4"
job 4
pod 1 "del($(sel port .), $(sel gid .), $(sel mtu .)) | $(sel rdma_devices '') |= (.status = \"fail\" | .evidence = \"none of the 14\")"
told "no HCA" 1 "trainer-1 on gpu-1: hcas none; 3 others: 4" "trainer-1 on gpu-1: rdma_devices fail; 3 others: ok" "    none of the 14"
job 4
pod 3 "$(sel port mlx5_6) |= (.values.rate_gbps = \"200\")"
told "a slower rail" 1 "trainer-3 on gpu-3: gbps 200,400; 3 others: 400"
job 4
pod 3 "$(sel port .) |= (.values.link_layer = \"InfiniBand\")"
told "another link layer" 1 "trainer-3 on gpu-3: link InfiniBand; 3 others: Ethernet"
job 4
pod 0 "$(sel gid mlx5_7) |= (.values.index = \"5\")"
told "another GID index" 1 "trainer-0 on gpu-0: gid 3,5; 3 others: 3"
job 4
pod 0 "$(sel gid mlx5_7) |= (.status = \"fail\" | .evidence = \"there is no RoCE v2 GID\" | del(.values))"
told "no GID on a rail" 1 "trainer-0 on gpu-0: gid fail; 3 others: ok" "    mlx5_7: there is no RoCE v2 GID"
job 4
pod 0 "$(sel mtu .) |= (.status = \"warn\" | .evidence = \"net2 has MTU 1500\" | .values.mtu = \"1500\")"
told "a small MTU" 1 "trainer-0 on gpu-0: mtu 1500; 3 others: 9000" "    mlx5_6: net2 has MTU 1500"
job 4
pod 1 "$(sel memlock '') |= (.status = \"fail\" | .evidence = \"soft 8 MiB\" | .values.soft = \"8388608\")"
told "one has 8 MiB" 1 "trainer-1 on gpu-1: limit 8 MiB; 3 others: unlimited" "    soft 8 MiB"
job 4
pod 1 "$(sel plan '^$') |= (.status = \"warn\" | .evidence = \"none: not asked for\" | .values.decision = \"none\") | $(sel memlock '') |= (.values.soft = \"8388608\")"
told "one without an annotation: the decision, then the limit" 1 "trainer-1 on gpu-1: decision none; 3 others: grant" "    none: not asked for" \
	"trainer-1 on gpu-1: limit 8 MiB; 3 others: unlimited"
job 4
pod '[0-3]' "$(sel memlock '') |= (.status = \"fail\" | .evidence = \"soft 8 MiB\" | .values.soft = \"8388608\")"
told "all have 8 MiB: nothing differs, and it fails" 1 "all 4 pods: memlock fail" "    soft 8 MiB"
job 4
pod 3 "[.findings[] | select(.id == \"gid\").values.gid] as \$g | $(sel gid mlx5_6).values.gid = \$g[1] | $(sel gid mlx5_7).values.gid = \$g[0]"
told "two rails have changed places" 1 "trainer-3 on gpu-3: rails 10.0.104 10.0.103 10.0.105 10.0.106; 3 others: 10.0.103 10.0.104 10.0.105 10.0.106"
job 4
for i in 0 1 2 3; do pod $i "($(sel gid .).values.gid) |= sub(\"::ffff:10\"; \"::ffff:1$i\")"; done
told "networks of each node's own are no difference" 0
job 4
pod 2 "$(sel uverbs uverbs7) |= (.status = \"fail\" | .evidence = \"231:199 is mlx5_9, which was allocated to another container\")"
told "another container's device" 1 "trainer-2 on gpu-2: uverbs fail; 3 others: ok" "    /dev/infiniband/uverbs7: 231:199 is mlx5_9, which was allocated to another container"
job 4
pod 0 "$(sel gpudirect '') |= (.status = \"warn\" | .evidence = \"nvidia_peermem is not loaded\" | .values.way = \"none\")"
pod 1 "$(sel gpudirect '') |= (.values.driver = \"570.1\")"
told "one without GPUDirect, one with an older driver" 1 "trainer-0 on gpu-0: gpudirect none; 3 others: dma-buf" "    nvidia_peermem is not loaded" \
	"trainer-1 on gpu-1: driver 570.1; 3 others: 580.65.06"
job 4
pod 0 "$(sel distance .) |= (.values.nearest = \"SYS\")"
told "a GPU far from its HCA" 1 "trainer-0 on gpu-0: nearest SYS; 3 others: PIX"
job 4
pod '[01]' "$(sel memlock '') |= (.values.soft = \"8388608\")"
told "two and two: no side is right" 1 "trainer-0 on gpu-0, trainer-1 on gpu-1: limit 8 MiB" "trainer-2 on gpu-2, trainer-3 on gpu-3: limit unlimited"
job 9
pod '[0-3]' "$(sel memlock '') |= (.values.soft = \"8388608\")"
for i in 0 1 2 3; do mv "$T/job/trainer-$i@gpu-$i.json" "$T/job/trainer-$i@gpu-7.json"; done
told "four of nine on one node: three are named, and the node" 1 "trainer-0, trainer-1, trainer-2 and 1 more, all on gpu-7: limit 8 MiB; 5 others: unlimited"
job 4
: >"$T/job/trainer-2@gpu-2.json"
printf '\nerror: cannot exec \033[2Jin a container\nmore' >"$T/job/trainer-3@gpu-3.json"
told "two pods do not answer" 1 "trainer-2 on gpu-2: report missing" "    no answer" "trainer-3 on gpu-3: report missing" "    error: cannot exec ?[2Jin a container"
has "how many answered" "4 pods, 2 of which answered: 2 differences" "$(<"$T/out")"
has "their rows" "trainer-2  gpu-2  no report: no answer" "$(<"$T/out")"
printf '{"findings": [{"id": 1}]}' >"$T/job/trainer-2@gpu-2.json"
head -c 1100000 /dev/zero | tr '\0' x >"$T/job/trainer-3@gpu-3.json"
told "a report that is none, and one that is too long: no other pod is lost" 1 "trainer-2 on gpu-2: report missing" "    $T/job/trainer-2@gpu-2.json: line 1: findings[0].id: …" \
	"trainer-3 on gpu-3: report missing" "    its report is longer than 1 MiB"
job 2
pod 1 "del(.findings[].values)"
told "a doctor that gives no values is no container without an HCA" 0
job 4
pod 0 "$(sel port .) |= (.values.link_layer = \"\\u001b[2J\" + \"x\" * 300)"
compare
row "what a pod's report says obeys no terminal, and breaks no table"
lacks "no escape" $'\e' "$(<"$T/out")"
is "its column" 80 "$(grep -o '?\[2Jx*' "$T/out" | head -n 1 | tr -d '\n' | wc -c)"

# ---- JSON, and what is refused ----
job 4
pod 2 "$(sel port mlx5_10) |= ($down)"
compare --format json
row "JSON: the same for programs"
is "status" 1 "$rc"
is "a pod" '{"pod":"trainer-2","node":"gpu-2","no_report":null,"decision":"grant","limit":"unlimited","hcas":"3 + 1 DOWN","link":"Ethernet","gbps":"400"}' \
	"$(jq -c '.pods[2] | {pod, node, no_report, decision, limit, hcas, link, gbps}' "$T/out")"
is "the difference" '{"what":"hcas","pods":["trainer-2"],"value":"3 + 1 DOWN","others":"4","n_others":3}' "$(jq -c '.differences[0] | del(.evidence)' "$T/out")"

# refused PART ARGUMENT…
refused() {
	local part=$1
	shift
	"$DOCTOR" "$@" >"$T/out" 2>"$T/err"
	is "$*: status" 2 $?
	has "$*: why" "$part" "$(<"$T/err")"
}
row "what cannot be compared: status 2, and why"
refused "needs the files of reports" --compare
refused "--format alone" --compare "$T/base.json" --pid 1
refused "text or json" --compare "$T/base.json" --format html
refused "No such file" --compare "$T/nowhere.json"
refused "not a regular file" --compare "$T"
mkfifo "$T/fifo"
refused "not a regular file" --compare "$T/fifo"
: >"$T/empty"
"$DOCTOR" --compare "$T/empty" >"$T/out" 2>&1
is "nobody has answered" "2 1 pod, 0 of which answered" "$? $(sed -n 's/:.*//; /pod,/p' "$T/out")"
finish
