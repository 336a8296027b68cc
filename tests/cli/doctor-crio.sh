#!/bin/bash
# What keeps CRI-O from its next start, found before that; by its files, and by what a running one says of itself.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
HOOKS=usr/share/containers/oci/hooks.d

try "a hidden file in hooks.d is read by CRI-O as well" hook_file//$HOOKS/.bad.json fail "" on_a_node write $HOOKS/.bad.json '{'
# drop_in NAME FINDING STATUS PART TEXT [FILE]
drop_in() { try "${@:1:4}" on_a_node write "etc/crio/crio.conf.d/${6-90-x}" "$5"; }
drop_in "so is a hidden drop-in" crio_handler/kata fail "runtime_path /nowhere" $'[crio.runtime.runtimes.kata]\nruntime_path = "/nowhere"' .hidden
# TOML as people write it; the rest of it: unit admin/engine/toml
drop_in "a handler as an inline table" crio_handler/rdma fail "runtime_path /nowhere" '[crio.runtime]
runtimes.rdma = {runtime_path = "/nowhere", default_annotations = {"a.b" = "}"}}'
drop_in "a key twice, for which CRI-O does not start" crio_config fail "90-x:3" '[crio.runtime]
default_runtime = "crun"
default_runtime = "runc"'

# ---- what CRI-O says of itself ----
# answers PROGRAM WORDS TEXT: what that program of this machine prints to these words; to all else it says nothing, and fails
answers() {
	mkdir -p "$T/sbin"
	# shellcheck disable=SC2016 # the stand-in's words
	printf '#!/bin/sh\n[ ! -e "$0.$* hangs" ] || exec sleep 14400\nexec cat "$0.$*"\n' >"$T/sbin/$1"
	chmod 755 "$T/sbin/$1"
	printf '%s\n' "$3" >"$T/sbin/$1.$2"
}
# live FILE: this machine with what answers has put there, and that drop-in
live() {
	# shellcheck disable=SC2016 # the inner shell's words
	in_private_etc sh -c 'mount --bind "$1" /usr/local/sbin && rm -rf /etc/crio && mkdir -p /etc/crio/crio.conf.d &&
		printf "%s" "$2" >/etc/crio/crio.conf.d/10-x && exec "$3" --format json' - "$T/sbin" "$1" "$DOCTOR" >"$T/out" 2>"$T/err"
}
# unsaid DESCRIPTION ID
unsaid() { is "$1" "" "$(jq -r --arg id "$2" '.findings[] | select(.id == $id).status' "$T/out")"; }
if on_this_node; then
	same=$'[crio]\n[crio.runtime]\ndefault_ulimits = ["memlock=-1:-1"]\n'
	other=$'[crio.runtime]\ndefault_ulimits = ["memlock=8388608:8388608"]\n'
	answers crio "status config" "$same"
	try "a running CRI-O has what the files say" crio_running_config ok "crio status config" live "$same"
	answers crio "status config" "$other"
	try "one that began before they were changed" crio_running_config warn "files: default_ulimits (crio status config)" live "$same"
	unsaid "what it reads in them is not asked" crio_config
	row "one that does not answer is not blamed, nor if it says nothing of its files"
	answers crio "status config" 'no configuration'
	live "$same"
	unsaid "it" crio_running_config
	unsaid "its files" crio_config

	# What 1.26 and 1.36 print, each asked in its own way
	answers crio "status config" "$(<tests/cli/crio/status-1.36.toml)"
	try "1.36" crio_running_config warn "default_runtime (crio status config)" live $'[crio.runtime]\ndefault_runtime = "runc"'
	rm "$T/sbin/crio.status config"
	answers crio-status config "$(<tests/cli/crio/status-1.26.toml)"
	try "1.26, which has crio-status" crio_running_config ok "crio-status config" \
		live $'[crio.runtime]\ndefault_runtime = "runc"\n[crio.runtime.runtimes.runc]\nruntime_path = "/usr/bin/runc"'
	try "1.26 with other files" crio_running_config warn "default_runtime (crio-status config)" live $'[crio.runtime]\ndefault_runtime = "crun"'
	touch "$T/sbin/crio-status.config hangs"

	# What it reads in its files, where none runs: all that is as by default is a comment there
	answers crio config "$(<tests/cli/crio/config-1.36.toml)"
	try "one that hangs is given up, and CRI-O asked for its files" crio_config ok "(crio config)" live '[crio.runtime]
hooks_dir = ["/usr/share/containers/oci/hooks.d"]
default_runtime = "runc"
[crio.runtime.runtimes.crun]
runtime_path = "/usr/libexec/crio/crun"
[crio.runtime.runtimes.rdma]
runtime_path = "/usr/local/bin/oci-rdma-runtime-crun"'
	unsaid "of what runs nothing is said" crio_running_config
	rm "$T"/sbin/crio-status*
	try "CRI-O reads others in its files" crio_config warn "CRI-O reads others in its files: runtimes, default_runtime (crio config)" live '[crio.runtime]
default_runtime = "crun"
[crio.runtime.runtimes.rdma]
runtime_path = "/usr/bin/crun"'
else
	pass "a CRI-O that runs # skip: it needs root, on a machine that is no container"
fi
finish
