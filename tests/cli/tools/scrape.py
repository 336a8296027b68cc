"""What a collector, and a hostile one, has of `oci-rdma-nri --serve-metrics PORT` beside it: scrape.py PORT FILE PID. TAP on stdout."""
import os
import socket
import sys
import time

PORT, FILE, LISTENER = int(sys.argv[1]), sys.argv[2], sys.argv[3]
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


def fails(what, *why):
    """why: as one C library or the other says it"""
    reply = ask(GET)
    equal(what, (True, True), (reply.startswith(FAILS), any(f"{FILE}: {one}".encode() in reply for one in why)))


fails("a larger one is a failure, which names the file", "larger than 65536 bytes")
os.unlink(FILE)
equal("no file: no series, and no failure", (True, True), ((reply := ask(GET)).startswith(b"HTTP/1.1 200 OK\r\n"), reply.endswith(NONE)))
os.symlink("/etc/passwd", FILE)
fails("a link is not followed", "Symbolic link loop", "Too many levels")
os.unlink(FILE)
os.mkfifo(FILE)
fails("a pipe is not waited for", "not a regular file")
os.unlink(FILE)
write("a 1\n")

for request in (b"GET / HTTP/1.1\r\n\r\n", b"GET /metrics/../etc/passwd HTTP/1.1\r\n\r\n", b"GET /metricsx HTTP/1.1\r\n\r\n", b"GET http://x/metrics HTTP/1.1\r\n\r\n"):
    equal(f"404: {request.split()[1].decode()}", "HTTP/1.1 404 Not Found", status(request))
for request in (b"POST /metrics HTTP/1.1\r\n\r\n", b"HEAD /metrics HTTP/1.1\r\n\r\n", b"\r\n\r\n", b"get /metrics HTTP/1.1\r\n\r\n"):
    equal(f"405: {request[:6]!r}", "HTTP/1.1 405 Method Not Allowed", status(request))
equal("a request of 8 KiB", "HTTP/1.1 200 OK", status(b"GET /metrics HTTP/1.1\r\nX: ".ljust(8188, b"x") + b"\r\n\r\n"))
equal("a longer one has no answer", b"", ask(b"GET /metrics HTTP/1.1\r\nX: ".ljust(9000, b"x")))
equal("nor has one with a NUL byte", b"", ask(b"GET /metrics\0 HTTP/1.1\r\n\r\n"))
with connected() as bytewise:
    for byte in GET:
        bytewise.sendall(bytes([byte]))
    equal("one that comes byte by byte has", True, everything(bytewise).endswith(b"a 1\n"))


def waits(client):
    client.setblocking(False)
    try:
        client.recv(1)
        return False
    except BlockingIOError:
        return True
    finally:
        client.settimeout(float(os.environ["PATIENCE"]))


def beside(clients, want):
    """Whether one client more is served while each of the others still waits, as `want` says; anew if the machine was too busy for their time."""
    end = time.monotonic() + float(os.environ["PATIENCE"])
    while True:
        others = clients()
        served = ask(GET).endswith(b"a 1\n")
        waiting = [waits(client) for client in others]
        if served and waiting == want or time.monotonic() > end:
            return others, (served, waiting)
        for client in others:
            client.close()


def given_up(half):
    """What a client has that says half of a request and no more, and whether one waits on that came before it: what is given up by its time
    alone would go behind that one. Anew if the machine was too busy for their time."""
    end = time.monotonic() + float(os.environ["PATIENCE"])
    while True:
        with connected() as before:
            time.sleep(1)  # so much earlier its time is over
            ask(GET)  # whose place is taken by the next one
            with connected() as client:
                client.sendall(half)
                client.shutdown(socket.SHUT_WR)
                got = everything(client), waits(before)
        if got[1] or time.monotonic() > end:
            return got


equal("half of a request has no answer, and its client is given up when it has said that there is no more", (b"", True), given_up(GET[:-2]))


def deaf():
    client = connected()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    return client


ALL = [True] * 60
silent, got = beside(lambda: [connected() for _ in ALL], ALL)
equal("a client is served while 60 say nothing", (True, ALL), got)
equal("…which are given up, without an answer", {b""}, {everything(client) for client in silent})
FIRST_GO = [False] * 7 + [True] * 63
more, got = beside(lambda: [connected() for _ in FIRST_GO], FIRST_GO)
equal("where 70 do, the oldest go", (True, FIRST_GO), got)
for client in more:
    client.close()
write(LARGE)
reads_nothing = [deaf() for _ in range(60)]
for client in reads_nothing:
    client.sendall(GET)
equal("a client is served while 60 read nothing", LARGE.encode(), ask(GET).split(b"\r\n\r\n", 1)[1])
end = time.monotonic() + float(os.environ["PATIENCE"])
while len(os.listdir(f"/proc/{LISTENER}/fd")) > 3 and time.monotonic() < end:
    time.sleep(0.1)
equal("…which are given up", ["0", "1", "2"], sorted(os.listdir(f"/proc/{LISTENER}/fd")))
write("a 1\n")
for _ in range(300):
    connected().close()
equal("300 that go at once leave it as it was", True, ask(GET).endswith(b"a 1\n"))
sys.exit(failed)
