"""Small calls through `toolcrib mcp`, beside the reference filesystem server, in one run.

usage: mcp.py TOOLCRIB NODE_MODULES   (`cargo xtask bench mcp` builds and installs both)

Both servers get the same requests over the same kind of pipe from the same script, in turns; figures are medians of rounds,
and what counts are the ratios.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
SEQUENTIAL = 500
TOGETHER = 2000
WINDOW = 64


class Server:
    def __init__(self, command):
        self.started = time.perf_counter()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}}
        self.id = 0
        self.send("initialize", hello)
        self.receive()
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def send(self, method, params):
        self.id += 1
        message = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        while True:
            message = json.loads(self.process.stdout.readline())
            if "id" in message and "method" not in message:
                assert not message.get("error") and not message["result"].get("isError"), message
                return message

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def measure(command, call):
    server = Server(command)
    server.send("tools/call", call)
    server.receive()
    first = time.perf_counter() - server.started
    started = time.perf_counter()
    for _ in range(SEQUENTIAL):
        server.send("tools/call", call)
        server.receive()
    latency = (time.perf_counter() - started) / SEQUENTIAL
    started = time.perf_counter()
    for number in range(TOGETHER):
        if number >= WINDOW:
            server.receive()
        server.send("tools/call", call)
    for _ in range(WINDOW):
        server.receive()
    throughput = TOGETHER / (time.perf_counter() - started)
    peak = server.peak()
    server.close()
    return {"first": first * 1e3, "latency": latency * 1e6, "throughput": throughput, "peak": peak}


def over_http(toolcrib, root, file):
    """The same call over HTTP with one connection that stays open; there is no such door to compare with."""
    command = [toolcrib, "mcp", "--root", root, "--http", "127.0.0.1:0"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = {}
    for line in process.stderr:
        name, _, value = line.strip().partition(": ")
        said[name] = value
        if "Token" in said:
            break
    host = said["Address"].split("/")[2]
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "b", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "Read", "arguments": {"file_path": file}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "Authorization": f"Bearer {said['Token']}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "Read",
    }
    connection = http.client.HTTPConnection(host)
    times = []
    for _ in range(SEQUENTIAL + 50):
        started = time.perf_counter()
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
        times.append(time.perf_counter() - started)
    connection.close()
    process.terminate()
    process.wait(10)
    process.stderr.close()
    return statistics.median(times[50:]) * 1e6


def main():
    toolcrib, modules = sys.argv[1:]
    root = os.path.realpath(tempfile.mkdtemp())
    file = os.path.join(root, "a.txt")
    with open(file, "w") as small:
        small.write("a line of a small file\n" * 50)
    reference = os.path.join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js")
    servers = {
        "toolcrib": ([toolcrib, "mcp", "--root", root], {"name": "Read", "arguments": {"file_path": file}}),
        "server-filesystem": (["node", reference, root], {"name": "read_text_file", "arguments": {"path": file}}),
    }
    rounds = {name: [] for name in servers}
    for _ in range(ROUNDS):
        for name, (command, call) in servers.items():
            rounds[name].append(measure(command, call))
    median = {
        name: {key: statistics.median(one[key] for one in figures) for key in figures[0]}
        for name, figures in rounds.items()
    }
    ours, theirs = median["toolcrib"], median["server-filesystem"]
    print("| | toolcrib | server-filesystem | ratio |\n| --- | ---: | ---: | ---: |")
    for key, label in [
        ("first", "start to first answer (ms)"),
        ("latency", "one call after the other (µs each)"),
        ("throughput", f"{WINDOW} at once (calls a second)"),
        ("peak", "peak memory (MiB)"),
    ]:
        print(f"| {label} | {ours[key]:.1f} | {theirs[key]:.1f} | {ours[key] / theirs[key]:.3f} |")
    print(f"| over HTTP, one call after the other (µs each) | {over_http(toolcrib, root, file):.1f} | | |")


main()
