#!/bin/bash
# oci-rdma-events before an API server with TLS that judges each request (tests/cli/tools/events_api.py): the reasons of real refusals come to the pod,
# each once; what a server does that is not the cluster's, or that refuses a namespace; nothing is lost in silence.
# packages: events
# builds: oci-rdma-events
# shellcheck disable=SC2154,SC2317 # the trap's loop; functions that within calls
cd "$(dirname "$0")/../.." || exit 1
# Its log goes to stderr where nobody listens on /dev/log.
if [ -e /dev/log ] && [ "${OWN_NAMESPACE-}" != yes ]; then
	if ! unshare --mount true 2>/dev/null; then
		echo "ok - oci-rdma-events # skip: /dev/log is there, and mount namespaces are not allowed here"
		exit 0
	fi
	OWN_NAMESPACE=yes exec unshare --mount bash -c 'mount --bind /dev/null /dev/log && exec tests/cli/events.sh'
fi
. tests/cli/setup.bash
built EVENTS "${BUILD:-build}/oci-rdma-events"
API=$T/api
ACCOUNT=$NODE/var/run/secrets/kubernetes.io/serviceaccount
RECORDS=$NODE/run/oci-rdma-hook/records
node h100
mkdir -p "$NODE/run" "$API" "$ACCOUNT"
reporter='' server='' other=''
trap 'for pid in $reporter $server $other; do kill -9 "$pid"; wait "$pid"; done 2>/dev/null; rm -rf "$T"' EXIT

# ---- the command line ----

# said WANT-STATUS PART ARGUMENT…
said() {
	timeout "$PATIENCE" "$EVENTS" "${@:3}" >"$T/out" 2>&1
	is "${*:3}: status" "$1" "$?"
	has "${*:3}: what is said" "$2" "$(cat "$T/out")"
}
row "the command line: a policy is not its own, and it says what it lacks: a directory of records, a node, a pod"
said 0 "oci-rdma-events " --version
said 0 "--sysroot DIR" --help
said 2 "nonsense" --nonsense
said 2 "config" --config /x
said 2 "extra" extra
said 1 "/run/oci-rdma-hook/records: No such file" --sysroot "$NODE"
install -d -m 0700 "$NODE/run/oci-rdma-hook" "$RECORDS"
KUBERNETES_SERVICE_HOST='' KUBERNETES_SERVICE_PORT='' said 1 "No such file" --sysroot "$T/none"
for name in HOST PORT; do
	env -u KUBERNETES_SERVICE_HOST -u KUBERNETES_SERVICE_PORT "KUBERNETES_SERVICE_$name=1" timeout "$PATIENCE" "$EVENTS" --sysroot "$NODE" >"$T/out" 2>&1
	is "$name alone: not in a pod" "1 1" "$? $(grep -c "this program runs in a pod" "$T/out")"
done

# ---- the server ----

# authority DIRECTORY [NAME]: a CA that is its own certificate, for 127.0.0.1
authority() {
	mkdir -p "$1"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=${1##*/}" -addext subjectAltName="${2-IP:127.0.0.1}" \
		-keyout "$1/key.pem" -out "$1/cert.pem" 2>/dev/null
}
authority "$API"
authority "$T/other"
cp "$API/cert.pem" "$ACCOUNT/ca.crt"
echo first >"$API/token"
echo first >"$ACCOUNT/token"
launch server "$T/server" "$PYTHON" -IS tests/cli/tools/events_api.py "$API"
within test -s "$API/port"
export KUBERNETES_SERVICE_HOST=127.0.0.1 NODE_NAME=node-1
KUBERNETES_SERVICE_PORT=$(<"$API/port")
export KUBERNETES_SERVICE_PORT https_proxy=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9

# start / stop [SIGNAL]: $rc and $T/log are of the one that ended
# start [COMMAND…]: by this command
start() {
	launch reporter "$T/log" "$@" "$EVENTS" --sysroot "$NODE"
	within grep -q "reads /run" "$T/log"
}
ended() { ! kill -0 "$reporter" 2>/dev/null || grep -q '^State:.Z' "/proc/$reporter/status"; }
stop() {
	kill -"${1-TERM}" "$reporter"
	within ended || kill -9 "$reporter"
	wait "$reporter"
	rc=$?
	reporter=
}
# events [OPTION] JQ-FILTER: of all that were posted, one line each
events() { [ ! -e "$API/events" ] || jq -c "$@" "$API/events"; }
n_events() { events . | wc -l; }
posted() { [ "$(n_events)" -ge "$1" ]; }
# told N: it has heard of N events of this run that the server took them
told() { [ "$(grep -c "oci-rdma-events: posted: \|: there already: " "$T/log")" -ge "$1" ]; }
n_requests() { wc -l <"$API/requests"; }
requested() { [ "$(n_requests)" -ge "$1" ]; }
logs() { grep -q -- "$1" "$T/log"; }
posted_or_refused() { posted "$1" || logs "cannot be posted\|not posted"; }
# answers ANSWER…: what the server says next
answers() { printf '%s\n' "$@" >"$API/answers"; }

# refused POD [CONFIG]: a container of this pod, which precreate serves by the node's policy
number=0
refused() {
	number=$((number + 1))
	uid=$(printf '944c324a-7958-438a-b04f-%012x' "$(cksum <<<"$1" | cut -d ' ' -f 1)")
	config "${2-"{\"namespaces\": [\"team-b\"]}"}"
	bundle '{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
	id=$(printf '%064x' "$number")
	jq --arg pod "$1" --arg id "$id" --arg uid "$uid" '.annotations["io.kubernetes.pod.name"] = $pod | .annotations["io.kubernetes.pod.uid"] = $uid | .annotations["io.kubernetes.cri-o.ContainerID"] = $id
		| .linux.cgroupsPath |= sub("[0-9a-f]{64}"; $id)' "$B/config.json" >"$T/config.json"
	"$HOOK" --sysroot "$NODE" precreate <"$T/config.json" >"$T/edited" 2>/dev/null
}
# record NAME JSON: one that another program of root's has written. $place: its namespace; $tell: whether its author is told; $in: seconds from now
place=team-a tell=true in=0
record() {
	local clock
	clock=$(printf %010x "$((($(cut -d . -f 1 /proc/uptime) + in) * 1000))")
	printf '%s' "${2/#\{/\{\"entry_point\":\"nri\",\"tell\":$tell,}" >"$RECORDS/.new"
	chmod 0600 "$RECORDS/.new"
	mv "$RECORDS/.new" "$RECORDS/${place}_$1_c_denied_${clock}_$1.json"
}

# ---- from the refusal to the event ----

row "a denied container is an event of its pod, in the words of the log; a granted one is none"
start
refused h-granted '{"memlock": "8Mi"}'
is "control: a grant" "[false]" "$(jq -sc "map(.tell)" "$RECORDS"/*)"
refused h-kim-0
# Whatever keeps it from the server keeps all others of this suite.
within posted_or_refused 1
posted 1 || { fail "the server has it" "$(cat "$T/log")" && finish; }
is "the event" \
	'["team-a","Pod","h-kim-0","'"$uid"'","Warning","RDMADenied"]' \
	"$(events '[.regarding.namespace, .regarding.kind, .regarding.name, .regarding.uid, .type, .reason]')"
is "its words" "container trainer: namespace team-a is not among the namespaces of the node's policy" "$(events -r .note)"
is "the node" node-1 "$(events -r .reportingInstance | tail -n 1)"
row "the same again is no event for ten minutes, another pod's is one; SIGTERM ends it"
refused h-kim-0
refused h-lee-0
within posted 2
is "the events" '"h-kim-0" "h-lee-0"' "$(events .regarding.name | paste -sd ' ')"
within told 2
stop
is "SIGTERM" 0 "$rc"
row "started again, it posts the same names, which are there already, so that no event is there twice"
before=$(n_events)
rm -f "$RECORDS"/*_trainer_*"$(printf %064x $((number - 1)))".json
start
within told 1
stop
is "the answer" "409" "$(tail -1 "$API/requests" | cut -d ' ' -f 1)"
is "the events" "$before" "$(n_events)"
has "the log" "there already: pod=h-lee-0" "$(cat "$T/log")"
lacks "nothing was refused before" "posted again" "$(cat "$T/log")"
rm -f "$RECORDS"/*

row "a policy that cannot be used: its words, which may name other tenants, are in the node's log alone"
start
refused h-broken-0 '{"namespaces": ["team-b", "team-secret*x"]}'
within told 1
stop
has "control: the record" "team-secret" "$(jq -r .reason "$RECORDS"/*)"
is "the event" "container trainer: the node's policy cannot be used: the node's journal says why" "$(events -r .note | tail -1)"
rm -f "$RECORDS"/*

row "a record from the future: its event is of now; without NODE_NAME the node is unknown; SIGINT ends it"
# The node's clock was set back between the record and the reading: the times are of now.
record future "{\"id\":\"f\",\"pod\":\"h-future-0\",\"namespace\":\"team-a\",\"result\":\"denied\",\"reason\":\"x\",\"time\":$(($(date +%s) + 7000))}"
# shellcheck disable=SC2016 # the inner shell's
NODE_NAME='' start sh -c 'exec "$@" <&-' sh
within told 1
is "a standard stream that is closed" /dev/null "$(readlink "/proc/$reporter/fd/0")"
check "then it sleeps" within grep -q "^State:.S" "/proc/$reporter/status"
stop INT
is "SIGINT" 0 "$rc"
is "the node" unknown "$(events -r .reportingInstance | tail -1)"
has "the log, without the container's name" "pod=h-future-0 namespace=team-a name=- result=denied" "$(cat "$T/log")"
[[ $(events -r .eventTime | tail -1) < $(date -ud '+1 hour' +%FT%T) ]]
is "of now" 0 $?
rm -f "$RECORDS"/*

# ---- what pods' authors may have written ----

row "no record of theirs becomes an event but the good one; the log names the others"
before=$(n_events)
start
record bad-1 '{"id":"a","pod":"h","namespace":"../../../api/v1/namespaces/kube-system","result":"denied","reason":"x","time":1}'
record bad-2 '{"id":"a","pod":"h\r\nX: y","namespace":"team-a","result":"denied","reason":"x","time":1}'
record bad-3 "{\"id\":\"a\",\"pod\":\"h\",\"namespace\":\"team-a\",\"result\":\"denied\",\"reason\":\"$(printf '%09000d' 0)\",\"time\":1}"
record bad-4 'no record'
record bad-5 '{"id":"a","id":"b","pod":"h","namespace":"team-a","result":"denied","reason":"x","time":1}'
ln -s /etc/passwd "$(find "$RECORDS" -name "*_bad-1.json" | sed s/bad-1/link/g)"
record others '{"id":"a","pod":"h","namespace":"team-a","result":"denied","reason":"x","time":1}'
chmod 0666 "$RECORDS"/*_others.json
tell=false record quiet '{"id":"q","pod":"h-quiet-0","namespace":"team-a","result":"denied","reason":"x","time":1}'
record no-pod '{"id":"p","namespace":"team-a","result":"denied","reason":"x","time":1}'
record no-namespace '{"id":"n","pod":"h","result":"denied","reason":"x","time":1}'
record good "{\"id\":\"b\",\"pod\":\"h-odd-0\",\"namespace\":\"team-a\",\"container\":\"c\",\"pod_uid\":\"\\\"}\",\"result\":\"failed\",
	\"reason\":\"a\\\"b\\u001b[2J\\nc\\u202e$(printf 'é%.0s' {1..600})\",\"time\":$(date +%s)}"
within logs "not posted: pod=h.*422" # of bad-1 and bad-2, which are before it
within told 1
is "events" 1 "$(($(n_events) - before))"
is "the note is one line of 1,024 bytes at most" '["container c: a\"b?[2J?c",true]' "$(events '[.note[0:22], (.note | utf8bytelength) <= 1024]' | tail -1)"
lacks "requests" "kube-system" "$(cat "$API/requests")"
stop
for part in "namespaces differ" "422: metadata.name" "bad-3.json" "bad-4.json" "bad-5.json" "link.json" "others.json"; do
	has "the log" "$part" "$(cat "$T/log")"
done
rm -f "$RECORDS"/*

# ---- what the server answers ----

row "an API server with an IPv6 address: the address is in brackets"
refused h-v6-0
KUBERNETES_SERVICE_HOST=::1 KUBERNETES_SERVICE_PORT=9 start
within logs "cannot be posted, will retry: https://\[::1\]:9/apis/events.k8s.io/v1/namespaces/team-a/events: "
check "the log, with libcurl's own words" logs "https://\[::1\]:9/apis/events.k8s.io/v1/namespaces/team-a/events: .* port 9"
stop
rm -f "$RECORDS"/*

row "422, or 403 of a namespace that ends: the pod is named, and it is not tried again"
start
answers '422 Invalid Event.events.k8s.io "x" is invalid: note'
refused h-invalid-0
within logs "h-invalid-0"
has "422" "not posted: pod=h-invalid-0 namespace=team-a name=trainer: the API server answers 422: Event.events.k8s.io" "$(cat "$T/log")"
answers '403 Forbidden events is forbidden: unable to create new content in namespace team-a because it is being terminated'
refused h-ending-0
within logs "h-ending-0"
has "a namespace that ends" "not posted: pod=h-ending-0" "$(cat "$T/log")"
row "403 of a quota, 409 of a conflict: it is said, and tried again"
answers '403 Forbidden exceeded quota: events' '409 Conflict the object has been modified'
before=$(n_events)
refused h-quota-0
within posted "$((before + 1))"
has "the log" "events of namespace team-a cannot be posted, will retry: the API server answers 403: exceeded quota" "$(cat "$T/log")"
is "the event" '"h-quota-0"' "$(events .regarding.name | tail -1)"
row "an answer without an end is not read to its end"
answers endless
refused h-endless-0
check "the log says so" within logs "team-a cannot be posted, will retry: https://.*writ"
within logs "pod=h-endless-0 .*posted again"
row "503, 429: said once, with the reason of the first; an answer without an end, a redirection: nothing can be posted, and the redirection is not followed"
before=$(n_requests)
answers '503 ServiceUnavailable etcd has no leader' '429 TooManyRequests later' endless '307 Redirect /stolen' '200 - -'
refused h-later-0
within requested "$((before + 4))"
within logs "h-later-0 .*are posted again"
is "the log" "1 0 0" "$(for of in "team-a cannot be posted.*503: etcd has no leader" "answers 429\|answers 307" "gave up"; do grep -c "$of" "$T/log"; done | paste -sd ' ')"
lacks "requests" "POST /stolen" "$(cat "$API/requests")"
row "a namespace whose events are refused (EventRateLimit) waits alone; another one's come at once, and its own when they are taken"
before=$(n_events)
echo team-a >"$API/refuses"
record limited "{\"id\":\"l\",\"pod\":\"h-limited-0\",\"namespace\":\"team-a\",\"container\":\"c\",\"result\":\"denied\",\"reason\":\"x\",\"time\":$(date +%s)}"
within logs "namespace team-a cannot be posted.*429: limited"
place=team-b record served "{\"id\":\"s\",\"pod\":\"h-served-0\",\"namespace\":\"team-b\",\"container\":\"c\",\"result\":\"denied\",\"reason\":\"x\",\"time\":$(date +%s)}"
within posted "$((before + 1))"
is "the event" '"h-served-0"' "$(events .regarding.name | tail -1)"
rm "$API/refuses"
within posted "$((before + 2))"
is "the other event" '"h-limited-0"' "$(events .regarding.name | tail -1)"

row "what a namespace refuses for an hour is given up, with one line; what is younger is posted when it takes events again"
stop
# The reporter's clock is two hours ahead: so the records are as old, also on a machine that was booted just now.
if unshare --time --monotonic 7200 --fork true 2>/dev/null; then
	rm -f "$RECORDS"/*
	echo team-a >"$API/refuses"
	# A slow machine finds the first of these too late.
	for left in 3 10 30 60 120; do
		in=$((3600 + left)) record "old-$left" "{\"id\":\"o$left\",\"pod\":\"h-old-$left\",\"namespace\":\"team-a\",\"result\":\"denied\",\"reason\":\"x\",\"time\":$(date +%s)}"
	done
	in=7200 record young "{\"id\":\"y\",\"pod\":\"h-young-0\",\"namespace\":\"team-a\",\"result\":\"denied\",\"reason\":\"x\",\"time\":$(date +%s)}"
	start unshare --time --monotonic 7200 --fork --kill-child
	check "the line" within logs "gave up [1-5] records of namespace team-a after an hour: the API server answers 429: limited; the node's journal"
	rm "$API/refuses"
	check "the younger one" within logs "posted: pod=h-young-0 "
	stop KILL
else
	echo "ok - what a namespace refuses for an hour is given up # skip: time namespaces are not allowed here"
fi

row "20 events at once, and the next after five seconds"
rm -f "$RECORDS"/*
for i in {1..21}; do
	record "many-$i" "{\"id\":\"m$i\",\"pod\":\"h-many-$i\",\"namespace\":\"team-a\",\"container\":\"c\",\"result\":\"denied\",\"reason\":\"x\",\"time\":$(date +%s)}"
done
start
within told 1
begun=$SECONDS
within told 21
check "it takes" test "$((SECONDS - begun))" -ge 4
is "said at the start alone" 1 "$(grep -c "reads /run" "$T/log")"
stop
rm -f "$RECORDS"/*
start

# The kubelet replaces the token; the old one holds no longer.
row "a new token is read without a start, is in each request and in no line of the log"
echo second >"$API/token"
before=$(n_events)
refused h-token-0
within logs "answers 401"
echo second >"$ACCOUNT/token.new"
mv "$ACCOUNT/token.new" "$ACCOUNT/token"
within posted "$((before + 1))"
is "the event" '"h-token-0"' "$(events .regarding.name | tail -1)"
is "the request" second "$(tail -1 "$API/requests" | cut -d ' ' -f 4)"
lacks "the log" "second" "$(cat "$T/log")"

# Another's certificate: the token is not sent.
row "a server that the CA does not know is not spoken to; with the right CA it is, without a start"
before=$(n_requests)
stop
cp "$T/other/cert.pem" "$ACCOUNT/ca.crt"
rm -f "$RECORDS"/*
start
refused h-forged-0
refused_or_asked() { logs "cannot be posted" || [ "$(n_requests)" -gt "$before" ]; }
within refused_or_asked
has "the log" "certificate" "$(cat "$T/log")"
is "requests" "$before" "$(n_requests)"
# Nor is one that the system trusts and the cluster does not
stop
mkdir "$T/trusted"
cp "$API/cert.pem" "$T/trusted/$(openssl x509 -noout -hash -in "$API/cert.pem").0"
# shellcheck disable=SC2016 # the inner shell's
start unshare --map-root-user --mount sh -c 'mount --bind "$0" /etc/ssl/certs && exec "$@"' "$T/trusted"
within refused_or_asked
is "requests, with the server's certificate in /etc/ssl/certs" "$before" "$(n_requests)"
cp "$API/cert.pem" "$ACCOUNT/ca.crt"
within logs "pod=h-forged-0"
is "the event" '"h-forged-0"' "$(events .regarding.name | tail -1)"

# for_other PROGRAM-OF-PYTHON… / for_api: another server
for_other() {
	rm -f "$T/other/port" "$T/other/requests"
	launch other "$T/other/log" "$PYTHON" -IS "$@"
	within test -s "$T/other/port"
	stop
	cp "$T/other/cert.pem" "$ACCOUNT/ca.crt"
	KUBERNETES_SERVICE_PORT=$(<"$T/other/port") start
}
for_api() {
	stop
	kill -9 "$other"
	wait "$other" 2>/dev/null
	cp "$API/cert.pem" "$ACCOUNT/ca.crt"
	start
}
# not_spoken_to REASON: the other server, which would have written down a request
refused_or_spoken() { logs "cannot be posted" || [ -e "$T/other/requests" ]; }
not_spoken_to() {
	within refused_or_spoken
	is "requests" no "$([ -e "$T/other/requests" ] && echo yes || echo no)"
	has "why" "$1" "$(grep "cannot be posted" "$T/log")"
}
row "a server whose certificate is the cluster's, and another host's, is not spoken to"
authority "$T/other" DNS:elsewhere
cp "$API/token" "$T/other/token"
refused h-host-0
for_other tests/cli/tools/events_api.py "$T/other"
not_spoken_to "subject name"
for_api
within logs "pod=h-host-0"
row "a server that speaks TLS 1.1 alone is not spoken to, also where the system's configuration allows that"
authority "$T/other"
printf '%s\n' 'openssl_conf = all' '[all]' 'ssl_conf = ssl' '[ssl]' 'system_default = old' '[old]' MinProtocol=TLSv1 CipherString=DEFAULT@SECLEVEL=0 >"$T/openssl.cnf"
refused h-old-0
OLD_TLS=yes OPENSSL_CONF=$T/openssl.cnf for_other tests/cli/tools/events_api.py "$T/other"
not_spoken_to protocol
for_api
within logs "pod=h-old-0"
row "a server that never answers is given up: one that says nothing, and one that has read the request"
for_other -c 'import os, socket, sys
s = socket.create_server(("127.0.0.1", 0))
open(sys.argv[1] + "/new", "w").write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + "/new", sys.argv[1] + "/port")
held = [s.accept() for _ in iter(int, 1)]' "$T/other"
refused h-silent-0
check "silence is" within logs "cannot be posted.*time"
answers hang
for_api
within logs "cannot be posted.*timed out" && within logs "pod=h-silent-0" && rm -f "$API/hangs"

# A server that hangs
row "SIGTERM while the server hangs ends it"
answers hang
refused h-hang-0
within test -e "$API/hangs"
stop
is "status" 0 "$rc"
is "the server was asked nothing that it does not know" "" "$(cat "$T/server")"

row "the records' directory is removed: a pod's mount holds it, so it has to be started again"
rm -f "$RECORDS"/*
start
rm -r "$RECORDS"
within logs "was removed: this program has to be started again"
within ended
wait "$reporter"
is "status" 1 "$?"
reporter=
install -d -m 0700 "$RECORDS"

# ---- as Kubernetes' own types read them ----

# events-types.sh runs this suite with KUBECHECK.
if [ -n "${KUBECHECK-}" ]; then
	jq -c . "$API/events" | while read -r event; do printf -- '---\n%s\n' "$event"; done >"$T/events.yaml"
	row "each event is one by the API server's own types"
	check "each event is one by the API server's own types" "$KUBECHECK" "$T/events.yaml"
	sed 's/"note"/"message"/' "$T/events.yaml" >"$T/wrong.yaml"
	is "control: a field of another version" 1 "$("$KUBECHECK" "$T/wrong.yaml" >/dev/null 2>&1; echo $?)"
fi

# ---- what it may do ----

if may_mount && command -v setpriv >/dev/null; then
	kill -9 "$server"
	wait "$server" 2>/dev/null
	rm -f "$API/port" "$API/answers" "$RECORDS"/*
	launch server "$T/server" "$PYTHON" -IS tests/cli/tools/events_api.py "$API"
	within test -s "$API/port"
	KUBERNETES_SERVICE_PORT=$(<"$API/port")
	refused h-least-0
	before=$(n_events)
	launch reporter "$T/log" setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$EVENTS" --sysroot "$NODE"
	within posted "$((before + 1))"
	row "root without a capability reads the records"
	is "capabilities" "$(printf '%016x' 0)" "$(sed -n 's/^CapEff:\t//p' "/proc/$reporter/status")"
	stop
fi
finish
