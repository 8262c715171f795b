"""The `toolcrib` command that the package brings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).parent / "toolcrib"


def run(*arguments: object, cwd: Path, program: list[object] | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(each) for each in [*(program or [SCRIPT]), *arguments]]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60)


def test_it_is_the_same_command(workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")
    assert run("--version", cwd=workspace).stdout.startswith("toolcrib ")
    assert run("call", "Read", json.dumps({"file_path": str(workspace / "a.txt")}), cwd=workspace).stdout == "     1\tone\n"
    by_module = run("ls", cwd=workspace, program=[sys.executable, "-m", "toolcrib"])
    assert by_module.stdout == "a.txt\n", by_module


@pytest.mark.parametrize("arguments, status", [(["schemas"], 0), (["call", "Read", '{"file_path": "/nowhere"}'], 1), (["raed"], 2)])
def test_its_exit_status(workspace: Path, arguments: list[str], status: int) -> None:
    done = run(*arguments, cwd=workspace)
    assert done.returncode == status and "Traceback" not in done.stderr


def test_an_agent_is_told_to_start_the_script(workspace: Path) -> None:
    """And not the interpreter, which would not know what `mcp` is."""
    printed = run("init", "--print", cwd=workspace).stdout
    assert json.dumps(str(SCRIPT)) in printed


def test_it_serves_mcp(workspace: Path) -> None:
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    }
    with subprocess.Popen([SCRIPT, "mcp"], cwd=workspace, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "toolcrib"
        os.kill(server.pid, signal.SIGINT)
        server.wait(20)
