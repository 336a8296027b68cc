#!/bin/bash
# oci-rdma-doctor --format html: a page that a browser's parser has nothing against, that loads and runs nothing, says what is wrong first,
# and shows nobody's text as markup.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults

# page [OPTION…]: the report on $NODE, in $T/page.html and read into $T/page
page() {
	timeout "$PATIENCE" "$DOCTOR" --sysroot "$NODE" --format html "$@" >"$T/page.html" 2>"$T/err"
	rc=$?
	/usr/bin/python3 tests/cli/tools/html_page.py "$T/page.html" >"$T/page"
}
# shows DESCRIPTION WANT JQ-FILTER
shows() { is "$1" "$2" "$(jq -r "$3" "$T/page" 2>&1)"; }
# sound [NAME]: what holds for every page, as a row
sound() {
	[ $# -eq 0 ] || row "$1"
	shows "the parser has nothing against it; it loads, runs and sends nothing" "[] []" '"\(.errors) \(.foreign)"'
}
# as_json: the same report, the findings in the order of a page: "status id" each, grouped
as_json() {
	doctor --format json
	jq -r '.findings as $all | ["fail", "warn", "not checkable"][] as $s | (reduce ($all[] | select(.status == $s).id) as $id
		([]; if index([$id]) then . else . + [$id] end))[] | "\($s | sub("not checkable"; "unknown")) \(.)"' "$T/out"
}

# ---- all is well ----
h100
in_container "$ALLOCATED"
page
sound "all is well: it says so, in parts and tables"
is "the exit status is that of the findings" 0 "$rc"
has "it says so" "Nothing is wrong among what could be checked" "$(jq -r .verdict "$T/page")"
shows "nothing fails or warns" "" '.findings[] | select(.status == "fail" or .status == "warn") | .id'
shows "the order of its parts" "verdict unknown ok" '.sections | join(" ")'
has "a policy keeps all from loading or running" "default-src 'none'" "$(jq -r .policy "$T/page")"
shows "dark where the reader's screen is" true .dark
shows "what is well is told with its evidence" "memlock,,soft unlimited, hard unlimited (/proc/self/limits)" '.tables.ok[0][] | select(.[0] == "memlock") | join(",")'

# ---- what is wrong: the first thing to read is the cause, with what to do. Each cause: doctor.sh ----

# wrong NAME ID EVIDENCE REMEDY: a row: at the top, and again as the first finding
wrong() {
	local verdict first part
	sound "$1"
	verdict=$(jq -r .verdict "$T/page")
	first=$(jq -r '.findings[0] | "\(.id): \(.evidence | join(" ")) \(.remedies | join(" "))"' "$T/page")
	for part in "The first cause: $2" "$3" "$4"; do has "the verdict" "$part" "$verdict"; done
	for part in "${2%% of *}: " "$3" "$4"; do has "the first finding" "$part" "$first"; done
	is "findings in the order of the JSON" "$(as_json)" "$(jq -r '.findings[] | "\(.status) \(.id)"' "$T/page")"
}
soft=8388608 hard=8388608
h100
in_container "$ALLOCATED"
page
wrong "1: memlock 8 MiB" memlock "soft 8 MiB, hard 8 MiB" 'oci-rdma-hook.io/inject: "true"'
defaults
described "$(vf '"iommu":"DMA-FQ"')"
page
wrong "2, 6: a translated VF" "iommu_group of mlx5_6" "IBV_WC_LOC_PROT_ERR" "iommu=pt"

# Several of one kind are together, with one remedy.
described '(.functions[].vfs[]?).iommu = "DMA"'
page
row "several of one kind: one finding, one remedy"
shows "the first" "iommu_group 4 1" '.findings[0] | "\(.id) \(.evidence | length) \(.remedies | length)"'

# ---- nobody's text is markup ----
hostile=$'<script>alert(1)</script>"\'&amp;<!--]]>\001\033[31m\377\342\200\256'
h100
in_container "$ALLOCATED" "NCCL_IB_HCA=$hostile" "NCCL_SOCKET_IFNAME=<img src=x onerror=alert(1)>" "NCCL_CONF_FILE=/<svg onload=x>" "NCCL_IB_GID_INDEX=</style>"
write "etc/nccl.conf" "<b>NCCL_IB_HCA</b> = \"'"
port=$(readlink -f "$NODE/sys/class/infiniband/mlx5_6")/ports/1
printf '4: <i>"\033\377' >"$port/state"
printf '</text></svg><x>' >"$port/phys_state"
printf '"><b>' >"$NODE/sys/kernel/iommu_groups/$(basename "$(readlink "$(dirname "$port")/../../../iommu_group")")/type"
page
sound "hostile values: the page is sound, and shows them as text"
has "the values" "<script>alert(1)</script>\"'&amp;<!--]]>" "$(jq -r .text "$T/page")"
is "no control byte is in it, nor what turns the direction of writing" "0 0" "$(LC_ALL=C grep -caP '[\x00-\x08\x0b-\x1f\x7f]' "$T/page.html") $(grep -c $'\342\200\256' "$T/page.html")"
h100
on_node
bundle '{"from":"h100-trainer.json","merge":{"annotations":{"io.kubernetes.container.name":"<script>x</script>","oci-rdma-hook.io/inject":"<b onclick=x>","oci-rdma-hook.io/<u>":"\"\u0007"}}}'
cp "$B/config.json" "$NODE/run/containers/storage/overlay-containers/$ID/userdata/"
page --container "$ID"
sound "hostile annotations and a hostile container name"

# ---- a log ----
defaults
page --symptom 'ibv_reg_mr failed: Cannot allocate memory'
sound "a symptom has its cause at the top, with its line and what would show it"
shows "them" true '.findings[0].evidence[0] | test("line 1: ibv_reg_mr failed.*run: kubectl")'
has "its cause" memlock "$(jq -r .verdict "$T/page")"
page --symptom 'nothing that anybody knows'
sound "an unknown log is a page that does not say that all is well"
has "what it says" "Nothing known" "$(jq -r .verdict "$T/page")"

# ---- the control: page.py finds what it looks for ----
printf '<!DOCTYPE html><html><head><title>x</title></head><body><p onclick=x><script src=//x></script><img src=x></p></div></body></html>' >"$T/page.html"
/usr/bin/python3 tests/cli/tools/html_page.py "$T/page.html" >"$T/page"
row "control: what loads and runs is found, and an end without a beginning"
shows "what loads" "<img> <script> img src p onclick script src" '.foreign | join(" ")'
shows "the end" 1 '.errors | length'

# ---- the title: who has several pages tells them apart by it ----
title() { sed -n 's|.*<title>\(.*\)</title>.*|\1|p' "$T/page.html" | head -n 1; }
defaults
h100
on_node
page
row "the title says whose page it is: several are told apart by it"
is "the page of a recorded node, whose name is not known" "RDMA: a node" "$(title)"
shows "its heading" "RDMA: a node" .title
page --container "$ID"
is "the page of a container" "RDMA: container ${ID:0:12}" "$(title)"
NODE=/ page
name=$(uname -n)
if [ "$("$DOCTOR" --format json | jq -r .where)" = node ]; then
	is "the page of this node" "RDMA: $name" "$(title)"
else
	is "the page of this container" "RDMA: this process in $name" "$(title)"
fi
finish
