#!/bin/bash
# oci-rdma-events before an API server with TLS that judges each request (tests/cli/tools/events_api.py): the reasons of real refusals come to the pod,
# each once, and whatever the server answers, nothing is lost in silence.
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
ACCOUNT=$T/account
RECORDS=$NODE/run/oci-rdma-hook/records
node h100
mkdir -p "$NODE/run" "$API" "$ACCOUNT"
reporter='' server=''
trap 'for pid in $reporter $server; do kill -9 "$pid"; wait "$pid"; done 2>/dev/null; rm -rf "$T"' EXIT

# ---- the command line ----

# said WANT-STATUS PART ARGUMENT…
said() {
	timeout "$PATIENCE" "$EVENTS" "${@:3}" >"$T/out" 2>&1
	is "${*:3}: status" "$1" "$?"
	has "${*:3}: what is said" "$2" "$(cat "$T/out")"
}
row "the command line: a policy is not its own, and it says what it lacks: a directory of records, a node, a pod"
said 0 "oci-rdma-events " --version
said 0 "--account DIR" --help
said 2 "nonsense" --nonsense
said 2 "config" --config /x
said 2 "extra" extra
said 1 "mkdir -m 0700 -p" --sysroot "$NODE"
install -d -m 0700 "$NODE/run/oci-rdma-hook" "$RECORDS"
KUBERNETES_SERVICE_HOST='' KUBERNETES_SERVICE_PORT='' said 1 "No such file" --sysroot "$T/none"
(unset KUBERNETES_SERVICE_HOST && exec "$EVENTS" --sysroot "$NODE") >"$T/out" 2>&1
is "not in a pod" "1 1" "$? $(grep -c "this program runs in a pod" "$T/out")"

# ---- the server ----

# authority DIRECTORY: a CA that is its own certificate, for 127.0.0.1
authority() {
	mkdir -p "$1"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=${1##*/}" -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$1/key.pem" -out "$1/cert.pem" 2>/dev/null
}
authority "$API"
authority "$T/other"
cp "$API/cert.pem" "$ACCOUNT/ca.crt"
echo first >"$API/token"
echo first >"$ACCOUNT/token"
"$PYTHON" -IS tests/cli/tools/events_api.py "$API" 2>"$T/server" &
server=$!
within test -s "$API/port"
export KUBERNETES_SERVICE_HOST=127.0.0.1 NODE_NAME=node-1
KUBERNETES_SERVICE_PORT=$(<"$API/port")
export KUBERNETES_SERVICE_PORT https_proxy=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9

# start / stop: $rc and $T/log are of the one that ended
# start [COMMAND…]: by this command
start() {
	"$@" "$EVENTS" --sysroot "$NODE" --account "$ACCOUNT" 2>"$T/log" &
	reporter=$!
	within grep -q "reads /run" "$T/log"
}
stop() {
	kill -TERM "$reporter"
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
# answers ANSWER…: what the server says next
answers() { printf '%s\n' "$@" >"$API/answers"; }

# refused POD [CONFIG]: a container of this pod, which precreate serves by the node's policy
number=0
refused() {
	number=$((number + 1))
	config "${2-"{\"namespaces\": [\"team-b\"]}"}"
	bundle '{"devices":[["/dev/infiniband/uverbs6",231,198]]}'
	id=$(printf '%064x' "$number")
	jq --arg pod "$1" --arg id "$id" '.annotations["io.kubernetes.pod.name"] = $pod | .annotations["io.kubernetes.cri-o.ContainerID"] = $id
		| .linux.cgroupsPath |= sub("[0-9a-f]{64}"; $id)' "$B/config.json" >"$T/config.json"
	"$HOOK" --sysroot "$NODE" precreate <"$T/config.json" >"$T/edited" 2>/dev/null
}
# record NAME JSON: one that another program of root's has written
record() {
	printf '%s' "$2" >"$RECORDS/.new"
	chmod 0600 "$RECORDS/.new"
	mv "$RECORDS/.new" "$RECORDS/$1.json"
}

# ---- from the refusal to the event ----

row "a denied container is an event of its pod, in the words of the log; a granted one leaves no record"
start
refused h-granted '{"memlock": "8Mi"}'
is "control: a grant" "" "$(ls "$RECORDS")"
refused h-kim-0
within posted 1
is "the event" \
	'["team-a","Pod","h-kim-0","944c324a-7958-438a-b04f-699cedbf673d","Warning","RDMADenied"]' \
	"$(events '[.regarding.namespace, .regarding.kind, .regarding.name, .regarding.uid, .type, .reason]')"
has "its words" "container trainer: namespace team-a is not among the namespaces of" "$(events -r .note)"
is "the node" node-1 "$(events -r .reportingInstance | tail -n 1)"
row "the same again waits until ten minutes are over, another pod's does not; SIGTERM ends it, with what it did and what waits"
refused h-kim-0
refused h-lee-0
within posted 2
is "the events" '"h-kim-0" "h-lee-0"' "$(events .regarding.name | paste -sd ' ')"
within told 2
stop
is "SIGTERM" 0 "$rc"
has "what it says" "records=3 posted=2 there=0 dropped=0 unreadable=0 waiting=1" "$(cat "$T/log")"
row "started again, it posts the same names, which are there already, so that no event is there twice"
before=$(n_events)
start
within told 2
stop
is "the answers" "409 409" "$(tail -2 "$API/requests" | cut -d ' ' -f 1 | paste -sd ' ')"
is "the events" "$before" "$(n_events)"
has "the count" "posted=0 there=2" "$(cat "$T/log")"
rm -f "$RECORDS"/*

row "a record from the future: its event is of now"
# The node's clock was set back between the record and the reading: the times are of now.
record future "{\"id\":\"f\",\"pod\":\"h-future-0\",\"namespace\":\"team-a\",\"container\":\"c\",\"result\":\"denied\",\"reason\":\"x\",\"time\":$(($(date +%s) + 7000))}"
start
within told 1
stop
[[ $(events -r .eventTime | tail -1) < $(date -ud '+1 hour' +%FT%T) ]]
is "of now" 0 $?
rm -f "$RECORDS"/*

# ---- what pods' authors may have written ----

row "no record of theirs becomes a request but the good one; the log names and counts the others"
before=$(n_requests)
start
record bad-1 '{"id":"a","pod":"h","namespace":"../../../api/v1/namespaces/kube-system","result":"denied","reason":"x","time":1}'
record bad-2 '{"id":"a","pod":"h\r\nX: y","namespace":"team-a","result":"denied","reason":"x","time":1}'
record bad-3 "{\"id\":\"a\",\"pod\":\"h\",\"namespace\":\"team-a\",\"result\":\"denied\",\"reason\":\"$(printf '%09000d' 0)\",\"time\":1}"
record bad-4 'no record'
record bad-5 '{"id":"a","id":"b","pod":"h","namespace":"team-a","result":"denied","reason":"x","time":1}'
record old '{"id":"a","pod":"old","namespace":"team-a","result":"denied","reason":"x","time":1700000000}'
ln -s /etc/passwd "$RECORDS/link.json"
printf '{}' >"$RECORDS/.new" && chmod 0666 "$RECORDS/.new" && mv "$RECORDS/.new" "$RECORDS/others.json"
record good "{\"id\":\"b\",\"pod\":\"h-odd-0\",\"namespace\":\"team-a\",\"container\":\"c\",\"uid\":\"\\\"}\",\"result\":\"failed\",
	\"reason\":\"a\\\"b\\u001b[2J\\nc\\u202e$(printf 'é%.0s' {1..600})\",\"time\":$(date +%s)}"
within requested "$((before + 1))"
is "requests" 1 "$(($(n_requests) - before))"
is "the note is one line of 1,024 bytes at most, and the uid is left out" '["container c: a\"b?[2J?c",true,null]' \
	"$(events '[.note[0:22], (.note | utf8bytelength) <= 1024, .regarding.uid]' | tail -1)"
within told 1
stop
for part in "is not a namespace" "is not the name of a pod" "bad-3.json" "bad-4.json" "bad-5.json" "link.json" "others.json"; do
	has "the log" "$part" "$(cat "$T/log")"
done
has "the one of long ago, and those that cannot be read" "dropped=1 unreadable=7" "$(cat "$T/log")"
rm -f "$RECORDS"/*

# ---- what the server answers ----

row "422, or 403 of a namespace that ends: the pod is named, and it is not tried again"
start
answers '422 Invalid Event.events.k8s.io "x" is invalid: note'
refused h-invalid-0
within logs "h-invalid-0"
has "422" "not told to pod=h-invalid-0 namespace=team-a name=trainer: the API server answers 422: Event.events.k8s.io" "$(cat "$T/log")"
answers '403 Forbidden events is forbidden: unable to create new content in namespace team-a because it is being terminated'
refused h-ending-0
within logs "h-ending-0"
has "a namespace that ends" "not told to pod=h-ending-0" "$(cat "$T/log")"
row "403 of a quota: it is said, and tried again"
answers '403 Forbidden exceeded quota: events'
before=$(n_events)
refused h-quota-0
within posted "$((before + 1))"
has "the log" "pod=h-quota-0 namespace=team-a is not taken now, which is tried again: the API server answers 403: exceeded quota" "$(cat "$T/log")"
is "the event" '"h-quota-0"' "$(events .regarding.name | tail -1)"
row "503, 429, an answer without an end: said once, with the reason of the first"
before=$(n_requests)
answers '503 ServiceUnavailable etcd has no leader' '429 TooManyRequests later' endless '200 - -'
refused h-later-0
within requested "$((before + 3))"
within logs "events are posted again"
is "the log" 1 "$(grep -c "events cannot be posted" "$T/log")"
has "the reason" "the API server answers 503: etcd has no leader" "$(cat "$T/log")"

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
within logs "events cannot be posted"
has "the log" "certificate" "$(cat "$T/log")"
is "requests" "$before" "$(n_requests)"
# Nor is one that the system trusts and the cluster does not
stop
mkdir "$T/trusted"
cp "$API/cert.pem" "$T/trusted/$(openssl x509 -noout -hash -in "$API/cert.pem").0"
# shellcheck disable=SC2016 # the inner shell's
start unshare --map-root-user --mount sh -c 'mount --bind "$0" /etc/ssl/certs && exec "$@"' "$T/trusted"
refused_or_asked() { logs "events cannot be posted" || [ "$(n_requests)" -gt "$before" ]; }
within refused_or_asked
is "requests, with the server's certificate in /etc/ssl/certs" "$before" "$(n_requests)"
cp "$API/cert.pem" "$ACCOUNT/ca.crt"
within logs "events are posted again"
is "the event" '"h-forged-0"' "$(events .regarding.name | tail -1)"

# A server that hangs
row "SIGTERM while the server hangs ends it, and what waits is counted"
answers hang
refused h-hang-0
within test -e "$API/hangs"
stop
is "status" 0 "$rc"
has "the count" "waiting=1" "$(cat "$T/log")"
is "the server was asked nothing that it does not know" "" "$(cat "$T/server")"

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
	"$PYTHON" -IS tests/cli/tools/events_api.py "$API" 2>"$T/server" &
	server=$!
	within test -s "$API/port"
	KUBERNETES_SERVICE_PORT=$(<"$API/port")
	refused h-least-0
	before=$(n_events)
	setpriv --bounding-set=-all --inh-caps=-all --no-new-privs -- "$EVENTS" --sysroot "$NODE" --account "$ACCOUNT" 2>"$T/log" &
	reporter=$!
	within posted "$((before + 1))"
	row "root without a capability reads the records"
	is "capabilities" "$(printf '%016x' 0)" "$(sed -n 's/^CapEff:\t//p' "/proc/$reporter/status")"
	stop
fi
finish
