# shellcheck shell=bash disable=SC2154 # what sources it sets root
# The lines that a page tells its reader to run or to write into a file. $root is the tree.

# block NAME FILE: the indented lines behind the mark, as a reader copies them
block() {
	awk -v mark="<!-- run: $1 -->" 'index($0, mark) { on = 1; next }
		on && match($0, /^ +/) { if (!lead) lead = RLENGTH; print substr($0, lead + 1); next }
		lead { exit }' "$root/$2" | grep . || { echo "$2 has no lines with the mark '$1'" >&2; return 1; }
}
