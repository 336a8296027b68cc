#!/bin/bash
# Man pages and completions: clean to every reader's tool, and of one mind with --help and with the code.
# shellcheck disable=SC2016,SC2317 # inner shells and sed; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
BUILD=${BUILD:-build}
workdir
export LC_ALL=C.UTF-8 # which every system has, and man -Tutf8 wants

# quiet COMMAND…: it ends well and says nothing
quiet() {
	local rc=0
	"$@" >"$T/quiet" 2>&1 || rc=$?
	cat "$T/quiet"
	[ "$rc" -eq 0 ] && [ ! -s "$T/quiet" ]
}
# mandoc's database of installed pages knows nothing of ours.
lint_page() { quiet bash -c 'mandoc -Tlint "$1" 2>/dev/null | grep -v -e "referenced manual not found" || true' - "$1"; }

for page in doc/man/*; do
	check "$page: mandoc finds nothing" lint_page "$page"
	check "$page: groff warns of nothing" quiet groff -ww -mdoc -Tutf8 -z "$page"
	check "$page: man shows it without a warning" quiet bash -c 'man --warnings -E UTF-8 -l -Tutf8 -Z "$1" >/dev/null' - "$page"
	while read -r name section; do
		check "$page: $name($section), which it names, exists" test -e "doc/man/$name.$section"
	done < <(sed -nE 's/^\.Xr (oci-rdma-[a-z.-]+) ([0-9]).*/\1 \2/p' "$page" | sort -u)
done

options() { grep -oE "$1" | grep -oE -- '-?-[a-z][a-z-]+' | sed 's/^-*/--/' | sort -u; }

# complete_with PROGRAM WORD…: what the completion offers for the last word
complete_with() (
	# shellcheck disable=SC1090 # one a program
	. "config/completion/$1"
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	PATH=$(realpath "$BUILD"):$PATH
	"_${1//-/_}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	printf '%s\n' "${COMPREPLY[@]}" | sort -u
)

# agree PROGRAM: --help, the page's synopsis and list of options, and the completion
agree() {
	local program=$1 page=doc/man/$1.8 help listed summary value
	help=$("$BUILD/$program" --help)
	listed=$(options '^  (-h, )?--[a-z-]+' <<<"$help")
	check "$program: --help lists options" test "$(grep -c . <<<"$listed")" -gt 2
	is "$program: the page has the options of --help" "$listed" "$(options '^\.It (Fl h , )?Fl -[a-z-]+' <"$page")"
	is "$program: the completion has the options of --help" "$listed" "$(complete_with "$program" --)"
	summary=$(sed '/^\.Sh DESCRIPTION/,$d' "$page" | options 'Fl -[a-z-]+')
	is "$program: the page's synopsis has all but --help and --version" "$(grep -vx -e --help -e --version <<<"$listed")" "$summary"
	is "$program: the usage has no other option" "" \
		"$(comm -23 <(sed '/^$/,$d' <<<"$help" | options '(^|[^a-z-])--[a-z-]+') <(echo "$listed"))"
	for value in $(complete_with "$program" --format ''); do
		check "$program: --format $value is in --help" grep -qw -- "$value" <<<"$help"
		check "$program: --format $value is in the page" grep -qE "^\.Cm $value\$" "$page"
		"$BUILD/$program" --format "$value" >"$T/out" 2>&1 </dev/null
		lacks "$program: --format $value is known" "unknown format" "$(cat "$T/out")"
	done
}

programs=(oci-rdma-hook oci-rdma-nri)
if [ -e doctor/main.c ]; then programs+=(oci-rdma-doctor); fi
for program in "${programs[@]}"; do agree "$program"; done

is "the hook's stages are completed" "createRuntime poststart precreate prestart" \
	"$(complete_with oci-rdma-hook '' | paste -sd ' ')"
for stage in $(complete_with oci-rdma-hook ''); do
	check "the page names the stage $stage" grep -qE "^\.(It )?Cm .*\b$stage\b" doc/man/oci-rdma-hook.8
	check "the hook knows the stage $stage" grep -q "\"$stage\"" hook/main.c
done
is "the shim's environment is that of its page" \
	"$(grep -rhoE '"OCI_RDMA_[A-Z_]+"' hook core/base/names.h --include='*.c' --include='*.h' | tr -d '"' | sort -u)" \
	"$(sed -n 's/^\.It Ev //p' doc/man/oci-rdma-runtime.8 | sort -u)"

# ---- the policy's keys and the annotations: in the code, the page, the reference and the commented file ----

# known_keys TEXT: those that the hook names when it meets one that it does not know
known_keys() {
	printf '%s' "$1" >"$T/keys.json"
	"$BUILD/oci-rdma-hook" --check-config "$T/keys.json" 2>&1 | sed -n 's/.*unknown key; known here: //p' | tr -d ' ' | tr ',' '\n'
}
code_keys() {
	local key inner
	for key in $(known_keys '{"?": 0}'); do
		echo "$key"
		for inner in $(known_keys "{\"$key\": {\"?\": 0}}"); do echo "$key.$inner"; done
	done | sort
}
# In the page an object's keys stand in a list of their own.
page_keys() {
	sed -n '/^\.Sh KEYS/,/^\.Sh ANNOTATIONS/p' doc/man/oci-rdma-hook.json.5 | awk '
		/^\.Bl/ { depth++; if (depth == 2) outer = last ".." } /^\.El/ { depth--; if (depth == 1) outer = "" }
		/^\.It Li/ { sub(/\.\.$/, ".", outer); print outer $3; last = $3 }' | sort
}
# The file without its comment signs is JSON with every key, and the defaults.
uncommented() { sed -e '1,2d' -e 's|^  // |  |' -e 's|  //.*||' config/config.json; }
file_keys() {
	jq -r '[paths(type != "array" or true)] | map(select(all(type == "string"))) | .[] | join(".")' <(uncommented) | sort
}
markdown_keys() { sed -n 's/^### `\([a-z_.]*\)`.*/\1/p' doc/configuration.md | sort; }

keys=$(code_keys)
check "the code has keys: $(grep -c . <<<"$keys")" test "$(grep -c . <<<"$keys")" -ge 20
is "oci-rdma-hook.json(5) has the keys of the code" "$keys" "$(page_keys)"
is "config/config.json has the keys of the code" "$keys" "$(file_keys)"
is "doc/configuration.md has the keys of the code" "$keys" "$(markdown_keys)"

tests/nodes/mknode tests/nodes/h100.json "$T/node"
tests/bundles/mkbundle '{"from": "h100-trainer.json", "annotations": {"oci-rdma-hook.io/unknown": "1"}}' "$T/unknown"
annotations=$("$BUILD/oci-rdma-hook" --sysroot "$T/node" --dry-run "$T/unknown" 2>&1 | sed -n 's/.*unknown; known: //p' |
	tr -d ' ' | tr ',' '\n' | sort)
check "the code has annotations: $(paste -sd ' ' <<<"$annotations")" test "$(grep -c . <<<"$annotations")" -ge 4
is "oci-rdma-hook.json(5) has the annotations of the code" "$annotations" \
	"$(sed -n '/^\.Sh ANNOTATIONS/,/^\.Sh FILES/s/^\.It Li //p' doc/man/oci-rdma-hook.json.5 | sort)"
is "doc/configuration.md has the annotations of the code" "$annotations" \
	"$(sed -n 's/^### `oci-rdma-hook.io\/\([a-z]*\)`.*/\1/p' doc/configuration.md | sort)"

# ---- what they say of the defaults ----

tests/bundles/mkbundle h100-trainer.json "$T/bundle"
# plan_with FILE
plan_with() { "$BUILD/oci-rdma-hook" --sysroot "$T/node" --config "$1" --dry-run --format json "$T/bundle"; }
printf '{}' >"$T/none.json"
uncommented >"$T/all.json"
is "config/config.json changes nothing" "$(plan_with "$T/none.json")" "$(plan_with config/config.json)"
is "nor with every comment sign taken off" "$(plan_with "$T/none.json")" "$(plan_with "$T/all.json")"
finish
