#!/bin/bash
# The shim and create: which config.json is edited, and which is left as it is.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tools/shim-node.bash

fresh
create
look
is "create: silent" "0 " "$rc $said"
edited "create"
no_temporary "create"
before=$(stamp "$B/config.json")
start --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
is "create while it runs: nothing is another file" "$before" "$(stamp "$B/config.json")"
mkdir "$T/twin"
cp "$CASES/rdma/config.json" "$T/twin"
passes "create of another bundle while it runs, which the runtime refuses" --root=$ROOT create --bundle "$T/twin" --pid-file "$T/twin/pidfile" "$ID"
passes "the one that runs: exec" --root=$ROOT exec --process "$P" "$ID"
exec_edited "the one that runs is served on"
create
is "create again: config.json is the same file" "$before" "$(stamp "$B/config.json")"
no_temporary "create again"
for mask in 0000 0077 0777; do
	fresh
	chmod 644 "$B/config.json"
	umask "$mask"
	create
	umask 022
	is "umask $mask: config.json's mode" 644 "$(stat -c %a "$B/config.json")"
done
# Nothing to do
for why in none not_asked refused other_name sandbox denied; do
	name=$why
	if [ $why = denied ]; then
		name=rdma
		policy '"namespaces": ["team-b"]'
	fi
	for on_error in warn fail; do
		[ "$name" = rdma ] || on_error $on_error
		fresh "$name"
		before=$(find "$B" -printf '%p %i %m %U:%G %s %T@ %C@\n' | sort)
		passes "$why, on_error $on_error" --root=$ROOT create --bundle "$B" --pid-file "$PIDFILE" "$ID"
		is "$why, on_error $on_error: nothing was touched" "$before" "$(find "$B" -printf '%p %i %m %U:%G %s %T@ %C@\n' | sort)"
		kept
		passes "$why, on_error $on_error: exec" --root=$ROOT exec --process "$P" "$ID"
		exec_not_edited "$why, on_error $on_error: exec"
	done
done
policy '"on_no_device": "fail"'
fresh none
create
fails "on_no_device fail" 1
not_edited "on_no_device fail"
policy '"on_no_device": "tcp"'
fresh none
create
is "on_no_device tcp: env, and nothing else" 'NCCL_IB_DISABLE=1 NCCL_IBEXT_DISABLE=1 NCCL_SOCKET_IFNAME==eth0 ' \
	"$(diff <(jq -S . "$CASES/none/config.json") <(jq -S . "$B/config.json") | grep -oP '^> +"\KNCCL[^"]*' | tr '\n' ' ')"
is "on_no_device tcp: limits and capabilities are as they were" "$(jq -c '.process | [.rlimits, .capabilities]' "$CASES/none/config.json")" \
	"$(jq -c '.process | [.rlimits, .capabilities]' "$B/config.json")"
start --root=$ROOT exec --process "$P" "$ID"
is "on_no_device tcp: exec, too" "[3,null]" "$(jq -c '[(.env | map(select(startswith("NCCL"))) | length), .rlimits]' "$P")"
node '{"functions":[{"pci":"0000:3b:00.0","ibdev":"mlx5_2","vfs":[{"pci":"0000:3b:02.5","driver":"vfio-pci"}]}]}'
policy '"devices": ["verbs", "vfio"]'
"$PYTHON" -IS tests/bundles/mkbundle '{"devices":[["/dev/vfio/2",243,0]]}' "$CASES/vfio"
fresh vfio
create
is "a function of vfio-pci: the limit alone" 'true 8388608' "$(jq -r --slurpfile was "$CASES/vfio/config.json" \
	'"\(($was[0] | del(.process.rlimits)) == del(.process.rlimits)) \(.process.rlimits[-1].hard)"' "$B/config.json")"
start --root=$ROOT exec --process "$P" "$ID"
exec_not_edited "a function of vfio-pci: exec, which takes the container's limit,"
node one
policy

# The file's own properties stay
# set_attribute FILE NAME HEX: a failure is counted; attributes FILE
set_attribute() {
	check "${1##*/}, control: it gets $2" "$PYTHON" -IS -c 'import os, sys; os.setxattr(sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3]))' "$@"
}
has_user_attributes() { "$PYTHON" -IS -c 'import os, sys; os.setxattr(sys.argv[1], "user.try", b"")' "$1" 2>/dev/null; }
attributes() { "$PYTHON" -IS -c 'import os, sys; print(sorted((n, os.getxattr(sys.argv[1], n).hex()) for n in os.listxattr(sys.argv[1])))' "$@"; }
acl=0200000001000600ffffffff02000400e803000004000400ffffffff10000400ffffffff20000000ffffffff # user:1000:r
for file in config.json process.json; do
	fresh
	path=$B/config.json
	if [ $file = process.json ]; then
		create
		path=$P
	fi
	chmod 0640 "$path"
	chown 1234:4321 "$path"
	ln "$path" "$T/exec/another-name"
	if has_user_attributes "$T"; then # tmpfs since Linux 6.6
		set_attribute "$path" user.label 6c6162656c00
		set_attribute "$path" user.empty ""
	else
		pass "$file: users' extended attributes # skip this file system has none"
	fi
	set_attribute "$path" trusted.oci 01
	set_attribute "$path" system.posix_acl_access "$acl"
	want="$(stat -c '%a %u:%g' "$path") $(attributes "$path")"
	# A hash of the old content would be a lie about the new.
	set_attribute "$path" security.ima 0401
	set_attribute "$path" security.evm 0201
	if [ $file = process.json ]; then
		start --root=$ROOT exec --process "$P" "$ID"
		exec_edited "$file with attributes"
		exec_not_edited "$file: another name of it" "$T/exec/another-name"
	else
		create
		edited "$file with attributes"
		not_edited "$file: another name of it" "$T/exec/another-name"
	fi
	is "$file: mode, owner and attributes stay" "$want" "$(stat -c '%a %u:%g' "$path") $(attributes "$path")"
	no_temporary "$file with attributes"
	for mode in 0400 0000 0777 4755; do
		fresh
		create
		path=$B/config.json
		if [ $file = process.json ]; then path=$P; else fresh; fi
		chmod $mode "$path"
		if [ $file = process.json ]; then start --root=$ROOT exec --process "$P" "$ID"; else create; fi
		is "$file: mode $mode stays" "0 $((10#$mode))" "$rc $((10#$(stat -c %a "$path")))"
	done
done
# CRI-O's process.json lies in /tmp. Names that could be foreseen, as those of earlier versions were, are somebody else's there.
for kind in file 'dangling symlink' FIFO directory; do
	fresh
	chmod 1777 "$T/exec"
	create
	for name in process.json process.json.new; do
		temporary=$T/exec/.$name.oci-rdma-hook
		case $kind in
		file) echo old >"$temporary" ;;
		'dangling symlink') ln -s "$T/not-there" "$temporary" ;;
		FIFO) mkfifo "$temporary" ;;
		directory) mkdir -p "$temporary/full" ;;
		esac
	done
	before=$(find "$T/exec" -name '.*' -printf '%p %i %U %m\n' | sort)
	passes "exec in a directory that others can write to, a $kind" --root=$ROOT exec --process "$P" "$ID"
	exec_edited "exec in a directory that others can write to, a $kind"
	is "exec in a directory that others can write to, a $kind: what was there stays, and nothing else" "$before, no" \
		"$(find "$T/exec" -name '.*' -printf '%p %i %U %m\n' | sort), $([ -e "$T/not-there" ] && echo yes || echo no)"
done
# names_of RUN…: the names of temporary files, and of calls on them, in their order
names_of() { grep -oP '(linkat|fchmod|fchown|write|O_TMPFILE|O_EXCL|renameat|[.]oci-rdma-hook[.][^"]*)(?=[ (|",])' "$@"; }
fresh
create
for run in 1 2; do
	cp tests/cli/tools/process-exec.json "$P"
	strace -o "$T/trace.$run" -e trace='openat2,write,/fch(own|mod)$,linkat,/^rename' "$SHIM" --root=$ROOT exec --process "$P" "$ID" >/dev/null 2>&1
done
is "exec: the file has no name before it has its text, owner and mode" "O_TMPFILE write fchown fchmod linkat renameat " \
	"$(names_of "$T/trace.1" | grep -v '^[.]' | sed '/^rename/q' | tr '\n' ' ')"
is "exec: each time another name, that nobody can foresee" "2 16" \
	"$(names_of "$T/trace.1" "$T/trace.2" -h | grep '^[.]' | sort -u | awk 'END { print NR, length($0) - length(".oci-rdma-hook.") }')"

# config.json that is no config.json: the runtime will say so
for on_error in warn fail; do
	on_error $on_error
	for kind in missing symlink directory FIFO garbage empty cut huge; do
		fresh
		spoil "$kind" "$B/config.json"
		before=$(stamp "$B/config.json")
		case $kind-$on_error in
		symlink-fail | huge-fail) # the runtime would take it, and its text asks (tests/cli/shim-odd-spec.sh)
			start --root=$ROOT create --bundle "$B" "$ID"
			fails "config.json: $kind, on_error $on_error" 1 "$B/config.json"
			;;
		*) passes "config.json: $kind, on_error $on_error" --root=$ROOT create --bundle "$B" "$ID" ;;
		esac
		is "config.json: $kind: it is as it was" "$before" "$(stamp "$B/config.json")"
		[ $kind != symlink ] || not_edited "config.json: the link's target" "$B/real"
	done
done
policy
finish
