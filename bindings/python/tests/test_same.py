"""The wheel and the built program are one version, with the same tools. The test of the npm package compares that with the same program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolcrib
from toolcrib import Toolbox
from toolcrib._toolcrib import dialects

SCRIPT = Path(sys.executable).parent / "toolcrib"
FORMATS: list[Any] = ["openai", "openai-strict", "anthropic", "mcp", "langchain"]


@pytest.fixture(scope="session")
def binary() -> Path:
    path = os.environ.get("TOOLCRIB_BINARY")
    assert path, "TOOLCRIB_BINARY is not set: run `cargo xtask test wheel`"
    return Path(path)


def printed(program: Path, *arguments: str, cwd: Path) -> str:
    # No configuration of the user's own.
    env = {**os.environ, "HOME": str(cwd), "XDG_CONFIG_HOME": str(cwd)}
    return subprocess.run([program, *arguments], cwd=cwd, env=env, check=True, capture_output=True, text=True, timeout=60).stdout


def test_one_version(binary: Path, workspace: Path) -> None:
    versions = {printed(program, "--version", cwd=workspace) for program in (binary, SCRIPT)}
    assert versions == {f"toolcrib {toolcrib.__version__}\n"}


@pytest.mark.parametrize("dialect", dialects())
def test_the_same_schemas(dialect: Any, binary: Path, workspace: Path) -> None:
    box = Toolbox(workspace, dialect=dialect, journal=False)
    for format in FORMATS:
        arguments = ["schemas", "--format", format, "--dialect", dialect]
        program = printed(binary, *arguments, cwd=workspace)
        assert printed(SCRIPT, *arguments, cwd=workspace) == program
        # To the order of the keys: it decides whether a model's provider finds the prompt in its cache.
        assert json.dumps(box.schemas(format)) == json.dumps(json.loads(program))
