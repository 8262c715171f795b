"""One server with many sessions: `toolcrib mcp --http`, 1,000 clients that have shaken hands, on 100 workspaces.

usage: sessions.py TOOLCRIB   (`cargo xtask bench sessions` builds it)

The memory of an idle session, and how long a small call takes while all the sessions are there, beside one session of a server that
has no other. The calls of both are made in turns. It ends with status 1 if an aim is missed.
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

from client import aim

SESSIONS, WORKSPACES = 1000, 100
CALLS, ROUNDS = 1000, 5


class HttpServer:
    def __init__(self, toolcrib, roots, env):
        command = [toolcrib, "mcp", "--http", "127.0.0.1:0"]
        for root in roots:
            command += ["--root", root]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **env}
        )
        said = {}
        for line in self.process.stderr:
            name, _, value = line.strip().partition(": ")
            said[name] = value
            if "Token" in said:
                break
        self.host = said["Address"].split("/")[2]
        self.headers = {
            "Authorization": f"Bearer {said['Token']}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def close(self):
        self.process.terminate()
        self.process.wait(30)
        self.process.stderr.close()


class Session:
    def __init__(self, server, root, connection=None):
        self.server, self.file = server, os.path.join(root, "a.txt")
        self.connection = connection or http.client.HTTPConnection(server.host)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}}
        self.headers = dict(server.headers)
        answer = self.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        self.headers |= {"Mcp-Session-Id": answer.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-06-18"}
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def post(self, message):
        self.connection.request("POST", "/mcp", json.dumps(message), self.headers)
        answer = self.connection.getresponse()
        self.body = answer.read()
        assert answer.status in (200, 202), (answer.status, self.body)
        return answer

    def read(self):
        started = time.perf_counter()
        self.post(
            {
                "jsonrpc": "2.0",
                "id": 2,
                "method": "tools/call",
                "params": {"name": "Read", "arguments": {"file_path": self.file}},
            }
        )
        assert b"a small file" in self.body, self.body
        return time.perf_counter() - started


def p99(times):
    return sorted(times)[len(times) * 99 // 100] * 1e6


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        roots = [os.path.join(folder, f"workspace{number:03}") for number in range(WORKSPACES)]
        for root in roots:
            os.mkdir(root)
            with open(os.path.join(root, "a.txt"), "w") as file:
                file.write("a small file\n")
        env = {"HOME": os.path.join(folder, "home"), "XDG_STATE_HOME": os.path.join(folder, "state")}
        lonely, busy = (HttpServer(sys.argv[1], given, env) for given in [roots[:1], roots])
        time.sleep(0.2)
        one = Session(lonely, roots[0])
        # All sessions share one connection: what is measured is a session, not a socket.
        first = Session(busy, roots[0])
        [first.read() for _ in range(20)]
        before = busy.memory()
        many = [first]
        many += [Session(busy, roots[number % WORKSPACES], first.connection) for number in range(1, SESSIONS)]
        [session.read() for session in many]
        each = (busy.memory() - before) / (SESSIONS - 1)
        alone, among = [], []
        for number in range(CALLS * ROUNDS):
            alone.append(one.read())
            among.append(many[number * 7 % SESSIONS].read())
        ratio = p99(among) / p99(alone)
        print(f"{SESSIONS} sessions on {WORKSPACES} workspaces, {CALLS * ROUNDS} small Reads over HTTP in turns")
        print(f"p99 of one session alone: {p99(alone):.0f} µs, of {SESSIONS}: {p99(among):.0f} µs\n")
        met = [
            aim("an idle session takes at most 64 KiB", f"{each:.1f} KiB", each <= 64),
            aim("the p99 of a small call is at most 3 times that of one session", f"{ratio:.2f}", ratio <= 3),
        ]
        lonely.close()
        busy.close()
    sys.exit(0 if all(met) else 1)


main()
