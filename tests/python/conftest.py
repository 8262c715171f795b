"""What the tests share: the built program, and a workspace to use it in.

The program is the one that TOOLCRIB_BIN names; `cargo xtask test python` builds it and sets the variable.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

DIALECTS = [
    "standard",
    "ekacode",
    "filesystem",
    "apply-patch",
    "apply-patch-v4a",
    "text-editor",
    "text-editor-20250124",
    "memory",
    "claude-code",
    "opencode",
    "gemini",
]


def pytest_configure():
    binary = os.environ.get("TOOLCRIB_BIN")
    if not binary:
        raise pytest.UsageError(
            "TOOLCRIB_BIN is not set: run `cargo xtask test python`, or name the built program yourself"
        )
    if not os.access(binary, os.X_OK):
        raise pytest.UsageError(f"TOOLCRIB_BIN is '{binary}', which is not a program that can be run")


class Toolcrib:
    """The command line."""

    def __init__(self, binary: Path, root: Path):
        self.binary = binary
        self.root = root

    def run(self, *arguments, stdin: bytes = b"") -> subprocess.CompletedProcess:
        """Runs a command in the workspace and waits for its end; both streams are bytes."""
        return subprocess.run(
            [self.binary, *arguments], input=stdin, capture_output=True, cwd=self.root, timeout=30
        )

    def call(self, tool: str, arguments, *options) -> subprocess.CompletedProcess:
        """`toolcrib call`."""
        return self.run("call", tool, json.dumps(arguments), *options)

    def schemas(self, format: str, dialect: str = "standard") -> list:
        """`toolcrib schemas`, as Python values."""
        done = self.run("schemas", "--format", format, "--dialect", dialect)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def workspace(tmp_path) -> Path:
    """An empty directory; what lies beside it is outside."""
    root = tmp_path.resolve() / "workspace"
    root.mkdir()
    return root


@pytest.fixture
def toolcrib(workspace) -> Toolcrib:
    return Toolcrib(Path(os.environ["TOOLCRIB_BIN"]).resolve(), workspace)


@pytest.fixture
def slow_search(toolcrib) -> dict:
    """A search that takes many seconds."""
    for n in range(4):
        (toolcrib.root / f"large{n}").write_text(("a" * 99 + "\n") * 50_000)
    return {"pattern": "(a+)+(?=d)|zz", "path": str(toolcrib.root)}
