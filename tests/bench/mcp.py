"""Small calls through `toolcrib mcp`, beside other filesystem servers and a server that only echoes, in one run.

usage: mcp.py TOOLCRIB NODE_MODULES PEER ECHO   (`cargo xtask bench mcp` builds and installs all of them)

All servers get the same requests over the same kind of pipe from the same script, in turns; figures are medians of rounds, and what
counts are the ratios. It ends with status 1 if an aim is missed.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from client import Server, aim, call, message

ROUNDS = 7
SEQUENTIAL = 500
LARGER = 100
TOGETHER = 4000
WINDOW = 64
STARTS = 5
# How long a server is left alone before its memory counts as idle.
IDLE = 0.5


def one_after_the_other(server, request, holds, count):
    times = []
    for _ in range(count):
        started = time.perf_counter()
        server.ask(request, holds)
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e6


def pipelined(server, request, holds):
    started = time.perf_counter()
    for number in range(TOGETHER):
        if number >= WINDOW:
            server.receive(holds)
        server.send(request)
    for _ in range(WINDOW):
        server.receive(holds)
    return TOGETHER / (time.perf_counter() - started)


def first_answer(candidate):
    times = []
    for _ in range(STARTS):
        server = Server(candidate["command"], candidate["env"])
        server.ask(*candidate["read"])
        times.append(time.perf_counter() - server.started)
        server.close()
    return statistics.median(times) * 1e3


def measure(candidate):
    found = {"first": first_answer(candidate)}
    server = Server(candidate["command"], candidate["env"])
    server.ask(*candidate["read"])
    time.sleep(IDLE)
    found["idle"] = server.memory("VmRSS")
    found["ping"] = one_after_the_other(server, message("ping", {}), b'"result"', SEQUENTIAL)
    found["read"] = one_after_the_other(server, *candidate["read"], SEQUENTIAL)
    found["pipelined"] = pipelined(server, *candidate["read"])
    for name in ["larger", "list"]:
        if name in candidate:
            found[name] = one_after_the_other(server, *candidate[name], LARGER)
    found["peak"] = server.memory("VmHWM")
    server.close()
    return found


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


def lines(count):
    return "".join(f"line {number} of a file\n" for number in range(count))


def files(root):
    """A small file, one of 10 KiB, and a directory with 400 entries."""
    small, larger, folder = (os.path.join(root, name) for name in ["a.txt", "larger.txt", "folder"])
    with open(small, "w") as file:
        file.write(lines(10))
    with open(larger, "w") as file:
        file.write(lines(500)[:10240])
    os.mkdir(folder)
    for number in range(400):
        open(os.path.join(folder, f"file{number:03}.txt"), "w").close()
    return small, larger, folder


def candidates(toolcrib, modules, peer, echo, root):
    small, larger, folder = files(root)
    # What a server keeps is empty in the beginning, and nobody's.
    home = {"HOME": os.path.join(root, "home"), "XDG_STATE_HOME": os.path.join(root, "state")}
    told = b"line 9 of a file"
    of_peers = {
        "read": (call("read_text_file", {"path": small}), told),
        "larger": (call("read_text_file", {"path": larger}), b"line 400 of a file"),
        "list": (call("list_directory", {"path": folder}), b"file010.txt"),
    }
    reference = os.path.join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js")
    return {
        "toolcrib": {
            "command": [toolcrib, "mcp", "--root", root],
            "env": home,
            "read": (call("Read", {"file_path": small}), told),
            "larger": (call("Read", {"file_path": larger}), b"line 400 of a file"),
            "list": (call("LS", {"path": folder}), b"file010.txt"),
        },
        "rust-mcp-filesystem": {"command": [peer, root], "env": home, **of_peers},
        "server-filesystem": {"command": ["node", reference, root], "env": home, **of_peers},
        "echo": {"command": [echo], "env": home, "read": (call("echo", {"text": lines(10)}), told)},
    }


ROWS = [
    ("read", "Read of a small file, one after the other (µs)"),
    ("pipelined", f"the same, {WINDOW} in flight (calls a second)"),
    ("ping", "ping (µs)"),
    ("larger", "Read of 10 KiB (µs)"),
    ("list", "LS of 400 entries (µs)"),
    ("first", "start to the first answered call (ms)"),
    ("idle", "resident memory, idle (MiB)"),
    ("peak", "resident memory, peak (MiB)"),
]


def show(median):
    print(f"| | {' | '.join(median)} |")
    print("| --- |" + " ---: |" * len(median))
    for key, label in ROWS:
        cells = (f"{found[key]:.1f}" if key in found else "" for found in median.values())
        print(f"| {label} | {' | '.join(cells)} |")


def judge(median):
    ours, peers = median["toolcrib"], [median["rust-mcp-filesystem"], median["server-filesystem"]]
    best = {key: (max if key == "pipelined" else min)(peer[key] for peer in peers) for key, _ in ROWS}
    share = ours["read"] / best["read"]
    return all(
        [
            aim("a small Read takes at most half of the best peer's time", f"{share:.2f}", share <= 0.5),
            aim("a small Read takes at most 75 µs", f"{ours['read']:.0f} µs", ours["read"] <= 75),
            aim("20,000 small Reads a second", f"{ours['pipelined']:.0f}", ours["pipelined"] >= 20_000),
            aim(
                "the first answer comes not later than the best peer's",
                f"{ours['first']:.1f} ms, {best['first']:.1f} ms",
                ours["first"] <= best["first"],
            ),
            aim("at most 10 MiB when idle", f"{ours['idle']:.1f} MiB", ours["idle"] <= 10),
        ]
    )


def main():
    toolcrib, modules, peer, echo = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.realpath(folder)
        servers = candidates(toolcrib, modules, peer, echo, root)
        # Within a tick of the clock, a change of a file would not show.
        time.sleep(0.2)
        rounds = {name: [] for name in servers}
        for _ in range(ROUNDS):
            for name, candidate in servers.items():
                rounds[name].append(measure(candidate))
        median = {
            name: {key: statistics.median(one[key] for one in found) for key in found[0]}
            for name, found in rounds.items()
        }
        show(median)
        each = over_http(toolcrib, root, os.path.join(root, "a.txt"))
        print(f"\nover HTTP, one after the other: {each:.1f} µs each\n")
        sys.exit(0 if judge(median) else 1)


main()
