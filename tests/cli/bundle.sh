#!/bin/bash
# A container by its id, wherever its engine keeps it: for the dry run and for the doctor, which look with the same eyes.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash
. tests/cli/doctor.bash
. tests/cli/completion.bash
by_case
node one
defaults
DOCKER=$(printf 'd0c8e5%058d' 1)
rdma='"devices":[["/dev/infiniband/uverbs6",231,198]]'

# keep DIR PIDFILE ENGINE: a bundle of $ID in the node's DIR, and its process in PIDFILE
keep() {
	bundle "{\"engine\":\"$3\",$rdma,\"annotations\":{\"oci-rdma-hook.io/inject\":\"true\"}}"
	mkdir -p "$NODE/$1" "$NODE/$(dirname "$2")"
	cp "$B/config.json" "$NODE/$1/"
	printf 4711 >"$NODE/$2"
}

# by_id ID: the dry run of it
by_id() {
	timeout "$PATIENCE" "$HOOK" --sysroot "$NODE" --dry-run --format json "$1" >"$T/out" 2>"$T/err"
	rc=$?
}

process 4711
TASKS=io.containerd.runtime.v2.task
STORAGE=containers/storage/overlay-containers
# engine | where its bundles lie | where the process stands | who writes the annotations
PLACES="containerd|run/containerd/$TASKS/k8s.io/%s|run/containerd/$TASKS/k8s.io/%s/init.pid|containerd
a namespace of containerd|run/containerd/$TASKS/other/%s|run/containerd/$TASKS/other/%s/init.pid|containerd
Docker|run/containerd/$TASKS/moby/%s|run/containerd/$TASKS/moby/%s/init.pid|podman
Docker's own containerd|run/docker/containerd/daemon/$TASKS/moby/%s|run/docker/containerd/daemon/$TASKS/moby/%s/init.pid|podman
k3s|run/k3s/containerd/$TASKS/k8s.io/%s|run/k3s/containerd/$TASKS/k8s.io/%s/init.pid|containerd
CRI-O|run/$STORAGE/%s/userdata|run/$STORAGE/%s/userdata/pidfile|podman
podman|var/lib/$STORAGE/%s/userdata|run/$STORAGE/%s/userdata/pidfile|podman"
while IFS='|' read -r name dir pidfile writer; do
	rm -rf "${NODE:?}/run" "${NODE:?}/var"
	# shellcheck disable=SC2059 # the places are formats
	keep "$(printf "$dir" "$ID")" "$(printf "$pidfile" "$ID")" "$writer"
	for id in "$ID" "${ID:0:12}"; do
		by_id "$id"
		that "$name: the dry run of ${id:0:12}… is that of its bundle" '"\(.container.id) \(.devices[0].ibdev)"' "$ID mlx5_6"
		doctor --format json --container "$id"
		is "$name: the doctor takes ${id:0:12}…" "$ID 4711" "$(jq -r '.target | "\(.container) \(.pid)"' "$T/out")"
	done
	is "$name: a bash completes it for the doctor" "$ID" "$(completed oci-rdma-doctor --sysroot "$NODE" --container "${ID:0:4}")"
	is "$name: and for the dry run" "$ID" "$(completed oci-rdma-hook --sysroot "$NODE" --dry-run "${ID:0:4}")"
done <<<"$PLACES"
is "every engine has been tried" 7 "$(wc -l <<<"$PLACES")"

# Runtimes tell of the bundle, wherever that is
rm -rf "${NODE:?}/run" "${NODE:?}/var"
keep data/bundle data/pid podman
while read -r dir state; do
	rm -rf "${NODE:?}/run"
	write "$dir/$ID/${state%% *}" "${state#* }"
	by_id "${ID:0:12}"
	that "/$dir: the bundle" '"\(.container.id) \(.devices[0].ibdev)"' "$ID mlx5_6"
done <<-EOT
	run/runc state.json {"init_process_pid":4711,"config":{"labels":["bundle=/data/bundle"]}}
	run/user/1000/runc state.json {"init_process_pid":4711,"config":{"labels":["bundle=/data/bundle"]}}
	run/user/1000/crun status {"pid":4711,"bundle":"/data/bundle"}
	run/crun status {"pid":4711,"bundle":"/data/bundle"}
EOT
write "run/runc/$ID/state.json" '{"init_process_pid":4712,"config":{}}'
doctor --format json --container "$ID"
is "of two runtimes' states the first holds" 4711 "$(jq .target.pid "$T/out")"
for dir in run/crun run/runc run/user/1000/crun run/user/1000/runc; do
	rm -rf "${NODE:?}/run"
	mkdir -p "$NODE/$dir/$ID"
	is "/$dir: a bash completes it" "$ID $ID" \
		"$(completed oci-rdma-doctor --sysroot "$NODE" --container "${ID:0:4}") $(completed oci-rdma-hook --sysroot "$NODE" --dry-run "${ID:0:4}")"
done

# ---- which one is meant ----
TASK=run/containerd/$TASKS
rm -rf "${NODE:?}/run" "$NODE/data"
keep "$TASK/k8s.io/$ID" "$TASK/k8s.io/$ID/init.pid" containerd
keep "$TASK/moby/$DOCKER" "$TASK/moby/$DOCKER/init.pid" podman
keep "$TASK/moby/${DOCKER:0:6}f" "$TASK/moby/${DOCKER:0:6}f/init.pid" podman
by_id "${DOCKER:0:6}"
one_line "a beginning of two: both are named" "$DOCKER"
has "a beginning of two: the other one too" "${DOCKER:0:6}f" "$(<"$T/err")"
is "a beginning of two: status" 1 "$rc"
doctor --container "${DOCKER:0:6}"
has "a beginning of two: the doctor names them, too" "is the beginning of two ids, $DOCKER" "$(<"$T/err")"
by_id "${DOCKER:0:6}f"
that "an id in full is found" .container.id "${DOCKER:0:6}f"
keep "$TASK/moby/web1" "$TASK/moby/web1/init.pid" podman
keep "$TASK/moby/web12" "$TASK/moby/web12/init.pid" podman
by_id web1
that "an id in full is no beginning of another" .container.id web1
keep "var/lib/$STORAGE/web/userdata" "run/$STORAGE/web/userdata/pidfile" podman
by_id web
that "nor of another engine's" .container.id web
keep "$TASK/moby/site1" "$TASK/moby/site1/init.pid" podman
keep "$TASK/moby/site2" "$TASK/moby/site2/init.pid" podman
keep "run/k3s/containerd/$TASKS/k8s.io/site" "run/k3s/containerd/$TASKS/k8s.io/site/init.pid" containerd
echo '{' >"$NODE/$TASK/moby/site1/config.json"
by_id site
that "nor where two that begin so are found before it: nothing of theirs is left" '"\(.container.id) \(.devices[0].ibdev)"' "site mlx5_6"
keep "$TASK/other/$DOCKER" "$TASK/other/$DOCKER/init.pid" podman
by_id "$DOCKER"
has "the same id in two namespaces: both directories" "/$TASK/moby/$DOCKER and in /$TASK/other/$DOCKER" "$(<"$T/err")"
by_id 0123456789
one_line "no such container" "0123456789"
mkdir -p "$NODE/run/crun/0123456789"
by_id 0123456789
one_line "nor where its directory is empty" "no container '0123456789'"
for id in '' '*' "$(printf 'a\nb')"; do
	by_id "$id"
	is "no id: $(printf %q "$id")" 1 "$rc"
done
mkdir "$T/here" && cp "$B/config.json" "$T/here/"
is "a directory of that name is a bundle" null "$(cd "$T" && "$HOOK" --sysroot "$NODE" --dry-run --format json here | jq .container.id)"

# ---- whose word it is ----
if [ "$(id -u)" -eq 0 ]; then
	chown 1000 "$NODE/$TASK/k8s.io/$ID"
	by_id "$ID"
	has "a bundle in another user's directory is not believed" "belongs to uid 1000" "$(<"$T/err")"
	doctor --container "$ID"
	has "nor by the doctor" "belongs to uid 1000" "$(<"$T/err")"
	chown 0 "$NODE/$TASK/k8s.io/$ID"
	chown 1000 "$NODE/$TASK/k8s.io/$ID/config.json"
	by_id "$ID"
	has "nor a config.json of another user's" "/config.json is not trusted" "$(<"$T/err")"
	chown 0 "$NODE/$TASK/k8s.io/$ID/config.json"
	chown 1000 "$NODE/$TASK/k8s.io/$ID/init.pid"
	doctor --format json --container "$ID"
	is "nor a pid that another user wrote" null "$(jq .target.pid "$T/out")"
	chown 0 "$NODE/$TASK/k8s.io/$ID/init.pid"
	chmod 777 "$NODE/$TASK/k8s.io"
	by_id "$ID"
	has "nor one that everybody can swap" "users other than root can write" "$(<"$T/err")"
	chmod 755 "$NODE/$TASK/k8s.io"
	mkdir -p "$NODE/run/user/1000/crun/${ID:0:12}f"
	write "run/user/1000/crun/${ID:0:12}f/status" '{"pid":1,"bundle":"/"}'
	chown -R 1000 "$NODE/run/user/1000"
	by_id "${ID:0:12}"
	that "a user cannot make an id ambiguous" .container.id "$ID"
	mkdir -p "$NODE/run/crun"
	ln -s ../user/1000/crun/"${ID:0:12}f" "$NODE/run/crun/"
	by_id "${ID:0:12}"
	that "nor by root's link" .container.id "$ID"
	write "run/runc/feed/state.json" '{"init_process_pid":4711,"config":{"labels":["bundle=/run/user/1000"]}}'
	cp "$B/config.json" "$NODE/run/user/1000/"
	by_id feed
	has "a state of root's that names a user's directory: its config.json is not believed" "/config.json is not trusted" "$(<"$T/err")"
else
	pass "whose word it is # skip needs root, to give files away"
fi
finish
