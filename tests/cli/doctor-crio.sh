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

# ---- what a running CRI-O says of itself ----
# live CONFIGURATION FILES: this machine with a crio that prints that, and that drop-in
live() {
	# shellcheck disable=SC2016 # the inner shell's words
	unshare --mount sh -c 'mount -t tmpfs none /usr/local/sbin && mkdir -p /etc/crio && mount -t tmpfs none /etc/crio && mkdir /etc/crio/crio.conf.d &&
		printf "%s" "$1" >/etc/crio/status && printf "%s" "$2" >/etc/crio/crio.conf.d/10-x &&
		printf "#!/bin/sh\\n[ \"\$*\" = \"status config\" ] && exec cat /etc/crio/status\\nexit 1\\n" >/usr/local/sbin/crio &&
		chmod 755 /usr/local/sbin/crio && exec "$3" --format json' - "$1" "$2" "$DOCTOR" >"$T/out" 2>"$T/err"
}
if [ "$(id -u)" -eq 0 ] && mkdir -p /etc/crio; then
	same='[crio]
[crio.runtime]
default_ulimits = ["memlock=-1:-1"]
'
	live "$same" "$same"
	finds "a running CRI-O has what the files say" crio_running_config ok "crio status config"
	live '[crio.runtime]
default_ulimits = ["memlock=8388608:8388608"]
' "$same"
	finds "one that began before they were changed" crio_running_config warn "files: default_ulimits (crio status config)"
	live 'no configuration' "$same"
	is "one that does not answer is not blamed" "" "$(jq -r '.findings[] | select(.id == "crio_running_config").status' "$T/out")"
	rmdir /etc/crio 2>/dev/null
fi
finish
