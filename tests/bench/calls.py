"""What typical calls cost a running server: instructions, counted by callgrind, and system calls, counted by strace.

usage: calls.py TOOLCRIB [--save FILE] [--beside FILE]   (`cargo xtask bench calls` builds it)

Each call is made FEW and then MANY times by a server of its own; the difference, divided, is the cost of one, without start and end.
Both tools make programs slower, so that what happens by the clock (a look at the memory, a look at the reader) counts for more than it
does in life. `--save` writes the figures, `--beside` shows those of an earlier run.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

from client import Server, call, message

FEW, MANY = 20, 120


class Workspace:
    def __init__(self, folder):
        self.root = os.path.join(folder, "root")
        os.makedirs(os.path.join(self.root, "tree/deep"))
        os.mkdir(os.path.join(self.root, "folder"))
        self.write("a.txt", "".join(f"line {number} of a file\n" for number in range(10)))
        self.write("larger.txt", "".join(f"line {number} of a file\n" for number in range(500))[:10240])
        for number in range(400):
            self.write(f"folder/file{number:03}.txt", "")
        for number in range(50):
            self.write(f"tree/{'deep/' if number % 2 else ''}{number}.rs", "fn one() {}\n// a needle\n" * 20)
        self.env = {"HOME": os.path.join(folder, "home"), "XDG_STATE_HOME": os.path.join(folder, "state")}

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)


def requests(workspace):
    """The call under each name: what is sent the nth time, and what the answer holds."""
    read = call("Read", {"file_path": workspace.path("a.txt")})
    edited = workspace.path("edited.txt")
    words = ["first", "second"]

    def edit(number):
        arguments = {"file_path": edited, "old_string": words[number % 2], "new_string": words[1 - number % 2]}
        return call("Edit", arguments)

    def write(number):
        return call("Write", {"file_path": edited, "content": f"the first text, number {number}\n"})

    always = lambda request: lambda number: request
    return {
        "ping": (always(message("ping", {})), b'"result"'),
        "tools/list": (always(message("tools/list", {})), b'"tools"'),
        "Read, small": (always(read), b"line 9 of a file"),
        "Read, 10 KiB": (always(call("Read", {"file_path": workspace.path("larger.txt")})), b"line 400"),
        "LS, 400 entries": (always(call("LS", {"path": workspace.path("folder")})), b"file010.txt"),
        "Glob, 50 files": (always(call("Glob", {"pattern": "**/*.rs", "path": workspace.path("tree")})), b"49.rs"),
        "Grep, 50 files": (always(call("Grep", {"pattern": "needle", "path": workspace.path("tree")})), b".rs"),
        "Edit": (edit, b'"result"'),
        "Write": (write, b'"result"'),
    }


def run(command, workspace, request, holds, count):
    """A server that has made so many calls and has ended."""
    workspace.write("edited.txt", "the first text\n")
    time.sleep(0.1)
    server = Server(command, workspace.env)
    server.ask(call("Read", {"file_path": workspace.path("edited.txt")}))
    for number in range(count):
        server.ask(request(number), holds)
    server.close()


def instructions(toolcrib, workspace, request, holds, folder):
    def total(count):
        log = os.path.join(folder, "callgrind.log")
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}"]
        run([*command, toolcrib, "mcp", "--root", workspace.root], workspace, request, holds, count)
        with open(log) as text:
            return int(re.search(r"Collected : (\d+)", text.read())[1])

    return (total(MANY) - total(FEW)) / (MANY - FEW)


def system_calls(toolcrib, workspace, request, holds, folder):
    def total(count):
        log = os.path.join(folder, "strace.log")
        command = ["strace", "-f", "-c", "-U", "calls,name", "-o", log]
        run([*command, toolcrib, "mcp", "--root", workspace.root], workspace, request, holds, count)
        with open(log) as text:
            counted = (line.split() for line in text)
            return {words[1]: int(words[0]) for words in counted if len(words) == 2 and words[0].isdigit()}

    few, many = total(FEW), total(MANY)
    each = {name: (many[name] - few.get(name, 0)) / (MANY - FEW) for name in many if name != "total"}
    return {name: count for name, count in each.items() if count >= 0.05}


def option(name):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


def main():
    toolcrib = sys.argv[1]
    before = {}
    if option("--beside"):
        with open(option("--beside")) as file:
            before = json.load(file)
    found = {}
    print("| | instructions (thousands) | system calls | most of them |\n| --- | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        workspace = Workspace(folder)
        for name, (request, holds) in requests(workspace).items():
            thousands = instructions(toolcrib, workspace, request, holds, folder) / 1000
            each = system_calls(toolcrib, workspace, request, holds, folder)
            found[name] = {"thousands": thousands, "calls": sum(each.values())}
            most = sorted(each.items(), key=lambda item: -item[1])[:6]
            shown = ", ".join(f"{name} {count:.1f}" for name, count in most)
            was = before.get(name)
            earlier = (f" (was {was['thousands']:.0f})", f" (was {was['calls']:.1f})") if was else ("", "")
            calls = found[name]["calls"]
            print(f"| {name} | {thousands:.0f}{earlier[0]} | {calls:.1f}{earlier[1]} | {shown} |", flush=True)
    if option("--save"):
        with open(option("--save"), "w") as file:
            json.dump(found, file)


main()
