#!/usr/bin/env python3
"""apiserver.py PORTFILE: an API server in memory, as far as Helm 3 and 4 need one, to install, upgrade and uninstall a chart: discovery, and
objects that are created, read, listed by label, patched and deleted. As the real one it refuses an object that exists (409), one whose namespace does
not exist (404), and deletes what is in a namespace with it. It does not judge fields; kubecheck does that. No controller runs. GET /objects lists all.

A strategic merge patch (Helm 3) merges lists whose elements have names by these, as patchMergeKey says of containers, volumes and env; a server-side
apply (Helm 4) replaces all but metadata, which is the same while there is one manager."""
import base64
import http.server
import json
import os
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli/tools"))
from protobuf import unpack  # noqa: E402

KINDS = {  # kind: (group and version, in a namespace)
    "Namespace": ("v1", False), "Secret": ("v1", True), "ConfigMap": ("v1", True), "ServiceAccount": ("v1", True), "DaemonSet": ("apps/v1", True),
    "NetworkPolicy": ("networking.k8s.io/v1", True), "ClusterRole": ("rbac.authorization.k8s.io/v1", False),
    "ClusterRoleBinding": ("rbac.authorization.k8s.io/v1", False), "ValidatingAdmissionPolicy": ("admissionregistration.k8s.io/v1", False),
    "ValidatingAdmissionPolicyBinding": ("admissionregistration.k8s.io/v1", False), "PodMonitor": ("monitoring.coreos.com/v1", True),
    "PrometheusRule": ("monitoring.coreos.com/v1", True)}
GROUPS = sorted({group for group, _ in KINDS.values() if "/" in group})
PATHS = {}  # of the URL, before a namespace and a name: kind


def plural(kind):
    return kind.lower()[:-1] + "ies" if kind.endswith("y") else kind.lower() + "s"


for KIND, (GROUP, NAMESPACED) in KINDS.items():
    PATHS[("/apis/" if "/" in GROUP else "/api/") + GROUP, plural(KIND)] = KIND
OBJECTS = {("Namespace", "", "default"): {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}}


def decode(raw):
    """An object of a request. Helm writes its releases, Secrets, as protobuf (k8s.io/api/core/v1/generated.proto)."""
    if not raw.startswith(b"k8s\0"):
        return json.loads(raw) if raw else {}

    def entries(found):
        return {e[1][0].decode(): e[2][0] for e in map(unpack, found)}
    secret = unpack(unpack(raw[4:])[2][0])  # in runtime.Unknown
    metadata = unpack(secret[1][0])
    return {"apiVersion": "v1", "kind": "Secret", "type": secret[3][0].decode(), "metadata": {
        "name": metadata[1][0].decode(), "labels": {k: v.decode() for k, v in entries(metadata[11]).items()}},
        "data": {k: base64.b64encode(v).decode() for k, v in entries(secret[2]).items()}}


def resources(group):
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group, "resources": [
        {"name": plural(kind), "singularName": kind.lower(), "namespaced": namespaced, "kind": kind, "verbs": ["create", "delete", "get", "list", "patch", "update"]}
        for kind, (of, namespaced) in KINDS.items() if of == group]}


def fixed(path):
    """Discovery. Of OpenAPI there is what tells clients that the server checks fields itself (fieldValidation)."""
    groups = [{"name": g.split("/")[0], "versions": [{"groupVersion": g, "version": g.split("/")[1]}],
               "preferredVersion": {"groupVersion": g, "version": g.split("/")[1]}} for g in GROUPS]
    known = {"/version": {"major": "1", "minor": "33", "gitVersion": "v1.33.0"}, "/api": {"kind": "APIVersions", "versions": ["v1"]},
             "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}, "/api/v1": resources("v1")}
    known["/openapi/v3"] = {"paths": {}}
    for group in ["v1", *GROUPS]:
        at = ("apis/" if "/" in group else "api/") + group
        known["/openapi/v3"]["paths"][at] = {"serverRelativeURL": "/openapi/v3/" + at}
        known["/openapi/v3/" + at] = {"openapi": "3.0.0", "info": {"title": "", "version": ""}, "paths": {f"/{at}/{plural(kind)}/{{name}}": {"patch": {
            "parameters": [{"name": "fieldValidation", "in": "query"}], "responses": {}, "x-kubernetes-group-version-kind":
            {"group": group.rpartition("/")[0], "version": group.rpartition("/")[2], "kind": kind}}} for kind, (of, _) in KINDS.items() if of == group}}
    known.update({f"/apis/{group}": resources(group) for group in GROUPS})
    return list(OBJECTS.values()) if path == "/objects" else known.get(path)


def place(path):
    """KIND, NAMESPACE, NAME of a URL's path; None if there is no such kind"""
    parts = path.strip("/").split("/")
    base = 2 if parts[0] == "api" else 3
    rest, namespace = parts[base:], ""
    if len(rest) > 2 and rest[0] == "namespaces":
        namespace, rest = rest[1], rest[2:]
    kind = PATHS.get(("/" + "/".join(parts[:base]), rest[0])) if rest else None
    return kind and (kind, namespace, rest[1] if len(rest) > 1 else "")


def merge(old, new):
    """old, changed by a patch"""
    if isinstance(old, list) and isinstance(new, list) and all(isinstance(e, dict) and "name" in e for e in old + new):
        changed = {e["name"]: e for e in new}
        merged = [merge(e, changed.pop(e["name"], {})) for e in old if changed.get(e["name"], {}).get("$patch") != "delete"]
        return merged + [e for e in changed.values() if "$patch" not in e]
    if not isinstance(old, dict) or not isinstance(new, dict) or "$patch" in new or "$retainKeys" in new:
        return {k: v for k, v in new.items() if k[0] != "$"} if isinstance(new, dict) else new
    merged = dict(old)
    for key, value in new.items():
        if value is None:
            merged.pop(key, None)
        elif key[0] != "$":
            merged[key] = merge(old[key], value) if key in old else value
    return merged


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, value, code=200):
        body = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, code, reason, at, why):
        self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code,
                     "message": f'{plural(at[0])} "{at[2]}" {why}' if at else why}, code)

    def handle_request(self):
        url = urllib.parse.urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.body = {} if self.command == "DELETE" else decode(raw)
        self.query = urllib.parse.parse_qs(url.query)
        at = place(url.path)
        if self.command == "GET" and (found := fixed(url.path.rstrip("/"))) is not None:
            return self.answer(found)
        if not at:
            return self.refuse(404, "NotFound", None, "the server could not find the requested resource")
        if self.command == "POST":
            at = (at[0], at[1], self.body["metadata"]["name"])
        if self.command == "GET" and not at[2]:
            return self.list(at)
        apply = self.headers.get("Content-Type", "").startswith("application/apply-patch")
        if self.command == "POST" or (apply and at not in OBJECTS):
            return self.create(at)
        if at not in OBJECTS:
            return self.refuse(404, "NotFound", at, "not found")
        if self.command == "PATCH":
            OBJECTS[at] = {**self.body, "metadata": merge(OBJECTS[at]["metadata"], self.body["metadata"])} if apply else merge(OBJECTS[at], self.body)
        if self.command == "PUT":
            OBJECTS[at] = self.body
        if self.command != "DELETE":
            return self.answer(OBJECTS[at])
        for each in [key for key in OBJECTS if key == at or at[0] == "Namespace" and key[1] == at[2]]:
            del OBJECTS[each]
        return self.answer({"kind": "Status", "apiVersion": "v1", "status": "Success"})

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    def create(self, at):
        if at in OBJECTS:
            return self.refuse(409, "AlreadyExists", at, "already exists")
        if at[1] and ("Namespace", "", at[1]) not in OBJECTS:
            return self.refuse(404, "NotFound", ("Namespace", "", at[1]), "not found")
        OBJECTS[at] = self.body
        if at[1]:
            OBJECTS[at]["metadata"]["namespace"] = at[1]
        return self.answer(self.body, 201)

    def list(self, at):
        wanted = dict(pair.split("=") for pair in self.query.get("labelSelector", [""])[0].split(",") if "=" in pair)
        items = [o for (kind, namespace, _), o in OBJECTS.items() if kind == at[0] and at[1] in ("", namespace) and
                 wanted.items() <= o["metadata"].get("labels", {}).items()]
        self.answer({"kind": at[0] + "List", "apiVersion": KINDS[at[0]][0], "metadata": {}, "items": items})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w", encoding="utf-8") as port:
    port.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
