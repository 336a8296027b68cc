#!/bin/bash
# .github/workflows: nothing runs there that was not chosen. Each action is pinned by a commit's hash, the token may only read but where a draft is made, no
# text of a stranger becomes a part of a script, and what the steps run is in this tree (their shell is bash -e). actionlint is run by hand.
# shellcheck disable=SC2016 # what goes into a script as it is
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
workdir
# faults DIRECTORY: what is wrong with the workflows there, a line each
faults() {
	python3 - "$1"/*.yml <<'END_OF_PYTHON'
import re, subprocess, sys, yaml
WRITES = {"release.yml": {"draft": {"contents": "write"}}}
for path in sys.argv[1:]:
    name = path.rsplit("/", 1)[-1]
    text = open(path, encoding="utf-8").read()
    flow = yaml.safe_load(text)
    if flow.get("permissions") != {"contents": "read"}:
        print(f"{name}: permissions are not contents: read")
    if "pull_request_target" in text:
        print(f"{name}: pull_request_target runs strangers' code with our token")
    for job, what in flow["jobs"].items():
        if what.get("permissions", {}) != WRITES.get(name, {}).get(job, {}):
            print(f"{name}: {job}: permissions {what.get('permissions')}")
        if "timeout-minutes" not in what:
            print(f"{name}: {job}: no timeout-minutes")
        for step in what["steps"]:
            uses, run = step.get("uses"), step.get("run", "")
            if uses and not re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40}", uses):
                print(f"{name}: {uses}: not pinned by a commit's hash")
            if uses and not re.search(re.escape(uses) + r" # v\d+\.\d+\.\d+$", text, re.M):
                print(f"{name}: {uses}: no comment with its version")
            if uses and uses.startswith("actions/checkout@") and (step.get("with") or {}).get("persist-credentials") is not False:
                print(f"{name}: checkout leaves the token in .git")
            if "${{" in run:
                print(f"{name}: an expression in a script: {run.splitlines()[0]}")
            for target in re.findall(r"^make ([\w-]+)$", run, re.M):
                if subprocess.run(["make", "-n", target, "TARBALL=0"], capture_output=True, check=False).returncode:
                    print(f"{name}: there is no make {target}")
            if run and subprocess.run(["shellcheck", "-s", "bash", "-e", "SC2046,SC2164", "-"], input=run, text=True, check=False, stdout=sys.stderr).returncode:
                print(f"{name}: shellcheck: {run.splitlines()[0]}")
END_OF_PYTHON
}
row "the workflows"
is "no fault" "" "$(faults .github/workflows 2>&1)"
for name in check nightly release; do has "$name says whether it was ever run" "Not run yet" "$(head -n 1 .github/workflows/$name.yml)"; done
# broken DESCRIPTION WANT SED FILE
broken() {
	rm -rf "$T/workflows" && cp -r .github/workflows "$T"
	sed -i "$3" "$T/workflows/$4"
	has "$1" "$2" "$(faults "$T/workflows" 2>&1)"
}
row "control: what is wrong is named"
broken "a tag instead of a hash" "actions/checkout@v4: not pinned" 's/checkout@[0-9a-f]*/checkout@v4/' check.yml
broken "no version beside the hash" "no comment with its version" 's/ # v4.2.2//' nightly.yml
broken "no permissions" "nightly.yml: permissions are not" '/^permissions:/,+1d' nightly.yml
broken "a job that may write" "check.yml: check: permissions" 's/^    timeout-minutes: 40/&\n    permissions: write-all/' check.yml
broken "a token that stays" "checkout leaves the token" '/persist-credentials/d' check.yml
broken "a stranger's text in a script" "an expression in a script" 's/- run: make check/- run: echo ${{ github.head_ref }}/' check.yml
broken "strangers' code with our token" "pull_request_target" 's/pull_request:/pull_request_target:/' check.yml
broken "a target that is gone" "there is no make gone" 's/make release-check/make gone/' release.yml
broken "a job without an end" "no timeout-minutes" '/timeout-minutes: 20/d' release.yml
broken "what shellcheck finds" "shellcheck: cd first" 's/cd first.*/cd first $x; ls $x/' release.yml
finish
