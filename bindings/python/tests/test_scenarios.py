"""Every scenario through Python: the same data as for the other doors."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

from toolcrib import Toolbox

SCENARIOS = REPOSITORY / "scenarios"
CASES = sorted(call.parent for call in SCENARIOS.glob("*/*/call.json"))
LONG_AGO = 1_704_067_200  # when everything was last changed that has no time of its own: the start of 2024


def test_there_are_scenarios_of_every_tool() -> None:
    tools = {"apply_patch", "delete", "edit", "glob", "grep", "insert", "ls", "make_directory", "move", "multi_edit", "read", "read_many", "stat", "write"}
    assert tools <= {case.parent.name for case in CASES}
    assert len(CASES) > 300


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_scenario(folder: Path, workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    lay_out(folder, workspace)
    before = tree(workspace)
    call = json.loads((folder / "call.json").read_text().replace("$ROOT", str(workspace)))
    config = tmp_path_factory.mktemp("config") / "config.toml"
    config.write_text(call.get("config") or "")
    box = Toolbox(
        workspace,
        config=config,
        dialect=call.get("dialect") or "standard",
        dry_run=call.get("dry_run", False),
        session=call.get("session"),
        journal=False,
    )
    result = box.call(call["tool"], call["parameters"])
    expected = (folder / "output.txt").read_bytes().decode().removesuffix("\n")
    assert str(result).replace(str(workspace), "$ROOT") == expected
    if (facts := folder / "metadata.json").exists():
        wanted: dict[str, Any] = json.loads(facts.read_text().replace("$ROOT", str(workspace)))
        assert {key: result.metadata.get(key) for key in wanted} == wanted
    after = folder / "expected"
    # Git keeps no empty directory, so one that is expected holds a file.
    wanted_after = {name: node for name, node in tree(after).items() if Path(name).name != ".empty"}
    assert tree(workspace) == (wanted_after if after.exists() else before)


def lay_out(folder: Path, root: Path) -> None:
    if (folder / "input").exists():
        shutil.copytree(folder / "input", root, symlinks=True, dirs_exist_ok=True)
    make = folder / "make.json"
    for made in json.loads(make.read_text()) if make.exists() else []:
        for number in range(1, made.get("files", 1) + 1):
            path = root / made["path"].replace("{n}", str(number))
            if made["path"].endswith("/"):
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            text = made.get("text", "").replace("{n}", str(number)) * made.get("lines", 1)
            path.write_bytes(text.encode())
    times = folder / "times.json"
    own: dict[str, int] = json.loads(times.read_text()) if times.exists() else {}
    for path in sorted(root.rglob("*"), reverse=True):
        seconds = own.get(str(path.relative_to(root)), LONG_AGO)
        os.utime(path, (seconds, seconds), follow_symlinks=False)
    os.utime(root, (LONG_AGO, LONG_AGO))


def tree(root: Path) -> dict[str, object]:
    def node(path: Path) -> object:
        if path.is_symlink():
            return ("link", os.readlink(path))
        return "directory" if path.is_dir() else (path.read_bytes(), bool(path.stat().st_mode & 0o100))

    return {str(path.relative_to(root)): node(path) for path in root.rglob("*")}
