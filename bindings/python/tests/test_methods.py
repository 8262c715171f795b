"""The file tools as methods, with paths relative to the root."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import toolcrib
from toolcrib import NotFoundError, OutsideWorkspaceError, Toolbox, UnsupportedError

EVERY = ["read", "write", "edit", "multi_edit", "apply_patch", "ls", "glob", "grep"]


@pytest.mark.parametrize("dialect", ["standard", "ekacode"])
def test_every_method_does_what_its_tool_does(open_box: Any, workspace: Path, dialect: str) -> None:
    box: Toolbox = open_box(dialect=dialect)
    (workspace / "src").mkdir()
    file = workspace / "src/a.txt"
    assert box.write("src/a.txt", "one\ntwo\nthree\n") and file.read_text() == "one\ntwo\nthree\n"
    second = 2 if dialect == "standard" else 1  # ekacode counts from 0
    assert "two" in str(box.read("src/a.txt", offset=second, limit=1)) and "one" not in str(box.read(file, tail=2))
    assert box.edit("src/a.txt", "one", "1") and file.read_text() == "1\ntwo\nthree\n"
    assert box.multi_edit(Path("src/a.txt"), [("1", "e"), ("two", "e")]) and file.read_text() == "e\ne\nthree\n"
    assert not box.edit("src/a.txt", "e\n", "E\n")
    assert box.edit("src/a.txt", "e\n", "E\n", replace_all=True) and file.read_text() == "E\nE\nthreE\n"
    patch = "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,2 +1,2 @@\n-E\n+one\n E\n"
    assert box.apply_patch(patch) and file.read_text() == "one\nE\nthreE\n"
    assert "src" in str(box.ls()) and "a.txt" in str(box.ls("src")) and "a.txt" in str(box.ls(recursive=True))
    assert "a.txt" in str(box.glob("**/*.txt")) and "a.txt" in str(box.glob("*.txt", "src", limit=1))
    assert "a.txt" in str(box.grep("THREE", ignore_case=True)) and "a.txt" not in str(box.grep("THREE"))
    shown = str(box.grep("one", "src", output_mode="content", after=1, exclude=["*.md"], max_count=1))
    assert "one" in shown and "E" in shown
    listed = box.grep("E", output_mode="files_with_matches")
    assert listed and "one" not in str(listed)


def test_every_method_is_tried_above() -> None:
    methods = [name for name, value in vars(toolcrib.methods.FileMethods).items() if callable(value) and name[0] != "_"]
    assert sorted(methods) == sorted(EVERY)


def test_a_path_starts_at_the_first_root_and_stays_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"{name}\n")
    monkeypatch.chdir(tmp_path / "elsewhere")
    box = Toolbox(tmp_path / "first", tmp_path / "second", journal=False)
    assert str(box.read("a.txt")) == "     1\tfirst"
    assert str(box.read(tmp_path / "second/a.txt")) == "     1\tsecond"
    with pytest.raises(OutsideWorkspaceError):
        box.read("../elsewhere/a.txt", check=True)


def test_a_failure_is_falsy_and_a_success_is_not(box: Toolbox, workspace: Path) -> None:
    (workspace / "empty.txt").write_text("")
    assert not box.read("b.txt")
    assert box.read("empty.txt") and not box.call("Read", {}), "what counts is whether the call succeeded"
    with pytest.raises(NotFoundError):
        box.read("b.txt", check=True)


def test_the_options_of_the_box_apply(open_box: Any, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")
    box: Toolbox = open_box(session="s")
    assert box.edit("a.txt", "one", "1").error_kind == "not_read"
    assert box.read("a.txt") and box.using(dry_run=True).edit("a.txt", "one", "1")
    assert (workspace / "a.txt").read_text() == "one\n"
    version = box.read("a.txt").metadata["version"]
    assert box.write("a.txt", "other\n", expected_version=version)
    assert box.write("a.txt", "more\n", expected_version=version).error_kind == "conflict"


def test_a_dialect_without_such_a_tool_or_parameter_says_so(open_box: Any, workspace: Path) -> None:
    (workspace / "a.txt").write_text("one\n")
    with pytest.raises(UnsupportedError, match="'memory' has no tool for Grep"):
        open_box(dialect="memory").grep("x")
    opencode: Toolbox = open_box(dialect="opencode")
    assert "one" in str(opencode.read("a.txt", limit=1))
    with pytest.raises(UnsupportedError, match="no parameter for tail") as raised:
        opencode.read("a.txt", tail=1)
    assert "limit" in (raised.value.hint or "")


def test_some_tools_for_langchain(box: Toolbox) -> None:
    def named(tools: list[Any]) -> list[str]:
        return [tool.name for tool in tools]

    assert named(box.langchain_tools()) == named(box.tools())
    assert named(box.langchain_tools(["Grep", "Edit", "Read"])) == ["Grep", "Edit", "Read"]
    assert named(box.langchain_tools(names=["Edit", "Read"], read_only=True)) == ["Read"]
    reading = named(box.langchain_tools(read_only=True))
    assert reading == ["Read", "LS", "Glob", "Grep"], "none of these changes anything"
    with pytest.raises(toolcrib.UnknownToolError, match="no tool 'Raed'") as raised:
        box.langchain_tools(["Raed"])
    assert "Read" in (raised.value.hint or "")
