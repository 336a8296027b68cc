"""events_api.py DIRECTORY: as much of a Kubernetes API server as oci-rdma-events needs, with TLS: DIRECTORY has cert.pem and key.pem, and DIRECTORY/port
says where. It judges each request as the API server would (pkg/apis/core/validation/events.go), and stores what it takes: DIRECTORY/events has a line
for each event, DIRECTORY/requests one for each request, "STATUS METHOD PATH TOKEN WHY". The next answers are in DIRECTORY/answers, "STATUS REASON
MESSAGE" or "hang", one a line, each for one request; of 307 the message is the place. The token must be DIRECTORY/token. Events of the namespace that DIRECTORY/refuses
names are refused for their rate. A GET is answered by the file DIRECTORY/get/PATH.TYPE, where TYPE is Table, Partial or yaml as the request accepts, or
previous for a container that has ended. With OLD_TLS it speaks no TLS 1.2."""
import http.server
import json
import os
import re
import ssl
import sys
import threading

ROOT = sys.argv[1]
LOCK = threading.Lock()
NAMES = set()
PATH = re.compile(r"/apis/events\.k8s\.io/v1/namespaces/([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)/events\Z")
SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z")
KNOWN = {"apiVersion", "kind", "metadata", "eventTime", "type", "reason", "action", "note", "reportingController", "reportingInstance", "regarding", "series"}


def unique(pairs):
    assert len({name for name, _ in pairs}) == len(pairs), "a field twice"
    return dict(pairs)


def problem(event, namespace):
    """Why the API server would refuse it; None: it would not"""
    def text(name, limit):
        value = event.get(name, "")
        return isinstance(value, str) and 0 < len(value.encode()) <= limit
    meta, regarding, series = event["metadata"], event["regarding"], event.get("series")
    checks = {
        "unknown fields": set(event) <= KNOWN and set(meta) == {"name", "namespace"} and set(regarding) <= {"apiVersion", "kind", "namespace", "name", "uid"},
        "kind": (event["apiVersion"], event["kind"]) == ("events.k8s.io/v1", "Event"),
        "metadata.name": len(meta["name"]) <= 253 and SUBDOMAIN.match(meta["name"]),
        "namespaces differ": meta["namespace"] == namespace == regarding["namespace"],
        "eventTime": TIME.match(event.get("eventTime", "")),
        "type": event.get("type") in ("Normal", "Warning"),
        "reason": text("reason", 128), "action": text("action", 128), "note": text("note", 1024),
        "reportingController": text("reportingController", 253) and "/" in event["reportingController"],
        "reportingInstance": text("reportingInstance", 128),
        "series": series is None or (series["count"] >= 2 and TIME.match(series["lastObservedTime"])),
        "regarding": (regarding["apiVersion"], regarding["kind"]) == ("v1", "Pod") and SUBDOMAIN.match(regarding["name"]),
    }
    return next((name for name, good in checks.items() if not good), None)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, reason, message):
        body = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": status}).encode()
        # Before the answer: who has heard it may look here at once.
        with open(f"{ROOT}/requests", "a", encoding="utf-8") as f:
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            f.write(f"{status} {self.command} {self.path} {token} {message}\n")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status == 307:
            self.send_header("Location", message)
        self.end_headers()
        self.wfile.write(body)

    def planned(self):
        try:
            with open(f"{ROOT}/answers", encoding="utf-8") as f:
                lines = f.read().splitlines()
        except FileNotFoundError:
            return None
        if not lines:
            return None
        if lines[0] != "always":
            with open(f"{ROOT}/answers.new", "w", encoding="utf-8") as f:
                f.write("".join(line + "\n" for line in lines[1:]))
            os.rename(f"{ROOT}/answers.new", f"{ROOT}/answers")
            return lines[0]
        return lines[1]

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with LOCK:
            planned = self.planned()
            if planned != "hang":
                return self.judge(body, planned)
        with open(f"{ROOT}/hangs", "w", encoding="utf-8"):
            pass
        return threading.Event().wait()

    def do_GET(self):
        accept = self.headers["Accept"]
        kind = next((kind for kind in ("Table", "Partial") if "as=" + kind in accept), "previous" if "previous=true" in self.path else "yaml")
        if not re.search(r"application/yaml|\*/\*", accept):
            return self.answer(406, "NotAcceptable", "only the following media types are accepted: application/json, application/yaml")
        with open(f"{ROOT}/token", encoding="utf-8") as f:
            if self.headers.get("Authorization") != "Bearer " + f.read().strip():
                return self.answer(401, "Unauthorized", "Unauthorized")
        try:
            with open(f"{ROOT}/get{self.path.partition('?')[0]}.{kind}", "rb") as f:
                body = f.read()
        except OSError:
            if kind == "previous":
                return self.answer(400, "BadRequest", "previous terminated container not found")
            return self.answer(404, "NotFound", "the server could not find the requested resource")
        with LOCK, open(f"{ROOT}/requests", "a", encoding="utf-8") as f:
            f.write(f"200 GET {self.path}\n")
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return self.wfile.write(body)

    def judge(self, body, planned):
        place = PATH.match(self.path)
        with open(f"{ROOT}/token", encoding="utf-8") as f:
            token = f.read().strip()
        if planned == "endless":
            self.send_response(500)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                self.close_connection = True
                return
        if planned:
            status, reason, message = planned.split(" ", 2)
            return self.answer(int(status), reason, message)
        if self.headers.get("Authorization") != f"Bearer {token}":
            return self.answer(401, "Unauthorized", "Unauthorized")
        if place and os.path.exists(f"{ROOT}/refuses"):
            with open(f"{ROOT}/refuses", encoding="utf-8") as f:
                if f.read().strip() == place.group(1):
                    return self.answer(429, "TooManyRequests", "limited")
        if not place:
            return self.answer(404, "NotFound", "the server could not find the requested resource")
        event = json.loads(body, object_pairs_hook=unique)
        why = problem(event, place.group(1)) if self.headers["Content-Type"] == "application/json" else "Content-Type"
        if why:
            return self.answer(422, "Invalid", why)
        name = (place.group(1), event["metadata"]["name"])
        if name in NAMES:
            return self.answer(409, "AlreadyExists", f"events.events.k8s.io \"{name[1]}\" already exists")
        NAMES.add(name)
        with open(f"{ROOT}/events", "a", encoding="utf-8") as f:
            f.write(json.dumps(event) + "\n")
        return self.answer(201, "", "Created")


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that hangs up has its reasons."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


server = Server(("127.0.0.1", 0), Handler)
server.daemon_threads = True
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
if "OLD_TLS" in os.environ:
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
context.load_cert_chain(f"{ROOT}/cert.pem", f"{ROOT}/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
with open(f"{ROOT}/port.new", "w", encoding="utf-8") as out:
    out.write(str(server.server_address[1]))
os.rename(f"{ROOT}/port.new", f"{ROOT}/port")
server.serve_forever()
