"""What type checkers know of the tools: the generated signatures are current, and wrong uses are found."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from conftest import REPOSITORY

import toolcrib
from toolcrib import _toolcrib, toolbox

HERE = Path(__file__).parent


def test_the_signatures_are_those_of_the_tools() -> None:
    spec = importlib.util.spec_from_file_location("generate_calls", HERE.parent / "generate_calls.py")
    assert spec and spec.loader
    generate: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    current = generate.FILE.read_text(encoding="utf-8")
    assert current == generate.generated(), "run `python bindings/python/generate_calls.py` with the new package"


def test_the_dialects_are_those_of_the_engine() -> None:
    assert sorted(get_args(toolbox.Dialect)) == sorted(_toolcrib.dialects())


def test_the_version_is_that_of_the_workspace() -> None:
    cargo = (REPOSITORY / "Cargo.toml").read_text()
    (version,) = re.findall(r'(?m)^version = "(.*)"$', cargo)
    assert toolcrib.__version__ == version


def test_a_type_checker_objects_to_every_wrong_use_and_to_no_other() -> None:
    source = HERE / "wrong_use.py"
    marked = {number for number, line in enumerate(source.read_text().splitlines(), 1) if "# WRONG: " in line}
    mypy = [sys.executable, "-m", "mypy", "--config-file=", "--no-error-summary", str(source)]
    said = subprocess.run(mypy, capture_output=True, text=True, cwd=HERE)
    found = {int(number) for number in re.findall(r"wrong_use\.py:(\d+): error", said.stdout)}
    assert found == marked, f"{said.stdout}\n{said.stderr}\nmissed {marked - found}, wrongly found {found - marked}"


def test_wrong_uses_fail_at_run_time_too(box: toolcrib.Toolbox) -> None:
    with pytest.raises(TypeError):
        box.read("a", limt=2)  # type: ignore[call-arg]
    anything: Any = box
    assert anything.call("Raed", file_path="/a").error_kind == "unknown_tool"
