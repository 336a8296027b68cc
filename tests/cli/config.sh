#!/bin/bash
# The node's config.json: what is accepted, and errors that name file, line and key. Each wrong value and each wrong owner: unit core/policy
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
by_case
node one
file=$NODE/etc/oci-rdma-hook/config.json
bundle '{"devices":[["/dev/infiniband/uverbs6",231,198]]}'

# accepts DESCRIPTION TEXT
accepts() {
	config "$2"
	dry_run --format json
	gets "$1" mlx5_6
}
# refuses DESCRIPTION LINE KEY TEXT: one line with the file, its line and the key ("-": none to name)
refuses() {
	local what=$1 line=$2 key=$3
	config "$4"
	dry_run --format json
	is "$what: status" 1 "$rc"
	is "$what: nothing on stdout" "" "$(cat "$T/out")"
	is "$what: one line" 1 "$(wc -l <"$T/err")"
	has "$what: file" etc/oci-rdma-hook/config.json "$(cat "$T/err")"
	if [ "$line" != - ]; then
		check "$what: line $line" grep -qE "(config\.json:$line\b|line $line\b)" "$T/err"
	fi
	[ "$key" = - ] || has "$what: key" "$key" "$(cat "$T/err")"
}

accepts "no keys" '{}'
accepts "comments of both kinds" '// about this file
{ /* a block
over lines */ "memlock": "unlimited", // the default
  "namespaces": ["team-a", "a//b*"] // the last
}
// the end'
accepts "every key: the installed file without its comment signs" "$(sed 's|^  //|    |' config/config.json)"
# By the rule at its top: the sign of that key's lines, and for one of nccl those with its braces
while read -r first last; do
	line=$first,$last
	if sed -n "${first}p" config/config.json | grep -q '^  //   "'; then line+="s|^  //|    |;/^  \/\/ \"nccl\"/s|^  //|    |;/^  \/\/   \"extra\"/"; fi
	accepts "the installed file, one key: $(sed -n "${first}s/^[^\"]*\(\"[a-z_]*\"\).*/\1/p" config/config.json)" "$(sed "${line}s|^  //|    |" config/config.json)"
done < <(awk '/^  \/\/ +"[a-z_]*": / && !/\/\/ "nccl"/ { print NR, /,$/ ? NR + 1 : NR }' config/config.json)

refuses "an unknown key" 3 memlok '{
  "opt_in": "device",
  "memlok": "unlimited"
}'
refuses "an unknown key behind comments" 4 nope '{ // one
/* two
three */ "opt_in": "device",
"nope": 1 }'
refuses "a key twice" 2 memlock '{"memlock": "1Gi",
"memlock": "2Gi"}'
for bad in 'opt_in "always"' 'namespaces ["te*am"]' 'memlock "64Gb"' 'memlock null' 'capabilities ["CAP_NOPE"]' 'runtimes ["/usr/bin/crun"]' 'state_dir "/run"'; do
	read -r key value <<<"$bad"
	refuses "$key: $value" 2 "$key" "{
\"$key\": $value
}"
done
refuses "nccl.extra with a line break" 2 extra '{"nccl": {
"extra": {"A":"1\n"}
}}'
refuses "an empty file" - - ''
refuses "cut off" - - '{"memlock": "unli'
refuses "too large" - - "{}$(printf '%2000000s' '')"

# Whose file it is
config '{}'
for mode in 0646 0664; do
	chmod "$mode" "$file"
	dry_run
	is "mode $mode" 1 "$rc"
	one_line "mode $mode" etc/oci-rdma-hook/config.json
done
chmod 0600 "$file"
dry_run --format json
gets "mode 0600" mlx5_6
if chown 12345 "$file" 2>/dev/null; then
	dry_run
	is "another owner" 1 "$rc"
	one_line "another owner" etc/oci-rdma-hook/config.json
fi
config '{}'
chmod 0777 "$(dirname "$file")"
dry_run
is "a directory that anybody may write" 1 "$rc"
one_line "a directory that anybody may write" etc/oci-rdma-hook
config '{}'
mv "$file" "$T/elsewhere.json"
ln -s "$T/elsewhere.json" "$file"
dry_run
is "a symlink" 1 "$rc"
one_line "a symlink" etc/oci-rdma-hook/config.json
rm "$file"
mkfifo "$file"
dry_run
is "a FIFO" 1 "$rc"
one_line "a FIFO" etc/oci-rdma-hook/config.json

# --config
config '{"nope": 1}'
printf '{"capabilities": []}' >"$T/other.json"
dry_run --format json --config "$T/other.json"
that "--config is instead of the node's file" '[.decision, (.capabilities | length)] | join(" ")' "grant 0"
(cd "$T" && "$HOOK" --sysroot "$NODE" --config other.json --dry-run --format json "$B" >"$T/out" 2>"$T/err")
that "--config is relative to the working directory" '[.decision, (.capabilities | length)] | join(" ")' "grant 0"
printf '{"opt_in": "never"}' >"$T/other.json"
dry_run --config "$T/other.json"
is "--config with an error" 1 "$rc"
one_line "--config with an error" "$T/other.json" opt_in
finish
