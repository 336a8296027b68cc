#!/bin/bash
# What `make machineconfig` and `make iommu-passthrough` render: valid for Ignition and for the operator, in an order that never leaves
# CRI-O without what a file names, and with what it takes to serve a container.
# shellcheck disable=SC2016,SC2317 # functions that check calls, and a script in quotes
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/setup.bash

mcd() { python3 tests/cli/tools/mcd.py "$@"; }
# render NAME [VARIABLE=VALUE…]: $T/NAME.yaml with $executable, what was said in $T/log
executable=$HOOK
render() {
	local name=$1
	shift
	env MONITORING=0 CHECK="$ADMIN" "$@" install/machineconfig/render-hook "$executable" "$T/$name.yaml" >"$T/log" 2>&1
}
ignition() { mcd ignition "$1" "$2" >"$T/ignition.json" && ignition-validate "$T/ignition.json"; }
refused() { ! "$@"; }

# ---- the file ----

check "renders" render full RUNTIME=1
has "says how large it is" "% of what a pool may have" "$(<"$T/log")"
check "yamllint" yamllint -s -c tests/yamllint "$T/full.yaml"
for name in 99-worker-oci-rdma-hook 99-worker-oci-rdma-hook-enable; do
	check "ignition-validate: $name" ignition "$T/full.yaml" "$name"
done
sed 's|path: /usr/local/bin/oci-rdma-hook$|path: usr/local/bin/oci-rdma-hook|' "$T/full.yaml" >"$T/broken.yaml"
check "control: ignition-validate refuses a relative path" refused ignition "$T/broken.yaml" 99-worker-oci-rdma-hook
check "renders again" render again/full RUNTIME=1
check "the same input gives the same bytes" cmp "$T/full.yaml" "$T/again/full.yaml"
printf '\4\0\0\0\24\0\0\0\3\0\0\0GNU\0another directory...' >"$T/build-id"
objcopy --update-section .note.gnu.build-id="$T/build-id" "$HOOK" "$T/elsewhere"
executable=$T/elsewhere
check "renders what was built elsewhere" render other/full RUNTIME=1
executable=$HOOK
check "…and so the same bytes" cmp "$T/full.yaml" "$T/other/full.yaml"

# ---- on a node ----

root=$T/root
mkdir "$root"
check "install: nothing is named before it is there" mcd update "$root" none "$T/full.yaml"
is "the executable's mode" 755 "$(stat -c %a "$root/usr/local/bin/oci-rdma-hook")"
is "the executable runs" "$("$HOOK" --version)" "$("$root/usr/local/bin/oci-rdma-hook" --version)"
for f in config/hooks.d/annotation/*.json config/machineconfig/60-oci-rdma-hook.conf config/config.json; do
	case $f in
	*.conf) to=etc/crio/crio.conf.d/60-oci-rdma-hook.conf ;;
	*/config.json) to=etc/oci-rdma-hook/config.json ;;
	*) to=etc/containers/oci/hooks.d/${f##*/} ;;
	esac
	check "$to" cmp "$f" "$root/$to"
	is "$to: its mode" 644 "$(stat -c %a "$root/$to")"
done

node h100
mkdir -p "$NODE/etc" && cp -a "$root/etc/oci-rdma-hook" "$NODE/etc/"
bundle h100-trainer.json
"$root/usr/local/bin/oci-rdma-hook" --sysroot "$NODE" --dry-run --format json "$B" >"$T/out" 2>"$T/err"
gets "the dry run with what was decoded" mlx5_6,mlx5_7,mlx5_10,mlx5_11
cp "$T/out" "$T/profile"
config
dry_run --format json
same "config/config.json says what holds without the file" "$(jq -S . "$T/out")" "$(jq -S . "$T/profile")"

# A namespace of its own has the node's /usr/local/bin, since the kernel looks for the interpreter by its path.
runtime() { # COMMAND…
	unshare --mount sh -ec 'mount --bind "$1" /usr/local/bin; shift; exec "$@"' - "$root/usr/local/bin" "$@"
}
is "the handler's path is the shim: it runs crun" "$(crun --version)" "$(runtime /usr/local/bin/oci-rdma-runtime-crun --version 2>&1)"
is "…with its arguments" "$(crun --root "$T/none" state x 2>&1)" "$(runtime /usr/local/bin/oci-rdma-runtime-crun --root "$T/none" state x 2>&1)"
has "…and the executable is still the hook" "unknown stage" "$(runtime /usr/local/bin/oci-rdma-hook nonsense 2>&1)"

base=$T/full.yaml=99-worker-oci-rdma-hook
check "removal, first step" mcd update "$root" "$T/full.yaml" "$base"
is "CRI-O has nothing to look for" "" "$(find "$root/etc/containers" "$root/etc/crio" -type f)"
check "removal, second step" mcd update "$root" "$base" none
is "nothing is left" "" "$(find "$root" ! -type d)"
mcd update "$root" none "$T/full.yaml" >/dev/null
has "control: both at once would leave hooks.d files without their executable" "which is not there" \
	"$(mcd update "$root" "$T/full.yaml" none)"

# ---- what can be asked for ----

check "another pool" render pool ROLE=gpu-h100
is "…its names" "99-gpu-h100-oci-rdma-hook 99-gpu-h100-oci-rdma-hook-enable" \
	"$(sed -n 's/^  name: //p' "$T/pool.yaml" | xargs)"
is "…its label" 2 "$(grep -c 'machineconfiguration.openshift.io/role: gpu-h100$' "$T/pool.yaml")"
lacks "without RUNTIME=1 there is no handler" runtime "$(grep path: "$T/pool.yaml")"
check "NRI=1" render plugin NRI=1
is "…the part that is deleted first has the plugin's executable, whose removal ends the plugins" 99-worker-oci-rdma-hook-enable \
	"$(awk '/^  name: /{name = $2} /path: .*oci-rdma-nri$/{print name}' "$T/plugin.yaml")"
is "…its units are as in config/nri, with what the daemon needs; the same part brings them, and switches them on" \
	"$(for unit in a b; do echo "True $(cat "config/nri/oci-rdma-nri-$unit.service" config/machineconfig/oci-rdma-nri.conf)"; done)" \
	"$(python3 -c 'import sys, yaml
for o in yaml.safe_load_all(open(sys.argv[1])):
    for unit in (o or {}).get("spec", {}).get("config", {}).get("systemd", {}).get("units", []):
        assert o["metadata"]["name"].endswith("-enable"), unit
        print(unit.get("enabled"), unit["contents"], end="")' "$T/plugin.yaml")"
lacks "…nothing that CRI-O reads at its start, since NRI is on by default (cri-o internal/config/nri/nri.go, from 1.30)" crio.conf.d "$(<"$T/plugin.yaml")"
lacks "…and nothing is said of a restart" CRI-O "$(<"$T/log")"
# restarts VARIABLE=VALUE…: how often the daemon restarts CRI-O when this comes to a node, and what is said of that
restarts() {
	render restarts "$@" && rm -rf "$T/plan" && mcd plan "$T/plan" config/openshift/node-disruption-policy.yaml none "$T/restarts.yaml" &&
		echo "$(grep -c '^systemctl restart crio.service$' "$T/plan/steps") $(grep -c 'restarts CRI-O once .* and with CRI-O the kubelet' "$T/log")"
}
is "NRI=1 restarts nothing of CRI-O's" "0 0" "$(restarts NRI=1)"
is "VALIDATOR=1 restarts CRI-O once" "1 1" "$(restarts NRI=1 VALIDATOR=1)"
rm -rf "$root" && mkdir "$root" && mcd update "$root" none "$T/restarts.yaml"
is "…for the keys that CRI-O reads (internal/config/nri/nri.go)" True "$(python3 -c 'import sys, tomllib
print(tomllib.load(open(sys.argv[1], "rb")) == {"crio": {"nri": {"default_validator": {"nri_enable_default_validator": True}}}})' \
	"$root/etc/crio/crio.conf.d/60-oci-rdma-hook.conf")"
is "…and together with RUNTIME=1 once, too" "1 1" "$(restarts NRI=1 VALIDATOR=1 RUNTIME=1)"
rm -rf "$root" && mkdir "$root" && mcd update "$root" none "$T/restarts.yaml"
is "…with both" "nri runtime" "$(python3 -c 'import sys, tomllib; print(*sorted(tomllib.load(open(sys.argv[1], "rb"))["crio"]))' "$root/etc/crio/crio.conf.d/60-oci-rdma-hook.conf")"
lacks "without NRI=1 there is no plugin" oci-rdma-nri "$(<"$T/pool.yaml")"
check "HOOKS=device" render device HOOKS=device
rm -rf "$root" && mkdir "$root" && mcd update "$root" none "$T/device.yaml"
check "…the files for every container" cmp config/hooks.d/device/90-oci-rdma-hook.json "$root/etc/containers/oci/hooks.d/90-oci-rdma-hook.json"
check "…and the policy that goes with it" cmp config/profiles/device.json "$root/etc/oci-rdma-hook/config.json"
for profile in config/profiles/*.json; do
	name=$(basename "$profile" .json)
	hooks=annotation
	if [ "$name" = device ]; then hooks=device; fi
	check "PROFILE=$name" render profile PROFILE="$name" HOOKS="$hooks"
	config "$(<"$profile")"
	dry_run --format json
	gets "…is a policy that grants" mlx5_6,mlx5_7,mlx5_10,mlx5_11
done
check "PROFILE: a path" render profile PROFILE=config/profiles/roce-legacy.json
cp config/profiles/roce-legacy.json "$T/my.json"
here=$(pwd -P)
in_its_place() (cd "$T" && PROFILE=my.json "$here/install/machineconfig/render-hook" "$HOOK" "$T/mine.yaml")
check "PROFILE: a file of the directory" in_its_place
rm -rf "$root" && mkdir "$root" && mcd update "$root" none "$T/mine.yaml"
check "…is the policy" cmp "$T/my.json" "$root/etc/oci-rdma-hook/config.json"
echo '{"optin": "device"}' >"$T/my.json"
rm "$T/mine.yaml"
check "PROFILE: one that the hook cannot read is refused" refused in_its_place
check "…and writes nothing" test ! -e "$T/mine.yaml"
if [ "$(id -u)" -eq 0 ]; then
	chmod 0755 "$T"
	mkdir -m 0777 "$T/any"
	cp "$HOOK" "$T/hook" && cp "$ADMIN" "$T/oci-rdma-admin" # the tree may lie where only root can look, as /root
	as_nobody() {
		setpriv --reuid 65534 --regid 65534 --clear-groups env MONITORING=0 TMPDIR="$T/any" PROFILE="$1" "${@:2}" \
			install/machineconfig/render-hook "$T/hook" "$T/any/mine.yaml" >"$T/log" 2>&1
	}
	check "PROFILE: also by another user than root" refused as_nobody "$T/my.json"
	has "…which says why" optin "$(<"$T/log")"
	check "…who may render a right one" as_nobody roce-legacy
fi
check "HOOKS=annotation with a policy for every container is refused" refused render wrong PROFILE=device HOOKS=annotation
has "…saying why" '"opt_in": "device"' "$(<"$T/log")"
check "HOOKS=device with a policy for annotated containers" render wrong PROFILE=default HOOKS=device
executable=$HOOK-none
check "an executable that is not there" refused render wrong
strip -o "$T/foreign" "$HOOK"
printf '\xb7' | dd of="$T/foreign" bs=1 seek=18 conv=notrunc status=none # e_machine: EM_AARCH64
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "$3" "$2"\n' >"$T/strip" && chmod 755 "$T/strip" # the other architecture's
export STRIP=$T/strip
executable=$T/foreign
check "CHECK: a program that does not run here" refused render wrong CHECK="$T/foreign"
has "…is named" "$T/foreign does not run here" "$(<"$T/log")"
check "…CHECK checks the policy, and the executable may be for other nodes" render wrong
check "…and refuses, too" refused render wrong PROFILE="$T/my.json"
has "…with the file's name and line" "$T/my.json: line 1: " "$(<"$T/log")"
check "ARCH: for the nodes that it is for" render foreign ARCH=aarch64
has "…and the file says for which" "ARCH=aarch64" "$(head -n 1 "$T/foreign.yaml")"
strip -o "$T/oci-rdma-nri" "$(dirname "$HOOK")/oci-rdma-nri"
printf '\xb7' | dd of="$T/oci-rdma-nri" bs=1 seek=18 conv=notrunc status=none
check "ARCH=aarch64 with NRI=1 and RUNTIME=1" render arm ARCH=aarch64 NRI=1 RUNTIME=1
rm -rf "$root" && mkdir "$root"
check "…is laid down" mcd update "$root" none "$T/arm.yaml"
is "…its programs are for aarch64" "aarch64 aarch64" "$(for name in hook nri; do install/executable-machine "$root/usr/local/bin/oci-rdma-$name"; done | xargs)"
same "…each file is what list-files says" "$(install/machineconfig/list-files "$T/arm.yaml" | grep -v /systemd/)" \
	"$(install/machineconfig/list-files "$T/arm.yaml" | grep -v /systemd/ | while read -r _ path; do echo "$(sha256sum <"$root$path" | cut -d ' ' -f 1)  $path"; done)"
# As the Machine Config Operator configures CRI-O
printf '[crio.runtime]\nhooks_dir = ["/etc/containers/oci/hooks.d", "/run/containers/oci/hooks.d"]\n' >"$root/etc/crio/crio.conf.d/00-default"
has "…and its hook files pass the check" "90-oci-rdma-hook.json: ok" "$("$ADMIN" --sysroot "$root" --check-config 2>&1)"
check "ARCH: one for other nodes is refused" refused render wrong ARCH=x86_64
has "…saying for which it is, and how the right one is built" "is for aarch64, not for ARCH=x86_64" "$(<"$T/log")"
printf '\x2b' | dd of="$T/foreign" bs=1 seek=18 conv=notrunc status=none # EM_SPARCV9
check "one for nodes that we build nothing for is refused" refused render wrong
unset STRIP
executable=/bin/true
check "an executable that needs libraries is refused" refused render wrong
has "…saying why" "shared libraries" "$(<"$T/log")"
executable=$HOOK

head -c 600000 /dev/urandom >"$T/noise"
objcopy --add-section noise="$T/noise" --set-section-flags noise=alloc,readonly "$HOOK" "$T/large" 2>/dev/null
executable=$T/large
check "an executable that is too large is refused" refused render large
has "…saying so" "too much beside the other MachineConfigs" "$(<"$T/log")"
check "…and writes nothing" test ! -e "$T/large.yaml"
executable=$HOOK
while read -r text; do
	check "refused: ${text%%[: ]*}" refused render wrong "${text%%[: ]*}"
	has "…which says: $text" "render-hook: $text" "$(<"$T/log")"
done <<-'END'
	ROLE=Worker_1 is not the name of a pool
	HOOKS=all: must be annotation or device
	PROFILE=none: must be device, inference, roce-legacy, default, or a file
	PROFILE=/none.json: must be device, inference, roce-legacy, default, or a file
	FROM=/none: no such file
	RUNTIME=yes: must be 1 or 0
	NRI=yes: must be 1 or 0
	VALIDATOR=yes: must be 1 or 0
	VALIDATOR=1 needs NRI=1: without the plugin, pods that require it would never start
	MONITORING=yes: must be 1 or 0
END

# ---- monitoring ----

unset_monitoring() { env -u MONITORING NRI=1 install/machineconfig/render-hook "$HOOK" "$T/monitored.yaml" >"$T/log" 2>&1; }
check "monitoring is there without being asked for" unset_monitoring
for name in 99-worker-oci-rdma-hook{,-doctor,-enable}; do
	check "monitoring: ignition-validate: $name" ignition "$T/monitored.yaml" "$name"
done
check "monitoring: yamllint" yamllint -s -c tests/yamllint "$T/monitored.yaml"
# units FILE: each unit of the second object: its name, and a checksum of what it has
units() {
	python3 -c 'import hashlib, sys, yaml
for o in yaml.safe_load_all(open(sys.argv[1])):
    for unit in o["spec"].get("config", {}).get("systemd", {}).get("units", []):
        assert o["metadata"]["name"].endswith("-enable") and unit["enabled"], unit
        print(unit["name"], hashlib.sha256(unit["contents"].encode()).hexdigest())' "$1"
}
has "monitoring: the unit is as in config/monitoring, with what the daemon needs" \
	"oci-rdma-metrics.service $(cat config/monitoring/oci-rdma-metrics.service config/machineconfig/oci-rdma-metrics.conf | sha256sum | cut -d ' ' -f 1)" "$(units "$T/monitored.yaml")"
is "monitoring: list-files has each unit, where systemd reads it" "$(units "$T/monitored.yaml")" \
	"$(install/machineconfig/list-files "$T/monitored.yaml" | sed -n 's|^\(.*\)  /etc/systemd/system/\(.*\)|\2 \1|p')"
rm -rf "$root" && mkdir "$root" && mcd update "$root" none "$T/monitored.yaml"
is "monitoring: the doctor runs" "$(build/oci-rdma-doctor --version)" "$("$root/usr/local/bin/oci-rdma-doctor" --version)"
check "monitoring: what brings its findings" cmp install/monitoring/collect "$root/usr/local/share/oci-rdma-hook/monitoring/collect"
is "monitoring: the unit starts what is there" /usr/local/share/oci-rdma-hook/monitoring/collect \
	"$(sed -n 's|^ExecStart=/bin/sh ||p' config/monitoring/oci-rdma-metrics.service)"
has "monitoring: the plugins write the files that are brought" "--metrics /run/oci-rdma-hook/oci-rdma-nri-%j.prom" "$(grep ExecStart=/usr/local/bin/oci-rdma-nri "$T/monitored.yaml")"
has "…" '"$ROOT"/run/oci-rdma-hook/oci-rdma-nri-*.prom' "$(<install/monitoring/collect)"
is "monitoring: the alerts are in the file, as in config/monitoring" "$(cat config/monitoring/alertingrule.yaml)" "$(sed -n '/^# config\/monitoring\/rules.yaml/,$p' "$T/monitored.yaml" | sed '1i ---')"
check "MONITORING=0" render without
is "…leaves all of it out" "" "$(grep -iE 'doctor|metrics|alert|MONITORING=1' "$T/without.yaml")"

# ---- an upgrade ----

# annotation NAME FILE: of each object, once
annotation() { python3 -c 'import sys, yaml
print(*{o["metadata"]["annotations"]["oci-rdma-hook.io/" + sys.argv[1]] for o in yaml.safe_load_all(open(sys.argv[2])) if o["kind"] == "MachineConfig"})' "$@"; }
is "both objects say with which options they were rendered" "ROLE=worker PROFILE=file HOOKS=annotation NRI=1 MONITORING=0 ARCH=x86_64" \
	"$(render old NRI=1 PROFILE="$here/config/profiles/roce-legacy.json" ARCH=x86_64 && annotation options "$T/old.yaml")"
has "…and the version" "$("$HOOK" --version | cut -d ' ' -f 2-)" "$(annotation version "$T/old.yaml")"
has "what is inside is said" "NRI plugin; not inside: handler rdma (RUNTIME=1), NRI's validator (VALIDATOR=1), doctor and alerts (MONITORING=1)" "$(<"$T/log")"
# made [VARIABLE=VALUE…]: `make machineconfig`, whose last step says with which variables it runs
made() { env -u MAKEFLAGS -u MAKEOVERRIDES make -n machineconfig "$@" 2>&1 | grep -oE "(ROLE|PROFILE|HOOKS|RUNTIME|NRI|VALIDATOR|MONITORING)='[^']*'|unknown option.*|FROM=.*: no such file.*|.*: there is no line .*" | xargs; }
is "FROM: make takes the options from it" "ROLE=worker PROFILE=file HOOKS=annotation RUNTIME= NRI=1 VALIDATOR= MONITORING=0" "$(made FROM="$T/old.yaml")"
is "FROM: but for what is given" "ROLE=worker PROFILE=default HOOKS=annotation RUNTIME= NRI=0 VALIDATOR= MONITORING=0" "$(made FROM="$T/old.yaml" NRI=0 PROFILE=default)"
sed 's/ROLE=worker /ROLE=$(shell touch '"${T//\//\\/}"'\/touched) /' "$T/old.yaml" >"$T/evil.yaml"
made FROM="$T/evil.yaml" >/dev/null
check "FROM: what it says is no program" test ! -e "$T/touched"
has "a mistyped option is refused" "unknown option nri; it knows ROLE PROFILE HOOKS RUNTIME NRI VALIDATOR MONITORING ARCH FROM" "$(made nri=1)"
is "FROM: a file that is not there is one line" "FROM=/none: no such file. Stop." "$(made FROM=/none)"
grep -v oci-rdma-hook.io/options "$T/old.yaml" >"$T/mute.yaml"
is "FROM: a file that names no options is named, and nothing is made" "old-options: $T/mute.yaml: there is no line oci-rdma-hook.io/options: ROLE=… in it: take the file that make machineconfig rendered" "$(made FROM="$T/mute.yaml")"
check "FROM: render-hook refuses it" refused render wrong PROFILE=file FROM="$T/mute.yaml"
has "…which names it" "$T/mute.yaml: there is no line" "$(<"$T/log")"
is "options of the build are none of it" "ROLE=worker PROFILE= HOOKS=annotation RUNTIME= NRI= VALIDATOR= MONITORING=" "$(made CFLAGS='-O2 -g -DX=1' QUIET=1)"
check "FROM: renders" render new NRI=1 PROFILE=file FROM="$T/old.yaml"
has "FROM: the same files" "the same files as $T/old.yaml" "$(<"$T/log")"
awk '/Restart=always/ && !n++ { sub(/always/, "no") } 1' "$T/old.yaml" >"$T/unit.yaml"
check "FROM: renders, one unit being another" render new NRI=1 PROFILE=file FROM="$T/unit.yaml"
is "FROM: that unit" "changed: /etc/systemd/system/oci-rdma-nri-a.service" "$(grep -E '^(gone|new|changed): ' "$T/log")"
check "FROM: without the plugin" render new PROFILE=default RUNTIME=1 FROM="$T/old.yaml"
is "FROM: what differs" "gone: /etc/systemd/system/oci-rdma-nri-a.service
gone: /etc/systemd/system/oci-rdma-nri-b.service
gone: /usr/local/bin/oci-rdma-nri
new: /etc/crio/crio.conf.d/60-oci-rdma-hook.conf
new: /usr/local/bin/oci-rdma-runtime-crun
changed: /etc/oci-rdma-hook/config.json" "$(for word in gone new changed; do grep "^$word: " "$T/log" | sort; done)"
sed 's|path: /usr/local/bin/oci-rdma-nri|path: /usr/local/bin/oci-rdma-doctor|' "$T/old.yaml" >"$T/watched.yaml"
check "FROM: of another pool, with a doctor" render new PROFILE=default ROLE=gpu FROM="$T/watched.yaml"
has "FROM: which keeps its own" "$T/watched.yaml is of the pool worker, which keeps its MachineConfigs" "$(<"$T/log")"
has "FROM: what apply does not delete" "oc apply deletes no object: oc delete machineconfig 99-gpu-oci-rdma-hook-doctor" "$(<"$T/log")"
check "PROFILE=file without FROM is refused" refused render wrong PROFILE=file
check "FROM: another file is refused" refused render wrong FROM="$T/log"

# ---- the IOMMU ----

iommu() { env "${@:2}" install/machineconfig/render-iommu "$T/$1.yaml" >"$T/log" 2>&1; }
arguments() { python3 -c 'import sys, yaml; print(*yaml.safe_load(open(sys.argv[1]))["spec"]["kernelArguments"])' "$T/$1.yaml"; }
check "iommu: renders" iommu x86
is "iommu: x86" iommu=pt "$(arguments x86)"
check "iommu: Arm renders" iommu arm ARCH=aarch64
is "iommu: Arm" iommu.passthrough=1 "$(arguments arm)"
check "iommu: Intel renders" iommu intel INTEL_IOMMU=1
is "iommu: Intel's by option only" "intel_iommu=on iommu=pt" "$(arguments intel)"
check "iommu: not on Arm" refused iommu wrong ARCH=aarch64 INTEL_IOMMU=1
for name in x86 arm intel; do
	check "iommu: yamllint $name" yamllint -s -c tests/yamllint "$T/$name.yaml"
	check "iommu: ignition-validate $name" ignition "$T/$name.yaml" 98-worker-iommu-passthrough
done
finish
