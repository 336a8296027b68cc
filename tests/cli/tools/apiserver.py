#!/usr/bin/env python3
"""apiserver.py DIRECTORY: as much of a Kubernetes API server as kubectl needs to get, create and delete pods, to read their logs and to exec in
them; DIRECTORY/port says where. A pod is a file DIRECTORY/pods/NAME.json. What is created runs here, as a process: DIRECTORY/image COMMAND…; its log is its termination message. If there is
a file DIRECTORY/refused, the pod that it names in quotes is refused with its text. DIRECTORY/sccs has the names of the SCCs, one a line; without it
this is no OpenShift. Namespaces and services are lines of requests alone.
What is executed in a pod does, too: DIRECTORY/exec CONTAINER COMMAND…. DIRECTORY/requests has a line for each request that changes something."""
import base64
import hashlib
import http.server
import json
import os
import socketserver
import struct
import subprocess
import sys
import threading
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from protobuf import unpack  # noqa: E402

ROOT = sys.argv[1]
RESOURCES = {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
    {"name": name, "singularName": name[:-1], "namespaced": kind in ("Pod", "Service", "Event"), "kind": kind, "verbs": ["get", "list", "create", "delete"]}
    for name, kind in (("pods", "Pod"), ("nodes", "Node"), ("namespaces", "Namespace"), ("services", "Service"), ("events", "Event"))]}
ADMISSION = "admissionregistration.k8s.io/v1"
# What makes pods: DIRECTORY/owners/RESOURCE-NAME.json
OWNERS = {"apps/v1": (("statefulsets", "StatefulSet", "sts"), ("deployments", "Deployment", "deploy")), "ray.io/v1": (("rayjobs", "RayJob", ""),)}
GROUPS = [{"name": group[:-3], "versions": [{"groupVersion": group, "version": "v1"}]} for group in (ADMISSION, *OWNERS)]
POLICIES = {"kind": "APIResourceList", "groupVersion": ADMISSION, "resources": [{
    "name": "validatingadmissionpolicies", "singularName": "validatingadmissionpolicy", "namespaced": False, "kind": "ValidatingAdmissionPolicy", "verbs": ["get"]}]}


def pod_of(raw):
    """What a debugging pod has: its name, node, and of its first container and volume what they are about. kubectl sends it as protobuf
    (k8s.io/api/core/v1/generated.proto)."""
    pod = unpack(unpack(raw[4:])[2][0])  # behind "k8s\0" in runtime.Unknown
    spec = unpack(pod[2][0])
    container = unpack(spec[2][0])
    host_path = unpack(unpack(unpack(spec[1][0])[2][0])[1][0])
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": unpack(pod[1][0])[1][0].decode()},
            "spec": {"nodeName": spec[10][0].decode(), "volumes": [{"name": "host-root", "hostPath": {"path": host_path[1][0].decode()}}],
                     "containers": [{"name": container[1][0].decode(), "image": container[2][0].decode(),
                                     "command": [c.decode() for c in container.get(3, [])],
                                     "securityContext": {"privileged": unpack(container[15][0]).get(2, [0])[0] == 1 if 15 in container else False}}]}}


def pod_path(name):
    return f"{ROOT}/pods/{os.path.basename(name)}.json"


def store(pod):
    with open(pod_path(pod["metadata"]["name"]) + ".new", "w", encoding="utf-8") as f:
        json.dump(pod, f)
    os.rename(pod_path(pod["metadata"]["name"]) + ".new", pod_path(pod["metadata"]["name"]))


def pods_there():
    there = []
    for name in sorted(os.listdir(f"{ROOT}/pods")):
        if name.endswith(".json"):
            with open(f"{ROOT}/pods/{name}", encoding="utf-8") as f:
                there.append(json.load(f))
    return there


def run(pod):
    """The pod's life: its command, then how it has ended."""
    container = pod["spec"]["containers"][0]
    status = {"name": container["name"], "image": container["image"], "imageID": "", "ready": False, "restartCount": 0}
    waits = {"missing": ("Pending", {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}), "hangs": ("Running", {"running": {}}),
             "pulling": ("Pending", {"waiting": {"reason": "ContainerCreating"}}), "assigned": ("Pending", None)}
    # What kube-scheduler says: 1.36 names no taint, older ones do.
    unschedulable = {"lacking": "3 Insufficient rdma/hca", "tainted": "3 node(s) had untolerated taint(s)",
                     "lacking-tainted": "1 Insufficient rdma/hca, 2 node(s) had untolerated taint {nvidia.com/gpu: true}"}
    image = container["image"].rsplit("/", 1)[-1]
    if image in waits:
        phase, state = waits[image]
        pod["status"] = {"phase": phase, "conditions": [{"type": "PodScheduled", "status": "True"}]}
        if state:
            pod["status"]["containerStatuses"] = [{**status, "state": state}]
        store(pod)
        return
    if image in unschedulable:
        pod["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                                             "message": f"0/3 nodes are available: {unschedulable[image]}."}]}
        store(pod)
        return
    said = subprocess.run([f"{ROOT}/image", *container["command"]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    with open(f"{ROOT}/log", "wb") as log:
        log.write(said.stdout)
    terminated = {"exitCode": said.returncode, "message": said.stdout.decode(errors="replace")}
    pod["status"] = {"phase": "Failed" if said.returncode else "Succeeded", "containerStatuses": [{**status, "state": {"terminated": terminated}}]}
    store(pod)


def sccs():
    if not os.path.exists(f"{ROOT}/sccs"):
        return None
    with open(f"{ROOT}/sccs", encoding="utf-8") as f:
        return f.read().split()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def note(self, what):
        with open(f"{ROOT}/requests", "a", encoding="utf-8") as f:
            f.write(what + "\n")

    def answer(self, value, code=200, kind="application/json"):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def missing(self, what):
        self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "message": f'{what} not found', "code": 404}, 404)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        parts = url.path.strip("/").split("/")
        fixed = {"/api": {"kind": "APIVersions", "versions": ["v1"]}, "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": GROUPS}, "/api/v1": RESOURCES,
                 "/apis/" + ADMISSION: POLICIES}
        fixed |= {f"/apis/{group}": {"kind": "APIResourceList", "groupVersion": group, "resources": [
            {"name": name, "singularName": kind.lower(), "shortNames": [short], "namespaced": True, "kind": kind, "verbs": ["get"]} for name, kind, short in kinds]}
            for group, kinds in OWNERS.items()}
        if sccs() is not None:
            fixed["/apis"]["groups"] = GROUPS + [{"name": "security.openshift.io", "versions": [{"groupVersion": "security.openshift.io/v1", "version": "v1"}]}]
            fixed["/apis/security.openshift.io/v1"] = {"kind": "APIResourceList", "groupVersion": "security.openshift.io/v1", "resources": [
                {"name": "securitycontextconstraints", "kind": "SecurityContextConstraints", "namespaced": False, "verbs": ["get"]}]}
            fixed |= {f"/apis/security.openshift.io/v1/securitycontextconstraints/{name}": {
                "apiVersion": "security.openshift.io/v1", "kind": "SecurityContextConstraints", "metadata": {"name": name}} for name in sccs()}
        if url.path.rstrip("/") in fixed:
            self.answer(fixed[url.path.rstrip("/")])
        elif parts[:3] == ["api", "v1", "nodes"] and len(parts) == 4:
            self.answer({"kind": "Node", "apiVersion": "v1", "metadata": {"name": parts[3]}})
        elif parts[4:5] == ["events"]:
            self.answer({"kind": "EventList", "apiVersion": "v1", "metadata": {}, "items": [
                {"kind": "Event", "apiVersion": "v1", "metadata": {"name": "e"}, "lastTimestamp": None, "message": 'Pulling image "pulling"'}]})
        elif parts[-1] == "oci-rdma-hook" and os.path.exists(f"{ROOT}/policy"):
            self.answer({"kind": "ValidatingAdmissionPolicy", "apiVersion": ADMISSION, "metadata": {"name": "oci-rdma-hook"}})
        elif parts[0] == "apis" and os.path.exists(f"{ROOT}/owners/{'-'.join(parts[-2:])}.json"):
            with open(f"{ROOT}/owners/{'-'.join(parts[-2:])}.json", "rb") as f:
                self.answer(f.read())
        elif len(parts) == 7 and parts[6] == "log":
            with open(f"{ROOT}/log", "rb") as f:
                self.answer(f.read(), kind="text/plain")
        elif len(parts) == 7 and parts[6] == "exec":
            self.execute(urllib.parse.parse_qs(url.query))
        elif len(parts) == 6 and parts[4] == "pods" and os.path.exists(pod_path(parts[5])):
            with open(pod_path(parts[5]), encoding="utf-8") as f:
                self.answer(json.load(f))
        elif parts == ["api", "v1", "pods"] or (len(parts) == 5 and parts[4] == "pods"):
            wanted = [label for label in urllib.parse.parse_qs(url.query).get("labelSelector", [""])[0].split(",") if label]
            items = [pod for pod in pods_there() if (len(parts) == 3 or pod["metadata"].get("namespace") == parts[3])
                     and all(pod["metadata"].get("labels", {}).get(label.partition("=")[0]) == label.partition("=")[2] for label in wanted)]
            self.answer({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items})
        else:
            self.missing(url.path)

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.path.split("?")[0].endswith("/pods"):
            made = json.loads(raw)
            self.note(f"create {made['kind']} {made['metadata']['name']}")
            self.answer(made, 201)
            return
        pod = pod_of(raw) if raw.startswith(b"k8s\0") else json.loads(raw)
        if os.path.exists(f"{ROOT}/refused"):
            with open(f"{ROOT}/refused", encoding="utf-8") as f:
                why = f.read()
            if f'"{pod["metadata"]["name"]}"' in why:
                self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "message": why, "code": 403}, 403)
                return
        pod["metadata"]["namespace"] = self.path.split("/")[4]
        pod["status"] = {"phase": "Pending"}
        self.note(f"create {pod['metadata']['namespace']} {json.dumps(pod['spec'])}")
        store(pod)
        self.answer(pod, 201)
        threading.Thread(target=run, args=(pod,), daemon=True).start()

    def do_DELETE(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind, name = self.path.split("?")[0].split("/")[-2:]
        self.note(f"delete {name}")
        if kind != "pods" or not os.path.exists(pod_path(name)):
            self.answer({"kind": "Status", "apiVersion": "v1", "status": "Success"})
            return
        with open(pod_path(name), encoding="utf-8") as f:
            pod = json.load(f)
        os.unlink(pod_path(name))
        self.answer(pod)

    # ---- exec, by WebSocket: v5.channel.k8s.io, where a frame's first byte is its stream ----

    def frame(self, channel, data):
        payload = bytes([channel]) + data
        size = bytes([len(payload)]) if len(payload) < 126 else struct.pack("!BH", 126, len(payload)) if len(payload) < 65536 else struct.pack("!BQ", 127, len(payload))
        self.wfile.write(b"\x82" + size + payload)
        self.wfile.flush()

    def frames(self):
        while head := self.rfile.read(2):
            size = head[1] & 127
            if size > 125:
                size = int.from_bytes(self.rfile.read(2 if size == 126 else 8), "big")
            mask = self.rfile.read(4)
            data = self.rfile.read(size)
            data = (int.from_bytes(data, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")).to_bytes(size, "big")
            if head[0] & 15 == 8:
                return
            if head[0] & 15 in (1, 2) and data:
                yield data

    def feed(self, child, wants_stdin):
        """Stream 0 is its stdin; 255 with 0 says that it ends."""
        for data in self.frames():
            if data == b"\xff\x00":
                break
            if wants_stdin and data[0] == 0:
                child.stdin.write(data[1:])
        child.stdin.close()

    def execute(self, query):
        key = base64.b64encode(hashlib.sha1((self.headers.get("Sec-WebSocket-Key", "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        self.note(f"exec {query['container'][0]} {' '.join(query['command'])}".split("\n", maxsplit=1)[0])
        self.send_response(101)
        for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", key), ("Sec-WebSocket-Protocol", "v5.channel.k8s.io")):
            self.send_header(name, value)
        self.end_headers()
        with subprocess.Popen([f"{ROOT}/exec", query["container"][0], *query["command"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            threading.Thread(target=self.feed, args=(child, "stdin" in query), daemon=True).start()
            while data := child.stdout.read1(32768):
                self.frame(1, data)
            self.frame(2, child.stderr.read())
            code = child.wait()
        status = {"metadata": {}, "status": "Success"} if code == 0 else {
            "metadata": {}, "status": "Failure", "reason": "NonZeroExitCode", "message": f"exit {code}", "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]}}
        self.frame(3, json.dumps(status).encode())
        self.wfile.write(b"\x88\x02\x03\xe8")
        self.close_connection = True


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def main():
    server = Server(("127.0.0.1", 0), Handler)
    with open(f"{ROOT}/port.new", "w", encoding="utf-8") as f:
        f.write(str(server.server_address[1]))
    os.rename(f"{ROOT}/port.new", f"{ROOT}/port")
    server.serve_forever()


if __name__ == "__main__":
    main()
