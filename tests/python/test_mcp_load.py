"""The server under load and under nonsense: nothing is lost, doubled or misrouted, and the next good request is served."""

import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import threading
import time
from contextlib import contextmanager

from test_mcp_http import serving, stateless

SOAK = "TOOLCRIB_SOAK" in os.environ


class Wire:
    """A server on pipes, spoken to without any client library."""

    def __init__(self, toolcrib):
        command = [toolcrib.binary, "mcp", "--root", toolcrib.root]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self.answers = {}
        self.doubled = 0
        self.came = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
        self.send(self.request("hello", "initialize", hello))
        self.wait("hello")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @staticmethod
    def request(id, method, params):
        return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}

    def listen(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.came:
                if message.get("id") is not None:
                    self.doubled += message["id"] in self.answers
                    self.answers[message["id"]] = message
                self.came.notify_all()

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def wait(self, id, seconds=60):
        with self.came:
            assert self.came.wait_for(lambda: id in self.answers, seconds), f"no answer to {id}"
            return self.answers[id]

    def read(self, id, path):
        self.send(self.request(id, "tools/call", {"name": "Read", "arguments": {"file_path": str(path)}}))

    def peak(self):
        """The most memory that it ever had, in KiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


@contextmanager
def wire(toolcrib):
    server = Wire(toolcrib)
    try:
        yield server
    finally:
        server.process.stdin.close()
        assert server.process.wait(10) == 0
        server.process.stdout.close()
        server.process.stderr.close()


def nonsense(random):
    """A frame that means nothing, or nearly something."""
    good = b'{"jsonrpc":"2.0","id":"bad","method":"tools/call","params":{"name":"Read","arguments":{"file_path":"/"}}}'
    fixed = [
        b"", b"null", b"1e999", b"[]", b"{}", b'{"jsonrpc":"2.0","id":1', b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"bad","id":"worse","method":"ping","method":"pong"}',
        b'{"jsonrpc":"2.0","id":"bad","method":"\\ud800"}', b'{"jsonrpc":"2.0","id":"bad","method":"\xff\xfe"}',
        b'[{"jsonrpc":"2.0","id":"bad","method":"ping"}]', b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"bad","method":"tools/call","params":[]}', b"\x00" * 100,
    ]  # fmt: skip
    kind = random.randrange(4)
    if kind == 0:
        return random.choice(fixed)
    if kind == 1:
        return good[: random.randrange(len(good))]
    if kind == 2:
        return bytes(random.randrange(256) for _ in range(random.randrange(80))).replace(b"\n", b" ")
    spoilt = bytearray(good)
    for _ in range(random.randrange(1, 6)):
        spoilt[random.randrange(len(spoilt))] = random.choice(b'{}[]",:\\x\xc3')
    return bytes(spoilt)


def test_ten_thousand_malformed_frames_do_no_harm(toolcrib):
    file = toolcrib.root / "a.txt"
    file.write_text("one\n")
    source = random.Random(7)
    with wire(toolcrib) as server:
        server.read("first", file)
        server.wait("first")
        before = server.peak()
        for number in range(10_000):
            server.send(nonsense(source))
            if number % 1000 == 0:
                server.read(f"good-{number}", file)
                assert server.wait(f"good-{number}")["result"]["content"][0]["text"] == "     1\tone"
        for name, frame in [("deep", b"[" * 100_000), ("deep object", b'{"a":' * 100_000)]:
            server.send(frame)
            server.read(name, file)
            assert "result" in server.wait(name)
        for _ in range(1024):
            server.process.stdin.write(b"x" * (1 << 20))
        server.send(b"")
        server.read("last", file)
        assert "result" in server.wait("last")
        grown = server.peak() - before
        print(f"10,000 malformed frames, one of 1 GiB: the peak of memory grew by {grown // 1024} MiB")
        assert grown < 32 * 1024


def test_a_thousand_calls_in_flight(toolcrib):
    """Every call reads a file of its own, so that an answer shows which call it belongs to."""
    calls, in_flight, files = (200_000, 5_000, 1_000) if SOAK else (20_000, 1_000, 500)
    for number in range(files):
        (toolcrib.root / str(number)).write_text(f"content {number}\n")
    with wire(toolcrib) as server:
        for number in range(calls):
            if number >= in_flight:
                server.wait(number - in_flight)
            server.read(number, toolcrib.root / str(number % files))
        for number in range(calls):
            text = server.wait(number)["result"]["content"][0]["text"]
            assert text == f"     1\tcontent {number % files}"
        assert server.doubled == 0
        assert len([id for id in server.answers if isinstance(id, int)]) == calls
    print(f"{calls} calls, {in_flight} in flight: none lost, doubled or misrouted")


def test_a_client_that_never_reads_fills_no_memory(toolcrib):
    file = toolcrib.root / "large.txt"
    file.write_text(("x" * 99 + "\n") * 2000)
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    pipe = subprocess.PIPE
    with subprocess.Popen([toolcrib.binary, "mcp", "--root", toolcrib.root], stdin=pipe, stdout=pipe) as process:
        try:
            process.stdin.write(json.dumps(Wire.request("hello", "initialize", hello)).encode() + b"\n")
            process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            process.stdin.flush()
            assert process.stdout.readline()
            os.set_blocking(process.stdin.fileno(), False)
            asked, quiet_since = 0, time.monotonic()
            # Until nothing was taken for a while, which leaves it time to work on what was.
            while time.monotonic() - quiet_since < 4:
                params = {"name": "Read", "arguments": {"file_path": str(file)}}
                line = json.dumps(Wire.request(asked, "tools/call", params)).encode() + b"\n"
                try:
                    os.write(process.stdin.fileno(), line)
                    asked, quiet_since = asked + 1, time.monotonic()
                except BlockingIOError:
                    time.sleep(0.01)
            with open(f"/proc/{process.pid}/status") as status:
                peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024
            print(f"{asked} calls with answers of 200 KB taken from a client that never reads; peak {peak} MiB")
            assert asked < 20_000 and peak < 256
        finally:
            process.kill()


def test_slow_clients_do_not_slow_others(toolcrib):
    (toolcrib.root / "a.txt").write_text("one\n")
    (toolcrib.root / "large.txt").write_text(("x" * 99 + "\n") * 5000)

    def call(name):
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        arguments = {"file_path": str(toolcrib.root / name), "limit": 10_000}
        params = {"name": "Read", "arguments": arguments, "_meta": meta}
        return json.dumps(Wire.request(1, "tools/call", params)).encode()

    with serving(toolcrib) as server:
        headers = {**stateless(server.good_headers()), "Mcp_Name": "Read"}
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())

        def p99():
            connection = http.client.HTTPConnection(server.host, server.port, timeout=20)
            times = []
            for _ in range(300):
                started = time.perf_counter()
                plain = {name.replace("_", "-"): value for name, value in headers.items()}
                connection.request("POST", server.path, body=call("a.txt"), headers=plain)
                answer = connection.getresponse()
                assert answer.status == 200 and b"one" in answer.read()
                times.append(time.perf_counter() - started)
            connection.close()
            return statistics.quantiles(times, n=100)[98]

        def crowd():
            slow = []
            for _ in range(1000):
                client = socket.create_connection((server.host, server.port))
                client.sendall(b"POST /mcp HTTP/1.1\r\nHost: ")
                slow.append(client)
            for _ in range(200):
                client = socket.create_connection((server.host, server.port))
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                body = call("large.txt")
                client.sendall(f"POST /mcp HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                slow.append(client)
            return slow

        p99()
        ratios = []
        # The machine may be busy with something else; one quiet moment is enough to see what the server does.
        for _ in range(5):
            alone = p99()
            slow = crowd()
            time.sleep(0.5)
            together = p99()
            for client in slow:
                client.close()
            ratios.append(together / alone)
            if ratios[-1] <= 2:
                break
        print(f"p99 with 1,000 slow clients and 200 that never read, over p99 alone: {ratios[-1]:.2f}")
        assert min(ratios) <= 2
