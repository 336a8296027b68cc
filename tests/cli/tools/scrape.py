"""What a collector, and a hostile one, has of `oci-rdma-nri --serve-metrics PORT` beside it: scrape.py PORT FILE. TAP on stdout."""
import os
import socket
import sys
import time

PORT, FILE = int(sys.argv[1]), sys.argv[2]
failed = 0


def equal(what, want, got):
    global failed
    print(("ok" if want == got else "not ok") + " - " + what, flush=True)
    if want != got:
        failed = 1
        print(f"#   want: {want!r}\n#   got:  {got!r}", flush=True)


def connected(host="127.0.0.1"):
    return socket.create_connection((host, PORT), timeout=float(os.environ["PATIENCE"]))


def everything(client):
    data = b""
    try:
        while part := client.recv(65536):
            data += part
    except ConnectionError:
        pass
    return data


def ask(request, host="127.0.0.1"):
    with connected(host) as client:
        client.sendall(request)
        return everything(client)


def status(request):
    return ask(request).split(b"\r\n")[0].decode()


GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


def write(text):
    with open(FILE + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    os.rename(FILE + ".new", FILE)


write("a 1\n")
equal("it serves the file, as Prometheus wants it", b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
      b"Content-Length: 4\r\nConnection: close\r\n\r\na 1\n", ask(GET))
equal("by HTTP/1.0, too", "HTTP/1.1 200 OK", status(b"GET /metrics HTTP/1.0\r\n\r\n"))
equal("with a query", "HTTP/1.1 200 OK", status(b"GET /metrics?x=1 HTTP/1.1\r\n\r\n"))
if socket.has_ipv6 and os.path.exists("/proc/net/if_inet6"):
    equal("by IPv6", True, ask(GET, "::1").endswith(b"\r\n\r\na 1\n"))
write("b 2\n")
equal("the file of the moment", True, ask(GET).endswith(b"\r\n\r\nb 2\n"))
LARGE = "".join(f"series_{n:08}\n" for n in range(4096))
write(LARGE)
equal("a file of 64 KiB whole", LARGE.encode(), ask(GET).split(b"\r\n\r\n", 1)[1])
with socket.socket() as slow:
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    slow.connect(("127.0.0.1", PORT))
    slow.sendall(GET)
    equal("…by a client that takes it in small pieces, too", LARGE.encode(), everything(slow).split(b"\r\n\r\n", 1)[1])
NONE = b"\r\n\r\n# No plugin of this pod has served the node.\n"
write("c" * 65537)
FAILS = b"HTTP/1.1 500 Internal Server Error\r\n"


def fails(what):
    reply = ask(GET)
    equal(what, (True, True), (reply.startswith(FAILS), FILE.encode() in reply.split(b"\r\n\r\n", 1)[1]))


fails("a larger one is a failure, which names the file")
os.unlink(FILE)
equal("no file: no series, and no failure", (True, True), ((reply := ask(GET)).startswith(b"HTTP/1.1 200 OK\r\n"), reply.endswith(NONE)))
os.symlink("/etc/passwd", FILE)
fails("a link is not followed")
os.unlink(FILE)
os.mkfifo(FILE)
fails("a pipe is not waited for")
os.unlink(FILE)
write("a 1\n")

for request in (b"GET / HTTP/1.1\r\n\r\n", b"GET /metrics/../etc/passwd HTTP/1.1\r\n\r\n", b"GET /metricsx HTTP/1.1\r\n\r\n", b"GET http://x/metrics HTTP/1.1\r\n\r\n"):
    equal(f"404: {request.split()[1].decode()}", "HTTP/1.1 404 Not Found", status(request))
for request in (b"POST /metrics HTTP/1.1\r\n\r\n", b"HEAD /metrics HTTP/1.1\r\n\r\n", b"\r\n\r\n", b"get /metrics HTTP/1.1\r\n\r\n"):
    equal(f"405: {request[:6]!r}", "HTTP/1.1 405 Method Not Allowed", status(request))
equal("a request of 8 KiB", "HTTP/1.1 200 OK", status(b"GET /metrics HTTP/1.1\r\nX: ".ljust(8188, b"x") + b"\r\n\r\n"))
equal("a longer one has no answer", b"", ask(b"GET /metrics HTTP/1.1\r\nX: ".ljust(9000, b"x")))
equal("nor has one with a NUL byte", b"", ask(b"GET /metrics\0 HTTP/1.1\r\n\r\n"))
with connected() as half:
    half.sendall(GET[:-2])
    half.shutdown(socket.SHUT_WR)
    equal("nor has half of one", b"", everything(half))
with connected() as bytewise:
    for byte in GET:
        bytewise.sendall(bytes([byte]))
    equal("one that comes byte by byte has", True, everything(bytewise).endswith(b"a 1\n"))

silent = [connected() for _ in range(5)]
begun = time.monotonic()
equal("clients that say nothing are given up, and the next one is served", True, ask(GET).endswith(b"a 1\n"))
equal("…they held it up: the control", True, time.monotonic() - begun >= 1)
equal("…each has no answer", [b""] * 5, [everything(client) for client in silent])
write(LARGE)
deaf = connected()
deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
deaf.sendall(GET)
write("a 1\n")
equal("one that reads nothing does not keep the next one waiting for ever", True, ask(GET).endswith(b"a 1\n"))
for _ in range(300):
    connected().close()
equal("300 that go at once leave it as it was", True, ask(GET).endswith(b"a 1\n"))
sys.exit(failed)
