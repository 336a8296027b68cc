# shellcheck shell=bash disable=SC2034
# A /dev/log that the suite reads. A suite sources this after process.bash, in a mount namespace of its own (namespace.bash).

mkdir "$T/dev"
for device in null zero full urandom; do
	touch "$T/dev/$device"
	mount --bind "/dev/$device" "$T/dev/$device"
done
mount --rbind "$T/dev" /dev
trap 'end_process; umount -l /dev; umount "$T"/dev/{null,zero,full,urandom}; rm -rf "$T"' EXIT
# For every line on its stdin: what came in since then, a JSON string for each datagram, and an empty line
coproc JOURNAL { exec "$PYTHON" -IS -c '
import json, socket, sys
journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
journal.bind("/dev/log")
journal.setblocking(False)
for line in sys.stdin:
    try:
        while True:
            print(json.dumps(journal.recv(65536).decode()))
    except BlockingIOError:
        print("", flush=True)
'; }
# Bash forgets the descriptors of a coprocess when it starts another.
exec {to_journal}>&"${JOURNAL[1]}" {from_journal}<&"${JOURNAL[0]}"
until [ -S /dev/log ]; do :; done

# logged: $log, the lines since the last time
logged() {
	local line
	log=
	echo >&"$to_journal"
	while read -r line <&"$from_journal" && [ -n "$line" ]; do log+="$(jq -r . <<<"$line")"$'\n'; done
}
