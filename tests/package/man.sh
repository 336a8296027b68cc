#!/bin/bash
# Man pages and completions: clean to every reader's tool, and of one mind with --help and with the code.
# packages: events
# builds: oci-rdma-events
# shellcheck disable=SC2016,SC2317 # inner shells and sed; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
BUILD=${BUILD:-build}
for program in hook nri doctor events; do built program "$BUILD/oci-rdma-$program"; done
workdir
export LC_ALL=C.UTF-8 # which every system has, and man -Tutf8 wants

# quiet COMMAND…: it ends well and says nothing
quiet() {
	local rc=0
	"$@" >"$T/quiet" 2>&1 || rc=$?
	cat "$T/quiet"
	[ "$rc" -eq 0 ] && [ ! -s "$T/quiet" ]
}
# mandoc's database of installed pages knows nothing of ours, and the BSDs alone want an .Os without a name.
lint_page() { quiet bash -c 'mandoc -Tlint "$1" 2>/dev/null | grep -v -e "referenced manual not found" -e "operating system explicitly" || true' - "$1"; }

for page in doc/man/* "$BUILD"/man/*; do
	row "$page: mandoc, groff and man have nothing to say, and what it names exists"
	check "$page: mandoc finds nothing" lint_page "$page"
	check "$page: groff warns of nothing" quiet groff -ww -mdoc -Tutf8 -z "$page"
	check "$page: man shows it without a warning" quiet bash -c 'man --warnings -E UTF-8 -l -Tutf8 -Z "$1" >/dev/null' - "$page"
	while read -r name section; do
		check "$page: $name($section), which it names, exists" test -e "doc/man/$name.$section"
	done < <(sed -nE 's/^\.Xr (oci-rdma-[a-z.-]+) ([0-9]).*/\1 \2/p' "$page" | sort -u)
done

row "the policy's page has each key and annotation of doc/configuration.md, in that order, and no Markdown"
# sections FILE: what the page takes of it
sections() { sed -n '/^## Keys$/,/^## /p; /^## Annotations$/,$p' "$1"; }
is "keys and annotations" "$(sections doc/configuration.md | sed -n 's/^### `\(.*\)`$/\1/p')" \
	"$(sed -n '/^\.Sh KEYS/,/^\.Sh FILES/s/^\.It Li //p' "$BUILD/man/oci-rdma-hook.json.5")"
is "each default" "$(sections doc/configuration.md | grep -oi 'default' | wc -l)" \
	"$(sed -n '/^\.Sh KEYS/,/^\.Sh FILES/p' "$BUILD/man/oci-rdma-hook.json.5" | grep -oi 'default' | wc -l)"
is "what mdoc would take for its own, and paragraphs" $'.Sh KEYS\n.Bl -tag -width Ds\n.It Li a\n\\&.b \\fBc\\fR d\\ee\n.Pp\nSecond.\n.El' \
	"$(awk -f tools/man-keys.awk <(printf '## Keys\n\n### `a`\n.b `c` d\\e\n\nSecond.\n') <(printf '.\\" KEYS\n'))"
is "no Markdown" "" "$(grep -n -e '`' -e '](' "$BUILD/man/oci-rdma-hook.json.5")"

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
	row "$program: --help, the page's synopsis and list of options, and the completion agree"
	help=$("$BUILD/$program" --help)
	listed=$(options '^  (-h, )?--[a-z-]+' <<<"$help")
	check "$program: --help lists options" test "$(grep -c . <<<"$listed")" -gt 2
	is "$program: the page has the options of --help" "$listed" "$(options '^\.It (Fl h , )?Fl -[a-z-]+' <"$page")"
	is "$program: the completion has the options of --help" "$listed" "$(complete_with "$program" --)"
	summary=$(sed '/^\.Sh DESCRIPTION/,$d' "$page" | options 'Fl -[a-z-]+')
	is "$program: the page's synopsis has all but --help and --version" "$(grep -vx -e --help -e --version <<<"$listed")" "$summary"
	is "$program: the usage has no other option" "" \
		"$(comm -23 <(sed '/^$/,$d' <<<"$help" | options '(^|[^a-z-])--[a-z-]+') <(echo "$listed"))"
	for value in $([[ $help != *--format* ]] || complete_with "$program" --format ''); do
		check "$program: --format $value is in --help" grep -qw -- "$value" <<<"$help"
		check "$program: --format $value is in the page" grep -qE "^\.Cm $value\$" "$page"
		"$BUILD/$program" --format "$value" >"$T/out" 2>&1 </dev/null
		lacks "$program: --format $value is known" "unknown format" "$(cat "$T/out")"
	done
}

programs=(oci-rdma-hook oci-rdma-admin oci-rdma-nri)
if [ -e doctor/main.c ]; then programs+=(oci-rdma-doctor); fi
for program in "${programs[@]}"; do agree "$program"; done
row "oci-rdma-events: the page has the options of --help"
# The reporter runs in its image alone, and needs no completion.
help=$("$BUILD/oci-rdma-events" --help)
is "options" "$(options '^  (-h, )?--[a-z-]+' <<<"$help")" \
	"$(options '^\.It (Fl h , )?Fl -[a-z-]+' <doc/man/oci-rdma-events.8)"

row "the hook's stages are completed, on its page, and known to it"
is "completed" "createRuntime poststart precreate prestart" \
	"$(complete_with oci-rdma-hook '' | paste -sd ' ')"
for stage in $(complete_with oci-rdma-hook ''); do
	check "the page names the stage $stage" grep -qE "^\.(It )?Cm .*\b$stage\b" doc/man/oci-rdma-hook.8
	check "the hook knows the stage $stage" grep -qr --include="*.c" "\"$stage\"" hook
done
row "the shim's environment is that of its page"
is "variables" \
	"$(grep -rhoE '"OCI_RDMA_[A-Z_]+"' hook core/base/names.h --include='*.c' --include='*.h' | tr -d '"' | sort -u)" \
	"$(sed -n 's/^\.It Ev //p' doc/man/oci-rdma-runtime.8 | sort -u)"

finish
