"""What OpenShift's machine-config daemon does with MachineConfigs, on a scratch root.

    mcd.py ignition FILE NAME         the Ignition config of one object, as JSON
    mcd.py update ROOT OLD NEW        from one set of files to another; OLD and NEW: FILE[=NAME,…] or "none"

A pool's MachineConfigs merge by name, an object's files in the order of its list. The daemon writes all new files in that order, each
by rename, then deletes those of the old set that the new one lacks, in the old set's order (machine-config-operator,
pkg/daemon/update.go: updateFiles, deleteStaleData). After each step this says where CRI-O would look for something that is not there:
a hooks.d file whose executable is missing, or a handler whose runtime_path is. Exit status 1 if it ever would.
"""
import base64
import gzip
import json
import os
import re
import sys

import yaml


def objects(path):
    with open(path, encoding="utf-8") as f:
        return {o["metadata"]["name"]: o for o in yaml.safe_load_all(f) if o}


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


def main(argv):
    if argv[1] == "ignition":
        json.dump(objects(argv[2])[argv[3]]["spec"]["config"], sys.stdout)
        return 0
    return 0 if update(argv[2], pool(argv[3]), pool(argv[4])) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
