# shellcheck shell=bash disable=SC2154 # what sources it sets root, build, work and job
# What `cri apply` takes in the test VM: images, made by a page's own commands, and objects, as kubectl has them rendered. $root is the tree, $build
# where things are built, $work a directory that goes, $job the job's.
# shellcheck source-path=SCRIPTDIR source=page.sh
. "$root/tests/vm/page.sh"

# image_store: buildah's, in stores of its own: the machine's are its user's
image_store() {
	mkdir -p "$work/bin"
	printf '#!/bin/sh\nexec %s --root "%s" --runroot "%s" --storage-driver vfs "$@"\n' \
		"$(command -v buildah)" "$work/store" "$work/run" >"$work/bin/buildah"
	chmod 755 "$work/bin/buildah"
	PATH=$work/bin:$PATH
}

# page_image NAME MARK FILE: localhost/NAME:test by the commands of doc/install-kubernetes.md that have the mark, in the job's FILE; if the build's directory is another one, that. By
# the name that it was built with: by another one make makes all again, under the suites that run beside this.
page_image() {
	local commands image=localhost/$1 there=${build#"$root"/}
	commands=$(block "$2" doc/install-kubernetes.md)
	commands=${commands//IMAGE/$image:test}
	if ! { cd "$root" && BUILD=$there bash -euc "${commands//build\//$there/}" &&
		buildah push "$image:test" "docker-archive:$job/$3:$image:test"; } >"$work/log" 2>&1; then
		cat "$work/log" >&2
		return 1
	fi
}

# with_image NAME DIRECTORY: its kustomization names localhost/NAME:test, as the pages tell their reader to write it
with_image() { sed -i "s|newName: .*|newName: localhost/$1|; s|newTag: .*|newTag: test|" "$2/kustomization.yaml"; }

# objects DIRECTORY FILE: what kubectl apply -k has rendered, as a list in JSON
objects() {
	"$build/tests/go/usr/bin/kustomize" build "$1" --output "$work/objects.yaml"
	python3 -c 'import json, sys, yaml; json.dump(list(yaml.safe_load_all(open(sys.argv[1]))), sys.stdout)' "$work/objects.yaml" >"$2"
}
