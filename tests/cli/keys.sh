#!/bin/bash
# The keys of config.json and the annotations of a pod have one source each, the lists in core/policy, which the hook
# says when it meets one that it does not know. All else that has to name them is held against it: what fails here says where to add what.
# shellcheck disable=SC2016 # backticks are Markdown's
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
TABLE=core/policy/variables.c
MANUAL=doc/configuration.md
INSTALLED=config/config.json

# differ PLACE WANTED FOUND: what is to be done there, a line each
differ() {
	comm -23 <(sort <<<"$2") <(sort <<<"$3") | sed "s|.*|&: add it to $1|"
	comm -13 <(sort <<<"$2") <(sort <<<"$3") | sed "s|.*|&: $1 has it, the code does not know it|"
}
# all_in PLACE WHAT WANTED FOUND: both lists are the same
all_in() { is "$1 has $2" "" "$(differ "$1" "$3" "$4" | grep .)"; }

# ---- the keys ----

# known TEXT: the keys that the hook names when it meets one that it does not know
known() {
	printf '%s' "$1" >"$T/keys.json"
	"$ADMIN" --check-config "$T/keys.json" 2>&1 | sed -n 's/.*unknown key; known here: //p' | tr -d ' ' | tr ',' '\n'
}
keys=$(for key in $(known '{"?": 0}'); do
	echo "$key"
	known "{\"$key\": {\"?\": 0}}" | sed "s/^/$key./"
done)
leaves=$(for key in $keys; do grep -q "^$key\." <<<"$keys" || echo "$key"; done)
check "the hook has keys: $(wc -w <<<"$leaves")" test "$(wc -w <<<"$leaves")" -ge 19

# installed: the file without its comment signs, as JSON
installed() { sed -e '1,2d' -e 's|^  // |  |' -e 's|  //.*||' "$INSTALLED"; }
all_in "$INSTALLED" "each key" "$keys" "$(jq -r 'paths | select(all(type == "string")) | join(".")' <(installed))"
all_in "$MANUAL" "a section for each key" "$keys" "$(sed -n 's/^### `\([a-z_.]*\)`.*/\1/p' "$MANUAL")"

# What is tried of each
all_in tests/unit/core/policy/suite.c "how each key is held" "$leaves" "$(sed -n '/^static void show(/,/^}/s/^\t\t{"\([a-z_.]*\)",.*/\1/p' tests/unit/core/policy/suite.c)"
# tried REGEX FILE: the keys for which the file has it, KEY being the key
tried() { for key in $leaves; do if grep -qE "${1/KEY/${key/./[.]}}" "$2"; then echo "$key"; fi; done; }
all_in tests/unit/core/policy/values.c "a value for each key that is not its default" "$leaves" "$(tried '"KEY",' tests/unit/core/policy/values.c)"
all_in tests/unit/core/policy/errors.c "a wrong value for each key" "$leaves" "$(tried 'line [0-9]+: KEY[^ :]*: ' tests/unit/core/policy/errors.c)"

# ---- defaults: config/config.json says them, which tests/unit/core/policy/values.c holds against the code ----

# section KEY: its text in the manual, and with a default for all of them that of the object it is in; in one line
section() {
	awk -v "key=### \`$1\`" -v "outer=### \`${1%.*}\`" '/^#/ { ours = $0 == key || $0 == outer } ours { printf "%s ", $0 }' "$MANUAL"
}
# says_default VALUE: of a text without quoting; "null (the default)", "Default null", "all false by default"
says_default() { tr -d '`[] ' | grep -qP "[Dd]efault(is)?:?\Q$1\E|\Q$1\E[(]?(isthe|the|by)default"; }
while IFS=$'\t' read -r key default; do
	section "$key" | says_default "${default//[][]/}" || echo "$key: $MANUAL does not say that $default is its default"
done < <(installed | jq -r '. as $all | paths(type != "object" or . == {}) | select(all(type == "string")) | . as $path |
	"\(join("."))\t\($all | getpath($path) | tojson)"') >"$T/defaults"
is "$MANUAL says each key's default, which is $INSTALLED's" "" "$(cat "$T/defaults")"

# ---- the variables that keys set: variable_key has them, so that "extra" cannot set them as well ----

variables=$(sed -n 's/^\t*{"\([A-Z_]*\)", "\([a-z_.]*\)", .*},$/\2 \1/p' "$TABLE")
all_in "variable_key of $TABLE" "the variables of each key of nccl and frameworks" "$(grep -E '^(nccl|frameworks)\.' <<<"$leaves" | grep -vx nccl.extra)" \
	"$(cut -d ' ' -f 1 <<<"$variables" | grep '\.' | sort -u)"
while read -r key variable; do
	section "$key" | grep -qw "$variable" || echo "$key: add $variable to its section of $MANUAL"
	[[ $key != nccl.* ]] || grep -q "^| \`$variable\` | .*\`$key\`" doc/nccl.md || echo "$key: add $variable and why to the table of doc/nccl.md"
done <<<"$variables" >"$T/variables"
is "each is named where its key is described" "" "$(cat "$T/variables")"

# ---- each framework's key changes the plan of a container with all devices, GPUs among them ----

node h100
bundle '{"from": "h100-trainer.json", "privileged": true}'
# plan_of POLICY
plan_of() {
	printf '%s' "$1" >"$T/policy.json"
	"$HOOK" --sysroot "$NODE" --config "$T/policy.json" --dry-run --format json "$B"
}
usual=$(plan_of '{}')
is "each key of frameworks has an effect" "" "$(for key in $leaves; do
	[[ $key == frameworks.* ]] || continue
	[ "$(plan_of "{\"frameworks\": {\"${key#*.}\": true}}")" != "$usual" ] || echo "$key: core/plan/frameworks.c makes nothing of it"
done)"
check "control: what no key changes stays" test "$(plan_of '{"frameworks": {}}')" = "$usual"

# ---- the annotations ----

node h100
bundle '{"from": "h100-trainer.json", "annotations": {"oci-rdma-hook.io/unknown": "1"}}'
dry_run
annotations=$(sed -n 's/.*unknown; known: //p' "$T/err" | tr -d ' ' | tr ',' '\n')
check "the hook has annotations: $(paste -sd ' ' <<<"$annotations")" test "$(wc -w <<<"$annotations")" -ge 4
check "README shows the one that asks" grep -qxF '        oci-rdma-hook.io/inject: "true"' README.md
all_in "$MANUAL" "a section for each annotation" "$annotations" "$(sed -n 's/^### `oci-rdma-hook.io\/\([a-z]*\)`.*/\1/p' "$MANUAL")"
policy=config/admission/policy.yaml
all_in "$policy" "each annotation among those that it knows" "$annotations" \
	"$(sed -n '/- name: unknown/,/- name: unclear/p' "$policy" | grep -oP "'oci-rdma-hook.io/\K[a-z]+")"
is "$policy names them in its message as the hook does" "$(sed -n 's/.*unknown; known: //p' "$T/err")" \
	"$(sed -n "s/.*known after oci-rdma-hook.io\/: \(.*\)'.*/\1/p" "$policy")"
# asked TEXT FILE: likewise, NAME being the annotation
asked() { for name in $annotations; do if grep -qF "${1/NAME/$name}" "$2"; then echo "$name"; fi; done; }
all_in tests/cli/cluster.sh "values of each, which policy and hook have to read alike" "$annotations" "$(asked '"NAME=$value"' tests/cli/cluster.sh)"
all_in tests/unit/core/policy/request.c "each annotation" "$annotations" "$(asked '"NAME", "' tests/unit/core/policy/request.c)"

# ---- what the installed file does ----

bundle h100-trainer.json
# plan_with FILE
plan_with() { "$HOOK" --sysroot "$NODE" --config "$1" --dry-run --format json "$B"; }
printf '{}' >"$T/none.json"
installed >"$T/all.json"
is "$INSTALLED changes nothing" "$(plan_with "$T/none.json")" "$(plan_with "$INSTALLED")"
is "nor with every comment sign taken off" "$(plan_with "$T/none.json")" "$(plan_with "$T/all.json")"

# ---- controls: what is forgotten is told ----

is "control: a key that a file lacks" "b: add it to FILE" "$(differ FILE $'a\nb' a)"
is "control: a key that is gone" "b: FILE has it, the code does not know it" "$(differ FILE a $'a\nb')"
check "control: a default" says_default null <<<'`null` (the default)'
is "control: a value that is no default" no "$(says_default true <<<'If `true`, the default is `false`' || echo no)"
# ---- what programs read: doc/json.md has each member of the dry run and each code of a warning ----

JSON=doc/json.md
all_in "$JSON" "the code of each warning" "$(cat core/*.c core/*/*.c explain/*.c | tr '\n' ' ' | grep -oP '(?:warnings_add\(\s*[^,]*,|plan_warn\()\s*[^,]*,\s*"\K[a-z_]+' | sort -u)" \
	"$(sed -n '/^| code/,/^$/p' "$JSON" | sed 1,2d | cut -d '|' -f 2 | grep -o '[a-z_]*' | sort -u)"
node h100
plan h100-trainer.json
# What only some containers have: vfio functions, an entry point's note, and a doubt (tests/cli/decision-notes.sh).
sometimes() { grep -oP 'json_put_(string|member)\(gen, "\K(doubt|note|vfio)(?=")' explain/plan_json.c; }
all_in "$JSON" "each member of the dry run" "$({ jq -r 'del(.schema) | keys[]' "$T/out"; sometimes; } | sort -u)" \
	"$(sed -n '/^| `container` /,/^$/p' "$JSON" | cut -d '|' -f 2 | grep -o '[a-z_]*' | sort -u)"
is "$JSON has each member of a device and its ports" "" \
	"$(jq -r '[.devices[], .devices[].ports[], .gpus[], .warnings[] | keys[]] | unique[]' "$T/out" | while read -r name; do
		grep -q "\`$name\`" "$JSON" || echo "$name: add it"
	done)"

# ---- the ids of the doctor's findings: doc/json.md has each, with what it says ----

# An id is a literal in the call of findings_add, or stands elsewhere: FILE, expression in the call, file of the literals, what finds them
# there. Without the last two the expression passes on an id that is found where it was made.
ELSEWHERE='doctor/runner.c check->id doctor/check/check.c \{\s*"\K[a-z_]+(?=", ")
doctor/runner.c job->check->id
doctor/runner.c id
lib/finding.c const char *id
admin/installation/judge.c id admin/installation/judge.c id\[\] = "\K[a-z_]+
doctor/check/check_gpudirect.c id doctor/check/check_gpudirect.c id\[\] = "\K[a-z_]+
doctor/check/check_missed.c id doctor/check/check_missed.c add_named\(scan, container, "\K[a-z_]+
doctor/check/check_nccl.c socket_id doctor/check/check_nccl.c socket_id\[\] = "\K[a-z_]+
doctor/check/nccl_hca.c HCA doctor/check/nccl_hca.c #define HCA "\K[a-z_]+
doctor/check/nccl_hca.c GID_INDEX doctor/check/nccl_hca.c #define GID_INDEX "\K[a-z_]+
doctor/cuda/cuda.c capability->id doctor/cuda/cuda.c \{"\K[a-z_]+(?=", "[A-Z_]+", CUDA)
doctor/cuda/cuda.c id doctor/cuda/cuda.c add_error\([a-z]+, "\K[a-z_]+
doctor/verbs/registration.c id doctor/verbs/registration.c [?:] "\Kverbs_[a-z_]+(?=")'
# finding_calls TREE: "FILE ID" of each call, the id as the call has it
finding_calls() {
	(cd "$1" && find admin doctor -name '*.c' | sort | while read -r file; do
		tr '\n\t' '  ' <"$file" | grep -oP 'findings_add\(\s*[^,]*,\s*\K[^,]*[^, ]' | sort -u | sed "s|^|$file |"
	done)
}
# finding_ids TREE: all ids
finding_ids() {
	local place pattern
	{
		finding_calls "$1" | sed -n 's/.* "\([a-z_]*\)"$/\1/p'
		sed -n 's/^\S* \(const char \*\)\?\S* \(\(admin\|doctor\)\/\S*\) \(.*\)/\2 \4/p' <<<"$ELSEWHERE" | while read -r place pattern; do
			tr '\n\t' '  ' <"$1/$place" | grep -oP "$pattern" || echo "?$place"
		done
	} | sort -u
}
# unknown_calls TREE: calls of which this suite does not know where the id comes from
unknown_calls() {
	comm -23 <(finding_calls "$1" | grep -v ' "[a-z_]*"$' | sort) \
		<(printf "%s\n" "$ELSEWHERE" | sed 's/^\(\S* \(const char \*id\|\S*\)\).*/\1/' | sort) | sed 's|.*|&: write the id itself into the call, or add a row to ELSEWHERE|'
}
catalogue() { sed -n '/^| id | subject/,/^$/p' "$1" | sed 1,2d | cut -d '|' -f 2 | grep -o '[a-z_]*' | sort; }
ids=$(finding_ids .)
check "the doctor has findings: $(wc -w <<<"$ids")" test "$(wc -w <<<"$ids")" -ge 50
is "it is known where each finding's id comes from" "" "$(unknown_calls .)"
all_in "$JSON" "the id of each finding" "$ids" "$(catalogue "$JSON")"
is "$JSON has none twice" "" "$(catalogue "$JSON" | uniq -d)"
is "each check that check.h declares has its row in check.c" "" \
	"$(grep -oP '^check_function \Kcheck_[a-z_]+' doctor/check/check.h | while read -r name; do grep -q "[ ,\t]$name\b" doctor/check/check.c || echo "$name: add its row"; done)"
is "an id that a symptom's row names as confirming it is one" "" \
	"$(comm -13 <(echo "$ids") <(sed -n 's/^ *check: //p' doctor/symptom/known/* | tr -s '!, ' '\n' | sort -u))"

mkdir "$T/tree"
cp -r admin doctor "$T/tree/"
echo 'static int f(void) { return findings_add(x, "brand_new", NULL); }' >>"$T/tree/doctor/check/check_iommu.c"
is "control: a finding without a row" "brand_new: add it to FILE" "$(differ FILE "$(finding_ids "$T/tree")" "$ids")"
echo 'static int g(void) { return findings_add(x, name, NULL); }' >>"$T/tree/doctor/check/check_iommu.c"
has "control: a finding whose id comes from anywhere" "doctor/check/check_iommu.c name: write" "$(unknown_calls "$T/tree")"
finish
