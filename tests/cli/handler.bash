# shellcheck shell=bash disable=SC2154
# What the suites of --crio-handler and --containerd-handler share. Each has a function render,
# and printed, what that has printed. After setup.bash.

# program PATH…: of the node
program() { local path; for path; do install -D -m 755 /bin/true "$NODE$path"; done; }

# renders NAME [WANT]: a row: the last one did, this but for its comments
renders() {
	row "$1"
	is "status, and nothing else is said" "0 " "$rc $(<"$T/err")"
	[ $# -eq 1 ] || is "what is rendered" "$2" "$(printed)"
}

# refuses NAME PART…: a row: what was just asked for
refuses() {
	row "$1"
	is "status, and nothing is printed" "1 " "$rc $(<"$T/out")"
	one_line "one line" "${@:2}"
}
