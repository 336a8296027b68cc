#!/bin/bash
# config/monitoring: the alerts fire when they must and stay silent when not, by promtool; rules and dashboard ask for what the programs
# really tell, and no other; what node exporter reads is a whole file.
# packages: monitoring
# shellcheck disable=SC2016,SC2317 # jq's and Grafana's dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
built NRI "${BUILD:-build}/oci-rdma-nri"
refused() { ! "$@"; }

# ---- the alerts ----
cp config/monitoring/rules.yaml tests/monitoring/rules.test.yaml "$T"
check "promtool: the rules" promtool check rules "$T/rules.yaml"
check "promtool: each alert fires when it must, and does not when not" promtool test rules "$T/rules.test.yaml"
# of_alert NAME: the tests in which it fires. promtool evaluates all rules for each minute of a test: what happens after a day is left out.
of_alert() {
	grep -v 'eval_time: 1510m' tests/monitoring/rules.test.yaml | awk -v alert="alertname: $1\n" '
		/^  - name: / { if (index(text, alert)) printf "%s", text; text = "" }
		/^  - name: / || text { text = text $0 "\n"; next }
		{ print }
		END { if (index(text, alert)) printf "%s", text }'
}
sed -n 's/.*- alert: //p' config/monitoring/rules.yaml >"$T/alerts"
while read -r alert; do
	check "$alert is tested: it fires" grep -A1 "alertname: $alert\$" tests/monitoring/rules.test.yaml
	check "$alert is tested: it stays silent" grep "alertname: $alert}" tests/monitoring/rules.test.yaml
	of_alert "$alert" >"$T/rules.test.yaml"
	check "…by these tests alone" promtool test rules "$T/rules.test.yaml"
	sed "s/alert: $alert\$/alert: Another/" config/monitoring/rules.yaml >"$T/rules.yaml"
	check "control: without $alert the test fails" refused promtool test rules "$T/rules.test.yaml"
	cp config/monitoring/rules.yaml "$T"
done <"$T/alerts"

python3 - <<'END' >"$T/differ"
import yaml
def groups(path, *keys):
    found = yaml.safe_load(open("config/monitoring/" + path, encoding="utf-8"))
    for key in keys:
        found = found[key]
    return found["groups"]
rules = groups("rules.yaml")
print([group["name"] for group in rules], groups("alertingrule.yaml", "spec") == rules, groups("operator/prometheusrule.yaml", "spec") == rules[1:])
END
is "OpenShift's object has the same rules, and the Prometheus operator's those of the plugin" "['oci-rdma-doctor', 'oci-rdma-nri'] True True" "$(<"$T/differ")"

# ---- what the programs tell ----
h100
in_container "$ALLOCATED" NCCL_IB_HCA=mlx5_1
doctor --format prometheus
mkdir -p "$T/host/run"
plugin=
launch plugin "$T/plugin" "$NRI" --sysroot "$T/host" --socket "$T/none" --metrics "$T/nri.prom"
within test -s "$T/nri.prom"
kill "$plugin"
wait "$plugin" 2>/dev/null
cat "$T/out" "$T/nri.prom" >"$T/told"
check "promtool: what they tell" promtool check metrics <"$T/told"
# Node exporter's own
printf '%s 1\n' 'node_textfile_mtime_seconds{file="x"}' node_memory_MemTotal_bytes >>"$T/told"
sed -nE 's/^([a-zA-Z_]+)[{ ].*/\1/p' "$T/told" | sort -u >"$T/names"
sed -nE 's/^[a-z_]+\{(.*)\} [^ ]*$/\1/p' "$T/told" | grep -oE '[a-z]+="[^"]*"' | sort -u >"$T/labels"
printf 'status="%s"\n' fail warn >>"$T/labels"
# What the doctor tells only on the node
h100
on_node
doctor --format prometheus
check "promtool: what the doctor tells on a node" promtool check metrics <"$T/out"
grep -oE 'id="(missed|denied)"' "$T/out" >>"$T/labels"
grep -o ^oci_rdma_pinned_bytes "$T/out" | sort -um - "$T/names" -o "$T/names"

# ---- the queries ----
jq -r '(.panels[] | .id as $id | .targets[] | "panel:\($id):\(.refId) \(.expr)"),
	(.templating.list[] | select(.type == "query") | "variable:\(.name) " + (.query.query | capture("label_values\\((?<m>[^,]*),").m))' \
	config/monitoring/dashboard.json >"$T/queries"
is "the dashboard's panels have queries" 0 "$(jq '[.panels[] | select(.targets | length == 0)] | length' config/monitoring/dashboard.json)"
{
	echo 'groups: [{name: dashboard, rules: ['
	while read -r name query; do
		jq -cn --arg record "$name" --arg expr "$query" '{record: $record, expr: ($expr | gsub("\\$__rate_interval"; "5m") | gsub("\\$instance"; ".*"))}'
		echo ,
	done <"$T/queries"
	echo ']}]'
} >"$T/dashboard.yaml"
check "promtool: each query of the dashboard" promtool check rules "$T/dashboard.yaml"
cp tests/monitoring/dashboard.test.yaml "$T"
check "promtool: what each panel shows, with node exporters and with pods" promtool test rules "$T/dashboard.test.yaml"
is "…each of them" "$(sed -n 's/^\(panel:[^ ]*\) .*/\1/p' "$T/queries" | sort)" "$(grep -oE "expr: '[a-z(]*panel:[0-9A-Z:]*" "$T/dashboard.test.yaml" | grep -o 'panel:.*' | sort)"
sed 's/sum by/sum bye/' "$T/dashboard.yaml" >"$T/broken.yaml"
check "control: promtool refuses one that is none" refused promtool check rules "$T/broken.yaml"
sed -n '/expr:/,/\(for\|labels\):/p' config/monitoring/rules.yaml >>"$T/queries"
is "rules and dashboard ask for what the programs tell" "" "$(grep -oE '\b(oci_rdma|node)_[a-zA-Z_]+' "$T/queries" | sort -u | comm -23 - "$T/names")"
is "…and for all of it" "" "$(grep '^oci_rdma' "$T/names" | while read -r name; do grep -q "$name" "$T/queries" || echo "$name"; done)"
# asked LABEL: the values that a query names
asked() { grep -oE "\\b$1=~?\"[^\"]*\"" "$T/queries" | sed 's/[^"]*"//; s/"$//' | tr '|' '\n' | sort -u; }
for label in status result id; do
	is "…by values of \"$label\" that there are" "" "$(asked "$label" | while read -r value; do grep -qx "$label=\"$value\"" "$T/labels" || echo "$value"; done)"
done

# ---- what brings it to node exporter ----
# The rest of it, with a real node exporter: tests/cli/alerts.sh
if command -v systemd-analyze >/dev/null; then
	sed 's|/usr/local/share/|/usr/share/|' config/monitoring/oci-rdma-metrics.service >"$T/oci-rdma-metrics.service"
	check "systemd-analyze: the unit" systemd-analyze verify --man=no "$T/oci-rdma-metrics.service"
fi
mkdir -p "$T/node/usr/local/bin"
printf '#!/bin/sh\necho "m 1"; exit "$(cat %s/status)"\n' "$T" >"$T/node/usr/local/bin/oci-rdma-doctor" && chmod +x "$T/node/usr/local/bin/oci-rdma-doctor"
# looks: one round of it, of which it says something; LINK: to a file of somebody else, by the name of the file that it makes
looks() {
	ln -sfn "$T/elsewhere" "$T/link"
	# shellcheck disable=SC2016 # the inner shell's words
	DIRECTORIES=/collector ROOT=$T/node INTERVAL=once bash -c '[ -z "$2" ] || mv "$1/link" "$1/node/collector/oci-rdma.$$"; exec sh install/monitoring/collect' \
		- "$T" "${1-}" 2>"$T/said"
	SAID=$(<"$T/said")
}
for status in 0 1; do
	rm -rf "$T/node/collector"
	mkdir -p "$T/node/collector"
	echo "$status" >"$T/status"
	looks
	is "a doctor that ends with $status has reported" "metrics are written" "$SAID"
	is "…in one file" "oci-rdma-doctor.prom m 1" "$(ls "$T/node/collector") $(cat "$T/node/collector"/*)"
done
# The collector's user may own the directory, in which root writes.
echo 0 >"$T/status"
mkdir "$T/directory"
ln -sfn "$T/directory" "$T/node/collector/oci-rdma-doctor.prom"
looks
is "a link to a directory, by the report's name, is replaced" "m 1 " "$(cat "$T/node/collector/oci-rdma-doctor.prom") $(ls "$T/directory")"
looks link
has "a link by the name of the new file is a failure" "cannot write to $T/node/collector" "$SAID"
check "…and leads nowhere" test ! -e "$T/elsewhere"
is "…and the file stays" "oci-rdma-doctor.prom m 1" "$(ls "$T/node/collector") $(cat "$T/node/collector"/*)"
echo 2 >"$T/status"
looks
is "a doctor that could not report is said" "oci-rdma-doctor did not report" "$(tail -n 1 <<<"$SAID")"
is "…and the file stays as it was" "m 1" "$(cat "$T/node/collector/oci-rdma-doctor.prom")"
# Where systemd has forgotten the unit, the script ends by itself.
touch "$T/node/collector/oci-rdma-nri-a.prom" "$T/node/collector/other.prom" "$T/unit"
echo 0 >"$T/status"
END_WITH=$T/unit looks
is "the unit's file is there: metrics are written" "metrics are written" "$SAID"
rm "$T/unit"
DIRECTORIES=/collector ROOT=$T/node END_WITH=$T/unit sh install/monitoring/collect
is "the unit's file is gone: it ends, and leaves none of our files to node exporter" "other.prom" "$(ls "$T/node/collector")"
# The unit's end: no file of ours is left in the directories of node exporters, and others' files stay.
for directory in "$T/node/collector" "$T/node/var/lib/kubelet/pods/1/volumes/kubernetes.io~empty-dir/node-exporter-textfile" \
	"$T/node/var/lib/kubelet/pods/2/volumes/kubernetes.io~empty-dir/node-exporter-textfile"; do
	mkdir -p "$directory"
	touch "$directory"/oci-rdma-{doctor,nri-a}.prom "$directory/oci-rdma.77" "$directory/other.prom"
done
mkdir -p "$T/node/var/log/pods/openshift-monitoring_node-exporter-abcde_1" "$T/node/var/log/pods/team-a_node-exporter-abcde_2"
sed -n "/^ExecStopPost=/,/'\$/p" config/monitoring/oci-rdma-metrics.service | sed "1s/^ExecStopPost=.bin.sh -c '//; \$s/'\$//; s/ \\\\\$//; s/\\\$\\\$/\$/g; s|/var/l|$T/node/var/l|g" |
	tr '\n' ' ' >"$T/end"
DIRECTORIES=$T/node/collector sh "$T/end"
is "the unit's end leaves none of our files to node exporter" "collector/other.prom
node-exporter-textfile/oci-rdma-doctor.prom
node-exporter-textfile/oci-rdma-nri-a.prom
node-exporter-textfile/oci-rdma.77
node-exporter-textfile/other.prom
node-exporter-textfile/other.prom" "$(find "$T/node/collector" "$T/node/var/lib" -type f | sed -E 's|.*/([^/]*/[^/]*)$|\1|' | sort)"
finish
