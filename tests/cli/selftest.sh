#!/bin/bash
# kubectl rdma-doctor selftest, with the real kubectl before a server that runs each pod's command in the doctor's image: what it creates, prints and
# leaves; and what a pod says of what it finds. Containers with real devices are in tests/vm/jobs/node/daemonset.
# builds: tests/kubectl/.unpacked
# shellcheck disable=SC2016,SC2317 # jq's dollars; functions that check calls
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
built DOCTOR "${DOCTOR:-${BUILD:-build}/oci-rdma-doctor}"
built KUBECTL "${BUILD:-build}/tests/kubectl/usr/bin/kubectl"
mkdir "$T/bin" "$T/pods"
ln -s "$KUBECTL" "$T/bin/kubectl"
ln -s "$(realpath install/kubectl/kubectl-rdma_doctor)" "$(realpath install/kubectl/kubectl-rdma_doctor-selftest)" "$T/bin/"
api_server "$PYTHON" -IS tests/cli/tools/apiserver.py "$T"
# A pod's command: PASS, but where $T/broken names its promise
printf '#!/bin/sh\nif grep -qsx "$2" %s/broken; then echo "FAIL: $2 is broken"; exit 1; fi; echo "PASS: $*"\n' "$T" >"$T/image"
chmod +x "$T/image"

selftest() {
	rm -f "$T/requests"
	PATH=$T/bin:$PATH timeout "$PATIENCE" kubectl rdma-doctor selftest "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
}
# pods JQ-FILTER: of each pod's spec that was created
pods() { sed -n 's/^create oci-rdma-selftest[a-z-]* //p' "$T/requests" | jq -r "$1"; }

promises="client denied exec hca host-users init main no-device plain register server"
row "each promise has a pod, PASS and what it says; nothing is left"
selftest config/selftest --resource openshift.io/rail1 --image example.com/doctor:1 --network rail-1 --node node-7
is "status, stderr" "0 " "$rc $(<"$T/err")"
is "a line for each" "$promises" "$(sed -n 's/^\([a-z-]*\) *PASS: .*/\1/p' "$T/out" | sort | xargs)"
is "the image" "example.com/doctor:1" "$(pods '.containers[].image, .initContainers[]?.image' | sort -u)"
is "the node of all" "node-7" "$(pods '.nodeSelector["kubernetes.io/hostname"]' | sort -u)"
is "ten pods ask for the resource: all but the one that must get nothing" 10 "$(pods 'select(.containers[].resources.limits["openshift.io/rail1"] == "1") | 1' | wc -l)"
is "what is made is deleted, with the namespaces" "$(sed -n 's/^create Namespace //p' "$T/requests" | sort)" \
	"$(sed -n 's/^delete \(oci-rdma-selftest.*\)/\1/p' "$T/requests" | sort)"
is "pods" "" "$(ls "$T/pods")"

row "a broken promise: FAIL; what pods of other namespaces say does not count, and a pod's words write to no terminal"
printf '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"main","namespace":"a"},"spec":{"containers":[]},"status":{"phase":"Succeeded","containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":0,"message":"PASS: forged"}}}]}}' >"$T/pods/a.json"
printf '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"hca","namespace":"a"},"spec":{"containers":[]},"status":{"phase":"Pending"}}' >"$T/pods/b.json"
echo main >"$T/broken"
sed -i 's/is broken/is\\033[2J broken/' "$T/image"
selftest config/selftest --timeout 600
is "status" 1 "$rc"
is "its line" "main        FAIL: main is?[2J broken" "$(grep '^main' "$T/out" | sed 's/[ ?]*$//')"
is "the pending one of another namespace is not waited for" 10 "$(grep -c PASS "$T/out")"
sed -i 's/is.033.2J broken/is broken/' "$T/image"
is "its own pods are deleted" "a.json b.json" "$(cd "$T/pods" && echo *)"
rm "$T/broken" "$T/pods/a.json" "$T/pods/b.json"

row "the admission policy keeps its promise by refusing the pod; another refusal is a FAIL with its words"
echo "pods \"denied\" is forbidden: annotation oci-rdma-hook.io/inject: namespace oci-rdma-selftest-denied has no label oci-rdma-hook.io/allowed=true" >"$T/refused"
selftest config/selftest
is "status" 0 "$rc"
is "denied" "denied      PASS: the admission policy refuses the pod" "$(grep denied "$T/out")"
echo "pods \"denied\" is forbidden in oci-rdma-selftest-denied: exceeded quota" >"$T/refused"
selftest config/selftest
is "status" 1 "$rc"
has "denied" "quota" "$(grep '^denied *FAIL' "$T/out")"
rm "$T/refused"

row "a broken cluster, by whole sentences: no image, no such resource, a taint, both, an engine that hangs"
while IFS='|' read -r image want; do
	selftest config/selftest --image "$image" --timeout 1
	is "$image: status" 1 "$rc"
	is "$image: each" "11 FAIL: $want" "$(wc -l <"$T/out") $(sed 's/^[a-z-]* *//; s/ *$//' "$T/out" | sort -u)"
	is "$image: pods" "" "$(ls "$T/pods")"
done <<-'EOT'
	missing|no such image
	lacking|0/3 nodes are available: 3 Insufficient rdma/hca. Is that your device plugin's resource (--resource)? kubectl describe node NODE lists what is allocatable.
	tainted|0/3 nodes are available: 3 node(s) had untolerated taint(s). Run again with --toleration KEY of the taint, which kubectl describe node NODE lists
	lacking-tainted|0/3 nodes are available: 1 Insufficient rdma/hca, 2 node(s) had untolerated taint {nvidia.com/gpu: true}. Is that your device plugin's resource (--resource)? kubectl describe node NODE lists what is allocatable. Run again with --toleration KEY of the taint, which kubectl describe node NODE lists
	hangs|the pod is Running, and has said nothing in 1 s
EOT
row "a pod whose image is still pulled, or that the kubelet has not begun with, is no FAIL: what it waits for"
for image in pulling assigned; do
	selftest config/selftest --image $image --timeout 1
	is "$image: status" 1 "$rc"
	is "$image: each" 11 "$(grep -c 'WAIT: still starting since 1 s: Pulling image "pulling": run again with a larger --timeout *$' "$T/out")"
done

row "a taint that is named is tolerated by all"
selftest config/selftest --toleration nvidia.com/gpu --node node-7
is "tolerations" '[{"key":"nvidia.com/gpu","operator":"Exists"}] node-7' "$(pods '(.tolerations | tojson) + " " + .nodeSelector["kubernetes.io/hostname"]' | sort -u)"

row "a namespace that is served without its label: whether the admission policy is there"
echo denied >"$T/broken"
selftest config/selftest
is "none is there" "denied      FAIL: denied is broken. The cluster has no admission policy: kubectl apply -k config/admission" "$(grep '^denied' "$T/out" | sed 's/ *$//; s/broken *\./broken./')"
: >"$T/policy"
selftest config/selftest
is "one is there" "denied      FAIL: denied is broken" "$(grep '^denied' "$T/out" | sed 's/ *$//')"
rm "$T/broken" "$T/policy"

row "a broken cluster: an engine that starts no container is quoted"
cp "$T/image" "$T/image.good"
printf '#!/bin/sh\necho "OCI runtime create failed: setrlimit"; exit 128\n' >"$T/image"
selftest config/selftest
is "each" 11 "$(grep -c 'FAIL: OCI runtime create failed: setrlimit *$' "$T/out")"
mv "$T/image.good" "$T/image"

row "OpenShift: restricted-v2 chooses the user; host-users has one that its 65,536 ids hold, or is skipped where no SCC admits that"
scc='pods "host-users" is forbidden: unable to validate against any security context constraint: [provider "restricted-v2": .containers[0].runAsUser: Invalid value: 1000: must be in the ranges: [1000660000, 1000669999]]'
selftest config/openshift/selftest
is "status, users" "0 host-users 1000" "$rc $(pods '(if .hostUsers == false then "host-users" else "other" end) + " \(.securityContext.runAsUser)"' | sort -u | grep -v '^other null$')"
echo "$scc" >"$T/refused"
echo restricted-v2 >"$T/sccs"
selftest config/openshift/selftest
is "4.19: status" 0 "$rc"
has "4.19: why" "SKIP: this cluster has no SCC restricted-v3" "$(grep '^host-users' "$T/out")"
echo restricted-v3 >>"$T/sccs"
selftest config/openshift/selftest
has "4.20: refused, though there is an SCC for it" "unable to validate" "$(grep '^host-users *FAIL' "$T/out")"
is "4.20: status" 1 "$rc"
rm "$T/refused" "$T/sccs"

row "what is refused: why, and nothing is made"
for arguments in "" "a b" "--nonsense" "config/selftest --image" "$T/nowhere"; do
	# shellcheck disable=SC2086 # words
	selftest $arguments
	is "'$arguments': status" 2 "$rc"
	check "'$arguments': nothing is made" test ! -e "$T/requests"
done
selftest --help
is "--help" 0 "$rc"

# ---- what a pod says ----

# says NUMBERS HCA PROMISE WANT: status and words of the pod's program where 64 KiB can be locked, with the device files of these numbers, the recorded
# node's /sys, this NCCL_IB_HCA, and the programs of $STAND_INS before others
says() {
	# shellcheck disable=SC2016 # the inner shell's
	env ${2:+"NCCL_IB_HCA=$2"} NODE=node-7 MESSAGE="$T/message" PROBED="$T/probed" timeout "$PATIENCE" unshare --mount bash -c '
		mount --bind "$0" /sys && mount -t tmpfs none /dev && mkdir /dev/infiniband && mknod /dev/null c 1 3 || exit
		for number in $1; do mknod "/dev/infiniband/uverbs$number" c 231 "$((192 + number))" || exit; done
		PATH=$3$PATH exec prlimit --memlock=65536:65536 install/kubernetes/doctor/selftest $2' "$NODE/sys" "$1" "$3" "${STAND_INS-}" >"$T/out" 2>&1
	rc=$?
	is "$3 with devices '$1', NCCL_IB_HCA '$2'" "$4" "$rc $(<"$T/message")"
}
row "what a pod says of what it finds"
node h100
if ! unshare --mount bash -c 'mount -t tmpfs none /dev && mknod /dev/null c 1 3' 2>/dev/null; then
	pass "what a pod says # skip: no device file can be made here"
	finish
fi
me="user $(id -u)"
logs=": on node node-7 look at journalctl -t oci-rdma-hook -t oci-rdma-nri, or at the logs of both DaemonSets: kubectl -n oci-rdma-nri logs -l app=oci-rdma-nri -c plugin --prefix --tail=-1; without a line nothing is installed there"
says "" "" plain "0 PASS: the pod has no annotation: it can lock 64 KiB, and has no NCCL_IB_HCA"
says 6 mlx5_6 plain "1 FAIL: the pod has no annotation, and yet it has NCCL_IB_HCA=mlx5_6"
says "" "" no-device "0 PASS: the pod has the annotation, but no device: it can lock 64 KiB, and has no NCCL_IB_HCA"
says 6 =mlx5_6 init "1 FAIL: $me can lock only 64 KiB$logs"
says "6 10" =mlx5_6:1,mlx5_10 hca "0 PASS: NCCL_IB_HCA==mlx5_6:1,mlx5_10, the pod's own devices"
says "6 10" =mlx5_6 hca "1 FAIL: NCCL_IB_HCA is '=mlx5_6', but the pod has mlx5_10,mlx5_6"
says 6 "" nonsense "1 FAIL: there is no promise nonsense"

row "a broken cluster, by whole sentences: no device, no driver, no plugin or an old kubelet on the node, the hook alone, a policy for all"
says "" "" main "1 FAIL: the pod got no RDMA device: is the resource in config/selftest/pods.yaml the one of your device plugin?"
says "10 31" "" main "1 FAIL: the pod has a device file in /dev/infiniband, but no /sys/dev/char/231:223/ibdev: its driver is not loaded on node node-7, or /sys is not the node's"
says 6 "" main "1 FAIL: $me can lock only 64 KiB, and NCCL_IB_HCA is not set$logs"
says 6 "" host-users "1 FAIL: hostUsers: false gave no user namespace (uid_map: $(xargs </proc/self/uid_map)): Kubernetes 1.33 has it by default"
export NEEDED=64
echo 63 >"$T/probed"
says 6 "" exec "1 FAIL: the main process can lock 64 KiB, but what a probe or kubectl exec starts only 63 KiB: the hook alone does not reach exec, the NRI plugin and the shim do"
for promise in "plain:the pod has no annotation" "denied:the namespace has no label oci-rdma-hook.io/allowed=true"; do
	says 6 "" "${promise%%:*}" "1 FAIL: ${promise#*:}, and yet it can lock 64 KiB: the policy serves it (\"opt_in\", \"namespaces\"), or the engine gives every container that much"
done
unset NEEDED

row "two pods that do not find each other: each says so, by the clock, before its deadline ends it"
STAND_INS=$T/stand-ins:
mkdir "$T/stand-ins"
cat >"$T/stand-ins/oci-rdma-doctor" <<-EOT
	#!/bin/sh
	echo >>$T/attempts
	printf '%s\n' '"id": "verbs_remote",' '"status": "fail",' '"evidence": "server: no such name",'
	exit 1
EOT
printf '#!/bin/sh\nnow=$(($(cat %s) + 45))\necho $now >%s\necho $now\n' "$T/clock" "$T/clock" >"$T/stand-ins/date"
printf '#!/bin/sh\n' >"$T/stand-ins/sleep"
printf '#!/bin/sh\nexit 124\n' >"$T/stand-ins/timeout"
chmod +x "$T"/stand-ins/*
echo 0 >"$T/clock"
export REPORT=$T/report
for promise in "client server" server; do
	says 6 "" "$promise" "1 FAIL: $me can lock only 64 KiB, and NCCL_IB_HCA is not set$logs"
done
check "without a grant nothing is tried" test ! -e "$T/attempts"
export NEEDED=64
says 6 "" "client server" "1 FAIL: fail server: no such name"
is "attempts of 45 s each" 3 "$(wc -l <"$T/attempts")"
says 6 "" server "1 FAIL: no client came in 240 s: see what the pod client says"
finish
