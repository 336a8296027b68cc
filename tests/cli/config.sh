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
accepts "no keys" '{}'
accepts "comments of both kinds" '// about this file
{ /* a block
over lines */ "memlock": "unlimited", // the default
  "nccl": {"extra": {"NCCL_TOPO_FILE": "/etc//topo.xml"}} // the last
}
// the end'
that "comments of both kinds: none begins in a string" '.env.NCCL_TOPO_FILE' /etc//topo.xml
accepts "every key: the installed file without its comment signs" "$(sed 's|^  //|    |' config/config.json)"
# By the rule at its top: the sign of that key's lines, and for one of nccl those with its braces
while read -r first last; do
	line=$first,$last
	if sed -n "${first}p" config/config.json | grep -q '^  //   "'; then line+="s|^  //|    |;/^  \/\/ \"nccl\"/s|^  //|    |;/^  \/\/   \"extra\"/"; fi
	accepts "the installed file, one key: $(sed -n "${first}s/^[^\"]*\(\"[a-z_]*\"\).*/\1/p" config/config.json)" "$(sed "${line}s|^  //|    |" config/config.json)"
done < <(awk '/^  \/\/ +"[a-z_]*": / && !/\/\/ "nccl"/ { print NR, /,$/ ? NR + 1 : NR }' config/config.json)

config '{
  "opt_in": "device",
  "memlok": "unlimited"
}'
dry_run --format json
is "an unknown key: status, and nothing on stdout" "1 " "$rc $(<"$T/out")"
one_line "an unknown key" "/etc/oci-rdma-hook/config.json: line 3: memlok: "

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
