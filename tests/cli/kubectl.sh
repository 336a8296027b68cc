#!/bin/bash
# install/kubectl/kubectl-rdma_doctor with the real kubectl, before a server that has as much of the API as it needs: on the node, and in the pod.
# builds: tests/kubectl/.unpacked
# shellcheck disable=SC2016,SC2317 # the inner shells' dollars; functions that within calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built DOCTOR "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}"
built KUBECTL "${BUILD:-build}/tests/kubectl/usr/bin/kubectl"
mkdir "$T/bin" "$T/pods" "$T/inside"
ln -s "$KUBECTL" "$T/bin/kubectl"
for name in rdma_doctor rdma_doctor-job; do ln -s "$(realpath install/kubectl)/kubectl-$name" "$T/bin/kubectl-$name"; done
api_server "$PYTHON" -IS tests/cli/tools/apiserver.py "$T"
export RDMA_DOCTOR_IMAGE=registry.example.com/oci-rdma-doctor:1
id=$(printf '940942ebb876%052d' 7)
jq -n --arg id "cri-o://$id" '{kind: "Pod", apiVersion: "v1", metadata: {name: "h-kim-0", namespace: "team-a"}, spec: {nodeName: "n1",
	containers: [{name: "trainer"}, {name: "loader"}]}, status: {phase: "Running", containerStatuses: [{name: "trainer", containerID: $id},
	{name: "loader", containerID: "containerd://1234"}]}}' >"$T/pods/h-kim-0.json"
jq '.metadata.name = "pending" | del(.spec.nodeName, .status)' "$T/pods/h-kim-0.json" >"$T/pods/pending.json"
jq '.metadata.name = "starting" | del(.status)' "$T/pods/h-kim-0.json" >"$T/pods/starting.json"

# plugin ARGUMENT…: as kubectl finds and starts it
plugin() {
	rm -f "$T/requests"
	PATH=$T/bin:$PATH timeout "$PATIENCE" kubectl rdma-doctor "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}
# the image: says what it was asked, and ends as told
printf '#!/bin/sh\necho "$*"; exit "$(cat %s/status)"\n' "$T" >"$T/image"
# a container: its own shell and root directory would be there
printf '#!/bin/sh\nshift; exec "$@"\n' >"$T/exec"
chmod +x "$T/image" "$T/exec"

# ---- on the node ----
row "on the node: the doctor is asked about the pod's container, on its node, privileged, by the image of its registry"
echo 0 >"$T/status"
plugin h-kim-0 -n team-a -- --format html
is "what it is asked" "0 node-doctor --container $id --format html" "$rc $(<"$T/out")"
is "node, root directory, privilege" "n1 / true" \
	"$(sed -n 's/^create oci-rdma-doctor //p' "$T/requests" | jq -r '[.nodeName, .volumes[0].hostPath.path, .containers[0].securityContext.privileged] | join(" ")')"
is "the image" "$RDMA_DOCTOR_IMAGE" "$(sed -n 's/^create oci-rdma-doctor //p' "$T/requests" | jq -r .containers[0].image)"
cp "$T/requests" "$T/requests.before"
plugin h-kim-0 -n team-a --debug-namespace ops
lacks "nothing is made in the pod's namespace, whose people may exec there" "create team-a" "$(<"$T/requests.before")"
row "the debugging pod in another namespace: the same container, and nothing is left"
is "what it is asked" "0 node-doctor --container $id" "$rc $(<"$T/out")"
is "its node" n1 "$(sed -n 's/^create ops //p' "$T/requests" | jq -r .nodeName)"
lacks "nothing is made in the pod's" "create team-a" "$(<"$T/requests")"
is "pods" "h-kim-0 pending starting" "$(cd "$T/pods" && printf '%s\n' ./*.json | sed 's|./||; s|.json||' | xargs)"
echo 1 >"$T/status"
plugin -n team-a pod/h-kim-0 -c loader --image localhost:5000/mine:1
row "another container, another image, and the doctor's status"
is "what it is asked" "1 node-doctor --container 1234 localhost:5000/mine:1" \
	"$rc $(<"$T/out") $(sed -n 's/^create oci-rdma-doctor //p' "$T/requests" | jq -r .containers[0].image)"
plugin -n team-a h-kim-0 --image localhost/missing
row "an image that is not there: why, and nothing is left"
is "status" 2 "$rc"
has "why" "ImagePullBackOff no such image" "$(<"$T/err")"
has "the pod goes" "delete node-debugger-n1" "$(<"$T/requests")"

for image in "" oci-rdma-doctor:1 mine/oci-rdma-doctor:1.2; do
	RDMA_DOCTOR_IMAGE=$image plugin -n team-a h-kim-0
	row "an image without a registry, '$image': no privileged pod"
	is "status" 2 "$rc"
	has "what to do" "name the doctor's image with its registry" "$(<"$T/err")"
	check "nothing is made" test ! -e "$T/requests"
done

# ---- what comes from the pod ----
# What clears the screen, takes a title, deletes a line, writes backwards, as UTF-8 and as bytes that are none; tab, line break and letters of
# other languages stay
hostile='a\033[2Jb\033]0;t\007c\rd\302\2332Ke\342\200\256f\177g\tÄ→\342\200\246 h\330\234 \2332Ki é\2332K →\233\233j \342\233k \360\237\230\200\n'
clean=$'a?[2Jb?]0;t?c?d?2Ke?f?g\tÄ→… h? ?2Ki é?2K →?j ?k 😀'
printf '#!/bin/sh\nprintf "%s"\n' "$hostile" >"$T/image"
echo 0 >"$T/status"
plugin h-kim-0 -n team-a
row "on the node: what the log says to the terminal is shown as '?'"
is "status, output" "0 $clean" "$rc $(<"$T/out")"
printf '#!/bin/sh\nshift; case $1 in */oci-rdma-doctor.*) printf "%s"; printf "%s" >&2; [ "$2" = --version ] || exit 7 ;; esac; exec "$@"\n' "$hostile" "$hostile" >"$T/exec.new"
sed 's/esac; exec/*) exec "$@" ;; esac; #/' "$T/exec.new" >"$T/exec.other" && chmod +x "$T/exec.other"
cp "$T/exec" "$T/exec.old"
mv "$T/exec.other" "$T/exec"
plugin --in-pod --doctor "$DOCTOR" h-kim-0
row "in the pod: so is its output, also on stderr, and where it lets nothing run"
is "status, output" "7 $clean" "$rc $(<"$T/out")"
is "stderr" "$clean" "$(head -n 1 "$T/err")"
printf '#!/bin/sh\nprintf "%s" >&2; exit 126\n' "$hostile" >"$T/exec.new" && chmod +x "$T/exec.new" && mv "$T/exec.new" "$T/exec"
plugin --in-pod --doctor "$DOCTOR" h-kim-0
is "it lets nothing run" "2 0" "$rc $(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]' "$T/err")"
mv "$T/exec.old" "$T/exec"

# ---- it is interrupted ----
printf '#!/bin/sh\n: >%s/began; until [ -e %s/end ]; do sleep 0.1; done\n' "$T" "$T" >"$T/image"
interrupted=
for signal in HUP INT TERM; do
	row "SIG$signal: status 2, and the debugging pod is deleted"
	rm -f "$T/requests" "$T/began" "$T/end"
	# A shell starts what runs in the background with INT ignored, nohup(1) ignores HUP, and a shell cannot take that back.
	PATH=$T/bin:$PATH launch interrupted "$T/out" "$PYTHON" -IS -c 'import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execvp("kubectl-rdma_doctor", ["kubectl-rdma_doctor", "h-kim-0", "-n", "team-a"])'
	within test -e "$T/began"
	kill -s "$signal" "$interrupted"
	wait "$interrupted"
	is "status, request" "2 delete node-debugger-n1" "$? $(grep -o 'delete node-debugger-n1' "$T/requests")"
	: >"$T/end"
done
printf '#!/bin/sh\necho "$*"; exit "$(cat %s/status)"\n' "$T" >"$T/image"

# refused PART ARGUMENT…: status 2, and why
refused() {
	local part=$1
	shift
	plugin "$@"
	is "$*: status" 2 "$rc"
	has "$*: why" "$part" "$(<"$T/err")"
	check "$*: nothing is made" test ! -e "$T/requests"
}
row "what is refused: the reason, and nothing is made"
refused "not found" nowhere
refused "is not on a node yet" pending
refused "does not exist or has not started yet" starting
refused "does not exist or has not started yet" h-kim-0 -c other
refused "unknown option" --nonsense
refused "name only one pod" a b
refused "name a pod"
refused "needs a value" h-kim-0 -n
refused "context was not found" --context nowhere h-kim-0
plugin --help
is "--help" 0 "$rc"

# ---- in the pod ----
plugin --in-pod --doctor "$DOCTOR" h-kim-0 -- --format json
row "in the pod: the doctor runs in the first container, from a file of its own, which is gone then"
check "status" test "$rc" -le 1
is "its options" 1 "$(jq .schema "$T/out")"
is "its status" "$((0$(jq .summary.fail "$T/out") > 0))" "$rc"
is "the container" trainer "$(awk '/^exec/ { print $2 }' "$T/requests" | sort -u)"
copy=$(awk '/^exec/ && /rm -f/ { print $NF }' "$T/requests")
has "the file" /oci-rdma-doctor. "$copy"
check "it is gone" test ! -e "$copy"
printf '#!/bin/sh\nshift; case $1 in */oci-rdma-doctor.*) echo "not found" >&2; exit 127 ;; esac; exec "$@"\n' >"$T/exec.new" && chmod +x "$T/exec.new" && mv "$T/exec.new" "$T/exec"
plugin --in-pod --doctor "$DOCTOR" h-kim-0
row "in a pod with another C library: what it wants, and its file is gone"
is "status" 2 "$rc"
has "what it wants" "needs glibc 2.34 or newer" "$(<"$T/err")"
check "it is gone" test ! -e "$(awk '/^exec/ && /rm -f/ { print $NF }' "$T/requests")"
printf '#!/bin/sh\necho "no sh" >&2; exit 126\n' >"$T/exec.new" && chmod +x "$T/exec.new" && mv "$T/exec.new" "$T/exec"
plugin --in-pod --doctor "$DOCTOR" h-kim-0
row "in a pod without a shell: why"
is "status" 2 "$rc"
has "why" "its image lacks sh, cat, chmod or rm" "$(<"$T/err")"

# ---- the pods of a job ----
rm "$T/pods"/*
for i in 0 1 2 3 4; do
	jq -n --arg i "$i" '{kind: "Pod", apiVersion: "v1", metadata: {name: "trainer-\($i)", namespace: "team-a", labels: {"batch.kubernetes.io/job-name": "train", rank: $i}},
		spec: {nodeName: "n\($i)", containers: [{name: "main-\($i)"}]}, status: {phase: "Running", containerStatuses: [{name: "main-\($i)", containerID: "cri-o://\($i)"}]}}' >"$T/pods/trainer-$i.json"
done
printf '#!/bin/sh\nshift; exec "$@"\n' >"$T/exec"
copies() { (shopt -s nullglob && echo /tmp/oci-rdma-doctor.*); }
before=$(copies)
plugin job job/train -n team-a --doctor "$DOCTOR" --reports "$T/reports"
row "job: the doctor runs in each pod of it, and what they differ in is one table"
is "status, errors" "1 " "$((rc > 1 ? rc : 1)) $(<"$T/err")"
is "reports of the doctor, by pod and node" "trainer-0@n0.json 1 trainer-1@n1.json 1 trainer-2@n2.json 1 trainer-3@n3.json 1 trainer-4@n4.json 1" \
	"$(cd "$T/reports" && for f in *; do echo "$f $(jq .schema "$f")"; done | xargs)"
is "rows" 5 "$(grep -c '^trainer-. *n' "$T/out")"
is "nothing is left in the pods" "$before" "$(copies)"
if may_mount; then
	# in_pod MOUNTS: a container with a read-only root, whose /dev/shm is as engines mount it
	in_pod() {
		printf '#!/bin/sh\nshift; exec unshare --mount sh -c '"'%s; exec \"\$@\"'"' sh "$@"\n' "mount -t tmpfs -o ro t /tmp; mount -t tmpfs -o noexec t /dev/shm; HOME=/proc; $1" >"$T/exec"
		plugin job -l rank=1 -n team-a --doctor "$DOCTOR" --format json --reports "$T/odd"
	}
	row "job: a program runs where it may; where it may not, it is said what does"
	in_pod ":"
	is "in /var/tmp" 1 "$(jq .schema "$T/odd/trainer-1@n1.json")"
	in_pod "mount -t tmpfs -o noexec t /var/tmp"
	has "nowhere" "(read-only, or noexec): use --on-node" "$(<"$T/odd/trainer-1@n1.json")"
else
	pass "job: a program runs where it may # skip it needs root, and mounts of its own"
fi
jq '.findings = [{id: "memlock", subject: "", status: "ok", evidence: "unlimited", values: {soft: "unlimited"}}]' "$T/reports/trainer-0@n0.json" >"$T/well"
jq '.findings[0] |= (.status = "fail" | .evidence = "soft 8 MiB" | .values.soft = "8388608")' "$T/well" >"$T/low"
printf '#!/bin/sh\ncat >/dev/null\ncase $1 in main-2) cat %s/low ;; main-3) echo "sh: not found" >&2; exit 126 ;; main-4) exec sleep "$(cat %s/seconds)" ;; *) cat %s/well ;; esac\n' "$T" "$T" "$T" >"$T/exec"
echo 0 >"$T/seconds"
plugin job -l batch.kubernetes.io/job-name=train -n team-a --doctor "$DOCTOR" --parallel 2
row "job: one differs, one has no shell, one says nothing: each is a row"
is "status" "1 " "$rc $(<"$T/err")"
has "who has no shell, or does not answer" "trainer-3 on n3: report missing
    sh: not found
trainer-4 on n4: report missing
    no answer" "$(<"$T/out")"
has "who differs" "trainer-2 on n2: limit 8 MiB; 2 others: unlimited
    soft 8 MiB" "$(<"$T/out")"
plugin job -l rank=1 -n team-a --doctor "$DOCTOR" --format json
is "JSON, of the pods with these labels" "0 trainer-1 n1 unlimited" "$rc $(jq -r '.pods[] | "\(.pod) \(.node) \(.limit)"' "$T/out")"
printf '#!/bin/sh\ncat %s/low\n' "$T" >"$T/image"
plugin job -l rank=1 -n team-a --doctor "$DOCTOR" --on-node
row "job --on-node: by the nodes' pods"
is "status" "1 all" "$rc $(grep -o 'limit 8 MiB\|^trainer-1 on n1: memlock fail' "$T/out" | head -n 1 | sed 's/.*/all/')"
has "the container's id is asked for" "node-doctor" "$(sed -n 's/^create oci-rdma-doctor //p' "$T/requests")"
jq '.metadata.name = "trainer-5" | .metadata.labels.rank = "5" | .status = {phase: "Pending"} | del(.spec.nodeName)' "$T/pods/trainer-1.json" >"$T/pods/trainer-5.json"
printf '#!/bin/sh\ncat >/dev/null\nexec yes\n' >"$T/exec"
plugin job -l batch.kubernetes.io/job-name=train,rank=5 -n team-a --doctor "$DOCTOR"
row "job: a pod that waits, and one that prints without an end, are rows"
is "one that waits" "2 trainer-5: report missing the pod is Pending; run: kubectl describe pod trainer-5" \
	"$rc $(grep -A 1 '^trainer-5:' "$T/out" | xargs)"
plugin job -l rank=1 -n team-a --doctor "$DOCTOR"
is "one without an end" "2 trainer-1 on n1: report missing its report is longer than 1 MiB" "$rc $(grep -A 1 '^trainer-1 on' "$T/out" | xargs)"
printf '#!/bin/sh\ncat >/dev/null\nexec sleep "$(cat %s/seconds)"\n' "$T" >"$T/exec"
echo "$PATIENCE" >"$T/seconds"
plugin job -l rank=4 -n team-a --doctor "$DOCTOR" --timeout 1
row "job: a pod that hangs has its time, and no more"
is "status" "2 no answer in 1 s" "$rc $(grep -o 'no answer in 1 s' "$T/out" | head -n 1)"
row "job: 512 pods, one of which differs"
# By a kubectl that costs nothing: the real one takes a minute of a processor for so many
mkdir "$T/many"
printf '#!/bin/sh\ncase "$*" in
*"get pods"*) i=0; while [ $i -lt 512 ]; do echo "many-$i main-$i Running many-$i@n$i ip=10.0.0.$i"; i=$((i + 1)); done ;;
*" main-411 "*) exec cat %s/low ;;
*) exec cat %s/well ;;
esac\n' "$T" "$T" >"$T/many/kubectl" && chmod +x "$T/many/kubectl"
PATH=$T/many:$PATH timeout "$PATIENCE" install/kubectl/kubectl-rdma_doctor-job -l app=many --doctor "$DOCTOR" --timeout "$PATIENCE" >"$T/out" 2>"$T/err" </dev/null
rc=$?
is "a row each" "1 512 " "$rc $(grep -c '^many-[0-9]*  *n[0-9]' "$T/out") $(<"$T/err")"
has "the one" "many-411 on n411: limit 8 MiB; 511 others: unlimited" "$(<"$T/out")"
is "no other" 1 "$(grep -c '^many-[0-9]* on ' "$T/out")"
PATH=$T/many:$PATH install/kubectl/kubectl-rdma_doctor-job -l app=many --doctor "$DOCTOR" --pairs=all --yes >"$T/out" 2>&1 </dev/null
is "not each with all others" 2 $?
has "why" "at most 100 pods" "$(<"$T/out")"
# trainer-2 reaches nobody by mlx5_1, and what listens in trainer-0 has no report
jq '.findings = [{id: "verbs_remote", subject: "mlx5_0 -> 10.0.0.1 mlx5_0", status: "ok", evidence: "fast", values: {gbps: "390.5"}},
	{id: "verbs_remote", subject: "mlx5_1 -> 10.0.0.1 mlx5_1", status: "ok", evidence: "fast", values: {gbps: "390.5"}}]' "$T/well" >"$T/pair"
jq '.findings[1] |= (.status = "fail" | .evidence = "transport retry counter exceeded")' "$T/pair" >"$T/pair-failed"
mkdir "$T/few"
printf '#!/bin/sh\ncase "$*" in
*"get pods"*) for i in 0 1 2 3; do echo "trainer-$i main-$i Running trainer-$i@n$i ip=10.0.0.$i"; done; exit ;;
*" --listen "*) echo "oci-rdma-doctor: listening on TCP port" >&2 ;;
*" --connect "*) echo "$*" | sed "s/.* exec -i .trainer-.*--connect/--connect/" >>%s/connects ;;
esac
case "$*" in
*" trainer-0 "*" --listen "*) exit 1 ;;
*" trainer-2 "*" --connect "*) exec cat %s/pair-failed ;;
*) exec cat %s/pair ;;
esac\n' "$T" "$T" "$T" >"$T/few/kubectl" && chmod +x "$T/few/kubectl"
pairs() {
	: >"$T/connects"
	PATH=$T/few:$PATH timeout "$PATIENCE" install/kubectl/kubectl-rdma_doctor-job -l app=few --doctor "$DOCTOR" --timeout "$PATIENCE" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}
pairs --pairs=all --yes
row "job --pairs=all: each two transfer data, and who fails is named with what both ends say"
is "status, errors" "1 " "$rc $(<"$T/err")"
is "transfers, with an address and a port each" 6 "$(grep -c -- '--connect 10.0.0.[0-3] --port 185' "$T/connects")"
has "the matrix, in the order of the pods" "mlx5_1: Gb/s from row to column, median 390.5" "$(<"$T/out")"
is "its rows" "0 trainer-0 1 trainer-1 2 trainer-2 3 trainer-3" "$(sed -n '3,6s/^ *\([0-9] trainer-[0-9]\).*/\1/p' "$T/out" | xargs)"
has "a failed one" "mlx5_1: failed
    transport retry counter exceeded" "$(<"$T/out")"
has "one without a report" ", no device: failed
    no answer (status 1)" "$(<"$T/out")"
mkdir "$T/kept" && cp "$T/pair" "$T/kept/trainer-0@trainer-2.json" && cp "$T/pair" "$T/kept/trainer-2@trainer-0.json"
pairs --pairs --yes --format json --reports "$T/kept"
row "job --pairs: a ring, as JSON; --reports keeps the reports, and compares none of an earlier run"
is "status, transfers of two ends" "1 4" "$rc $(jq '[.transfers[] | [.from, .to] | sort] | unique | length' "$T/out")"
is "kept" 10 "$(find "$T/kept" -name '*@*.json' | wc -l)"
pairs --pairs
row "job --pairs: nothing begins without --yes"
is "status, transfers" "2 0" "$rc $(wc -l <"$T/connects")"
has "why" "say --yes" "$(<"$T/err")"
row "job: what is refused"
refused "leave out --on-node" job job/x --pairs --on-node --doctor "$DOCTOR"
mkdir "$T/owners"
for kind in statefulsets:StatefulSet deployments:Deployment; do
	echo '{"kind": "'${kind#*:}'", "apiVersion": "apps/v1", "metadata": {"name": "x"}, "spec": {"selector": {"matchLabels": {"app": "x", "tier": "y"}}}}' >"$T/owners/${kind%:*}-x.json"
done
echo '{"kind": "RayJob", "apiVersion": "ray.io/v1", "metadata": {"name": "x"}, "status": {"rayClusterName": "x-k2p7"}}' >"$T/owners/rayjobs-x.json"
for kind in statefulset sts deployment; do refused "no pod with the labels app=x,tier=y runs" job $kind/x --doctor "$DOCTOR"; done
refused "no pod with the labels ray.io/cluster=x-k2p7 runs" job rayjob/x --doctor "$DOCTOR"
refused "statefulsets/y not found" job statefulset/y --doctor "$DOCTOR"
refused "no pod with the labels batch.kubernetes.io/job-name=other runs in namespace team-a" job job/other -n team-a --doctor "$DOCTOR"
while read -r kind label; do refused "no pod with the labels $label=x runs" job "$kind/x" --doctor "$DOCTOR"; done <<'END'
jobset jobset.sigs.k8s.io/jobset-name
trainjob jobset.sigs.k8s.io/jobset-name
leaderworkerset leaderworkerset.sigs.k8s.io/name
pytorchjob training.kubeflow.org/job-name
mpijob training.kubeflow.org/job-name
raycluster ray.io/cluster
END
refused "name its pods with -l LABELS" job cronjob/x --doctor "$DOCTOR"
refused "such as job/train" job train --doctor "$DOCTOR"
refused "name the pods" job
refused "are numbers" job job/x --parallel many
refused "there is no /nowhere on this machine" job job/x --doctor /nowhere
finish
