#!/bin/bash
# tools/tested: doc/tested.md and README.md say what doc/tested.json says, and the suites and jobs that it names as evidence are there.
# shellcheck disable=SC2016 # Markdown
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir
row "pages and data agree, and the evidence is in the tree"
is "all" "" "$(tools/tested 2>&1)"
# wrong DESCRIPTION WANT JQ-FILTER: the data changed by that, or a page
wrong() {
	jq "$3" doc/tested.json >"$T/tested.json"
	has "$1" "$2" "$(tools/tested "$T/tested.json" 2>&1)"
}
row "control: what is not so is named, and the command that mends it"
wrong "another version" "doc/tested.md: differs from $T/tested.json; run: tools/tested --write" '.runs[0].versions["CRI-O"] += ["1.36.4"]'
wrong "a newer version" "README.md: differs" '.runs[0].versions["CRI-O"] += ["1.99.0"]'
wrong "another day" "doc/tested.md: differs" '.runs[0].by_hand = "2027-01-01"'
wrong "a place that it was not run on" "README.md: differs" '.not_run += ["the moon"]'
wrong "a suite that is gone" "there is no tests/vm/check-gone" 'first(.runs[] | select(.suites)).suites = {"tests/vm/check-gone": ["nri"]}'
wrong "a job that is gone" "there is no tests/vm/jobs/gone/run" 'first(.runs[] | select(.suites)).suites = {"tests/vm/check-engines": ["gone"]}'
wrong "a job that the suite does not run" "tests/vm/check-engines does not run the job soak" 'first(.runs[] | select(.suites)).suites = {"tests/vm/check-engines": ["soak"]}'
wrong "a suite without its jobs" "tests/vm/check-engines: name its jobs" 'first(.runs[] | select(.suites)).suites = {"tests/vm/check-engines": []}'
wrong "no evidence" "NRI plugin: say by_hand, with the day, or the suites" 'del(first(.runs[] | select(.suites)).suites)'
wrong "by hand, without a day" "say by_hand, with the day" '.runs[0].by_hand = "once"'
cp -r --parents tools/tested doc/tested.* README.md tests/tests.mk tests/vm tests/unit/nri/session/recorded.c "$T"
sed -i '/^- \*\*Not run on/d' "$T/README.md"
has "a page that does not say it" "README.md: it has no place for: - **Not run on:**" "$(cd "$T" && tools/tested)"
row "a suite that runs before a release alone is not called CI"
has "check-long" 'before a release: `tests/vm/check-long node`' "$(grep check-long doc/tested.md)"
finish
