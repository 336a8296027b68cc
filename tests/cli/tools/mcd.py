"""What OpenShift's machine-config daemon does with MachineConfigs, on a scratch root.

    mcd.py ignition FILE NAME         the Ignition config of one object, as JSON
    mcd.py update ROOT OLD NEW        from one set of files to another; OLD and NEW: FILE[=NAME,…] or "none"
    mcd.py plan DIR POLICY OLD NEW    the same as DIR/steps, a script that does it on a node with the files that lie beside it, and then runs
                                      the actions of POLICY, a node disruption policy; the script ends at the first step that fails

A pool's MachineConfigs merge by name, an object's files in the order of its list. The daemon writes all new files in that order, each
by rename, then deletes those of the old set that the new one lacks, in the old set's order (machine-config-operator,
pkg/daemon/update.go: updateFiles, deleteStaleData). After each step this says where CRI-O would look for something that is not there:
a hooks.d file whose executable is missing, or a handler whose runtime_path is. Exit status 1 if it ever would.

Then it runs the actions: of each file that was added, changed or removed, in any order (a Go map's), by the policy of the longest path
that is the file or a directory above it; then of each such unit; without a policy it reboots (updateFiles, CalculateConfigFileDiffs,
GetChangedConfigUnitsByType, calculatePostConfigChangeNodeDisruptionActionFromMCDiffs). An action that fails degrades the pool
(performPostConfigChangeNodeDisruptionAction). Units that say so are enabled when all are written; one that does not is preset (writeUnits). Each that
goes is preset before its file is removed, one after the other in the order of the old list (deleteStaleData): systemctl then has systemd read its files
again, so that from the second one on it no longer knows those that are gone.
"""
import base64
import functools
import gzip
import json
import os
import re
import sys

import yaml


@functools.cache
def objects(path):
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with open(path, encoding="utf-8") as f:
        return {o["metadata"]["name"]: o for o in yaml.load_all(f, loader) if o and o["kind"] == "MachineConfig"}


def pool(what):
    """The files of the rendered MachineConfig, in order"""
    if what == "none":
        return {}
    path, _, names = what.partition("=")
    found = objects(path)
    files = {}
    for name in sorted(names.split(",") if names else found):
        storage = found[name]["spec"]["config"].get("storage", {})
        if set(storage) - {"files"}:
            sys.exit(f"{name}: the operator cannot reconcile changes of {sorted(storage)}")
        for file in storage.get("files", []):
            files[file["path"]] = file
    return files


def units(what):
    """The units of the rendered MachineConfig, by name"""
    if what == "none":
        return {}
    path, _, names = what.partition("=")
    found = objects(path)
    return {
        unit["name"]: unit
        for name in sorted(names.split(",") if names else found)
        for unit in found[name]["spec"]["config"].get("systemd", {}).get("units", [])
    }


def contents(file):
    source = file["contents"]["source"]
    if not source.startswith("data:;base64,"):
        sys.exit(f"{file['path']}: not a data URL in base64")
    data = base64.b64decode(source.removeprefix("data:;base64,"), validate=True)
    return gzip.decompress(data) if file["contents"].get("compression") == "gzip" else data


def write(root, file):
    path = root + file["path"]
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    with open(path + ".tmp", "wb") as f:
        os.fchmod(f.fileno(), file["mode"])
        f.write(contents(file))
    os.rename(path + ".tmp", path)


def interpreter(path):
    """What execve needs besides the file itself"""
    with open(path, "rb") as f:
        line = f.readline(256)
    return line[2:].strip().decode() if line.startswith(b"#!") else None


def runs(root, path):
    if not os.access(root + path, os.X_OK):
        return False
    return not (inner := interpreter(root + path)) or os.access(root + inner, os.X_OK)


def named(root):
    """(file, executable that it names) of all that CRI-O reads"""
    hooks, drop_ins = root + "/etc/containers/oci/hooks.d", root + "/etc/crio/crio.conf.d"
    for name in sorted(os.listdir(hooks)) if os.path.isdir(hooks) else []:
        with open(f"{hooks}/{name}", encoding="utf-8") as f:
            yield name, json.load(f)["hook"]["path"]
    for name in sorted(os.listdir(drop_ins)) if os.path.isdir(drop_ins) else []:
        with open(f"{drop_ins}/{name}", encoding="utf-8") as f:
            for path in re.findall(r'^runtime_path = "(.*)"$', f.read(), re.M):
                yield name, path


def update(root, old, new):
    good = True

    def look(step):
        nonlocal good
        for name, path in named(root):
            if not runs(root, path):
                print(f"{step}: {name} names {path}, which is not there")
                good = False

    for path, file in new.items():
        write(root, file)
        look(f"wrote {path}")
    for path in old:
        if path not in new:
            os.unlink(root + path)
            look(f"deleted {path}")
    return good


def changed(old, new):
    """BACKWARDS=1: in the other order"""
    names = (name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return sorted(names, reverse=os.environ.get("BACKWARDS") == "1")


def actions(policy, files, names):
    """What the daemon does after it has written; each is an argument list of systemctl's, or ["reboot"]"""
    found = []
    for path in files:
        closest = [f for f in policy["files"] if path == f["path"] or path.startswith(f["path"] + "/")]
        found += max(closest, key=lambda f: len(f["path"]))["actions"] if closest else [{"type": "Reboot"}]
    for name in names:
        ours = [u for u in policy["units"] if u["name"] == name]
        found += ours[0]["actions"] if ours else [{"type": "Reboot"}]
    if any(a["type"] == "Reboot" for a in found):
        return [["reboot"]]
    commands = {
        "Restart": lambda a: [["restart", a["restart"]["serviceName"]]],
        "Reload": lambda a: [["reload", a["reload"]["serviceName"]]],
        "DaemonReload": lambda a: [["daemon-reload"]],
        "None": lambda a: [],
    }
    return [command for a in found for command in commands[a["type"]](a)]


class Plan:
    """A script, and the files that it puts on the node"""

    def __init__(self, directory):
        os.makedirs(directory)
        self.directory = directory
        self.steps = ["#!/bin/sh -e", 'here=$(dirname "$0")']
        self.n = 0

    def put(self, path, data, mode=0o644):
        self.n += 1
        with open(f"{self.directory}/{self.n}", "wb") as f:
            f.write(data)
        self.steps += [f'install -D -m {mode:o} "$here/{self.n}" "{path}.tmp"', f'mv -f "{path}.tmp" "{path}"']

    def close(self):
        with open(f"{self.directory}/steps", "w", encoding="utf-8") as f:
            os.fchmod(f.fileno(), 0o755)
            f.write("\n".join(self.steps) + "\n")


UNITS = "/etc/systemd/system"


def unit_files(unit):
    """(path, contents) of the unit and its drop-ins"""
    for dropin in unit.get("dropins", []):
        yield f"{UNITS}/{unit['name']}.d/{dropin['name']}", dropin["contents"]
    yield f"{UNITS}/{unit['name']}", unit["contents"]


def plan(directory, policy, old, new):
    script = Plan(directory)
    old_files, new_files, old_units, new_units = pool(old), pool(new), units(old), units(new)
    for path, file in new_files.items():
        script.put(path, contents(file), file["mode"])
    for name in changed(old_units, new_units):
        for path, text in unit_files(new_units[name]) if name in new_units else []:
            script.put(path, text.encode())
        if name in new_units and "enabled" not in new_units[name]:
            script.steps.append(f"systemctl preset {name} || true")
    for name in changed(old_units, new_units):
        if "enabled" in new_units.get(name, {}):
            script.steps.append(f'systemctl {"enable" if new_units[name]["enabled"] else "disable"} {name}')
    script.steps += [f'rm "{path}"' for path in old_files if path not in new_files]
    for name in [name for name in old_units if name not in new_units]:
        paths = [path for path, _ in unit_files(old_units[name])]
        script.steps += [f'rm "{path}"' for path in paths[:-1]] + [f"systemctl preset {name} || true", f'rm "{paths[-1]}"']
    with open(policy, encoding="utf-8") as f:
        disruption = yaml.safe_load(f)["spec"]["nodeDisruptionPolicy"]
    for action in actions(disruption, changed(old_files, new_files), changed(old_units, new_units)):
        script.steps.append(" ".join((["systemctl"] if action != ["reboot"] else []) + action))
    script.close()


def main(argv):
    if argv[1] == "ignition":
        json.dump(objects(argv[2])[argv[3]]["spec"]["config"], sys.stdout)
        return 0
    if argv[1] == "plan":
        plan(*argv[2:])
        return 0
    return 0 if update(argv[2], pool(argv[3]), pool(argv[4])) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
