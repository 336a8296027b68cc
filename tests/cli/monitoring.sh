#!/bin/bash
# config/monitoring: the alerts fire when they must and stay silent when not, by promtool; rules and dashboard ask for what the programs
# really tell, and no other; the timer's command leaves a whole file.
# shellcheck disable=SC2016,SC2317 # jq's and Grafana's dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
NRI=$(realpath "${BUILD:-build}/oci-rdma-nri")
refused() { ! "$@"; }

# ---- the alerts ----
cp config/monitoring/rules.yaml tests/monitoring/rules.test.yaml "$T"
check "promtool: the rules" promtool check rules "$T/rules.yaml"
check "promtool: each alert fires when it must, and does not when not" promtool test rules "$T/rules.test.yaml"
sed -n 's/.*- alert: //p' config/monitoring/rules.yaml >"$T/alerts"
while read -r alert; do
	check "$alert is tested: it fires" grep -A1 "alertname: $alert\$" tests/monitoring/rules.test.yaml
	check "$alert is tested: it stays silent" grep "alertname: $alert}" tests/monitoring/rules.test.yaml
	sed "s/alert: $alert\$/alert: Another/" config/monitoring/rules.yaml >"$T/rules.yaml"
	check "control: without $alert the test fails" refused promtool test rules "$T/rules.test.yaml"
done <"$T/alerts"

# ---- what the programs tell ----
h100
in_container "$ALLOCATED" NCCL_IB_HCA=mlx5_1
doctor --format prometheus
mkdir -p "$T/host/run"
"$NRI" --sysroot "$T/host" --socket "$T/none" --metrics "$T/nri.prom" >/dev/null 2>&1 &
plugin=$!
within test -s "$T/nri.prom"
kill "$plugin"
wait "$plugin" 2>/dev/null
cat "$T/out" "$T/nri.prom" >"$T/told"
check "promtool: what they tell" promtool check metrics <"$T/told"
# Node exporter's own
echo 'node_textfile_mtime_seconds{file="x"} 1' >>"$T/told"
sed -nE 's/^([a-z_]+)[{ ].*/\1/p' "$T/told" | sort -u >"$T/names"
sed -nE 's/^[a-z_]+\{(.*)\} [^ ]*$/\1/p' "$T/told" | grep -oE '[a-z]+="[^"]*"' | sort -u >"$T/labels"
echo 'status="fail"' >>"$T/labels"
# What the doctor tells only on the node
h100
on_node
doctor --format prometheus
grep -oE 'id="missed"' "$T/out" >>"$T/labels"

# ---- the queries ----
jq -r '.panels[].targets[].expr, (.templating.list[] | select(.type == "query").query.query | capture("label_values\\((?<m>[^,]*),").m)' \
	config/monitoring/dashboard.json >"$T/queries"
is "the dashboard's panels have queries" 0 "$(jq '[.panels[] | select(.targets | length == 0)] | length' config/monitoring/dashboard.json)"
{
	echo 'groups: [{name: dashboard, rules: ['
	n=0
	while IFS= read -r query; do
		n=$((n + 1))
		jq -cn --arg record "query:$n" --arg expr "$query" '{record: $record, expr: ($expr | gsub("\\$__rate_interval"; "5m") | gsub("\\$instance"; ".*"))}'
		echo ,
	done <"$T/queries"
	echo ']}]'
} >"$T/dashboard.yaml"
check "promtool: each query of the dashboard" promtool check rules "$T/dashboard.yaml"
sed 's/sum by/sum bye/' "$T/dashboard.yaml" >"$T/broken.yaml"
check "control: promtool refuses one that is none" refused promtool check rules "$T/broken.yaml"
sed -n '/expr:/,/\(for\|labels\):/p' config/monitoring/rules.yaml >>"$T/queries"
is "rules and dashboard ask for what the programs tell" "" "$(grep -oE '\b(oci_rdma|node)_[a-z_]+' "$T/queries" | sort -u | comm -23 - "$T/names")"
is "…and for all of it" "" "$(grep '^oci_rdma' "$T/names" | while read -r name; do grep -q "$name" "$T/queries" || echo "$name"; done)"
# asked LABEL: the values that a query names
asked() { grep -oE "\\b$1=~?\"[^\"]*\"" "$T/queries" | sed 's/[^"]*"//; s/"$//' | tr '|' '\n' | sort -u; }
for label in status result id; do
	is "…by values of \"$label\" that there are" "" "$(asked "$label" | while read -r value; do grep -qx "$label=\"$value\"" "$T/labels" || echo "$value"; done)"
done

# ---- the dashboard ----
is "dashboard: no panel lies over another" "" "$(jq -r '[.panels[].gridPos] as $p | range($p | length) as $a | range($a) as $b | $p[$a] as $x | $p[$b] as $y |
	select($x.x < $y.x + $y.w and $y.x < $x.x + $x.w and $x.y < $y.y + $y.h and $y.y < $x.y + $x.h) | "\($x) \($y)"' config/monitoring/dashboard.json)"
is "dashboard: it takes the reader's data source" '["${datasource}"]' "$(jq -c '[.panels[].datasource.uid] | unique' config/monitoring/dashboard.json)"

# ---- the timer ----
if command -v systemd-analyze >/dev/null; then
	sed 's|/usr/local/bin/oci-rdma-doctor|/bin/true|' config/monitoring/oci-rdma-doctor.service >"$T/oci-rdma-doctor.service"
	cp config/monitoring/oci-rdma-doctor.timer "$T"
	check "systemd-analyze: the units" systemd-analyze verify --man=no "$T/oci-rdma-doctor.timer" "$T/oci-rdma-doctor.service"
fi
# started PROGRAM [LINK]: the service's command, with it as the doctor; LINK: to a file of somebody else, by the name that the command uses
started() {
	mkdir -p "$T/collector"
	ln -sfn "$T/elsewhere" "$T/link"
	sed -n "s/^ExecStart=\/bin\/sh -c '\(.*\)'\$/\1/p" config/monitoring/oci-rdma-doctor.service | sed "s|\\\$\\\$|\$|g; s|%%|%|g; s|/usr/local/bin/oci-rdma-doctor|$1|" >"$T/command"
	DIRECTORY=$T/collector bash -c '[ -z "$2" ] || mv "$1/link" "$DIRECTORY/oci-rdma-doctor.$$"; exec sh "$1/command"' - "$T" "${2-}"
}
printf '#!/bin/sh\necho "m 1"; exit "$(cat %s/status)"\n' "$T" >"$T/program" && chmod +x "$T/program"
for status in 0 1; do
	rm -rf "$T/collector"
	echo "$status" >"$T/status"
	check "the timer's command: a doctor that ends with $status has reported" started "$T/program"
	is "…in one file" "oci-rdma-doctor.prom m 1" "$(ls "$T/collector") $(cat "$T/collector"/*)"
done
# The collector's user owns the directory, in which root writes.
echo 0 >"$T/status"
mkdir "$T/directory"
ln -sfn "$T/directory" "$T/collector/oci-rdma-doctor.prom"
check "the timer's command: a link to a directory, by the report's name" started "$T/program"
is "…is replaced" "m 1 " "$(cat "$T/collector/oci-rdma-doctor.prom") $(ls "$T/directory")"
check "the timer's command: a link by the name of the new file is a failure" refused started "$T/program" link 2>/dev/null
check "…and leads nowhere" test ! -e "$T/elsewhere"
rm "$T/collector"/oci-rdma-doctor.[0-9]*
echo 2 >"$T/status"
check "the timer's command: one that could not report is a failure" refused started "$T/program"
is "…and the file stays as it was" "m 1" "$(cat "$T/collector/oci-rdma-doctor.prom")"
finish
