#!/bin/bash
# What keeps CRI-O from its next start, found before that; by its files, and by what a running one says of itself.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
defaults
HOOKS=usr/share/containers/oci/hooks.d

# node_with COMMAND…: a node of ours, changed by that
node_with() {
	h100
	on_node
	"$@"
	doctor --format json
}

node_with write $HOOKS/.bad.json '{'
finds "a hidden file in hooks.d is read by CRI-O, too" hook_file//$HOOKS/.bad.json fail
node_with write etc/crio/crio.conf.d/.hidden '[crio.runtime.runtimes.kata]
runtime_path = "/nowhere"'
finds "a hidden drop-in, too" crio_handler/kata fail "runtime_path /nowhere"

# TOML as people write it
node_with write etc/crio/crio.conf.d/90-x '[crio.runtime]
runtimes.rdma = {runtime_path = "/nowhere", default_annotations = {"a.b" = "}"}}'
finds "a handler as an inline table" crio_handler/rdma fail "runtime_path /nowhere"
node_with write etc/crio/crio.conf.d/90-x 'crio.runtime.runtimes.rdma.runtime_path = "/nowhere"'
finds "a handler by a dotted key" crio_handler/rdma fail "runtime_path /nowhere"
node_with write etc/crio/crio.conf.d/90-x '[crio.runtime]
default_ulimits = [
  """
mem\
   lock=-1:-1""", # both
  "nofile=1024",
]'
finds "strings of several lines" crio_ulimits ok "memlock=-1:-1"
node_with write etc/crio/crio.conf.d/90-x '[crio.runtime]
default_runtime = "crun"
default_runtime = "runc"'
finds "a key twice, for which CRI-O does not start" crio_config fail "90-x:3"

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
	same='[crio]
[crio.runtime]
default_ulimits = ["memlock=-1:-1"]
'
	other='[crio.runtime]
default_ulimits = ["memlock=8388608:8388608"]
'
	answers crio "status config" "$same"
	live "$same"
	finds "a running CRI-O has what the files say" crio_running_config ok "crio status config"
	answers crio "status config" "$other"
	live "$same"
	finds "one that began before they were changed" crio_running_config warn "files: default_ulimits (crio status config)"
	unsaid "…and what it reads in them is not asked" crio_config
	answers crio "status config" 'no configuration'
	live "$same"
	unsaid "one that does not answer is not blamed" crio_running_config
	unsaid "…nor where it says nothing of its files" crio_config

	# What 1.26 and 1.36 print, each asked in its own way
	answers crio "status config" "$(<tests/cli/crio/status-1.36.toml)"
	live '[crio.runtime]
default_runtime = "runc"'
	finds "1.36" crio_running_config warn "default_runtime (crio status config)"
	rm "$T/sbin/crio.status config"
	answers crio-status config "$(<tests/cli/crio/status-1.26.toml)"
	live '[crio.runtime]
default_runtime = "runc"
[crio.runtime.runtimes.runc]
runtime_path = "/usr/bin/runc"'
	finds "1.26, which has crio-status" crio_running_config ok "crio-status config"
	live '[crio.runtime]
default_runtime = "crun"'
	finds "1.26 with other files" crio_running_config warn "default_runtime (crio-status config)"
	touch "$T/sbin/crio-status.config hangs"

	# What it reads in its files, where none runs: all that is as by default is a comment there
	answers crio config "$(<tests/cli/crio/config-1.36.toml)"
	live '[crio.runtime]
hooks_dir = ["/usr/share/containers/oci/hooks.d"]
default_runtime = "runc"
[crio.runtime.runtimes.crun]
runtime_path = "/usr/libexec/crio/crun"
[crio.runtime.runtimes.rdma]
runtime_path = "/usr/local/bin/oci-rdma-runtime-crun"'
	finds "one that hangs is given up, and CRI-O asked for its files" crio_config ok "(crio config)"
	unsaid "…of what runs nothing is said" crio_running_config
	rm "$T"/sbin/crio-status*
	live '[crio.runtime]
default_runtime = "crun"
[crio.runtime.runtimes.rdma]
runtime_path = "/usr/bin/crun"'
	finds "it reads others" crio_config warn "CRI-O reads others in its files: runtimes, default_runtime (crio config)"
else
	pass "a CRI-O that runs # skip: it needs root, on a machine that is no container"
fi
finish
