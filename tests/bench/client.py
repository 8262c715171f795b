"""A client of MCP servers on pipes, for the benchmarks beside this file. It costs as little as it can: an answer is looked through
for what it must hold, and not parsed."""

import json
import os
import subprocess
import time


class Server:
    """A server that has shaken hands."""

    def __init__(self, command, env=None):
        self.started = time.perf_counter()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0, env={**os.environ, **(env or {})}
        )
        self.output = os.fdopen(os.dup(self.process.stdout.fileno()), "rb", 1 << 16)
        self.id = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}}
        self.send(message("initialize", hello))
        self.receive(b'"serverInfo"')
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def write(self, line):
        self.process.stdin.write(line)

    def send(self, request):
        """Sends a request that was prepared by `message`, under an id of its own."""
        self.id += 1
        self.write(request % self.id)

    def receive(self, holds):
        """The next answer; what the server says by itself is passed over."""
        while True:
            line = self.output.readline()
            assert line, "the server has gone"
            if b'"method"' in line and b'"result"' not in line:
                continue
            assert holds in line and b'"isError":true' not in line, line[:500]
            return line

    def ask(self, request, holds=b'"result"'):
        self.send(request)
        return self.receive(holds)

    def memory(self, what):
        """MiB, as the kernel counts them: `VmHWM` for the peak, `VmRSS` for now."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(what)) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.output.close()
        self.process.stdout.close()


def message(method, params):
    """A request with room for its id."""
    text = json.dumps({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}, separators=(",", ":"))
    return text.replace("%", "%%").replace('"id":0', '"id":%d', 1).encode() + b"\n"


def call(tool, arguments):
    return message("tools/call", {"name": tool, "arguments": arguments})


def aim(what, found, met):
    """Says whether an aim is met, and gives that back."""
    print(f"  {'met' if met else 'MISSED'}: {what}: {found}")
    return met
